"""What ties a subquery to the row of the query around it: "the latest day of visits of the same patient"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlore.knowledge.describe.english import clause_at, joined
from sqlore.knowledge.describe.subject import links_of
from sqlore.knowledge.describe.words import INSTANCE

if TYPE_CHECKING:
    from sqlore.knowledge.describe.query import Queries

__all__ = ["of_the_same", "same"]

_AROUND: Final = (exp.Subquery, exp.Paren, exp.SetOperation)
_STEPS: Final = (exp.From, exp.Join, exp.CTE, exp.Lateral)


def of_the_same(said: str, tie: str) -> str:
    """A noun phrase with what ties its rows to the row outside, before its conditions.

    >>> of_the_same("average price of items whose kind is x", " of the same shop")
    'average price of items of the same shop whose kind is x'
    """
    end = clause_at(said)
    return f"{said[:end]}{tie}{said[end:]}"


def same(node: exp.Select, queries: Queries, *, own: bool = False) -> str:
    """The ties of a subquery, in words that follow its rows; if `own`, those to its own table alone."""
    alike, other = [], []
    for inner, outer in _ties(node):
        table = outer.table.partition(INSTANCE)[0]
        itself = table == inner.table.partition(INSTANCE)[0]
        if own and not itself:
            continue
        column = exp.column(outer.name, table=table)
        if itself and inner.name != outer.name:
            words = queries.words
            other.append(f"that {words.column(table, outer.name)} as {words.column(table, inner.name)}")
        else:
            alike.append(
                queries.words.column(table, outer.name) if itself else queries.formulas(table).group(column)
            )
    said = f" of the same {joined(alike)}" if alike else ""
    return said + (f" with {joined(other)}" if other else "")


def _ties(node: exp.Select) -> list[tuple[exp.Column, exp.Column]]:
    """The equalities with a column of the query around, its own column first."""
    parent = node.parent
    while isinstance(parent, _AROUND):
        parent = parent.parent
    if parent is None or isinstance(parent, _STEPS):
        return []
    places = [node.args.get("from_") or node.args.get("from"), *(node.args.get("joins") or ())]
    read = {table.name for place in places if place is not None for table in place.find_all(exp.Table)}
    found = []
    for one, other in links_of(node):
        if (one.table in read) != (other.table in read) and one.table and other.table:
            found.append((one, other) if one.table in read else (other, one))
    return found
