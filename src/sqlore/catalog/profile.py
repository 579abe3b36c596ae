"""What is in the columns: distinct values with counts, ranges, samples; one query a column, within a budget.

Columns are taken in rounds: the first text columns of every table before the hundredth of any, so that a
table of 1,000 columns does not use up what 900 others need. The order depends on the schema alone; where the
time does not suffice the rest is left out and said (`ColumnProfile.skipped`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, Literal

from sqlore.catalog.names import always_quote, looks_secret
from sqlore.engines import Engine
from sqlore.errors import EngineError, SqlError
from sqlore.model import Column, Rows, Schema, Table

ColumnKind = Literal["text", "number", "date", "other"]
Progress = Callable[[int, int, str], None]
"""Called with columns done, columns in all, and the one at work."""

_CODED: Final = 24
_NUMBERS: Final = ("int", "real", "num", "dec", "float", "double", "serial", "money", "bit", "year")
_TEXTS: Final = ("char", "text", "string", "enum", "clob", "uuid")
_OPAQUE: Final = (
    "blob",
    "binary",
    "bytea",
    "image",
    "json",
    "struct",
    "map",
    "[]",
    "list",
    "geo",
    "variant",
    "union",
    "point",
    "interval",
    "xml",
    "tsvector",
    "tsquery",
)
_OPAQUE_WORDS: Final = frozenset({"box", "circle", "line", "lseg", "path", "polygon"})  # of PostgreSQL


@dataclass(frozen=True, slots=True)
class ProfileBudget:
    """How much may be spent: rows looked at and distinct values kept a column, their length, seconds."""

    rows: int = 200_000
    values: int = 20_000
    length: int = 80
    columns: int = 20_000
    seconds: float = 60.0
    seconds_a_column: float = 5.0
    all_values: int = 200_000


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What was seen of one column.

    `values` are (text, count) pairs, most frequent first. `distinct` counts the distinct values of the rows
    looked at; `complete` says that all rows were and all values are kept (but an empty text);
    `skipped` says why not.
    """

    table: str
    column: str
    kind: ColumnKind
    distinct: int | None = None
    filled: int | None = None
    values: tuple[tuple[str, int], ...] = ()
    minimum: str | None = None
    maximum: str | None = None
    complete: bool = False
    skipped: str | None = None

    @property
    def coded(self) -> bool:
        """Few values that all are known and come again: a status, a kind, a flag."""
        return (
            self.complete
            and bool(self.values)
            and len(self.values) <= _CODED
            and (self.filled or 0) > 2 * len(self.values)
        )


@dataclass(frozen=True, slots=True)
class Profile:
    """The profiles of a database's columns, in the schema's order; names are as in the database."""

    columns: tuple[ColumnProfile, ...] = ()
    _index: dict[tuple[str, str], ColumnProfile] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        self._index.update({(c.table.lower(), c.column.lower()): c for c in self.columns})

    def column(self, table: str, column: str) -> ColumnProfile | None:
        """The profile of one column, whatever the case of its name."""
        return self._index.get((table.lower(), column.lower()))

    @property
    def cut(self) -> dict[str, str]:
        """Columns not looked at for want of budget, or that failed: ``table.column`` -> why."""
        return {
            f"{c.table}.{c.column}": c.skipped for c in self.columns if c.skipped and c.skipped not in _CHOSEN
        }

    def trimmed(self, keep: int) -> Profile:
        """The same with at most `keep` values a column (all of a coded one)."""
        return Profile(
            tuple(c if len(c.values) <= keep else replace(c, values=c.values[:keep]) for c in self.columns)
        )

    def to_json(self) -> list[dict[str, Any]]:
        """The profiles as plain data; empty properties are left out."""
        rows = (asdict(c) for c in self.columns)
        return [
            {k: v for k, v in row.items() if v is not None and v is not False and v != ()} for row in rows
        ]

    @classmethod
    def from_json(cls, data: Iterable[Mapping[str, Any]]) -> Profile:
        """The profile that `to_json` wrote."""
        return cls(
            tuple(
                ColumnProfile(**{**row, "values": tuple((str(v), int(n)) for v, n in row.get("values", ()))})
                for row in data
            )
        )


_SECRET: Final = "its name looks secret"
_OTHER: Final = "values of this type are not listed"
_CHOSEN: Final = frozenset({_SECRET, _OTHER})
_NO_TIME: Final = "no time left"
_NO_ROOM: Final = "enough values are kept: only counted"
_DATED: Final = re.compile(r"\d{4}-\d\d(?!\d)")


def profile_database(
    engine: Engine, schema: Schema, budget: ProfileBudget | None = None, on_progress: Progress | None = None
) -> Profile:
    """Look at each column of the schema once, within the budget.

    A column that the database refuses or that takes too long is skipped with the reason; nothing is raised.
    """
    budget = budget or ProfileBudget()
    plan = _plan(schema)
    ends = time.monotonic() + budget.seconds
    left = budget.all_values
    found: dict[tuple[str, str], ColumnProfile] = {}
    for done, (table, column) in enumerate(plan):
        name = table.full_name
        seen = ColumnProfile(name, column.name, column_kind(column))
        remaining = ends - time.monotonic()
        if looks_secret(column.name):
            seen = replace(seen, skipped=_SECRET)
        elif seen.kind == "other":
            seen = replace(seen, skipped=_OTHER)
        elif done >= budget.columns:
            seen = replace(seen, skipped=f"more than {budget.columns} columns")
        elif remaining <= 0:
            seen = replace(seen, skipped=_NO_TIME)
        else:
            if on_progress:
                on_progress(done, len(plan), f"{table.name}.{column.name}")
            timeout = min(remaining, budget.seconds_a_column)
            seen = _look(engine, table, seen, replace(budget, values=min(budget.values, left)), timeout)
            left -= len(seen.values)
        found[name, column.name] = seen
    if on_progress:
        on_progress(len(plan), len(plan), "")
    return Profile(tuple(found[t.full_name, c.name] for t in schema.tables for c in t.columns))


def _plan(schema: Schema) -> list[tuple[Table, Column]]:
    """All columns in the order of looking: text first within each table, tables taken in turn."""
    order: list[tuple[int, int, Table, Column]] = []
    for number, table in enumerate(schema.tables):
        ranked = sorted(enumerate(table.columns), key=lambda pair: (_interest(pair[1]), pair[0]))
        order += [(turn, number, table, column) for turn, (_, column) in enumerate(ranked)]
    return [(table, column) for _, _, table, column in sorted(order, key=lambda row: row[:2])]


def _interest(column: Column) -> int:
    return {"text": 0, "date": 1, "number": 2, "other": 3}[column_kind(column)] + 2 * column.primary_key


def column_kind(column: Column) -> ColumnKind:
    """What kind of values a column of this type holds; a column without a type may hold text.

    >>> [column_kind(Column("c", t)) for t in ("VARCHAR(9)", "DECIMAL", "TIMESTAMP", "BLOB", "", "POINT")]
    ['text', 'number', 'date', 'other', 'text', 'other']
    """
    spelled = column.type.lower()
    if spelled.startswith(("enum", "set(")):
        return "text"  # whatever words its values are
    if any(word in spelled for word in _OPAQUE) or spelled in _OPAQUE_WORDS or spelled.endswith("range"):
        return "other"
    if any(word in spelled for word in _TEXTS):
        return "text"
    if "date" in spelled or "time" in spelled:
        return "date"
    if any(word in spelled for word in _NUMBERS):
        return "number"
    return "text"


def _look(
    engine: Engine, table: Table, seen: ColumnProfile, budget: ProfileBudget, timeout: float
) -> ColumnProfile:
    sample = _sample(engine.dialect, table, budget)
    try:
        rows = _rows(engine, _query(engine.dialect, table, seen, budget, sample), budget, timeout)
        if sample and not rows.rows:  # there are far fewer rows than the database thought
            sample = ""
            rows = _rows(engine, _query(engine.dialect, table, seen, budget), budget, timeout)
    except (EngineError, SqlError) as error:
        return replace(seen, skipped=error.message)
    if not rows.rows:
        return replace(seen, distinct=0, filled=0, complete=True)
    _, _, distinct, filled, minimum, maximum, looked = rows.rows[0]
    listed = [(_text(v), int(n)) for v, n, *_ in rows.rows if v is not None]
    if not budget.values:
        listed, seen = [], replace(seen, skipped=_NO_ROOM)
    values = tuple((text, n) for text, n in listed if text)
    known = len(values) + any(v == "" for v, *_ in rows.rows)  # the empty text is a value, but not kept
    low, high = _text(minimum), _text(maximum)
    ranged = seen.kind in ("number", "date") or (_DATED.match(low) and _DATED.match(high))
    return replace(
        seen,
        distinct=int(distinct),
        filled=int(filled),
        values=values,
        minimum=low if ranged and low else None,
        maximum=high if ranged and high else None,
        complete=int(looked) < budget.rows and not sample and known == int(distinct),
    )


def _sample(dialect: str, table: Table, budget: ProfileBudget) -> str:
    """What takes a share of the blocks of a table too large to be read, the same ones for each column.

    Empty where the table is small enough, or the database cannot: then its first rows are looked at.
    """
    if dialect != "postgres" or table.is_view or not table.rows or table.rows <= budget.rows:
        return ""
    return f" tablesample system ({100 * budget.rows / table.rows:.6f}) repeatable (1)"


def _rows(engine: Engine, query: str, budget: ProfileBudget, timeout: float) -> Rows:
    return engine.run(query, limit=max(1, budget.values), timeout=timeout)


def _query(dialect: str, table: Table, seen: ColumnProfile, budget: ProfileBudget, sample: str = "") -> str:
    """Distinct values with counts, and in each row: distinct, filled, minimum, maximum, rows looked at.

    Long texts are counted but not listed, so that columns of documents cost no memory. The column is
    qualified: SQLite reads a lone quoted name that is no column as a text.
    """
    column = always_quote(seen.column, dialect)
    source = always_quote(table.name, dialect)
    if table.schema:
        source = f"{always_quote(table.schema, dialect)}.{source}"
    text = f"cast(v as {'char' if dialect == 'mysql' else 'varchar'})"
    listed = f"{'char_length' if dialect == 'mysql' else 'length'}({text}) <= {budget.length}"
    known = table.column(seen.column)
    bits = known is not None and known.type.startswith("bit")
    # PostgreSQL has no smallest boolean, UUID or bit string
    bound = text if dialect == "postgres" and (seen.kind == "text" or bits) else "v"
    return (
        f"select case when {listed} then v end as listed_value, n, count(v) over () as distinct_values,"
        " sum(case when v is null then 0 else n end) over () as filled_rows,"
        f" min({bound}) over () as smallest, max({bound}) over () as largest, sum(n) over () as all_rows"
        " from (select v, count(*) as n from"
        f" (select looked_at.{column} as v from {source} as looked_at{sample}"
        f" limit {budget.rows}) as seen group by v) as counted"
        f" order by case when {listed} then 0 else 1 end, n desc, v"
    )


def _text(value: Any) -> str:
    """A value as it is written in SQL, without quotes; bytes and NULL are no text."""
    if value is None or isinstance(value, (bytes, bytearray, memoryview)):
        return ""
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, (datetime, date)):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
