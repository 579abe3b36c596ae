"""What every engine offers, and the few helpers all of them share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self

from sqlore.errors import ConnectError, QueryTimeout
from sqlore.model import Rows, Schema

__all__ = [
    "DEFAULT_LIMIT",
    "DEFAULT_TIMEOUT",
    "Engine",
    "file_fingerprint",
    "line_and_column",
    "one_line",
    "quote_name",
    "short",
    "stopped",
    "taken",
]

DEFAULT_LIMIT = 200
DEFAULT_TIMEOUT = 10.0
MOST_TEXT: Final = 128 * 1024 * 1024
"""Characters and bytes of one result's values that are fetched at most, lest the memory be full."""
_BATCH: Final = 1024


class Engine(Protocol):
    """A database that is asked, never written to.

    Safety is the engine's own: the connection is read-only, one statement runs at a time, everything
    but reading is denied by the database itself. `sqlore.sql.check_query` is a second line before it.
    An engine is a context manager, and may be used and interrupted from several threads.
    """

    url: str
    dialect: str
    name: str

    def schema(self) -> Schema:
        """Tables and views with columns, keys, comments and row counts; `ConnectError` if unreadable."""
        ...

    def run(self, sql: str, *, limit: int = DEFAULT_LIMIT, timeout: float = DEFAULT_TIMEOUT) -> Rows:
        """Run one query; at most `limit` rows are fetched, fewer of very long values (`taken`);
        `truncated` says whether there were more.

        Raises `UnsafeSql` (it does something other than reading, or is several statements),
        `QueryTimeout` (stopped after `timeout` seconds; the connection stays usable), `QueryError`.
        """
        ...

    def interrupt(self) -> None:
        """Stop what runs now, from any thread; that `run` raises `QueryError`. Harmless when idle."""
        ...

    def fingerprint(self) -> str:
        """Changes when the database's content may have changed; costs one look at the file."""
        ...

    def close(self) -> None:
        """Close the connection; a second call does nothing."""
        ...

    def quote(self, name: str) -> str:
        """`name` as an identifier of this dialect."""
        return quote_name(name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def quote_name(name: str) -> str:
    """An identifier in standard double quotes.

    >>> quote_name('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def short(text: str, length: int = 300) -> str:
    """One line of at most `length` characters, for messages.

    >>> short("a\\n  b", 10)
    'a b'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def one_line(name: str) -> str:
    """A column's name without line breaks: one that is not named is called as its expression is written.

    >>> one_line("SUM(a\\n  + b)")
    'SUM(a + b)'
    """
    return " ".join(name.split()) if "\n" in name else name


def taken(
    fetch: Callable[[int], Sequence[tuple[Any, ...]]], limit: int
) -> tuple[list[tuple[Any, ...]], bool]:
    """Rows of a cursor, `limit` at most and `MOST_TEXT` of values, and whether there are more.

    >>> rows = [(1, "a"), (2, "b"), (3, "c")]
    >>> taken(lambda size: [rows.pop(0) for _ in range(min(size, len(rows)))], 2)
    ([(1, 'a'), (2, 'b')], True)
    """
    found: list[tuple[Any, ...]] = []
    size, batch = 0, 1
    while len(found) <= limit:
        fresh = fetch(min(batch, limit + 1 - len(found)))
        if not fresh:
            break
        found.extend(fresh)
        size += sum(len(value) for row in fresh for value in row if isinstance(value, str | bytes))
        if size > MOST_TEXT:
            return found[:limit], len(found) > limit or bool(fetch(1))
        # a batch of long values is a small one
        batch = max(1, min(2 * batch, _BATCH, (MOST_TEXT - size) * len(found) // max(size, 1)))
    return found[:limit], len(found) > limit


def stopped(sql: str, timeout: float) -> QueryTimeout:
    """The error for a query at its time limit."""
    return QueryTimeout(
        f"the query was stopped after {timeout:g} s",
        where=short(sql, 120),
        hint="narrow it with a condition or a LIMIT, or allow more time",
    )


def line_and_column(sql: str, position: int) -> tuple[int, int]:
    """Both from 1, of a position that counts from 0.

    >>> line_and_column("SELECT\\n  x", 9)
    (2, 3)
    """
    return sql.count("\n", 0, position) + 1, position - sql.rfind("\n", 0, position)


def file_fingerprint(path: Path, *companions: str) -> str:
    """Size and modification time of a database file and of its companions (`-wal` and the like)."""
    parts = []
    for file in (path, *(path.with_name(path.name + suffix) for suffix in companions)):
        try:
            stat = file.stat()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise ConnectError(f"cannot look at {file}: {error.strerror}") from error
        parts.append(f"{stat.st_size}.{stat.st_mtime_ns}")
    return "-".join(parts)
