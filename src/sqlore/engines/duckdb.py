"""DuckDB files, read-only: no writing, no files, no network, no settings, one SELECT at a time.

The connection is `read_only`, external access is off (no `read_csv`, COPY, ATTACH, extensions), the
configuration is locked so that no statement can undo this, and DuckDB itself says the type of each
statement before it runs. Results are streamed, so a large one is never held whole.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Final

import duckdb

from sqlore.engines.base import (
    DEFAULT_LIMIT,
    DEFAULT_TIMEOUT,
    Engine,
    file_fingerprint,
    short,
    stopped,
    taken,
)
from sqlore.engines.duckdb_schema import read_schema
from sqlore.engines.url import Target
from sqlore.engines.watched import WatchedQuery
from sqlore.errors import ConnectError, EngineError, QueryError, SqloreError, UnsafeSql
from sqlore.model import Rows, Schema

__all__ = ["DuckdbEngine"]

# Spilling to disk is off (`temp_directory`): it would write a folder beside the user's database.
_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "memory_limit": "2GB",
    "lock_configuration": "true",
}


class DuckdbEngine(Engine):
    """One DuckDB file; see `Engine`. Raises `ConnectError` where the file cannot be read."""

    dialect = "duckdb"

    def __init__(self, target: Target) -> None:
        self.url = target.url
        self.name = target.path.stem
        self._path = target.path
        self._lock = threading.Lock()
        self._active: set[_Run] = set()
        try:
            self._connection: duckdb.DuckDBPyConnection | None = duckdb.connect(
                str(target.path), read_only=True, config=_CONFIG
            )
        except duckdb.Error as error:
            raise self._cannot_open(error) from error

    def _cannot_open(self, error: duckdb.Error) -> ConnectError:
        message = str(error)
        if "lock" in message.lower():
            hint = "another process has it open for writing; close that, or use a copy of the file"
        elif "different configuration" in message:
            hint = "this process already has it open in another way; close that connection first"
        elif "version" in message.lower():
            hint = "it was written by another version of DuckDB; `pip install -U duckdb`"
        elif "encrypt" in message.lower():
            hint = "the file is encrypted; use a copy that is not"
        elif "?" in str(self._path):
            hint = "DuckDB takes a question mark in a path for the start of options; rename the file"
        else:
            hint = "the file may be damaged; try a copy or a backup of it"
        return ConnectError(f"cannot open {self._path}: {short(message)}", hint=hint)

    def run(self, sql: str, *, limit: int = DEFAULT_LIMIT, timeout: float = DEFAULT_TIMEOUT) -> Rows:
        started = time.monotonic()
        run = _Run(self._cursor(), sql, limit)
        with self._lock:
            self._active.add(run)
        try:
            run.wait(timeout)
        finally:
            with self._lock:
                self._active.discard(run)
        if not run.done.is_set() or run.error is not None:
            raise _translate(run.error, run.reason, sql, timeout) from run.error
        return Rows(run.columns, tuple(run.rows), run.more, time.monotonic() - started)

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        with self._lock:
            if self._connection is None:
                raise EngineError("the connection is closed")
            return self._connection.cursor()

    def schema(self) -> Schema:
        cursor = self._cursor()
        try:
            return read_schema(cursor, self.name)
        except duckdb.Error as error:
            raise self._cannot_open(error) from error
        finally:
            cursor.close()

    def interrupt(self) -> None:
        with self._lock:
            active = tuple(self._active)
        for run in active:
            run.stop("interrupt")

    def fingerprint(self) -> str:
        return file_fingerprint(self._path, ".wal")

    def close(self) -> None:
        self.interrupt()
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


class _Run(WatchedQuery):
    """One query on a cursor of its own, in a thread of its own.

    On its own cursor, so that stopping it touches nothing else. In its own thread, because the driver
    looks for Ctrl-C only now and then while it runs in the main one: here the caller waits, wakes up at
    the time limit or at Ctrl-C, and interrupts.
    """

    def __init__(self, cursor: duckdb.DuckDBPyConnection, sql: str, limit: int) -> None:
        super().__init__()
        self.columns: tuple[str, ...] = ()
        self.rows: list[tuple[Any, ...]] = []
        self.more = False
        self._cursor = cursor
        threading.Thread(target=self._work, args=(sql, limit), daemon=True, name="sqlore-duckdb").start()

    def _work(self, sql: str, limit: int) -> None:
        try:
            _require_one_select(self._cursor, sql)
            self._cursor.execute(sql)
            self.columns = tuple(str(item[0]) for item in self._cursor.description or ())
            self.rows, self.more = taken(self._cursor.fetchmany, limit)
        except Exception as error:  # handed to the thread that waits
            self.error = error
        with self.lock:
            self._cursor.close()
            self.done.set()

    def halt(self) -> None:
        self._cursor.interrupt()


def _require_one_select(cursor: duckdb.DuckDBPyConnection, sql: str) -> None:
    """DuckDB's own parser says how many statements there are and of which type."""
    statements = cursor.extract_statements(sql)
    if not statements:
        raise QueryError("there is no query to run")
    if len(statements) > 1:
        raise UnsafeSql("only one statement at a time may run")
    kind = statements[0].type.name
    if kind == "MULTI":
        raise UnsafeSql(
            "this statement runs as several", hint="a PIVOT needs its values listed: PIVOT t ON c IN (...)"
        )
    if kind != "SELECT":
        raise UnsafeSql(f"the database is open for reading only: {kind} is not allowed")


def _translate(error: Exception | None, reason: str | None, sql: str, timeout: float) -> SqloreError:
    message = short(str(error), 600)
    if error is None or isinstance(error, duckdb.InterruptException) or "INTERRUPT" in message:
        if reason != "interrupt":
            return stopped(sql, timeout)
        return QueryError("the query was interrupted")
    if isinstance(error, SqloreError):
        return error
    if isinstance(error, duckdb.PermissionException) or "read-only mode" in message:
        return UnsafeSql(f"the database is open for reading only: {message}")
    if "configuration" in message and "locked" in message:
        return UnsafeSql(f"settings cannot be changed: {message}")
    if isinstance(error, duckdb.OutOfMemoryException):
        return QueryError(message, where=short(sql, 120), hint="narrow the query: it needs too much memory")
    hint = "a value is missing for a placeholder" if "Values were not provided" in message else None
    return QueryError(message, where=short(sql, 120), hint=hint)
