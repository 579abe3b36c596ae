"""Whether every clause changes the result: each is taken out in its turn, and what is left is run.

A clause whose loss makes the query fail has an effect. Conditions that link tables, and columns that only
GROUP BY needs, are not tried: without them the query would be another one, not a shorter one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sqlore.errors import SqloreError
from sqlore.evals.build.findings import Finding, Severity, Subject
from sqlore.evals.results import same_multiset
from sqlore.model import Schema

__all__ = ["EFFECT_RULES", "Variant", "variants"]


@dataclass(frozen=True, slots=True)
class Variant:
    """The query without one clause: `place` is what was taken out; `sql` is None where nothing needs it."""

    place: str
    sql: str | None
    severity: Severity = "major"


def effect(subject: Subject) -> Iterator[Finding]:
    """Every clause has an effect on the rows."""
    tree, dialect = subject.facts.tree, subject.bench.dialect
    if not subject.rows.rows or not _same(subject, tree.sql(dialect=dialect)):
        return  # nothing to compare with, or a query that cannot be written anew
    for variant in variants(tree, dialect, subject.bench.catalog.schema):
        if variant.sql is not None and not _same(subject, variant.sql):
            continue
        advice = "the result is the same without it: take it out, or change the values so that it counts"
        yield Finding("effect", variant.severity, variant.place, advice)


def _same(subject: Subject, sql: str) -> bool:
    """Whether a query gives the rows of the task."""
    limits = subject.limits
    try:
        found = subject.bench.engine.run(sql, limit=limits.rows, timeout=limits.seconds)
    except SqloreError:
        return False
    return not found.truncated and same_multiset(found.rows, subject.rows.rows)


def variants(tree: Any, dialect: str, schema: Schema | None = None) -> Iterator[Variant]:
    """The query without each of its clauses in turn.

    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT DISTINCT a FROM t WHERE b = 1 AND c = 2")
    >>> [variant.sql for variant in variants(tree, "sqlite")]
    ['SELECT DISTINCT a FROM t WHERE c = 2',
     'SELECT DISTINCT a FROM t WHERE b = 1',
     'SELECT a FROM t WHERE b = 1 AND c = 2']
    """
    count = sum(1 for _ in tree.find_all(exp.Select, exp.SetOperation))
    for number in range(count):
        for change in (_conditions, _distinct, _tail, _grouping, _joins, _branches):
            yield from change(tree, number, dialect, schema)
    yield from _unused_ctes(tree)


def _query(tree: Any, number: int) -> Any:
    return list(tree.find_all(exp.Select, exp.SetOperation))[number]


def _without(tree: Any, number: int, dialect: str, change: Callable[[Any], None]) -> str:
    """The SQL after a change to one query of a copy."""
    copy = tree.copy()
    change(_query(copy, number))
    return str(copy.sql(dialect=dialect))


def _parts(clause: Any) -> list[tuple[int, ...]]:
    """Ways to the conditions of a clause that can be taken out: members of its AND, and of an OR in it."""
    members = list(clause.this.flatten()) if isinstance(clause.this, exp.And) else [clause.this]
    found: list[tuple[int, ...]] = []
    for number, member in enumerate(members):
        inner = member.unnest()
        if isinstance(inner, exp.Or):
            found += [(number, branch) for branch in range(len(list(inner.flatten())))]
        elif not _is_link(inner):
            found.append((number,))
    return found


def _conditions(tree: Any, number: int, dialect: str, _: Schema | None) -> Iterator[Variant]:
    for key in ("where", "having", "qualify"):
        clause = _query(tree, number).args.get(key)
        if clause is None:
            continue
        for way in _parts(clause):
            place = _part(clause, way).sql(dialect=dialect)

            def change(query: Any, key: str = key, way: tuple[int, ...] = way) -> None:
                _drop(query, key, way)

            yield Variant(f"{key.upper()} {place}", _without(tree, number, dialect, change))


def _part(clause: Any, way: tuple[int, ...]) -> Any:
    members = list(clause.this.flatten()) if isinstance(clause.this, exp.And) else [clause.this]
    member = members[way[0]]
    return list(member.unnest().flatten())[way[1]] if len(way) > 1 else member


def _drop(query: Any, key: str, way: tuple[int, ...]) -> None:
    clause = query.args[key]
    members = list(clause.this.flatten()) if isinstance(clause.this, exp.And) else [clause.this]
    if len(way) > 1:
        branches = list(members[way[0]].unnest().flatten())
        del branches[way[1]]
        members[way[0]] = exp.paren(exp.or_(*(branch.copy() for branch in branches)))
    else:
        del members[way[0]]
    if members:
        clause.set("this", exp.and_(*(member.copy() for member in members)))
    else:
        query.set(key, None)


def _is_link(node: Any) -> bool:
    """Whether a condition links two sources, also an inner query to the outer one."""
    return (
        isinstance(node, exp.EQ)
        and isinstance(node.this, exp.Column)
        and isinstance(node.expression, exp.Column)
        and node.this.table != node.expression.table
    )


def _distinct(tree: Any, number: int, dialect: str, _: Schema | None) -> Iterator[Variant]:
    query = _query(tree, number)
    if isinstance(query, exp.Select) and query.args.get("distinct") is not None:
        sql = _without(tree, number, dialect, lambda query: query.set("distinct", None))
        # where no row happens to come twice, DISTINCT still says what is meant
        yield Variant("DISTINCT", sql, "minor")


def _tail(tree: Any, number: int, dialect: str, _: Schema | None) -> Iterator[Variant]:
    query = _query(tree, number)
    limit = query.args.get("limit")
    if limit is None:
        return
    scalar = isinstance(query.parent, exp.Subquery) and not isinstance(
        query.parent.parent, exp.From | exp.Join | exp.In
    )

    def change(query: Any) -> None:
        order = query.args.get("order")
        if scalar and order is not None:  # without LIMIT it would not be one value: turned round instead
            for key in order.expressions:
                key.set("desc", not key.args.get("desc"))
            return
        for name in ("order", "limit", "offset"):
            query.set(name, None)

    yield Variant(limit.sql(dialect=dialect).strip(), _without(tree, number, dialect, change))


def _grouping(tree: Any, number: int, dialect: str, _: Schema | None) -> Iterator[Variant]:
    group = _query(tree, number).args.get("group")
    if group is not None:
        sql = _without(tree, number, dialect, lambda query: query.set("group", None))
        # of one group the rows are the same with and without it, and saying so is no fault
        yield Variant(group.sql(dialect=dialect).strip(), sql, "minor")


def _joins(tree: Any, number: int, dialect: str, schema: Schema | None) -> Iterator[Variant]:
    query = _query(tree, number)
    for place, join in enumerate(query.args.get("joins") or ()):
        if _is_used(query, join, schema):
            continue

        def change(query: Any, place: int = place) -> None:
            joins = list(query.args["joins"])
            del joins[place]
            query.set("joins", joins)

        yield Variant(join.sql(dialect=dialect).strip(), _without(tree, number, dialect, change))


def _is_used(query: Any, join: Any, schema: Schema | None) -> bool:
    """Whether anything but its own ON names a joined source, with or without its alias."""
    alias = join.this.alias_or_name.lower()
    table = schema.table(join.this.name) if schema is not None and isinstance(join.this, exp.Table) else None
    own = {id(column) for column in join.find_all(exp.Column)}
    with_ = query.args.get("with_")
    own |= {id(column) for column in with_.find_all(exp.Column)} if with_ is not None else set()
    for column in query.find_all(exp.Column):
        if id(column) in own:
            continue
        if column.table.lower() == alias:
            return True
        if not column.table and (table is None or table.column(column.name) is not None):
            return True
    return any(isinstance(one.unalias(), exp.Star) for one in query.expressions)


def _branches(tree: Any, number: int, dialect: str, _: Schema | None) -> Iterator[Variant]:
    query = _query(tree, number)
    if not isinstance(query, exp.SetOperation):
        return

    def change(query: Any) -> None:
        left = query.this.copy()
        for key in ("with_", "order", "limit"):
            if query.args.get(key) is not None and left.args.get(key) is None:
                left.set(key, query.args[key].copy())
        query.replace(left)

    word = type(query).__name__.upper()
    if query.parent is not None:
        yield Variant(
            f"{word} {query.expression.sql(dialect=dialect)}", _without(tree, number, dialect, change)
        )
    else:
        left = query.this.copy()
        if query.args.get("with_") is not None:
            left.set("with_", query.args["with_"].copy())
        yield Variant(f"{word} {query.expression.sql(dialect=dialect)}", left.sql(dialect=dialect))


def _unused_ctes(tree: Any) -> Iterator[Variant]:
    read = {table.name.lower() for table in tree.find_all(exp.Table)}
    for cte in tree.find_all(exp.CTE):
        if cte.alias.lower() not in read:
            yield Variant(f"WITH {cte.alias}", None)


EFFECT_RULES = (effect,)
