"""The parts of a SELECT in sqlglot's tree: conditions, sources, links, and queries that count them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sqlglot
from sqlglot import exp


def spelled(node: exp.Expression, dialect: str) -> str:
    """A piece of a query in one spelling, whatever its blanks, comments and outer brackets.

    >>> spelled(sqlglot.parse_one("(a  =  1 /* one */)"), "sqlite")
    'a = 1'
    """
    copy = node.copy()
    while isinstance(copy, exp.Paren):
        copy = copy.this
    return copy.sql(dialect, comments=False)


def read(sql: str, dialect: str) -> exp.Expression:
    """The tree of one query."""
    return sqlglot.parse_one(sql, read=dialect)


def expression(text: str, dialect: str) -> exp.Expression:
    """The tree of one formula or predicate."""
    return read(f"SELECT {text}", dialect).expressions[0]


def predicates(node: exp.Expression | None) -> Iterator[exp.Expression]:
    """The atomic predicates of a condition: what AND and OR join."""
    inner = node
    while isinstance(inner, exp.Paren):
        inner = inner.this
    if isinstance(inner, exp.And | exp.Or):
        yield from predicates(inner.left)
        yield from predicates(inner.right)
    elif inner is not None:
        yield inner


def conjuncts(node: exp.Expression | None) -> Iterator[exp.Expression]:
    """What AND joins at the top of a condition."""
    inner = node
    while isinstance(inner, exp.Paren):
        inner = inner.this
    if isinstance(inner, exp.And):
        yield from conjuncts(inner.left)
        yield from conjuncts(inner.right)
    elif inner is not None:
        yield inner


def sources(select: exp.Expression) -> list[exp.Expression]:
    """The sources of FROM in order, joins included."""
    first = select.args.get("from_")
    return ([first.this] if first is not None else []) + [
        join.this for join in select.args.get("joins") or ()
    ]


def links(select: exp.Expression, columns: dict[str, set[str]]) -> list[exp.Expression]:
    """The equalities of WHERE between columns of two sources that nothing else joins (comma, CROSS JOIN).

    `columns` are those of the base tables, all in lower case.
    """
    groups: dict[int, int] = {}
    for source in sources(select):
        join = source.parent if isinstance(source.parent, exp.Join) else None
        joined = join is not None and any(join.args.get(key) for key in ("on", "using", "method"))
        groups[id(source)] = max(groups.values(), default=0) + (not joined)
    where = select.args.get("where")
    found = []
    for one in conjuncts(where.this if where is not None else None):
        if isinstance(one, exp.EQ) and all(isinstance(s, exp.Column) for s in (one.left, one.right)):
            sides = [_source_of(side, select, columns) for side in (one.left, one.right)]
            if None not in sides and groups[id(sides[0])] != groups[id(sides[1])]:
                found.append(one)
    return found


def _source_of(
    column: exp.Expression, select: exp.Expression, columns: dict[str, set[str]]
) -> exp.Expression | None:
    for source in sources(select):
        if column.args.get("table") is not None:
            if source.alias_or_name.lower() == str(column.args["table"].name).lower():
                return source
        elif isinstance(source, exp.Table) and column.name.lower() in columns.get(source.name.lower(), ()):
            return source
    return None


def over(select: exp.Expression, **changed: Any) -> exp.Expression:
    """A SELECT's FROM and WHERE with COUNT(*) in place of all else, and some clauses changed."""
    copy = select.copy()
    for key in list(copy.args):
        if key not in ("from_", "joins", "where", "laterals", "expressions"):
            copy.set(key, None)
    copy.set("expressions", [exp.Count(this=exp.Star())])
    for key, value in changed.items():
        copy.set(key, value)
    return copy


def where_of(atoms: Sequence[exp.Expression]) -> exp.Where | None:
    """A WHERE of predicates that all hold."""
    if not atoms:
        return None
    return exp.Where(this=exp.and_(*(exp.paren(one.copy()) for one in atoms)))


def is_edge(node: exp.Expression) -> bool:
    """Whether a predicate is an equality of two columns under two qualifiers."""
    sides = (node.left, node.right) if isinstance(node, exp.EQ) else ()
    columns = len(sides) == 2 and all(isinstance(side, exp.Column) for side in sides)
    return columns and sides[0].table != sides[1].table
