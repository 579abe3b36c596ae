"""MySQL and MariaDB, read-only: pymysql over a pool of SQLAlchemy.

The driver takes one statement a call. What is no query, writes into a file or a variable, or hides in a
comment that the server would run is refused by its tokens before it is sent; what is sent runs in a READ
ONLY transaction with a time limit, a row limit, and the string syntax that `sqlore.sql` reads.
"""

from __future__ import annotations

import contextlib
import getpass
import os
from typing import Any, Final

import pymysql
from pymysql.constants import FIELD_TYPE
from pymysql.converters import conversions
from pymysql.cursors import SSCursor

from sqlore.engines.base import one_line, short, stopped, taken
from sqlore.engines.mysql_errors import LOST, TIMES, cannot_connect
from sqlore.engines.mysql_schema import read_fingerprint, read_schema
from sqlore.engines.mysql_text import query_error, require_reading
from sqlore.engines.server import Found, ServerEngine
from sqlore.engines.server_url import ServerTarget, address
from sqlore.engines.statements import mysql_statements
from sqlore.errors import ConnectError, QueryError, SqloreError, UnsafeSql, UsageError
from sqlore.model import Schema
from sqlore.passwords import SECRET_OPTIONS, also_known_as

__all__ = ["MysqlEngine"]

_PORT: Final = 3306
# Modes in which the server reads quotes otherwise than the parser that checked the query.
_READ_OTHERWISE: Final = frozenset(
    {"ANSI", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "ORACLE", "MSSQL", "DB2", "POSTGRESQL", "MAXDB"}
)
_VALUES: Final = conversions | {
    FIELD_TYPE.BIT: lambda data: None if data is None else int.from_bytes(data, "big")
}
_NUMBERS: Final = frozenset({"port", "connect_timeout"})
_SWITCHES: Final = frozenset({"ssl_disabled", "ssl_verify_cert", "ssl_verify_identity"})
_TEXTS: Final = frozenset({"charset", "ssl_ca", "ssl_cert", "ssl_key", "ssl_key_password", "unix_socket"})
_SSL_MODES: Final[dict[str, dict[str, Any]]] = {
    "disabled": {"ssl_disabled": True},
    "preferred": {},
    "required": {"ssl": {"check_hostname": False}},
    "verify_ca": {"ssl_verify_cert": True},
    "verify_identity": {"ssl_verify_cert": True, "ssl_verify_identity": True},
}
_OPTION_FILE: Final = "~/.my.cnf"


class MysqlEngine(ServerEngine):
    """One database of a MySQL or MariaDB server; see `Engine`. Raises `ConnectError` as it must."""

    dialect = "mysql"

    def __init__(self, target: ServerTarget) -> None:
        if not target.database:
            raise UsageError(f"{target.url} names no database", hint="write mysql://USER@HOST:PORT/DATABASE")
        self._given = _arguments(target)
        self._mode: str | None = None
        self._is_mariadb = False
        super().__init__(target)

    def quote(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    # -------------------------------------------------------------- connections

    def open(self) -> Any:
        try:
            connection = pymysql.connect(**self._given)
            self._learn(connection)
        except (pymysql.Error, RuntimeError, OSError, ValueError) as error:
            raise cannot_connect(self.target, error) from None
        return connection

    def _learn(self, connection: Any) -> None:
        """How this server reads SQL and which of the two it is; the URL as it is known from now on."""
        with connection.cursor() as cursor:
            if self._mode is None:
                cursor.execute("SELECT @@sql_mode, VERSION()")
                modes, version = cursor.fetchone()
                kept = [one for one in modes.split(",") if one and one not in _READ_OTHERWISE]
                self._is_mariadb = "mariadb" in version.lower()
                self._name_it(connection)
                self._mode = ",".join(kept)
            cursor.execute("SET SESSION sql_mode = %s", (self._mode,))
            cursor.execute("SET SESSION TRANSACTION READ ONLY")
            if not self._is_mariadb:
                with contextlib.suppress(pymysql.Error):  # counts as they are now; unknown before 8.0
                    cursor.execute("SET SESSION information_schema_stats_expiry = 0")

    def _name_it(self, connection: Any) -> None:
        target = self.target
        shown = {k: v for k, v in target.options.items() if k not in SECRET_OPTIONS}
        shown |= {"schemas": ",".join(target.schemas)} if target.schemas else {}
        is_socket = "unix_socket" in self._given
        host, port = ("", None) if is_socket else (connection.host, connection.port)
        user = connection.user.decode() if isinstance(connection.user, bytes) else connection.user
        found = address("mysql", user, host, port, target.database, shown)
        also_known_as(self.url, found)
        self.url = found

    def begin(self, connection: Any, timeout: float) -> None:
        limit = (
            f"max_statement_time = {max(timeout, 0.001):f}"
            if self._is_mariadb
            else f"max_execution_time = {max(1, round(timeout * 1000))}"
        )
        with connection.cursor() as cursor:
            cursor.execute(f"SET SESSION {limit}, sql_mode = {connection.escape(self._mode)}")
            cursor.execute("START TRANSACTION READ ONLY")

    def end(self, connection: Any) -> bool:
        if not connection.open or (connection._result is not None and connection._result.unbuffered_active):
            return False
        connection.rollback()
        return True

    def cancel(self, connection: Any) -> None:
        with contextlib.suppress(pymysql.Error, RuntimeError, OSError):
            other = pymysql.connect(**{**self._given, "connect_timeout": 5})
            try:
                with other.cursor() as cursor:
                    cursor.execute(f"KILL QUERY {connection.thread_id()}")
            finally:
                other.close()

    def is_lost(self, error: Exception) -> bool:
        return isinstance(error, pymysql.InterfaceError) or (
            isinstance(error, pymysql.Error) and bool(error.args) and error.args[0] in LOST
        )

    # -------------------------------------------------------------- queries

    def require_query(self, sql: str) -> None:
        require_reading(sql)

    def read(self, connection: Any, sql: str, limit: int) -> Found:
        with connection.cursor() as cursor:
            cursor.execute(f"SET SESSION sql_select_limit = {limit + 1}")
        cursor = connection.cursor(SSCursor)
        try:
            cursor.execute(sql)
            columns = tuple(one_line(str(item[0])) for item in cursor.description or ())
            return columns, *taken(cursor.fetchmany, limit)
        finally:
            self._leave(connection, cursor)

    def _leave(self, connection: Any, cursor: Any) -> None:
        """Leaves the rest of a result on the server, by giving the connection up where there is any."""
        result = connection._result
        if result is not None and result.unbuffered_active:
            with contextlib.suppress(pymysql.Error, OSError):
                if cursor.fetchone() is None:  # it was the last row
                    cursor.close()
                    return
            connection._force_close()
            result.unbuffered_active = False
        with contextlib.suppress(pymysql.Error, OSError):
            cursor.close()

    def translate(self, error: Exception, sql: str, timeout: float, reason: str | None) -> SqloreError:
        if not isinstance(error, pymysql.Error) or not error.args:
            return QueryError(short(f"{type(error).__name__}: {error}"), where=short(sql, 120))
        code = error.args[0]
        message = short(str(error.args[1]) if len(error.args) > 1 else str(error), 600)
        if reason == "interrupt" and (code in (1317, *TIMES) or self.is_lost(error)):
            return QueryError("the query was interrupted")
        if code in TIMES or (reason == "timeout" and code == 1317):
            return stopped(sql, timeout)
        if code == 1317:
            return QueryError("somebody else stopped the query", hint="run it again")
        if self.is_lost(error):
            return ConnectError(
                f"the connection to {self.url} was lost: {message}",
                hint="run it again when the server can be reached",
            )
        if code == 1792 or code == 1290:  # READ ONLY transaction, --read-only or --secure-file-priv
            return UnsafeSql(f"the database is open for reading only: {message}")
        return query_error(code, message, sql)

    # -------------------------------------------------------------- the catalog

    def read_schema(self, connection: Any) -> Schema:
        return read_schema(connection, self.target.database, self.target.schemas)

    def read_statements(self, connection: Any) -> list[dict[str, Any]]:
        return mysql_statements(connection, self.target.database)

    def read_fingerprint(self, connection: Any) -> str:
        return read_fingerprint(connection, self.target.database, self.target.schemas)


def _arguments(target: ServerTarget) -> dict[str, Any]:
    """What the driver is called with. Raises `UsageError` for an option it does not have."""
    given: dict[str, Any] = {
        "user": target.user or None,
        "password": target.password or os.environ.get("MYSQL_PWD") or "",
        "host": target.host or None,
        "port": target.port or 0,
        "database": target.database,
        "charset": "utf8mb4",
        "connect_timeout": 10,
        "autocommit": True,
        "local_infile": False,
        "conv": _VALUES,
        "program_name": "sqlore",
    }
    options = os.path.expanduser(_OPTION_FILE)
    if os.path.isfile(options):
        given["read_default_file"] = options
    elif not given["user"]:
        given["user"] = getpass.getuser()
    for name, value in target.options.items():
        plain = name.replace("-", "_").lower()
        if plain in ("ssl_mode", "sslmode"):
            mode = _SSL_MODES.get(value.replace("-", "_").lower())
            if mode is None:
                raise UsageError(f"{value} is no {name}", hint=f"it is one of {', '.join(_SSL_MODES)}")
            given |= mode
        elif plain in _NUMBERS and value.isdigit():
            given[plain] = int(value)
        elif plain in _SWITCHES:
            given[plain] = value.lower() not in ("0", "false", "no", "off")
        elif plain in _TEXTS:
            given[plain] = value
        else:
            raise UsageError(
                f"{target.url} has an option that is not known: {name}",
                hint=f"options are ssl_mode, {', '.join(sorted(_NUMBERS | _SWITCHES | _TEXTS))}, schemas",
            )
    given["charset"] = "utf8mb4"  # in other character sets a quote may be half of a letter
    return given
