"""What tasks are made of and checked against: one database, its catalog, and its history taken apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlore.catalog import Catalog, build_catalog
from sqlore.engines import Engine, connect
from sqlore.errors import SourceError
from sqlore.evals.tasks import History
from sqlore.history import parse_all, read_history
from sqlore.model import ParsedScript, Rejected, Script
from sqlore.sql import unknown_name

__all__ = ["Bench", "Candidate", "open_bench"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A task that is to be checked; `used` are the keys of the scripts it was made from, if that is known."""

    id: str
    database: str
    question: str
    sql: str
    evidence: str = ""
    used: tuple[str, ...] = ()
    knowledge: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Bench:
    """One database with its history; the keys of the scripts are unique."""

    engine: Engine
    catalog: Catalog
    history: History
    scripts: Mapping[str, ParsedScript] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scripts", {one.script.key: one for one in self.history.parsed})

    @property
    def dialect(self) -> str:
        return self.engine.dialect

    @property
    def name(self) -> str:
        """The database's name: BIRD's `db_id`."""
        return self.history.database


@contextmanager
def open_bench(
    history: Sequence[str | Path],
    db: str,
    *,
    dictionary: Sequence[str | Path] = (),
    database: str | None = None,
    dialect: str | None = None,
) -> Iterator[Bench]:
    """The bench of a database and the scripts of these sources that are about it: those that name a table
    or column that it does not have are left out, like those that cannot be parsed.

    `database` is what the history calls the database, by default the name of its file. Raises what
    `connect` and `read_history` raise, and `SourceError` where no script is left.
    """
    with connect(db) as engine:
        catalog = build_catalog(engine, dictionary_files=dictionary)
        name = database or engine.name
        chosen = dialect or engine.dialect
        read = [one for source in history for one in read_history(source, dialect=chosen, database=name)]
        scripts = _unique([one for one in read if isinstance(one, Script)])
        outcomes = list(parse_all(scripts, dialect=chosen, schema=catalog.schema))
        parsed = [one for one in outcomes if isinstance(one, ParsedScript)]
        if not parsed:
            raise _none_parsed([*read, *outcomes], ", ".join(map(str, history)))
        own = [one for one in parsed if unknown_name(one.script.sql, chosen, catalog.schema) is None]
        if not own:
            raise SourceError(
                f"no script of the history is about the database {engine.name}",
                where=", ".join(map(str, history)),
                hint="each names a table or column that is not there",
            )
        yield Bench(engine, catalog, History(name, own, len(read) - len(own)))


def _none_parsed(outcomes: Sequence[object], where: str) -> SourceError:
    """What to say of a history of which nothing can be parsed: also why, of the first script."""
    why = next((one.message for one in outcomes if isinstance(one, Rejected)), "")
    return SourceError(
        "no script of the history can be parsed",
        where=where,
        hint=f"the first: {why}; is it in another dialect? --dialect NAME" if why else None,
    )


def _unique(scripts: Sequence[Script]) -> list[Script]:
    """The scripts with a key of their own each: the source's, else their number."""
    seen: dict[str, int] = {}
    out = []
    for number, one in enumerate(scripts, 1):
        key = one.key or str(number)
        seen[key] = seen.get(key, 0) + 1
        out.append(replace(one, key=key if seen[key] == 1 else f"{key}~{seen[key]}"))
    return out
