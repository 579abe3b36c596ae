"""PostgreSQL, read-only: psycopg 3 over a pool of SQLAlchemy.

Each query is the query of a `DECLARE CURSOR`, sent by the extended protocol: the server itself takes only
one statement there, and only one that returns rows. It runs in a READ ONLY transaction with a time limit, a
fixed search path and the string syntax that `sqlore.sql` reads, and is rolled back. A superuser lays down
what it may do beyond reading tables.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any, Final

import psycopg
from psycopg import sql as text_of
from psycopg.conninfo import make_conninfo

from sqlore.engines.base import line_and_column, quote_name, short, stopped, taken
from sqlore.engines.first_word import first_word
from sqlore.engines.postgres_errors import cannot_connect
from sqlore.engines.postgres_schema import read_fingerprint, read_schema, read_schemas
from sqlore.engines.postgres_values import register_values
from sqlore.engines.server import Found, ServerEngine
from sqlore.engines.server_url import ServerTarget, address
from sqlore.engines.statements import postgres_statements
from sqlore.errors import ConnectError, QueryError, SqloreError, UnsafeSql, UsageError
from sqlore.model import Schema
from sqlore.passwords import SECRET_OPTIONS, also_known_as

__all__ = ["PostgresEngine"]

_CURSOR: Final = "sqlore"
_BEFORE: Final = f'DECLARE "{_CURSOR}" CURSOR FOR '
#: What a pooler in between may not know; then only the transaction is read-only, not the session too.
_STARTUP: Final = "-c default_transaction_read_only=on"
_LONGEST: Final = 2_147_483_647
_LEARNED: Final = """
SELECT current_schemas(false)::text[], current_setting('is_superuser') = 'on'
    AND EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'pg_read_all_data'),
  (SELECT setting::int FROM pg_catalog.pg_settings WHERE name = 'statement_timeout')
"""
_LATER: Final = "cannot insert multiple commands"


class PostgresEngine(ServerEngine):
    """One PostgreSQL database; see `Engine`. Raises `ConnectError` where it cannot be reached."""

    dialect = "postgres"

    def __init__(self, target: ServerTarget) -> None:
        self._startup = True
        self._path: tuple[str, ...] = ()
        self._laid_down = False
        self._version = 0
        self._longest = _LONGEST
        self._enums: list[tuple[str, int, int]] = []
        super().__init__(target)

    # -------------------------------------------------------------- connections

    def open(self) -> Any:
        try:
            connection = self._open()
        except psycopg.ProgrammingError as error:
            raise UsageError(
                f"{self.url} has an option that PostgreSQL does not know",
                where=short(self._without_secrets(str(error))),
                hint="options are those of libpq: sslmode, sslrootcert, connect_timeout, options, …",
            ) from None
        except psycopg.Error as error:
            raise cannot_connect(self.target, self._without_secrets(str(error))) from None
        try:
            self._learn(connection)
            register_values(connection, self._enums)
        except psycopg.Error as error:
            connection.close()
            raise cannot_connect(self.target, self._without_secrets(str(error))) from None
        except ConnectError:
            connection.close()
            raise
        return connection

    def _open(self) -> Any:
        target = self.target
        host, port = _hosts(target)
        given: dict[str, Any] = {
            "user": target.user or None,
            "host": host or None,
            "port": port or None,
            "dbname": target.database or None,
            "password": target.password,
        }
        given = {name: value for name, value in given.items() if value is not None}
        options = {"connect_timeout": "10", "application_name": "sqlore", "keepalives_idle": "60"}
        options |= {"tcp_user_timeout": "60000"} | target.options
        startup = f"{options.get('options', '')} {_STARTUP}".strip() if self._startup else ""
        startup = startup or options.get("options", "")
        options |= {"options": startup} if startup else {}
        conninfo = make_conninfo("", **{**given, **options, "client_encoding": "UTF8"})
        try:
            return psycopg.connect(conninfo, autocommit=True, prepare_threshold=None)
        except psycopg.OperationalError as error:
            if self._startup and "unsupported startup parameter" in str(error):
                self._startup = False
                return self._open()
            raise

    def _learn(self, connection: Any) -> None:
        """What is asked of the first connection: where to look for names, who asks, how long, which enums."""
        info = connection.info
        if self._version:
            return
        self.name = info.dbname
        is_socket = info.host.startswith("/")
        own = {"host": info.host} if is_socket else {}
        shown = {k: v for k, v in self.target.options.items() if k not in ("host", "port", *SECRET_OPTIONS)}
        own |= shown | ({"schemas": ",".join(self.target.schemas)} if self.target.schemas else {})
        several = "," in self.target.host
        host, port = (self.target.host, None) if several else ("" if is_socket else info.host, info.port)
        found = address("postgresql", info.user, host, port, info.dbname, own)
        also_known_as(self.url, found)
        self.url = found
        with connection.cursor() as cursor:
            cursor.execute(_LEARNED)
            path, self._laid_down, longest = cursor.fetchone()
            self._longest = longest or _LONGEST
            self._path = self._wanted(cursor) or tuple(path)
            cursor.execute("SELECT typname, oid, typarray FROM pg_catalog.pg_type WHERE typtype = 'e'")
            self._enums = cursor.fetchall()
        self._version = info.server_version

    def _wanted(self, cursor: Any) -> tuple[str, ...]:
        """The schemas that the URL names: bare names are looked for there alone, in their order."""
        if not self.target.schemas:
            return ()
        there = read_schemas(cursor)
        missing = [name for name in self.target.schemas if name not in there]
        if missing:
            raise ConnectError(
                f"the database {self.name} has no schema {short(', '.join(missing), 120)} for this user",
                hint=f"?schemas= names some of: {short(', '.join(there), 400) or '(there are none)'}",
            )
        return self.target.schemas

    def begin(self, connection: Any, timeout: float) -> None:
        milliseconds = self._milliseconds(timeout)
        path = ", ".join(quote_name(name) for name in self._path) or "''"
        settings = {
            "statement_timeout": str(milliseconds),
            "lock_timeout": str(milliseconds),
            "search_path": path,
            "standard_conforming_strings": "on",
            "cursor_tuple_fraction": "1.0",
        }
        if self._laid_down:
            settings |= {"row_security": "off", "role": "pg_read_all_data"}
        lines = ["BEGIN TRANSACTION READ ONLY", *(f"SET LOCAL {name} = {v}" for name, v in settings.items())]
        connection.execute("; ".join(lines))

    def _milliseconds(self, timeout: float) -> int:
        """A time limit as the server takes it: that of the role, or of the URL, is never raised."""
        return min(self._longest, max(1, round(timeout * 1000)))

    def end(self, connection: Any) -> bool:
        if connection.closed or connection.broken:
            return False
        # a lock that a query took for the session would outlive the transaction
        connection.execute("ROLLBACK; SELECT pg_catalog.pg_advisory_unlock_all()")
        return True

    def cancel(self, connection: Any) -> None:
        with contextlib.suppress(psycopg.Error, OSError):
            connection.cancel_safe(timeout=5.0)

    def is_lost(self, error: Exception) -> bool:
        return isinstance(error, psycopg.OperationalError) and (
            error.sqlstate is None
            or (error.sqlstate.startswith(("08", "57P")) and error.sqlstate != "08P01")  # a placeholder
        )

    # -------------------------------------------------------------- queries

    def require_query(self, sql: str) -> None:
        first_word(sql, nested_comments=True)

    def read(self, connection: Any, sql: str, limit: int) -> Found:
        with connection.cursor(name=_CURSOR, scrollable=None) as cursor:
            cursor.execute(text_of.SQL(sql))
            columns = tuple(str(item.name) for item in cursor.description or ())
            return columns, *taken(cursor.fetchmany, limit)

    def translate(self, error: Exception, sql: str, timeout: float, reason: str | None) -> SqloreError:
        if not isinstance(error, psycopg.Error):
            return QueryError(short(f"{type(error).__name__}: {error}"), where=short(sql, 120))
        state, message = error.sqlstate or "", error.diag.message_primary or str(error)
        if state == "57014":  # query_canceled
            if reason == "interrupt":
                return QueryError("the query was interrupted")
            if reason == "timeout" or "timeout" in message:
                return stopped(sql, self._milliseconds(timeout) / 1000)
            return QueryError("somebody else stopped the query", hint="run it again")
        if self.is_lost(error):
            return ConnectError(
                f"the connection to {self.url} was lost: {short(self._without_secrets(message))}",
                hint="run it again when the server can be reached",
            )
        if state == "25006":  # read_only_sql_transaction
            return UnsafeSql(f"the database is open for reading only: {message}")
        if _LATER in message:
            return UnsafeSql("only one statement at a time may run")
        if message.startswith("DECLARE CURSOR must not") or "INTO is not allowed" in message:
            return UnsafeSql(f"a query may only read: {message.removeprefix('DECLARE CURSOR ')}")
        return self._query_error(error, state, message, sql)

    def _query_error(self, error: psycopg.Error, state: str, message: str, sql: str) -> QueryError:
        hint = error.diag.message_hint
        if state == "42501" and not hint:  # insufficient_privilege
            hint = "GRANT SELECT on it to the user in the URL"
            if self._laid_down:
                hint = "queries of a superuser have the rights of pg_read_all_data; connect as another user"
        elif state in ("42P02", "08P01"):
            hint = "a value is missing for a placeholder"
        elif state == "55P03":
            hint = "somebody holds a lock on it; try again later"
        detail = error.diag.message_detail
        text = short(f"{message} ({detail})" if detail and len(detail) < 200 else message, 600)
        position = _position(error, sql)
        if position is None:
            return QueryError(text, where=short(sql, 120), hint=hint)
        line, column = line_and_column(sql, position)
        where = f"line {line}, column {column}: {short(sql[position:], 80)}"
        return QueryError(text, position=position, line=line, column=column, where=where, hint=hint)

    def _without_secrets(self, message: str) -> str:
        secrets = (self.target.password, *(self.target.options.get(name) for name in SECRET_OPTIONS))
        for secret in secrets:
            message = message.replace(secret, "***") if secret else message
        return message

    # -------------------------------------------------------------- the catalog

    def read_schema(self, connection: Any) -> Schema:
        return read_schema(connection, self.name, self._path, self.target.schemas)

    def read_statements(self, connection: Any) -> list[dict[str, Any]]:
        return postgres_statements(connection)

    def read_fingerprint(self, connection: Any) -> str:
        return read_fingerprint(connection)


def _position(error: psycopg.Error, sql: str) -> int | None:
    """Where in the query the server saw the fault; it counts from 1 and with what stands before the query."""
    told = error.diag.statement_position or ""
    if not re.fullmatch(r"\d+", told):
        return None
    position = int(told) - 1 - len(_BEFORE)
    return position if 0 <= position <= len(sql) else None


def _hosts(target: ServerTarget) -> tuple[str, str]:
    """Hosts and ports as libpq wants them: those of several servers are two lists."""
    if "," not in target.host:
        return target.host, str(target.port or "")
    pairs = [one.partition(":") for one in target.host.split(",")]
    return ",".join(host for host, _, _ in pairs), ",".join(port for _, _, port in pairs)
