"""Aggregates of columns that a subquery computes, told apart by the names the script gave to those columns.

In canonical text such a column is its definition, so that `SUM(lend.n) / SUM(stock.copies)`, both COUNT(*) of
another table, are `sum(count(*)) / sum(count(*))`: one thing by another that reads as the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.knowledge.describe.conditional import bare
from sqlore.knowledge.describe.reading import parse_query, readable

__all__ = ["told_apart"]

_NESTED: Final = re.compile(r"\b(?:sum|avg|min|max|count)\((?:sum|avg|min|max|count)\(")


def told_apart(tree: exp.Expr, canonical: str, written: str) -> exp.Expr:
    """The tree of a canonical formula or query, with the script's names for columns of one definition.

    `written` is it as the script has it, a formula behind SELECT; where that cannot be read the tree is left
    as it is.
    """
    if len(_NESTED.findall(canonical)) < 2:
        return tree
    try:
        script = parse_query(readable(written))
    except (SqlglotError, RecursionError):
        return tree
    if not isinstance(script, exp.Select):
        return tree
    renamed: dict[exp.Expr, exp.Expr] = {}
    query = tree if isinstance(tree, exp.Select) else exp.Select(expressions=[tree])
    for ours, theirs in zip(_places(query), _places(script), strict=True):
        for one, other in zip(ours, theirs, strict=False):
            _named(one.unalias(), other.unalias(), renamed)
    return tree if query is tree else query.expressions[0].pop()


def _places(query: exp.Select) -> tuple[list[exp.Expr], list[exp.Expr], list[exp.Expr]]:
    """What a query shows, what it asks of its groups and what it is sorted by."""
    order, having = query.args.get("order"), query.args.get("having")
    keys = [one.this for one in order.expressions] if order is not None else []
    return query.expressions, [having.this] if having is not None else [], keys


def _named(formula: exp.Expr, written: exp.Expr, renamed: dict[exp.Expr, exp.Expr]) -> None:
    """The formula with the script's names within it; one that is named by its alias has those of before."""
    if formula in renamed:
        formula.replace(renamed[formula].copy())
        return
    ours, theirs = _aggregates(formula), _aggregates(written)
    inner = [bare(one.this) for one in ours if isinstance(one.this, exp.Expr)]
    if len(inner) < 2 or len(set(inner)) == len(inner) or not any(one.find(exp.AggFunc) for one in inner):
        return
    if isinstance(written, exp.Column):
        formula.replace(written.copy())
        return
    if [type(one) for one in ours] != [type(one) for one in theirs]:
        return
    before = formula.copy()
    for one, other in zip(inner, theirs, strict=True):
        name = bare(other.this)
        if one.find(exp.AggFunc) and isinstance(name, exp.Column):
            one.replace(name.copy())
    renamed[before] = formula


def _aggregates(formula: exp.Expr) -> Sequence[exp.Expr]:
    """The outermost aggregates of a formula."""
    found = formula.walk(bfs=False, prune=lambda node: isinstance(node, (exp.AggFunc, exp.Subquery)))
    return [node for node in found if isinstance(node, exp.AggFunc)]
