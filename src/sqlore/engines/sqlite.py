"""SQLite files, read-only: the standard library's driver with every door but reading shut.

Four locks, each enough on its own against writing: the file is opened `mode=ro`, the connection is
`query_only`, an authorizer allows only the actions that reading needs, and the driver takes one
statement a call. A progress handler stops what runs too long; limits bound the size of a single value,
because one call such as `zeroblob(1000000000)` is not interruptible.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Final
from urllib.parse import quote as url_quote

from sqlore.engines.base import (
    DEFAULT_LIMIT,
    DEFAULT_TIMEOUT,
    Engine,
    file_fingerprint,
    one_line,
    short,
    stopped,
    taken,
)
from sqlore.engines.sqlite_schema import read_schema
from sqlore.engines.url import Target
from sqlore.errors import ConnectError, EngineError, QueryError, UnsafeSql
from sqlore.model import Rows, Schema

__all__ = ["SqliteEngine"]

_ALLOWED: Final = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
# Pragmas that only describe the schema, and those that full-text tables read through (never set).
_PRAGMAS: Final = frozenset(
    {"foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info", "table_xinfo"}
)
_PRAGMAS_TO_READ: Final = frozenset({"data_version", "page_size"})
_DENIED_FUNCTIONS: Final = frozenset(
    {"edit", "fts3_tokenizer", "load_extension", "readfile", "sqlite_log", "writefile"}
)
_ACTIONS: Final = {
    sqlite3.SQLITE_INSERT: "INSERT",
    sqlite3.SQLITE_UPDATE: "UPDATE",
    sqlite3.SQLITE_DELETE: "DELETE",
    sqlite3.SQLITE_ATTACH: "ATTACH",
    sqlite3.SQLITE_DETACH: "DETACH",
    sqlite3.SQLITE_PRAGMA: "PRAGMA",
    sqlite3.SQLITE_FUNCTION: "the function",
    sqlite3.SQLITE_TRANSACTION: "the command",
    sqlite3.SQLITE_SAVEPOINT: "SAVEPOINT",
}
_RTREE: Final = re.compile(r"\s*create\s+virtual\s+table\b.*\busing\s+rtree", re.IGNORECASE | re.DOTALL)
_STEPS: Final = 4000
_MAX_VALUE: Final = 64 * 1024 * 1024


class SqliteEngine(Engine):
    """One SQLite file; see `Engine`. Raises `ConnectError` where the file cannot be read."""

    dialect = "sqlite"

    def __init__(self, target: Target) -> None:
        self.url = target.url
        self.name = target.path.stem
        self._path = target.path
        self._lock = threading.Lock()
        self._deadline = float("inf")
        self._running = False
        self._interrupted = False
        self._denied = ""
        self._shadows: frozenset[str] = frozenset()
        self._connection: sqlite3.Connection | None = self._open()

    def _open(self) -> sqlite3.Connection:
        uri = f"file:{url_quote(str(self._path.absolute()))}?mode=ro"
        try:
            connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise self._cannot_open(error) from error
        try:
            connection.text_factory = _decode
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 2000)
            for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON", "busy_timeout=2000"):
                connection.execute(f"PRAGMA {pragma}")
            self._shadows = _rtree_shadows(connection)
        except sqlite3.Error as error:
            connection.close()
            raise self._cannot_open(error) from error
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(self._should_stop, _STEPS)
        return connection

    def _cannot_open(self, error: sqlite3.Error) -> ConnectError:
        message = str(error)
        if "not a database" in message or "malformed" in message:
            hint = "the file is encrypted or damaged; try a copy or a backup of it"
        elif "unable to open" in message:
            hint = "a database in WAL mode needs a folder that can be written; use a copy elsewhere"
        elif "locked" in message:
            hint = "another program holds it; try again when that is done, or use a copy"
        elif "readonly" in message:
            hint = "a crashed program left it half written; open it once with that program, or use a backup"
        else:
            hint = "check that it is a complete SQLite file"
        return ConnectError(f"cannot open {self._path}: {message}", hint=hint)

    def _authorize(
        self, action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None
    ) -> int:
        """SQLite asks this for each thing a statement would do, when it is prepared."""
        if action in _ALLOWED:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _DENIED_FUNCTIONS:
            return sqlite3.SQLITE_OK
        name = (first or "").lower()
        if action == sqlite3.SQLITE_PRAGMA and (
            name in _PRAGMAS or (name in _PRAGMAS_TO_READ and not second)
        ):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_UPDATE and name == "sqlite_master":
            # SQLite asks this while it connects a virtual table; an UPDATE that says so it refuses itself.
            return sqlite3.SQLITE_OK
        if action in (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_DELETE) and name in self._shadows:
            return sqlite3.SQLITE_OK
        what = second if action == sqlite3.SQLITE_FUNCTION else first
        self._denied = " ".join(filter(None, (_ACTIONS.get(action, "changing"), what)))
        return sqlite3.SQLITE_DENY

    def _should_stop(self) -> int:
        return int(self._interrupted or time.monotonic() > self._deadline)

    def run(self, sql: str, *, limit: int = DEFAULT_LIMIT, timeout: float = DEFAULT_TIMEOUT) -> Rows:
        def read(connection: sqlite3.Connection) -> Rows:
            cursor = connection.execute(sql)
            try:
                if cursor.description is None:
                    raise QueryError("there is no query to run")
                columns = tuple(one_line(str(item[0])) for item in cursor.description)
                found, more = taken(cursor.fetchmany, limit)
            finally:
                cursor.close()
            return Rows(columns, tuple(found), more, time.monotonic() - started)

        started = time.monotonic()
        return self._guarded(read, sql, timeout)

    def _guarded(self, work: Callable[[sqlite3.Connection], Rows], sql: str, timeout: float) -> Rows:
        with self._lock:
            if self._connection is None:
                raise EngineError("the connection is closed")
            self._denied = ""
            self._interrupted = False
            self._deadline = time.monotonic() + timeout
            self._running = True
            try:
                return work(self._connection)
            except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
                raise self._translate(error, sql, timeout) from error
            finally:
                self._running = False
                self._deadline = float("inf")

    def _translate(self, error: Exception, sql: str, timeout: float) -> BaseException:
        message = str(error)
        if "interrupted" in message:
            if self._interrupted:
                return QueryError("the query was interrupted")
            if time.monotonic() >= self._deadline:
                return stopped(sql, timeout)
            # Ctrl-C that arrived inside the progress handler: the driver swallows it there.
            return KeyboardInterrupt()
        if self._denied:
            return UnsafeSql(f"the database is open for reading only: {self._denied} is not allowed")
        if "one statement at a time" in message:
            return UnsafeSql("only one statement at a time may run")
        if "readonly" in message:
            return UnsafeSql("the database is open for reading only")
        hint = "a value is missing for a placeholder" if "bindings" in message else None
        return QueryError(message, where=short(sql, 120), hint=hint)

    def schema(self) -> Schema:
        with self._lock:
            if self._connection is None:
                raise EngineError("the connection is closed")
            try:
                return read_schema(self._connection, self.name, self._set_deadline)
            except sqlite3.Error as error:
                raise self._cannot_open(error) from error
            finally:
                self._deadline = float("inf")

    def _set_deadline(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds

    def interrupt(self) -> None:
        connection = self._connection
        if self._running and connection is not None:
            self._interrupted = True
            connection.interrupt()

    def fingerprint(self) -> str:
        return file_fingerprint(self._path, "-wal")

    def close(self) -> None:
        self.interrupt()
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


def _decode(raw: bytes) -> str:
    """Text as UTF-8; a damaged character must not hide the rest of the row."""
    return raw.decode("utf-8", "replace")


def _rtree_shadows(connection: sqlite3.Connection) -> frozenset[str]:
    """The tables in which R-trees keep their nodes: merely to open an R-tree, SQLite prepares statements
    that write them. They are never run: the file itself is read-only."""
    rows = connection.execute("SELECT name, coalesce(sql, '') FROM sqlite_master WHERE type = 'table'")
    trees = (name for name, sql in rows if _RTREE.match(sql))
    return frozenset(f"{name}_{part}".lower() for name in trees for part in ("node", "rowid", "parent"))
