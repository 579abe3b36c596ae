"""What a query asks of a database: its tables and columns as places to be filled, and how they hang together.

A place is a column with what is done to it: summed, compared with a number, grouped by. Two places are
joined where an ON or WHERE equates them, and linked where a subquery's column is looked up in the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from sqlore.model import Schema
from sqlore.sql.tree import parse_one

__all__ = ["RANGES", "Pattern", "Place", "Use", "pattern_of"]

#: What is done to a column: the first that applies to any of its mentions decides what may stand there.
Use = Literal["date", "number", "text", "range", "category", "key", "shown"]
Place = tuple[str, str]
"""Table and column, lower-case."""

_ORDER: Final[tuple[Use, ...]] = ("date", "number", "text", "range", "category", "key", "shown")
#: Comparisons of more and less.
RANGES: Final = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_DATES: Final = re.compile(r"date|time|year|month|day|strftime", re.IGNORECASE)
_TEXTS: Final = (exp.Lower, exp.Upper, exp.Trim, exp.Replace, exp.Substring, exp.Length, exp.DPipe)
_NUMBERS: Final = (exp.Sum, exp.Avg, exp.Add, exp.Sub, exp.Mul, exp.Div)


@dataclass
class Pattern:
    """A query, and what fills it: its column nodes by place, its table nodes by name."""

    tree: exp.Expr
    tables: dict[str, list[exp.Table]] = field(default_factory=dict)
    columns: dict[Place, list[exp.Column]] = field(default_factory=dict)
    joined: set[frozenset[Place]] = field(default_factory=set)
    linked: set[tuple[Place, Place]] = field(default_factory=set)

    def use(self, place: Place) -> Use:
        """What the column is for; joins and links tell more of the others."""
        return min((_use(column) for column in self.columns[place]), key=_ORDER.index)

    @cached_property
    def _places(self) -> dict[int, Place]:
        return {id(node): place for place, nodes in self.columns.items() for node in nodes}

    def place_of(self, node: exp.Expr) -> Place | None:
        """The place that a node of the tree fills, once all columns are read; None where it fills none."""
        return self._places.get(id(node))


def pattern_of(sql: str, source: Schema, dialect: str) -> Pattern | None:
    """The places of a query; None where it cannot be told of which tables its columns are.

    >>> from sqlore.model import Column, Table
    >>> hut = Schema((Table("hut", (Column("name"), Column("beds"))),))
    >>> found = pattern_of("SELECT name FROM hut WHERE beds > 9", hut, "sqlite")
    >>> {place: found.use(place) for place in found.columns}
    {('hut', 'name'): 'shown', ('hut', 'beds'): 'number'}
    """
    try:
        tree = _texts(parse_one(sql, dialect), source)
        scopes = traverse_scope(tree)
    except SqlglotError:
        return None
    pattern = Pattern(tree)
    for scope in scopes:
        if not _read(scope, source, pattern):
            return None
    for pair in _equated(tree):
        places = [pattern.place_of(column) for column in pair]
        if None in places:
            return None
        if places[0] != places[1]:
            pattern.joined.add(frozenset(place for place in places if place))
    for outer, inner in _looked_up(tree):
        one, other = pattern.place_of(outer), pattern.place_of(inner)
        if one and other:
            pattern.linked.add((one, other))
    return pattern


def _read(scope: Scope, source: Schema, pattern: Pattern) -> bool:
    """The scope's tables and columns into the pattern; False where one of them is not a base table's."""
    own = {name: node for name, node in scope.sources.items() if isinstance(node, exp.Table)}
    if len(own) < len(scope.selected_sources) or any(isinstance(s, Scope) for s in scope.sources.values()):
        return False
    for node, _found in scope.selected_sources.values():
        table = next((t for t in node.find_all(exp.Table)), None)
        if table is not None:
            pattern.tables.setdefault(table.name.lower(), []).append(table)
    selects = scope.expression.selects if isinstance(scope.expression, exp.Query) else []
    aliases = {one.alias.lower() for one in selects if one.alias}
    for column in scope.find_all(exp.Column):
        if not column.table and column.name.lower() in aliases:
            continue
        name = _table_of(column, own, source)
        if name is None:
            return False
        place = (name, column.name.lower())
        known = pattern.columns.setdefault(place, [])
        if not any(one is column for one in known):
            known.append(column)
    return True


def _texts(tree: exp.Expr, source: Schema) -> exp.Expr:
    """The tree with texts in double quotes, which SQLite takes, as texts."""
    known = {column.name.lower() for table in source.tables for column in table.columns}
    for column in list(tree.find_all(exp.Column)):
        if not column.table and column.this.args.get("quoted") and column.name.lower() not in known:
            column.replace(exp.Literal.string(column.name))
    return tree


def _table_of(column: exp.Column, own: dict[str, exp.Table], source: Schema) -> str | None:
    if column.table:
        table = next((t for name, t in own.items() if name.lower() == column.table.lower()), None)
        return table.name.lower() if table is not None else None
    holders = [
        t.name.lower()
        for t in own.values()
        if (known := source.table(t.name)) is not None and known.column(column.name) is not None
    ]
    return holders[0] if holders else None


def _equated(tree: exp.Expr) -> Iterator[tuple[exp.Column, exp.Column]]:
    for node in tree.find_all(exp.EQ):
        if isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column):
            yield node.this, node.expression


def _looked_up(tree: exp.Expr) -> Iterator[tuple[exp.Column, exp.Column]]:
    """Column IN (SELECT column …), and the columns of UNION and its like: the two must be of one kind."""
    for node in tree.find_all(exp.In):
        query = node.args.get("query")
        inner = query.find(exp.Select) if query is not None else None
        if isinstance(node.this, exp.Column) and inner is not None and inner.expressions:
            shown = inner.expressions[0].unalias()
            if isinstance(shown, exp.Column):
                yield node.this, shown
    for both in tree.find_all(exp.SetOperation):
        for one, other in zip(both.this.selects, both.expression.selects, strict=False):
            if isinstance(one, exp.Column) and isinstance(other, exp.Column):
                yield one, other


def _called(function: exp.Func) -> str:
    return function.name if isinstance(function, exp.Anonymous) else type(function).__name__


def _use(column: exp.Column) -> Use:
    """What is done to one mention of a column."""
    parent = column.parent
    if isinstance(parent, exp.Distinct | exp.Paren):
        parent = parent.parent
    if isinstance(parent, exp.Func) and _DATES.search(
        parent.name if isinstance(parent, exp.Anonymous) else type(parent).__name__
    ):
        return "date"
    if isinstance(parent, (*_NUMBERS, exp.Mod, exp.Abs, exp.Round)):
        return "number"
    if isinstance(parent, _TEXTS):
        return "text"
    if isinstance(parent, exp.Like | exp.ILike):
        return "text"
    if isinstance(parent, (*RANGES, exp.Between)):
        literal = next((one for one in parent.find_all(exp.Literal)), None)
        return "number" if literal is not None and not literal.is_string else "range"
    if isinstance(parent, exp.Max | exp.Min | exp.Ordered):
        return "range"
    if isinstance(parent, exp.EQ | exp.NEQ | exp.In):
        other = [one for one in parent.args.values() if one is not column]
        return "key" if any(isinstance(one, exp.Column) for one in other) else "category"
    return "category" if isinstance(parent, exp.Group) else "shown"
