"""Dates in formulas: the present moment, parts of a date, and a date moved by so many days.

Each engine spells these its own way, and the describer does not know which engine a piece comes from: what a
format or a unit means is told by the function that takes it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from sqlglot import exp

from sqlore.catalog.names import word_set
from sqlore.knowledge.describe.functions import arguments, function_name, text_of

__all__ = ["Moved", "begins_now", "date_unit", "is_now", "moved", "said_away", "said_moved", "unit_of"]

_NOW: Final = word_set(
    """now getdate getutcdate sysdate curdate current_timestamp current_date currenttimestamp currentdate
    localtimestamp sysdatetime today systimestamp"""
)
_DATED: Final = word_set("date datetime julianday timestamp to_date unixepoch")
_PARTS: Final = word_set("year quarter month week day hour minute second weekday dow doy epoch")

# ------------------------------------------------------------------ formats

_STRFTIME: Final = {
    **dict.fromkeys(("%Y", "%y", "%G"), "year"),
    "%Q": "quarter",
    "%m": "month",
    **dict.fromkeys(("%B", "%b"), "month name"),
    **dict.fromkeys(("%W", "%U", "%V"), "week"),
    **dict.fromkeys(("%w", "%u", "%A", "%a"), "weekday"),
    **dict.fromkeys(("%d", "%e"), "day of the month"),
    "%j": "day number",
    **dict.fromkeys(("%H", "%I"), "hour"),
    "%M": "minute",
    "%S": "second",
    "%F": "date",
    "%T": "time of day",
}
_MYSQL: Final = {
    **_STRFTIME,
    **dict.fromkeys(("%X", "%x"), "year"),
    "%M": "month name",
    "%c": "month",
    "%D": "day of the month",
    **dict.fromkeys(("%W", "%a"), "weekday"),
    **dict.fromkeys(("%U", "%u", "%V", "%v"), "week"),
    **dict.fromkeys(("%h", "%k", "%l"), "hour"),
    "%i": "minute",
    "%s": "second",
}
_LETTERS: Final = {  # of Java and .NET: months are large, minutes small
    **dict.fromkeys(("yyyy", "yy", "y"), "year"),
    **dict.fromkeys(("Q", "QQ"), "quarter"),
    **dict.fromkeys(("MM", "M"), "month"),
    **dict.fromkeys(("MMMM", "MMM"), "month name"),
    **dict.fromkeys(("w", "ww"), "week"),
    **dict.fromkeys(("dddd", "ddd", "EEEE", "EEE", "E"), "weekday"),
    **dict.fromkeys(("dd", "d"), "day of the month"),
    **dict.fromkeys(("HH", "H", "hh", "h"), "hour"),
    **dict.fromkeys(("mm", "m"), "minute"),
    **dict.fromkeys(("ss", "s"), "second"),
}
_TO_CHAR: Final = {  # in capitals or not
    **dict.fromkeys(("yyyy", "iyyy", "yy"), "year"),
    "q": "quarter",
    "mm": "month",
    **dict.fromkeys(("month", "mon"), "month name"),
    **dict.fromkeys(("iw", "ww"), "week"),
    **dict.fromkeys(("day", "dy", "d", "id"), "weekday"),
    "dd": "day of the month",
    "ddd": "day number",
    **dict.fromkeys(("hh24", "hh12", "hh"), "hour"),
    "mi": "minute",
    "ss": "second",
}
_TOGETHER: Final = {
    frozenset(("year", "month")): "year and month",
    frozenset(("year", "week")): "year and week",
    frozenset(("year", "quarter")): "year and quarter",
    frozenset(("year", "month", "day of the month")): "date",
    frozenset(("month", "day of the month")): "month and day",
    frozenset(("hour", "minute")): "time of day",
    frozenset(("hour", "minute", "second")): "time of day",
}
_FORMATTERS: Final = word_set("strftime date_format to_char format timetostr format_date")
_PERCENT: Final = re.compile(r"%-?([A-Za-z])")
_RUN: Final = re.compile(r"([A-Za-z])\1*")
_CODE: Final = re.compile("|".join(sorted(_TO_CHAR, key=len, reverse=True)))

# ------------------------------------------------------------------ units

_UNITS: Final = {
    **{unit: unit for unit in ("year", "quarter", "month", "week", "day", "hour", "minute", "second")},
    **dict.fromkeys(("yy", "yyyy"), "year"),
    **dict.fromkeys(("qq", "q"), "quarter"),
    **dict.fromkeys(("mm", "m", "mon"), "month"),
    **dict.fromkeys(("wk", "ww", "isowk", "isoww", "iso_week", "isoweek"), "week"),
    **dict.fromkeys(("dd", "d"), "day"),
    "hh": "hour",
    **dict.fromkeys(("mi", "n"), "minute"),
    **dict.fromkeys(("ss", "s"), "second"),
    **dict.fromkeys(("ms", "millisecond"), "millisecond"),
    **dict.fromkeys(("us", "mcs", "microsecond"), "microsecond"),
}
_PLACES: Final = {"dw": "weekday", "dy": "day number", "dayofyear": "day number"}

# ------------------------------------------------------------------ moved dates

_MODIFIED: Final = word_set("date datetime time julianday unixepoch date_moved")
_STEP: Final = re.compile(r"([+-]?)\s*(\d+(?:\.\d+)?)\s+(year|month|day|hour|minute|second)s?\Z")
_START: Final = re.compile(r"start of (year|month|day)\Z")
_NEXT: Final = re.compile(r"weekday ([0-6])\Z")
_WEEKDAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


class Moved(NamedTuple):
    """A date that is moved: the date, and what is done with it, the first step first."""

    date: exp.Expr
    steps: tuple[exp.Expr, ...]


def is_now(node: exp.Expr) -> bool:
    """Whether a formula is the present moment: now(), current_timestamp, date('now')."""
    if isinstance(node, exp.Column) and not node.table:  # Oracle's, without brackets
        return node.name.lower() in ("sysdate", "systimestamp")
    name = function_name(node)
    if name in _NOW:
        return True
    return name in _DATED and begins_now(node) and moved(node) is None


def begins_now(node: exp.Expr) -> bool:
    """Whether a function is applied to SQLite's text for the present moment: date('now', …)."""
    given = arguments(node) if isinstance(node, exp.Func) else []
    return bool(given) and (text_of(given[0]) or "").lower() == "now"


def moved(node: exp.Expr) -> Moved | None:
    """The date that SQLite's functions move, and how: date('now', '-30 days'); None where nothing moves."""
    if not isinstance(node, exp.Func) or function_name(node) not in _MODIFIED:
        return None
    given = arguments(node)
    steps = tuple(step for step in given[1:] if _moves(step))
    return Moved(given[0], steps) if steps else None


def _moves(step: exp.Expr) -> bool:
    """Whether an argument moves a date, not names a time zone or a further part of the date."""
    text = text_of(step)
    if text is None:
        return isinstance(step, (exp.DPipe, exp.Concat, exp.Placeholder))
    if isinstance(step, exp.Literal) and not step.is_string:
        return False
    low = text.lower()
    return low[:1] in ("+", "-") or any(form.match(low) for form in (_STEP, _START, _NEXT))


def said_away(amount: str, unit: str, date: str, *, before: bool) -> str:
    """The words for a date some time from another; no unit where the amount says it.

    >>> said_away("3", "month", "today", before=True), said_away("1 day 2 hours", "", "due", before=False)
    ('3 months before today', '1 day 2 hours after due')
    """
    units = f" {unit}{'' if amount == '1' else 's'}" if unit else ""
    return f"{amount}{units} {'before' if before else 'after'} {date}"


def said_moved(date: str, step: str) -> str:
    """The words for a date after one step.

    >>> said_moved("today", "-30 days"), said_moved("today", "start of month"), said_moved("due", "+1 day")
    ('30 days before today', 'the start of this month', '1 day after due')
    """
    low = step.lower()
    if found := _STEP.match(low):
        return said_away(found[2], found[3], date, before=found[1] == "-")
    if found := _START.match(low):
        if date == "today":
            return "the start of today" if found[1] == "day" else f"the start of this {found[1]}"
        return f"the start of the {found[1]} of {date}"
    if found := _NEXT.match(low):
        return f"the first {_WEEKDAYS[int(found[1])]} on or after {date}"
    return f"{date} moved by {step}"


def unit_of(node: exp.Expr) -> str:
    """The unit that an argument names, mm -> month; nothing where it names none."""
    if isinstance(node, exp.Column) and node.table:
        return ""
    name = node.name.lower() if isinstance(node, (exp.Var, exp.Column, exp.Literal)) else ""
    return _UNITS.get(name.removesuffix("s") if len(name) > 3 else name, "")


def date_unit(node: exp.Expr) -> tuple[str, exp.Expr] | None:
    """The part of a date that a formula takes, and the date; None for any other formula."""
    while isinstance(node, (exp.Cast, exp.Paren)):
        node = node.this
    name = function_name(node)
    if name in _FORMATTERS:
        return _formatted(node, name)
    if name == "julianday" and isinstance(node, exp.Anonymous) and node.expressions:
        return "day", _date(node.expressions)
    if isinstance(node, exp.Extract):
        return node.this.name.lower(), node.expression
    if isinstance(node, (exp.DateTrunc, exp.TimestampTrunc)):
        unit = node.args.get("unit")
        return (unit.name.lower() if unit is not None else "day"), node.this
    if name in _PARTS and isinstance(node, exp.Func):
        inner = node.expressions[0] if isinstance(node, exp.Anonymous) and node.expressions else node.this
        return (name, inner) if isinstance(inner, exp.Expr) else None
    named = name in ("datepart", "date_part", "datename")
    if named and isinstance(node, exp.Anonymous) and len(node.expressions) == 2:
        part, date = node.expressions
        low = part.name.lower()
        known = _PLACES.get(low) or unit_of(part) or low
        return ("month name" if known == "month" and name == "datename" else known), date
    return None


def _date(given: list[exp.Expr]) -> exp.Expr:
    """The date that a function takes, as moved by its further arguments."""
    if not any(_moves(step) for step in given[1:]):
        return given[0]
    return exp.Anonymous(this="date_moved", expressions=[one.copy() for one in given])


def _formatted(node: exp.Expr, name: str) -> tuple[str, exp.Expr] | None:
    """What a date format keeps of a date, and the date: strftime('%Y', x) -> year, x."""
    given = [n for n in node.iter_expressions() if isinstance(n, exp.Expr)]
    if len(given) < 2:
        return None
    pattern, date = text_of(given[0]), _date(given[1:])
    if pattern is None or (text_of(given[1]) is not None and _kept(pattern, name) is None):
        pattern, date = text_of(given[1]), given[0]
    part = _kept(pattern or "", name)
    return (part, date) if part else None


def _kept(pattern: str, function: str) -> str | None:
    """The part of a date that a format keeps; None where that is not a single thing or text is put in.

    >>> _kept("%M", "strftime"), _kept("%M", "date_format"), _kept("YYYY-MM", "to_char"), _kept("%Y-01", "")
    ('minute', 'month name', 'year and month', None)
    """
    if "%" in pattern:
        known = _MYSQL if function == "date_format" else _STRFTIME
        codes, rest = [f"%{code}" for code in _PERCENT.findall(pattern)], _PERCENT.sub("", pattern)
    elif function == "to_char":
        low = pattern.lower().removeprefix("fm")
        known, codes, rest = _TO_CHAR, _CODE.findall(low), _CODE.sub("", low)
    else:
        known, rest = _LETTERS, _RUN.sub("", pattern)
        codes = [found[0] for found in _RUN.finditer(pattern)]
    parts = frozenset(known.get(code, "") for code in codes)
    if not parts or "" in parts or any(sign.isalnum() for sign in rest):
        return None
    return next(iter(parts)) if len(parts) == 1 else _TOGETHER.get(parts)
