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

_STEP: Final = re.compile(r"\bcte\.c\d+\b")
_NESTED: Final = re.compile(r"\b(?:sum|avg|min|max|count)\((?:sum|avg|min|max|count)\(")


def told_apart(tree: exp.Expr, canonical: str, written: str) -> exp.Expr:
    """The tree of a canonical formula or query, with the script's names for columns of one definition.

    `written` is it as the script has it, a formula behind SELECT; where that cannot be read the tree is left
    as it is.
    """
    steps, nested = _STEP.search(canonical) is not None, len(_NESTED.findall(canonical)) > 1
    if not (steps or nested):
        return tree
    try:
        script = parse_query(readable(written))
    except (SqlglotError, RecursionError):
        return tree
    if steps:
        _name_steps(tree, script)
    if not isinstance(script, exp.Select) or not nested:
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


def _name_steps(tree: exp.Expr, script: exp.Expr) -> None:
    """The columns of a recursive query, `cte.c1` in canonical text, by their names in the script."""
    ours = [column for column in tree.find_all(exp.Column) if column.table == "cte"]
    names = _given_names(script)
    if not names:
        numbers = list(dict.fromkeys(column.name for column in ours))
        known = {column.name.lower() for column in tree.find_all(exp.Column) if column.table != "cte"}
        theirs = [column.name for column in script.find_all(exp.Column)]
        left = list(dict.fromkeys(name for name in theirs if name.lower() not in known))
        names = dict(zip(numbers, left, strict=True)) if len(numbers) == len(left) == 1 else {}
    for column in ours:
        if column.name in names:
            column.set("this", exp.to_identifier(names[column.name], quoted=True))


def _given_names(script: exp.Expr) -> dict[str, str]:
    """The names of the columns of a script's one recursive query, by their places."""
    ctes = [
        cte for cte in script.find_all(exp.CTE) if any(t.name == cte.alias for t in cte.find_all(exp.Table))
    ]
    if len(ctes) != 1:
        return {}
    first, names = ctes[0].this, [column.name for column in ctes[0].args["alias"].columns]
    while isinstance(first, (exp.SetOperation, exp.Subquery)):
        first = first.this
    names = names or [one.alias_or_name for one in first.expressions]
    return {f"c{place}": name for place, name in enumerate(names, 1) if name}
