"""A history that a server kept by itself: the statements it counted, each with how often it ran."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from sqlore.engines import connect
from sqlore.errors import ConnectError, SourceError, UsageError
from sqlore.history.records import Origin, Record, scripts_of
from sqlore.model import Rejected, Script

if TYPE_CHECKING:
    from sqlore.engines.server import ServerEngine

__all__ = ["SOURCES", "server_scripts"]

#: What may stand behind the ``#`` of the URL: the name of what is read.
SOURCES = ("pg_stat_statements", "statements")


def server_scripts(url: str, dialect: str | None) -> Iterator[Script | Rejected]:
    """The queries that the server of `url` counted, the most frequent first.

    PostgreSQL keeps them in `pg_stat_statements`, MySQL in its statement digests; values are placeholders in
    both, unless MySQL kept a sample. Raises `UsageError` for another source behind ``#``, `ConnectError`
    where the server cannot be reached, `SourceError` where it keeps no statements.
    """
    place, _, what = url.partition("#")
    if what and what not in SOURCES:
        raise UsageError(f"a server has no history called {what}", hint=f"write {place}#{SOURCES[0]}")
    return _scripts(place, dialect)


def _scripts(url: str, dialect: str | None) -> Iterator[Script | Rejected]:
    with connect(url) as opened:
        engine = cast("ServerEngine", opened)
        origin = Origin(engine.url, dialect or engine.dialect)
        try:
            found: list[dict[str, Any]] = engine.statements()
        except ConnectError as error:
            raise SourceError(error.message, where=engine.url, hint=error.hint) from error
        name = engine.name
    records = (Record({**one, "database": name}, number) for number, one in enumerate(found, 1))
    yield from scripts_of(records, origin)
