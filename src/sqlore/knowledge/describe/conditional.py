"""Conditional aggregates: `sum(case when P then X else 0 end)` is a total over the rows for which P holds."""

from __future__ import annotations

from typing import Final, NamedTuple

from sqlglot import exp

from sqlore.knowledge.describe.functions import number_of

__all__ = ["Conditional", "bare", "conditional", "tables_in"]

_WRAPPERS: Final = (exp.Cast, exp.TryCast, exp.Paren, exp.Round, exp.Collate)


class Conditional(NamedTuple):
    """An aggregate over the rows for which something holds: `sum(case when P then X else 0 end)`."""

    kind: type[exp.Expr]
    predicate: exp.Expr
    value: exp.Expr | None
    distinct: bool = False


def bare(node: exp.Expr) -> exp.Expr:
    """The formula without casts, parentheses and rounding, which say nothing about its meaning."""
    while isinstance(node, _WRAPPERS):
        node = node.this
    return node


def tables_in(node: exp.Expr) -> list[str]:
    """The tables a formula names outside of its subqueries, in order, each once."""
    found: dict[str, None] = {}
    for column in node.find_all(exp.Column, bfs=False):
        if column.table and column.find_ancestor(exp.Subquery, exp.Select) is node.find_ancestor(
            exp.Subquery, exp.Select
        ):
            found[column.table] = None
    return list(found)


def conditional(node: exp.Expr) -> Conditional | None:
    """The condition inside a conditional count or sum, None where the formula is none."""
    if isinstance(node, exp.Filter) and isinstance(node.expression, exp.Where):
        return _filtered(node.this, node.expression.this)
    if not isinstance(node, (exp.Count, exp.Sum, exp.Avg)):
        return None
    inner, distinct = node.this, False
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        inner, distinct = inner.expressions[0], True
    inner = bare(inner) if inner is not None else inner
    if isinstance(inner, (exp.EQ, exp.GT, exp.LT, exp.GTE, exp.LTE, exp.NEQ, exp.And, exp.Like, exp.In)):
        return Conditional(exp.Count, inner, None) if isinstance(node, exp.Sum) else None
    branch = _one_branch(inner)
    if branch is None:
        return None
    predicate, value, otherwise = branch
    nothing = otherwise is None or isinstance(otherwise, exp.Null)
    if not (nothing or (isinstance(node, exp.Sum) and number_of(otherwise) == 0)):
        return None  # a zero is counted, and lowers an average
    literal = isinstance(value, exp.Literal)
    if literal and (distinct or isinstance(node, exp.Avg)):
        return None
    if (number_of(value) == 1 and not isinstance(node, exp.Avg)) or (isinstance(node, exp.Count) and literal):
        return Conditional(exp.Count, predicate, None)
    return Conditional(type(node), predicate, value, distinct)


def _filtered(aggregate: exp.Expr, predicate: exp.Expr) -> Conditional | None:
    """An aggregate with FILTER; None for one that is said as it is, its condition behind it."""
    if not isinstance(aggregate, (exp.Count, exp.Sum, exp.Avg, exp.Max, exp.Min)) or conditional(aggregate):
        return None
    value, distinct = aggregate.this, False
    if isinstance(value, exp.Distinct):
        if len(value.expressions) != 1:
            return None
        value, distinct = value.expressions[0], True
    if aggregate.expressions or not isinstance(value, exp.Expr):
        return None
    if isinstance(aggregate, exp.Count) and not isinstance(bare(value), (exp.Star, exp.Column, exp.Literal)):
        return None
    starred = isinstance(value, exp.Star) or (
        isinstance(aggregate, exp.Count) and number_of(value) is not None
    )
    return Conditional(type(aggregate), predicate, None if starred else value, distinct)


def _one_branch(
    node: exp.Expr | None,
) -> tuple[exp.Expr, exp.Expr, exp.Expr | None] | None:
    if isinstance(node, exp.If) and node.args.get("true") is not None:
        return node.this, node.args["true"], node.args.get("false")
    if isinstance(node, exp.Case) and len(node.args["ifs"]) == 1:
        branch = node.args["ifs"][0]
        test = exp.EQ(this=node.this.copy(), expression=branch.this.copy()) if node.this else branch.this
        return test, branch.args["true"], node.args.get("default")
    return None
