"""The schema as text for a prompt: CREATE TABLE statements with what is known as comments, within a budget.

The same catalog and choice give the same text, byte for byte, and tables and columns keep the schema's order
whatever their relevance: a model's prefix cache then holds it from one question to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final

from sqlore.catalog.build import Catalog
from sqlore.catalog.gist import gist
from sqlore.catalog.names import quote_name, quote_reference
from sqlore.catalog.profile import ColumnProfile
from sqlore.model import Column, Table
from sqlore.sql.literals import quote_text

_MEANING: Final = 60  # letters of the meaning of one value
_BRIDGE: Final = 1e-6  # relevance of a table that only links relevant ones
_FEW: Final = 8  # numbers listed as codes; more are told as a range


def estimate_tokens(text: str) -> int:
    """A model's tokens in a text, roughly and rather too many: schema text has about 3.2 letters a token."""
    return len(text) * 10 // 32 + 1


@dataclass(frozen=True, slots=True)
class _Style:
    """What stands beside a column: samples, so many letters of description, so many coded values."""

    samples: bool
    letters: int
    codes: int


_LEVELS: Final = (
    _Style(True, 160, 24),
    _Style(False, 160, 24),
    _Style(False, 60, 24),
    _Style(False, 60, 8),
    _Style(False, 0, 8),
    _Style(False, 0, 0),
)
"""Ever less: codes, whose meaning cannot be guessed, go last."""


def schema_text(
    catalog: Catalog,
    *,
    tables: Collection[str] | None = None,
    budget_tokens: int | None = None,
    samples: bool = True,
    relevance: Mapping[str, float] | None = None,
    count: Callable[[str], int] = estimate_tokens,
) -> str:
    """The schema (or `tables` of it) in at most `budget_tokens`, as counted by `count`.

    Where the budget does not suffice, samples go first, then long descriptions, then all comments; then
    columns and tables: those of the highest `relevance` (``table`` or ``table.column``, folded: score) stay,
    at equal relevance the schema's first. A table that stays keeps its keys; what is missing is said.

    >>> from sqlore.catalog import catalog_from_schema, Entry
    >>> from sqlore.model import Schema, Table, Column
    >>> columns = (Column("molecule_id", "TEXT", primary_key=True), Column("label", "TEXT"))
    >>> known = [Entry("molecule", "label", "+", "carcinogenic"), Entry("molecule", description="compounds")]
    >>> schema = Schema((Table("molecule", columns),))
    >>> print(schema_text(catalog_from_schema(schema, entries=known)))
    CREATE TABLE molecule ( -- compounds
      molecule_id TEXT PRIMARY KEY,
      label TEXT -- '+' = carcinogenic
    );
    """
    wanted = {t.lower() for t in tables} if tables is not None else None
    chosen = [t for t in catalog.schema.tables if wanted is None or {t.name.lower(), t.folded_name} & wanted]
    levels = _LEVELS if samples else _LEVELS[1:]
    barest = _all(catalog, chosen, _LEVELS[-1])
    if budget_tokens is None or count(barest) <= budget_tokens:
        for level in levels:
            text = _all(catalog, chosen, level)
            if budget_tokens is None or count(text) <= budget_tokens:
                return text
    for level in (_LEVELS[3], _LEVELS[-1]):
        text = _selected(catalog, chosen, level, budget_tokens or 0, relevance or {}, count)
        if budget_tokens is None or count(text) <= budget_tokens:
            break
    return text


def _all(catalog: Catalog, tables: list[Table], style: _Style) -> str:
    return "\n".join(_create(catalog, table, None, style) for table in tables)


def _selected(
    catalog: Catalog,
    tables: list[Table],
    style: _Style,
    budget: int,
    relevance: Mapping[str, float],
    count: Callable[[str], int],
) -> str:
    """Tables with their keys, and columns, in the order of their relevance, as long as they fit."""
    scores = _table_scores(tables, relevance)
    any_relevant = any(scores.values())
    steps: list[tuple[float, int, int, Column | None]] = []
    for i, table in enumerate(tables):
        if scores[table.full_name] > 0 or not any_relevant:
            steps.append((-scores[table.full_name], i, -1, None))
            steps += [(-_column_score(table, c, relevance), i, n, c) for n, c in enumerate(table.columns)]
    kept: dict[int, set[str]] = {}
    used = count(_missing(tables, {}, budget))
    # A table comes before its columns: its score is at least theirs.
    for _, i, _, column in sorted(steps, key=lambda step: step[:3]):
        if column is None:
            cost = count(_create(catalog, tables[i], _keys(tables[i]), style)) + 1
            if used + cost <= budget or not kept:
                kept[i] = _keys(tables[i])
                used += cost
        elif i in kept and column.name not in kept[i]:
            cost = count("".join(_column_line(catalog, tables[i], column, style, True))) + 1
            if used + cost <= budget:
                kept[i].add(column.name)
                used += cost
    shown = [_create(catalog, tables[i], kept[i], style) for i in sorted(kept)]
    missing = _missing(tables, kept, budget)
    return "\n".join([*shown, missing] if missing else shown)


def _missing(tables: list[Table], kept: Mapping[int, set[str]], budget: int) -> str:
    """One comment that names tables left out, as many as a tenth of the budget holds."""
    names = [t.full_name for i, t in enumerate(tables) if i not in kept]
    if not names:
        return ""
    room, said = budget * 3 // 10, []
    for name in names:
        room -= len(name) + 2
        if room < 0:
            break
        said.append(name)
    more = len(names) - len(said)
    listed = ", ".join(said) + (f" and {more} more" if more and said else f"{more} tables" if more else "")
    return f"-- not shown: {listed}"


def _table_score(table: Table, relevance: Mapping[str, float]) -> float:
    own = max(relevance.get(table.folded_name, 0.0), relevance.get(table.name.lower(), 0.0))
    return max([own, *(_column_score(table, column, relevance) for column in table.columns)])


def _table_scores(tables: list[Table], relevance: Mapping[str, float]) -> dict[str, float]:
    """Scores by table; a table that links two relevant ones is needed to join them."""
    scores = {t.full_name: _table_score(t, relevance) for t in tables}
    relevant = {t.name.lower() for t in tables if scores[t.full_name] > 0}
    for table in tables:
        linked = {k.ref_table.lower() for k in table.foreign_keys} & relevant
        if not scores[table.full_name] and len(linked) > 1:
            scores[table.full_name] = _BRIDGE
    return scores


def _column_score(table: Table, column: Column, relevance: Mapping[str, float]) -> float:
    name = column.name.lower()
    return max(relevance.get(f"{t.lower()}.{name}", 0.0) for t in (table.full_name, table.name))


def _keys(table: Table) -> set[str]:
    """Names of the columns that are keys: without them the table cannot be joined."""
    keys = {c.name for c in table.columns if c.primary_key}
    return keys.union(*(set(k.columns) for k in table.foreign_keys))


# ------------------------------------------------------------------ one table


def _create(catalog: Catalog, table: Table, columns: Collection[str] | None, style: _Style) -> str:
    """One statement; `columns` None shows all of them."""
    shown = [c for c in table.columns if columns is None or c.name in columns]
    single = sum(c.primary_key for c in table.columns) == 1
    lines = [_column_line(catalog, table, c, style, single) for c in shown]
    constraints = _constraints(catalog, table)
    left_out = len(table.columns) - len(shown)
    about = catalog.dictionary.describe_table(table.full_name) or ""
    note = _comment([_short(gist(about, style.letters, table.full_name), style.letters)])
    parts = [f"CREATE TABLE {_quoted(catalog, table)} ({note}"]
    bodies = [*lines, *((f"  {c}", "") for c in constraints)]
    for number, (body, comment) in enumerate(bodies, start=1):
        parts.append(f"{body}{',' if number < len(bodies) else ''}{comment}")
    if left_out:
        parts.append(f"  -- {left_out} more columns")
    return "\n".join([*parts, ");"])


def _quoted(catalog: Catalog, table: Table) -> str:
    return ".".join(quote_name(n, catalog.schema.dialect) for n in (table.schema, table.name) if n)


def _column_line(
    catalog: Catalog, table: Table, column: Column, style: _Style, single_key: bool
) -> tuple[str, str]:
    """The definition of a column and the comment behind it."""
    words = [quote_name(column.name, catalog.schema.dialect), " ".join(column.type.split())]
    if column.primary_key and single_key:
        words.append("PRIMARY KEY")
    for key in table.foreign_keys:
        if key.columns == (column.name,):
            ref = ", ".join(quote_name(c, catalog.schema.dialect) for c in key.ref_columns)
            target = quote_reference(key.ref_table, catalog.schema.dialect)
            words.append(f"REFERENCES {target}({ref})" if ref else f"REFERENCES {target}")
            break
    return "  " + " ".join(w for w in words if w), _comment(_known(catalog, table, column, style))


def _constraints(catalog: Catalog, table: Table) -> list[str]:
    """Keys of more than one column."""
    dialect = catalog.schema.dialect

    def listed(names: Collection[str]) -> str:
        return ", ".join(quote_name(n, dialect) for n in names)

    primary = [c.name for c in table.columns if c.primary_key]
    found = [f"PRIMARY KEY ({listed(primary)})"] if len(primary) > 1 else []
    for key in table.foreign_keys:
        if len(key.columns) > 1:
            ref = quote_reference(key.ref_table, dialect)
            found.append(f"FOREIGN KEY ({listed(key.columns)}) REFERENCES {ref}({listed(key.ref_columns)})")
    return found


def _known(catalog: Catalog, table: Table, column: Column, style: _Style) -> list[str]:
    """Description, meanings of codes, or else the values of a coded column, a range, a few samples."""
    name = table.full_name
    entry = catalog.dictionary.entry(name, column.name)
    told = []
    if entry and style.letters:
        named = entry.name and entry.description and entry.name.lower() not in entry.description.lower()
        text = f"{entry.name}: {entry.description}" if named else entry.description or entry.name
        told.append(_short(gist(text or "", style.letters, f"{name} {column.name}"), style.letters))
    meanings = catalog.dictionary.value_meanings(name, column.name)
    profile = catalog.profile.column(name, column.name)
    codes = _codes(table, column, meanings, profile)
    if codes:
        shown = [_code(c, meanings.get(c), profile) for c in codes[: style.codes]]
        if shown:
            more = ", ..." if len(codes) > len(shown) else ""
            told.append(("" if meanings else "values: ") + ", ".join(shown) + more)
    elif profile and style.samples and column.name not in _keys(table):
        told.append(_samples(profile))
    return told


def _codes(
    table: Table, column: Column, meanings: Mapping[str, str], profile: ColumnProfile | None
) -> list[str]:
    """Values whose meaning is known, and all values of a coded column that is no key."""
    coded: list[str] = []
    if profile and profile.coded and column.name not in _keys(table):
        coded = [value for value, _ in profile.values]
        if not meanings and (
            any(len(v) > 40 for v in coded) or (profile.kind != "text" and len(coded) > _FEW)
        ):
            coded = []
    return list(dict.fromkeys([*meanings, *coded]))


def _samples(profile: ColumnProfile) -> str:
    if profile.kind != "text" and profile.minimum is not None:
        return f"from {_short(profile.minimum, 30)} to {_short(profile.maximum, 30)}"
    samples = [_literal(v) for v, _ in profile.values[:8] if len(v) <= 60][:3]
    return "e.g. " + ", ".join(samples) if samples else ""


def _code(code: str, meaning: str | None, profile: ColumnProfile | None) -> str:
    written = _short(code, 60) if profile and profile.kind == "number" else _literal(code)
    return f"{written} = {_short(meaning, _MEANING)}" if meaning else written


def _literal(value: str) -> str:
    """A value in quotes, on one line."""
    return quote_text(_short(value, 60))


def _short(text: str | None, letters: int) -> str:
    """At most so many letters of a text, on one line: a line break would end the comment it stands in."""
    text = " ".join("".join(c if c.isprintable() else " " for c in text or "").split())
    return text if len(text) <= letters else text[: max(0, letters - 1)].rstrip() + "…" if letters else ""


def _comment(parts: list[str]) -> str:
    said = "; ".join(p for p in parts if p)
    return f" -- {said}" if said else ""
