"""Every error sqlore raises on purpose, as one tree.

    SqloreError
    ├── UsageError              the caller asked for something that cannot be: a missing file, a bad URL
    │   └── ConfigError         a setting is wrong
    ├── SqlError                something about one piece of SQL, with its position
    │   ├── ParseError          it cannot be read as SQL
    │   ├── NotAQuery           it is a statement, but not one that only reads rows
    │   ├── EditError           a change to one piece of a query cannot be made
    │   └── CheckError          it is a query, but may not or cannot run here
    │       ├── UnsafeSql       it could write, reach outside the database, or run several statements
    │       └── UnknownName     it names a table or column that does not exist
    ├── EngineError             the database
    │   ├── ConnectError        it cannot be opened
    │   ├── QueryError          it refused the query, with its own message
    │   └── QueryTimeout        the query was stopped at the time limit
    ├── SourceError             a history source cannot be read, with file and line
    ├── StoreError              the knowledge store
    │   ├── StoreVersionError   made by a newer sqlore
    │   └── StoreEmbeddingError made with another embedding model
    └── ModelError              a language or embedding model
        ├── ModelUnavailable    not installed, not downloaded, not reachable
        ├── ModelTimeout        no answer within the time limit
        └── ModelRefusal        it answered, but not with what was asked for

Every error says what was wrong (`str(error)`), where (`where`), and what to do (`hint`).
"""

from __future__ import annotations

__all__ = [
    "CheckError",
    "ConfigError",
    "ConnectError",
    "EditError",
    "EngineError",
    "ModelError",
    "ModelRefusal",
    "ModelTimeout",
    "ModelUnavailable",
    "NotAQuery",
    "ParseError",
    "QueryError",
    "QueryTimeout",
    "SourceError",
    "SqlError",
    "SqloreError",
    "StoreEmbeddingError",
    "StoreError",
    "StoreVersionError",
    "UnknownName",
    "UnsafeSql",
    "UsageError",
]


class SqloreError(Exception):
    """Base of every deliberate error.

    >>> error = SqloreError("the file is empty", where="a.sql", hint="give a file with a query")
    >>> print(error.report())
    the file is empty
      where: a.sql
      hint: give a file with a query
    """

    #: Process exit code of a command that ends with this error.
    exit_code = 1

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def report(self) -> str:
        """The error as a few plain lines for a terminal or a log."""
        lines = [self.message]
        if self.where:
            lines.append(f"  where: {self.where}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class UsageError(SqloreError):
    """The caller asked for something that cannot be done as asked."""

    exit_code = 2


class ConfigError(UsageError):
    """A setting has a value that cannot be used."""


class Placed(SqloreError):
    """An error with its place in a piece of SQL; `line` and `column` count from 1, `position` from 0."""

    def __init__(
        self,
        message: str,
        *,
        position: int | None = None,
        line: int | None = None,
        column: int | None = None,
        where: str | None = None,
        hint: str | None = None,
    ) -> None:
        if where is None and line is not None:
            where = f"line {line}" if column is None else f"line {line}, column {column}"
        super().__init__(message, where=where, hint=hint)
        self.position = position
        self.line = line
        self.column = column


class SqlError(Placed):
    """Something about one piece of SQL: it was given, and must be given otherwise."""

    exit_code = 2


class ParseError(SqlError):
    """The text cannot be read as SQL in the given dialect."""


class NotAQuery(SqlError):
    """The text is SQL, but not a query: DDL, DML, a session command."""


class EditError(SqlError):
    """One piece of a query cannot be changed as asked; the position is that of the piece."""

    exit_code = 1


class CheckError(SqlError):
    """The query may not or cannot run on this database."""


class UnsafeSql(CheckError):
    """The text could write, reach outside the database, or holds several statements."""


class UnknownName(CheckError):
    """The query names a table or column the database does not have.

    `instead` is the one spelling that would be right in place of the qualified name that ends (a column)
    or begins (an alias) at `position`, where there is exactly one: ``T1.weight_kg``.
    """

    instead: str | None = None


class EngineError(SqloreError):
    """The database."""


class ConnectError(EngineError):
    """The database cannot be opened."""

    exit_code = 2


class QueryError(EngineError, Placed):
    """The database refused the query; the message is the database's own, the place where it tells one."""


class QueryTimeout(EngineError):
    """The query was stopped at its time limit; the connection stays usable."""


class SourceError(SqloreError):
    """A history source cannot be read; `where` is `file:line`."""

    exit_code = 2


class StoreError(SqloreError):
    """The knowledge store cannot be used."""

    exit_code = 2


class StoreVersionError(StoreError):
    """The store was made by a newer version of sqlore."""


class StoreEmbeddingError(StoreError):
    """The store's vectors were made with another embedding model."""


class ModelError(SqloreError):
    """A language or embedding model."""


class ModelUnavailable(ModelError):
    """The model is not installed, not downloaded or not reachable."""

    exit_code = 2


class ModelTimeout(ModelError):
    """The model gave no answer within its time limit."""


class ModelRefusal(ModelError):
    """The model answered, but not with what was asked for."""
