"""A schema in any representation, within a prompt's budget: whole where it fits, else filtered.

Few-shot pipelines differ in how they write a schema down (CREATE TABLE, lists of columns with samples). What
does not fit is left out here for all of them: the tables, then the columns, that the question touches least.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlore.catalog import Catalog, Dictionary, Profile, ValueIndex, schema_text
from sqlore.model import Column, Schema, Table
from sqlore.prompts.base import PromptContext
from sqlore.prompts.few_shot import TARGET_SHARE
from sqlore.prompts.text import neutral, tokens

__all__ = ["create_tables", "filtered", "told", "without_values"]

Render = Callable[[Sequence[Table]], str]
"""Tables in, text out."""

#: Tables, and columns of each beside its keys, that are left where more do not fit.
_LEVELS: Final = ((40, 40), (24, 24), (12, 12), (8, 10), (6, 8), (5, 6), (4, 4), (3, 3), (2, 2), (1, 1))


def told(render: Render, schema: Schema, context: PromptContext, share: float = TARGET_SHARE) -> str:
    """The schema as `render` writes it, in at most `share` of the prompt's budget.

    A schema that fits whole is the same text for every question.
    """
    room = int(context.budget * share)
    text = neutral(render(schema.tables))
    for most_tables, most_columns in _LEVELS:
        if tokens(text) <= room:
            break
        text = neutral(render(filtered(schema, context.relevance, most_tables, most_columns)))
    return text


def filtered(
    schema: Schema, relevance: Mapping[str, float], most_tables: int, most_columns: int
) -> list[Table]:
    """The tables that matter most, with their keys and the columns that matter most, in the schema's order.

    `relevance` is as in a `PromptContext`. A table that links two of those chosen stays too: they could not
    be joined without it. At equal relevance the schema's first are taken.

    >>> hero = Table("hero", (Column("id", primary_key=True), Column("name"), Column("cm")))
    >>> found = filtered(Schema((Table("log", (Column("at"),)), hero)), {"hero.cm": 0.9}, 1, 1)
    >>> [(table.name, [column.name for column in table.columns]) for table in found]
    [('hero', ['id', 'cm'])]
    """
    scores = {table.folded_name: _score(table, relevance) for table in schema.tables}
    best = sorted(schema.tables, key=lambda table: -scores[table.folded_name])[:most_tables]
    chosen = {table.folded_name for table in best}
    chosen |= {name for name, others in _linked(schema).items() if len(others & chosen) > 1}
    referred = {
        (other.folded_name, column.lower())
        for table in schema.tables
        if table.folded_name in chosen
        for key in table.foreign_keys
        if (other := schema.table(key.ref_table)) is not None
        for column in key.ref_columns
    }
    return [
        _part(table, schema, chosen, referred, relevance, most_columns)
        for table in schema.tables
        if table.folded_name in chosen
    ]


def _part(
    table: Table,
    schema: Schema,
    chosen: set[str],
    referred: set[tuple[str, str]],
    relevance: Mapping[str, float],
    most: int,
) -> Table:
    """A table with its keys to other chosen tables and so many of its other columns."""
    foreign = tuple(
        key
        for key in table.foreign_keys
        if (other := schema.table(key.ref_table)) is not None and other.folded_name in chosen
    )
    keys = {column.name for column in table.columns if column.primary_key}
    keys |= {column.name for column in table.columns if (table.folded_name, column.name.lower()) in referred}
    keys |= {column for key in foreign for column in key.columns}
    others = [column for column in table.columns if column.name not in keys]
    others.sort(key=lambda column: -_column_score(table, column, relevance))
    kept = keys | {column.name for column in others[:most]}
    columns = tuple(column for column in table.columns if column.name in kept)
    return replace(table, columns=columns, foreign_keys=foreign)


def _linked(schema: Schema) -> dict[str, set[str]]:
    """The tables on the other end of each table's foreign keys, whoever has the key."""
    linked: dict[str, set[str]] = defaultdict(set)
    for table in schema.tables:
        for key in table.foreign_keys:
            other = schema.table(key.ref_table)
            if other is not None and other is not table:
                linked[table.folded_name].add(other.folded_name)
                linked[other.folded_name].add(table.folded_name)
    return linked


def _score(table: Table, relevance: Mapping[str, float]) -> float:
    own = max(relevance.get(name, 0.0) for name in (table.folded_name, table.name.lower()))
    return max([own, *(_column_score(table, column, relevance) for column in table.columns)])


def _column_score(table: Table, column: Column, relevance: Mapping[str, float]) -> float:
    names = (table.folded_name, table.name.lower())
    return max(relevance.get(f"{name}.{column.name.lower()}", 0.0) for name in names)


def create_tables(schema: Schema) -> Render:
    """CREATE TABLE statements with types and keys and nothing else: a database's own code."""

    def render(tables: Sequence[Table]) -> str:
        return schema_text(Catalog(replace(schema, tables=tuple(tables))), samples=False)

    return render


def without_values(catalog: Catalog) -> Catalog:
    """The catalog's names and descriptions alone: no sample, no range, no coded value."""
    kept = tuple(entry for entry in catalog.dictionary.entries if entry.value is None)
    return replace(catalog, dictionary=Dictionary(kept), values=ValueIndex(), profile=Profile())
