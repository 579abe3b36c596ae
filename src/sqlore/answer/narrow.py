"""The part of a wide schema that a question touches, as a smaller catalog.

A small model reads a short schema better than a long one, and a long one may not fit at all. What is left out
cannot be used, though, so the choice is generous: whole tables as far as they are short, the tables between
them, and all keys.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlore.catalog import Catalog
from sqlore.model import Retrieval, Schema, Table

__all__ = ["joined_tables", "linked_part", "table_scores", "touched_tables"]

#: Of the relevance of the best table, the share that a table needs to be shown, and to be joined.
SHOWN: Final = 0.2
JOINED: Final = 0.5
#: What an item of the history, and a value found in the question, need for their tables to be joined. Of the
#: rules measured (`tests/bench/bench_link.py`) this one named gold's tables most often.
_ITEM: Final = 0.35
_VALUE: Final = 0.95
#: Columns of a table that are shown beside its keys and those that the question touches.
SHORT: Final = 20


def table_scores(schema: Schema, relevance: Mapping[str, float]) -> dict[str, float]:
    """The relevance of each table: its own, or that of its best column.

    >>> from sqlore.model import Column
    >>> table_scores(Schema((Table("Hero", (Column("Eye"),)), Table("Side", ()))), {"hero.eye": 0.5})
    {'hero': 0.5, 'side': 0.0}
    """
    scores = {}
    for table in schema.tables:
        names = {table.folded_name, table.name.lower()}
        columns = (f"{name}.{c.name.lower()}" for name in names for c in table.columns)
        scores[table.folded_name] = max((relevance.get(n, 0.0) for n in (*names, *columns)), default=0.0)
    return scores


def touched_tables(schema: Schema, relevance: Mapping[str, float], share: float = JOINED) -> list[str]:
    """The tables that a question is about, most relevant first: all of at least `share` of the best one's."""
    scores = table_scores(schema, relevance)
    best = max(scores.values(), default=0.0)
    kept = [name for name, score in scores.items() if score > 0 and score >= share * best]
    return sorted(kept, key=lambda name: -scores[name])


def joined_tables(schema: Schema, retrieval: Retrieval | None, relevance: Mapping[str, float]) -> list[str]:
    """The tables that the query for a question will probably join, by its retrieval.

    Those of the found items that are probably needed, and of values that are certain; where the history knows
    nothing, those that the question touches by its words.
    """
    if retrieval is None or not retrieval.items:
        return touched_tables(schema, relevance)
    named = [t for ranked in retrieval.items if ranked.score >= _ITEM for t in ranked.item.tables]
    named += [match.table for match in retrieval.values if match.score >= _VALUE]
    known = {t.folded_name for t in schema.tables}
    folded = (name.replace('"', "").lower() for name in named)
    return [name for name in dict.fromkeys(folded) if name in known]


def linked_part(catalog: Catalog, relevance: Mapping[str, float], between: Collection[str] = ()) -> Catalog:
    """The catalog of the tables that the question touches and those `between` them, wide ones narrowed.

    A question that touches nothing gets the whole. Tables and columns keep their order.
    """
    shown = {*touched_tables(catalog.schema, relevance, SHOWN), *between}
    if not relevance or not shown:
        return catalog
    referred = _referred(catalog.schema)
    tables = tuple(
        _narrowed(table, relevance, referred.get(table.folded_name, frozenset()))
        for table in catalog.schema.tables
        if table.folded_name in shown
    )
    return replace(catalog, schema=replace(catalog.schema, tables=tables))


def _referred(schema: Schema) -> dict[str, frozenset[str]]:
    """The columns of each table that foreign keys refer to."""
    found: dict[str, frozenset[str]] = {}
    for table in schema.tables:
        for key in table.foreign_keys:
            other = schema.table(key.ref_table)
            if other is not None:
                name = other.folded_name
                found[name] = found.get(name, frozenset()) | {c.lower() for c in key.ref_columns}
    return found


def _narrowed(table: Table, relevance: Mapping[str, float], referred: Collection[str]) -> Table:
    """A wide table with its keys, the columns that the question touches, and its first ones."""
    if len(table.columns) <= SHORT:
        return table
    keys = {c.name.lower() for c in table.columns if c.primary_key}
    keys |= {c.lower() for key in table.foreign_keys for c in key.columns} | set(referred)
    names = table.folded_name, table.name.lower()

    def score(column: str) -> float:
        return max(relevance.get(f"{name}.{column}", 0.0) for name in names)

    wanted = keys | {c.name.lower() for c in table.columns if score(c.name.lower()) > 0}
    others: Sequence[str] = [c.name.lower() for c in table.columns if c.name.lower() not in wanted]
    wanted |= set(others[: max(0, SHORT - len(wanted))])
    return replace(table, columns=tuple(c for c in table.columns if c.name.lower() in wanted))
