"""What databases on servers have in common: a pool of connections, one query in a thread of its own.

A query runs in a transaction that reads only and is always rolled back, so that nothing it sets outlives
it. The server stops it at the time limit; where it does not, the caller does, from outside.
"""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Final, TypeVar

from sqlalchemy.pool import Pool, PoolProxiedConnection, QueuePool

from sqlore.engines.base import DEFAULT_LIMIT, DEFAULT_TIMEOUT, Engine, stopped
from sqlore.engines.server_url import ServerTarget
from sqlore.engines.watched import WatchedQuery
from sqlore.errors import EngineError, QueryError, SqloreError
from sqlore.model import Rows, Schema

__all__ = ["Found", "ServerEngine"]

Read = TypeVar("Read")
#: The columns of a result and at most one row more than were wanted.
Found = tuple[tuple[str, ...], list[tuple[Any, ...]], bool]

#: Seconds beyond the limit in which the server should have stopped a query by itself.
_LATE: Final = 0.5
_CONNECTIONS: Final = 4
_MOST_CONNECTIONS: Final = 16
#: Seconds that reading the catalog may take.
SCHEMA_SECONDS: Final = 120.0


class ServerEngine(Engine):
    """A database on a server; see `Engine`. What differs between servers are the abstract methods."""

    def __init__(self, target: ServerTarget) -> None:
        self.url = target.url
        self.name = target.database
        self.target = target
        self._lock = threading.Lock()
        self._active: set[_Run] = set()
        self._pool: Pool | None = self._make_pool()
        self.give_back(self.checkout(SCHEMA_SECONDS))

    # -------------------------------------------------------------- what each server does its own way

    def _make_pool(self) -> Pool:
        """A pool of connections, with nothing opened yet. A transaction is ended before one goes back."""
        return QueuePool(
            self.open,
            pool_size=_CONNECTIONS,
            max_overflow=_MOST_CONNECTIONS - _CONNECTIONS,
            reset_on_return=None,
        )

    @abstractmethod
    def open(self) -> Any:
        """A new connection of the driver; `ConnectError` says what was wrong, and never the password."""

    @abstractmethod
    def begin(self, connection: Any, timeout: float) -> None:
        """Begins a transaction that only reads and stops each statement after `timeout` seconds."""

    @abstractmethod
    def read(self, connection: Any, sql: str, limit: int) -> Found:
        """The first rows of a query, through a cursor that leaves the others on the server."""

    @abstractmethod
    def end(self, connection: Any) -> bool:
        """Rolls back. False where the connection cannot be used again."""

    @abstractmethod
    def cancel(self, connection: Any) -> None:
        """Stops what runs on a connection, from another thread; raises nothing."""

    @abstractmethod
    def require_query(self, sql: str) -> None:
        """Raises `UnsafeSql` for what is plainly no query, before anything is sent."""

    @abstractmethod
    def translate(self, error: Exception, sql: str, timeout: float, reason: str | None) -> SqloreError:
        """The driver's error as one of ours; `reason` says who stopped the query."""

    @abstractmethod
    def is_lost(self, error: Exception) -> bool:
        """Whether the connection is gone: of one that lay idle another is tried."""

    @abstractmethod
    def read_schema(self, connection: Any) -> Schema:
        """Everything that can be read, by a few queries over the catalog."""

    @abstractmethod
    def read_fingerprint(self, connection: Any) -> str:
        """What changes with the content."""

    @abstractmethod
    def read_statements(self, connection: Any) -> list[dict[str, Any]]:
        """What the server counted of the queries that ran."""

    # -------------------------------------------------------------- the engine

    def run(self, sql: str, *, limit: int = DEFAULT_LIMIT, timeout: float = DEFAULT_TIMEOUT) -> Rows:
        started = time.monotonic()
        self._need_pool()
        self.require_query(sql)
        run = _Run(self, sql, limit, timeout)
        with self._lock:
            self._active.add(run)
        run.start()
        try:
            run.wait(timeout + _LATE)
        finally:
            with self._lock:
                self._active.discard(run)
        if not run.done.is_set():
            raise stopped(sql, timeout)
        if run.error is not None:
            if isinstance(run.error, SqloreError):
                raise run.error
            raise self.translate(run.error, sql, timeout, run.reason) from run.error
        columns, found, more = run.found
        return Rows(columns, tuple(found), more, time.monotonic() - started)

    def schema(self) -> Schema:
        return self._inside(self.read_schema)

    def statements(self) -> list[dict[str, Any]]:
        """The queries that ran in this database as the server counted them: sql, runs, author, key.

        Raises `ConnectError` where it does not count them, or does not show them to this user.
        """
        return self._inside(self.read_statements)

    def fingerprint(self) -> str:
        return self._inside(self.read_fingerprint)

    def _inside(self, work: Callable[[Any], Read]) -> Read:
        """What `work` reads of the catalog, in a transaction of its own."""
        held = self.checkout(SCHEMA_SECONDS)
        try:
            return work(held.dbapi_connection)
        except SqloreError:
            raise
        except Exception as error:
            raise self.translate(error, "the catalog", SCHEMA_SECONDS, None) from error
        finally:
            self.give_back(held)

    def _need_pool(self) -> Pool:
        with self._lock:
            if self._pool is None:
                raise EngineError("the connection is closed")
            return self._pool

    def checkout(self, timeout: float) -> PoolProxiedConnection:
        """A connection with its transaction begun; one that was lost while it lay idle is replaced."""
        pool = self._need_pool()
        for _ in range(_MOST_CONNECTIONS):
            held = pool.connect()
            try:
                self.begin(held.dbapi_connection, timeout)
            except Exception as error:
                held.invalidate()
                if not self.is_lost(error):
                    raise
                lost = error
            else:
                return held
        raise lost

    def give_back(self, held: PoolProxiedConnection) -> None:
        """Ends the transaction; a connection that cannot be used again is closed."""
        try:
            usable = self.end(held.dbapi_connection)
        except Exception:
            usable = False
        if usable:
            held.close()
        else:
            held.invalidate()

    def interrupt(self) -> None:
        with self._lock:
            active = tuple(self._active)
        for run in active:
            run.stop("interrupt")

    def close(self) -> None:
        self.interrupt()
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.dispose()


class _Run(WatchedQuery):
    """One query on a connection of its own, in a thread of its own.

    The caller waits, wakes up at the time limit or at Ctrl-C, and has the server stop the query, which
    leaves the connection usable; a driver that is interrupted while it reads does not.
    """

    def __init__(self, engine: ServerEngine, sql: str, limit: int, timeout: float) -> None:
        super().__init__()
        self.found: Found = ((), [], False)
        self._engine, self._sql, self._limit, self._timeout = engine, sql, limit, timeout
        self._at_work: Any = None

    def start(self) -> None:
        threading.Thread(target=self._work, daemon=True, name="sqlore-server").start()

    def _work(self) -> None:
        try:
            held = self._engine.checkout(self._timeout)
            try:
                self._read(held.dbapi_connection)
            finally:
                self._engine.give_back(held)
        except Exception as error:  # handed to the thread that waits
            self.error = error
        self.done.set()

    def _read(self, connection: Any) -> None:
        with self.lock:
            if self.reason:
                raise QueryError("the query was interrupted")
            self._at_work = connection
        try:
            self.found = self._engine.read(connection, self._sql, self._limit)
        finally:
            with self.lock:  # from here on nothing must be stopped on this connection
                self._at_work = None

    def halt(self) -> None:
        if self._at_work is not None:
            self._engine.cancel(self._at_work)
