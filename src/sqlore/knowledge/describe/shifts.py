"""Dates some time away from others, however a dialect writes that: ``due - INTERVAL '3 days'``."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from sqlglot import exp

from sqlore.catalog.names import word_set
from sqlore.knowledge.describe.conditional import bare
from sqlore.knowledge.describe.dates import begins_now, date_unit, is_now, moved, unit_of
from sqlore.knowledge.describe.functions import arguments, function_name, number_of, text_of

__all__ = ["Shift", "is_dated", "shift_of", "start_of"]

_BY_UNIT: Final = word_set("dateadd date_add datetime_add timestampadd timestamp_add")
_BY_DAYS: Final = word_set("adddate subdate date_add date_sub")
_AMOUNT: Final = re.compile(r"([+-]?)\s*(\d+(?:\.\d+)?)(?:\s+([a-z]+))?\Z")


class Shift(NamedTuple):
    """How far a date lies before or after another; no unit where the amount says it: "1 day 2 hours"."""

    date: exp.Expr
    amount: exp.Expr
    unit: str
    before: bool


def shift_of(node: exp.Expr) -> Shift | None:
    """How a formula lies before or after a date; None where it is no such formula."""
    node = bare(node)
    if isinstance(node, (exp.Add, exp.Sub)):
        return _sum(node)
    if isinstance(node, (exp.DateAdd, exp.DatetimeAdd, exp.TimestampAdd)):
        unit = node.args.get("unit")
        if unit is not None and unit_of(node.this):  # Trino's date_add('day', 7, date), read as another's
            return _shift(unit, node.expression, unit_of(node.this), before=False)
        return _by(node.this, node.expression, unit, before=False)
    if isinstance(node, (exp.DateSub, exp.DatetimeSub, exp.TimestampSub)):
        return _by(node.this, node.expression, node.args.get("unit"), before=True)
    name, given = function_name(node), arguments(node) if isinstance(node, exp.Func) else []
    if name in _BY_UNIT and len(given) == 3 and unit_of(given[0]):
        return _shift(given[2], given[1], unit_of(given[0]), before=False)
    if name in _BY_DAYS and len(given) == 2:
        return _by(given[0], given[1], None, before=name.startswith("sub") or name.endswith("sub"))
    if name == "add_months" and len(given) == 2:
        return _shift(given[0], given[1], "month", before=False)
    return None


def _sum(node: exp.Expr) -> Shift | None:
    left, right = bare(node.this), bare(node.expression)
    before = isinstance(node, exp.Sub)
    if _is_span(left) and not before and not _is_span(right):
        left, right = right, left
    # In SQLite date('now') - 7 is a year less seven.
    days = number_of(right) is not None and is_dated(left) and not begins_now(left)
    if days or (_is_span(right) and not _is_span(left)):
        return _by(left, right, None, before=before)
    return None


def _is_span(node: exp.Expr) -> bool:
    """Whether a formula is a length of time."""
    return isinstance(node, exp.Interval) or _named_unit(node) is not None or _times(node) is not None


def _named_unit(node: exp.Expr) -> exp.Kwarg | None:
    """The only argument of PostgreSQL's ``make_interval(days => 3)``."""
    given = arguments(node) if function_name(node) == "make_interval" else []
    only = given[0] if len(given) == 1 else None
    return only if isinstance(only, exp.Kwarg) else None


def _times(node: exp.Expr) -> tuple[exp.Interval, exp.Expr] | None:
    """One unit of time and how many of it: ``interval '1 day' * n``."""
    if not isinstance(node, exp.Mul):
        return None
    for one, many in ((node.this, node.expression), (node.expression, node.this)):
        one = bare(one)
        if isinstance(one, exp.Interval) and re.match(r"1\b", text_of(one.this) or ""):
            return one, many
    return None


def _by(date: exp.Expr, amount: exp.Expr, unit: exp.Expr | None, *, before: bool) -> Shift:
    """The date by a length of time, or by so many of a unit, or of days."""
    if named := _named_unit(amount):
        return _shift(date, named.expression, named.this.name.lower().removesuffix("s"), before=before)
    if times := _times(amount):
        one = _by(date, times[0], None, before=before)
        return one._replace(amount=times[1])
    if isinstance(amount, exp.Interval):
        unit, amount = amount.args.get("unit"), amount.this
        return _shift(date, amount, _word(unit) if unit is not None else "", before=before)
    return _shift(date, amount, _word(unit) if unit is not None else "day", before=before)


def _word(unit: exp.Expr) -> str:
    return unit_of(unit) or unit.name.lower().removesuffix("s")


def _shift(date: exp.Expr, amount: exp.Expr, unit: str, *, before: bool) -> Shift:
    """With the sign of the amount, and the unit where its text holds one, taken out of it."""
    found = _AMOUNT.match((text_of(bare(amount)) or "").lower())
    if found is None or (found[3] and unit):
        return Shift(date, amount, unit, before)
    unit = unit or (_word(exp.var(found[3])) if found[3] else "")
    return Shift(date, exp.Literal.number(found[2]), unit, before ^ (found[1] == "-"))


def start_of(node: exp.Expr) -> tuple[str, exp.Expr] | None:
    """The unit and the date, where a formula is the start of the present month or of one some time away."""
    node = bare(node)
    found: tuple[str, exp.Expr] | None = None
    if isinstance(node, (exp.DateTrunc, exp.TimestampTrunc)):
        found = date_unit(node)
    elif function_name(node) == "trunc" and len(given := arguments(node)) == 1:  # Oracle's
        found = "day", given[0]
    return found if found is not None and is_dated(found[1]) else None


def is_dated(node: exp.Expr) -> bool:
    """Whether a formula is the present moment or one some time from it."""
    node = bare(node)
    if is_now(node) or moved(node) is not None or start_of(node) is not None:
        return True
    found = shift_of(node)
    return found is not None and is_dated(found.date)
