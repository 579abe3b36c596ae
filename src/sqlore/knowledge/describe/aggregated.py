"""Aggregates of sorted values: percentiles, the most frequent value, lists in an order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlore.catalog.names import word_set
from sqlore.knowledge.describe.english import joined
from sqlore.knowledge.describe.functions import arguments, function_name, number_of

if TYPE_CHECKING:
    from sqlore.knowledge.describe.expr import Formulas

__all__ = ["of_sorted"]

_PERCENTILES: Final = word_set(
    """percentile_cont percentile_disc percentile percentile_approx approx_percentile approx_quantile quantile
    quantile_cont quantile_disc"""
)
_LISTS: Final = word_set("group_concat string_agg array_agg listagg")
_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}


def of_sorted(formulas: Formulas, node: exp.Expr) -> str | None:
    """An aggregate of sorted values as a noun phrase; None for any other formula."""
    order: list[exp.Expr] = []
    if isinstance(node, exp.WithinGroup):
        node, order = node.this, node.expression.expressions
    name, given = function_name(node), arguments(node)
    if name in _LISTS and given:
        return _list(formulas, given[0], order)
    values = [order[0].this, *given] if order else given
    if name == "mode" and values:
        return f"most frequent {formulas.whole(values[0])}"
    if name in _PERCENTILES and len(values) > 1:
        down = bool(order and order[0].args.get("desc"))
        return f"{_percentile(values[1], down)} {formulas.whole(values[0])}"
    return None


def _list(formulas: Formulas, value: exp.Expr, order: list[exp.Expr]) -> str:
    if isinstance(value, exp.Order):
        value, order = value.this, value.expressions
    by = f" in order of {formulas.queries.order(order, formulas.entity)}" if order else ""
    return f"list of all {formulas.whole(value)}{by}"


def _percentile(fraction: exp.Expr, down: bool) -> str:
    """Which values of all: "median", "75th percentile of"; from the highest down the other way round."""
    shares = [number_of(one) for one in fraction.expressions or [fraction]]
    known = [100 * one if one <= 1 else one for one in shares if one is not None]
    if not known or len(known) < len(shares):
        return "percentile of"
    known = [100 - one if down else one for one in known]
    if known == [50]:
        return "median"
    return f"{joined([_ordinal(one) for one in known])} percentile{'s' if len(known) > 1 else ''} of"


def _ordinal(number: float) -> str:
    """A number of a percentile.

    >>> [_ordinal(one) for one in (25, 11, 91, 99.9)]
    ['25th', '11th', '91st', '99.9th']
    """
    shown = f"{number:.6g}"
    plain = shown.isdigit() and not 11 <= int(shown) % 100 <= 13
    return shown + (_ENDINGS.get(int(shown) % 10, "th") if plain else "th")
