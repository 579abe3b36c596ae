"""What every format is made of: question and SQL, and the SQL taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlore.errors import SqlError
from sqlore.sql import parse_script

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.model import ParsedScript, RankedScript, Retrieval, Table

__all__ = ["Example", "database_of", "examples", "one_line", "quoted", "tables_of"]

_SPACE: Final = re.compile(r"\s+")
_QUOTED: Final = re.compile(r"'((?:[^']|'')*)'")


@dataclass(frozen=True, slots=True)
class Example:
    """One worked example: `id` is the script's in the store, `key` the history's own name of it.

    `score` is the share of what the question needs that the script holds, 0 to 1; `parsed` its SQL taken
    apart, None where that cannot be done.
    """

    id: int
    key: str
    question: str
    sql: str
    score: float
    description: str = ""
    evidence: str = ""
    database: str = ""
    parsed: ParsedScript | None = None


def examples(found: Retrieval, catalog: Catalog | None = None) -> tuple[Example, ...]:
    """The scripts of a retrieval as examples, the most useful first."""
    return tuple(_example(ranked, catalog) for ranked in found.scripts)


def _example(ranked: RankedScript, catalog: Catalog | None) -> Example:
    stored = ranked.script
    script = stored.script
    schema = catalog.schema if catalog else None
    try:
        parsed = parse_script(script, schema.dialect if schema and not script.dialect else None, schema)
    except SqlError:
        parsed = None
    return Example(
        stored.id,
        script.key or str(stored.id),
        one_line(script.text or stored.description),
        script.sql.strip().rstrip("; \n\t"),
        ranked.score,
        one_line(stored.description),
        one_line(script.evidence or ""),
        script.database or "",
        parsed,
    )


def database_of(found: Retrieval, catalog: Catalog | None) -> str:
    """What the pipelines call ``db_id``: the schema's name, else the database that the scripts name."""
    named = (ranked.script.script.database for ranked in found.scripts)
    return (catalog.schema.name if catalog else "") or next((name for name in named if name), "")


def tables_of(example: Example, catalog: Catalog | None) -> list[Table]:
    """The tables that the example's SQL uses, in the schema's order."""
    if catalog is None or example.parsed is None:
        return []
    used = {name.replace('"', "").lower().rpartition(".")[2] for name in example.parsed.tables}
    return [table for table in catalog.schema.tables if table.name.lower() in used]


def one_line(text: str) -> str:
    """Text whose line ends would break a layout of lines.

    >>> one_line("How many\\n  heroes?")
    'How many heroes?'
    """
    return _SPACE.sub(" ", text).strip()


def quoted(sql: str) -> list[str]:
    """The strings in a statement, each once.

    >>> quoted("a = 'O''Hara' AND b IN ('x', 'x')")
    ["O'Hara", 'x']
    """
    return list(dict.fromkeys(text.replace("''", "'") for text in _QUOTED.findall(sql)))
