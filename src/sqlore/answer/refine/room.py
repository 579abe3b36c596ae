"""The tables of a scope under their names there, and those to be joined for a piece of the history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlore.answer.join_path import Join, JoinGraph, condition, schema_joins, table_name
from sqlore.catalog import quote_name
from sqlore.errors import EditError
from sqlore.model import Schema, Table
from sqlore.sql.edit.insert import aliases_of, around, new_alias, written_alias
from sqlore.sql.edit.query import Query
from sqlore.sql.names import spell
from sqlore.sql.resolve import Scope

__all__ = ["MAY_REPEAT", "Room", "folded", "room_for"]

MAY_REPEAT: Final = "the join may repeat rows"
"""What is said of a join that is not by the whole key of what it brings."""


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

    `known` are joins that were chosen; `far` allows one table between. A table of the outer query that a
    subquery is about already is not joined again. Raises `EditError` where nothing joins a table.
    """
    schema = query.schema or Schema(())
    aliases = aliases_of(query, scope, named=named or bool(missing))
    outer = _outer(query, scope, missing)
    if outer and (named or known):
        raise EditError(f"the outer query has {next(iter(outer))} already, and this part is about its row")
    aliases |= outer
    names = {folded(base): alias for base, alias in aliases.items()}
    joins, tables, notes = [], [], []
    given = {folded(base) for base in outer}
    here, lacking = [n for n in names if n not in given], [n for n in missing if n not in given]
    for name, join in _ways(_Choice(graph, schema), here, lacking, known or {}, far):
        table = schema.table(name)
        if table is None:
            raise EditError(f"the database has no table {name}")
        alias = new_alias(query, scope, table.name, list(names.values()))
        called = quote_name(alias, query.dialect) if alias == table.name else alias
        names[name] = aliases[spell(name)] = called
        written = table_name(name, schema)
        shown = written if alias == table.name else f"{written} AS {called}"
        joins.append(f"{side} {shown} ON {condition(join, schema, names)}")
        tables.append(table)
        if not _by_key(schema, join, name):
            notes.append(f"one row may have several of {name}: {MAY_REPEAT}")
    return Room(aliases, tuple(joins), tuple(tables), tuple(notes))


def _outer(query: Query, scope: Scope, missing: Sequence[str]) -> dict[str, str]:
    """By their bases, what the queries around call those missing tables that this scope uses columns of.

    Raises `EditError` where a name in between hides one.
    """
    inside = [use for use in query.uses if scope in (use.scope, *around(use.scope))]
    found: dict[str, str] = {}
    nearer = {source.alias.lower() for source in scope.sources}
    for one in around(scope):
        for source in one.sources:
            wanted = source.base and folded(source.base) in missing and source.base not in found
            if wanted and any(use.source is source and use.owner is one for use in inside):
                if source.alias.lower() in nearer:
                    raise EditError(f"this part cannot name {source.base} of the outer query")
                found[source.base] = written_alias(query, one, source)
        nearer |= {source.alias.lower() for source in one.sources}
    return found


class _Choice:
    """Chooses among the joins of two tables that keys and history know."""

    def __init__(self, graph: JoinGraph, schema: Schema) -> None:
        self.graph, self._schema = graph, schema
        self._foreign = {join.key for join in schema_joins(schema)}

    def way(self, here: Sequence[str], table: str) -> Join | None:
        """The best join of a table to one of those here; None where nothing joins it."""
        ways = [join for one in here for join in self.graph.between(one, table)]
        return max(ways, key=lambda join: self.worth(join, table), default=None)

    def worth(self, join: Join, table: str) -> tuple[int, int, bool]:
        """By what it is chosen: one row of the new table for each row there is, before several, and those
        before many for many; then how many scripts make it; then whether a foreign key says it."""
        other = join.left if join.right == table else join.right
        keyed = 2 if _by_key(self._schema, join, table) else int(_by_key(self._schema, join, other))
        return keyed, join.support, join.key in self._foreign


def _by_key(schema: Schema, join: Join, table: str) -> bool:
    """Whether a join is by the whole key of a table: one row of it for each of the other."""
    known = schema.table(table)
    keys = {column.name.lower() for column in known.columns if column.primary_key} if known else set()
    return bool(keys) and keys <= {pair[join.left != table] for pair in join.columns}


def _ways(
    choice: _Choice, here: list[str], missing: Sequence[str], known: Mapping[str, Join], far: bool
) -> Iterator[tuple[str, Join]]:
    """Each missing table with the join that brings it, and before it the one between where that is needed."""
    for name in missing:
        if name in here:
            continue
        join = known.get(name) or choice.way(here, name)
        if join is None and far:
            between = [
                (_worth_of_both(choice, middle, first, name, second), middle, first, second)
                for middle in sorted(choice.graph.neighbours(name) - set(here))
                if (first := choice.way(here, middle)) and (second := choice.way([middle], name))
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


def _worth_of_both(
    choice: _Choice, middle: str, first: Join, name: str, second: Join
) -> tuple[int, int, bool]:
    """What two joins are worth together: the keys of the worse one, the scripts of both."""
    one, other = choice.worth(first, middle), choice.worth(second, name)
    return min(one[0], other[0]), one[1] + other[1], one[2] and other[2]


def folded(table: str) -> str:
    """A table of a skeleton as the schema folds it.

    >>> folded('"Order"')
    'order'
    """
    return table.replace('"', "").lower()
