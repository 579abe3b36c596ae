"""The tables of a scope under their names there, and those to be joined for a piece of the history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlore.answer.join_path import Join, JoinGraph, condition, table_name
from sqlore.errors import EditError
from sqlore.model import Schema, Table
from sqlore.sql.edit_insert import aliases_of, new_alias
from sqlore.sql.edit_query import Query
from sqlore.sql.names import spell
from sqlore.sql.resolve import Scope

__all__ = ["Room", "folded", "room_for"]


@dataclass(frozen=True, slots=True)
class Room:
    """What a scope calls its tables, those included that are joined for a piece, and how they are joined."""

    aliases: dict[str, str]
    joins: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


def room_for(
    query: Query,
    scope: Scope,
    missing: Sequence[str],
    graph: JoinGraph,
    *,
    known: Mapping[str, Join] | None = None,
    side: str = "JOIN",
    named: bool = False,
    far: bool = False,
) -> Room:
    """The names of a scope's tables with those of the missing ones, each joined by a known way.

    `known` are joins that were chosen; `far` allows one table between. Raises `EditError` where nothing
    joins a table.
    """
    schema = query.schema or Schema(())
    aliases = aliases_of(query, scope, named=named or bool(missing))
    names = {folded(base): alias for base, alias in aliases.items()}
    joins, tables, notes = [], [], []
    for name, join in _ways(graph, list(names), missing, known or {}, far):
        table = schema.table(name)
        if table is None:
            raise EditError(f"the database has no table {name}")
        alias = new_alias(query, scope, table.name, list(names.values()))
        names[name] = aliases[spell(name)] = alias
        written = table_name(name, schema)
        shown = written if alias == table.name else f"{written} AS {alias}"
        joins.append(f"{side} {shown} ON {condition(join, schema, names)}")
        tables.append(table)
        keys = {column.name.lower() for column in table.columns if column.primary_key}
        if keys != {pair[join.left != name] for pair in join.columns}:
            notes.append(f"one row may have several of {name}: the join may repeat rows")
    return Room(aliases, tuple(joins), tuple(tables), tuple(notes))


def _ways(
    graph: JoinGraph, here: list[str], missing: Sequence[str], known: Mapping[str, Join], far: bool
) -> Iterator[tuple[str, Join]]:
    """Each missing table with the join that brings it, and before it the one between where that is needed."""
    for name in missing:
        if name in here:
            continue
        join = known.get(name) or _way(graph, here, name)
        if join is None and far:
            between = [
                (first.support + second.support, middle, first, second)
                for middle in sorted(graph.neighbours(name) - set(here))
                if (first := _way(graph, here, middle)) and (second := _way(graph, [middle], name))
            ]
            if between:
                _, middle, first, join = max(between, key=lambda way: way[0])
                here.append(middle)
                yield middle, first
        if join is None:
            raise EditError(
                f"no known relation joins {name} to the tables of this query",
                hint="add a join first, or learn a script that makes it",
            )
        here.append(name)
        yield name, join


def _way(graph: JoinGraph, here: Sequence[str], table: str) -> Join | None:
    """The join of a table to one of those here that is made most."""
    ways = [join for one in here for join in graph.between(one, table)]
    return max(ways, key=lambda join: join.support, default=None)


def folded(table: str) -> str:
    """A table of a skeleton as the schema folds it.

    >>> folded('"Order"')
    'order'
    """
    return table.replace('"', "").lower()
