"""Figures in one line of plain words, and values short enough to be shown."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from sqlore.answer.explain.facts import Counts, Facts, Groups, Joined, Loose, Sample, Twice, Values

LONGEST: Final = 200
"""Characters of one value that figures keep."""
_SHOWN: Final = 40


def short_value(value: Any) -> Any:
    """A value as a figure keeps it: bytes by their number, long texts cut.

    >>> short_value(b"abc"), short_value(7), len(short_value("x" * 999))
    ('<3 bytes>', 7, 200)
    """
    if isinstance(value, bytes | bytearray | memoryview):
        return f"<{len(value)} bytes>"
    if isinstance(value, str) and len(value) > LONGEST:
        return value[: LONGEST - 1] + "…"
    return value


def said(value: Any, width: int = _SHOWN) -> str:
    """A value in a sentence.

    >>> said(None), said(1234567), said(0.123456789), said(125887.375), said(61714.20), said(50.0)
    ('NULL', '1,234,567', '0.123457', '125,887.38', '61,714.2', '50')
    >>> said(Decimal("50.000000"))
    '50'
    """
    if value is None:
        return "NULL"
    if isinstance(value, (float, Decimal)):
        # as the app's grid shows it: no decimals that nobody reads, none that are not there
        value = float(value)
        size = abs(value)
        if size < 5e-7 or size >= 1e15 or size != size:
            return f"{value:,.6g}"
        text = f"{value:,.{2 if size >= 1000 else 4 if size >= 1 else 6}f}"
        return text.rstrip("0").rstrip(".")
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = " ".join(str(value).split())
    return text if len(text) <= width else text[: width - 1] + "…"


def number_of(count: int, noun: str) -> str:
    """A number of things.

    >>> number_of(1, "row"), number_of(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def figure_text(facts: Facts) -> str:
    """The second line of a knowledge item (Cerebra, "two-line display").

    >>> figure_text(Counts(3, 2, 10))
    '3 of 10 rows; 2 with all conditions together'
    >>> figure_text(Joined(12, 5, 10, lost=1, multiplied=3))
    '12 rows, 5 columns; 1 of 10 rows lost; 3 rows more by several matches'
    >>> figure_text(Joined(4500, 5, 77, multiplied=4423, many="accounts", one="district"))
    '4,500 rows, 5 columns; 77 rows become 4,500: several accounts for one district'
    >>> figure_text(Joined(892, 28, 77, steps=(Joined(892, 8, 5369, lost=4477, many="card"),)))
    '892 rows, 28 columns; card loses 4,477 of 5,369 rows'
    >>> figure_text(Sample(("a",), ((1,),) * 10, None, 5000)), figure_text(Sample(("a",), ((1,),), 1, 5000))
    ('more than 10 rows; first: 1', '1 row of 5,000; first: 1')
    >>> figure_text(Joined(3, 4, twice=None, unchecked=True))
    '3 rows, 4 columns; whether something is counted twice could not be checked'
    """
    if isinstance(facts, Values):
        return ", ".join(said(value) for value in facts.values) + (", …" if facts.more else "")
    if isinstance(facts, Counts):
        return _counts(facts)
    if isinstance(facts, Joined):
        return _joined(facts)
    if isinstance(facts, Groups):
        named = [
            f"{' / '.join(said(part) for part in value)} ({count:,})"
            for value, count in zip(facts.values, facts.rows, strict=True)
        ]
        more = ", …" if named and facts.distinct > len(named) else ""
        colon = ": " if named else ""
        return f"{number_of(facts.distinct, 'different value')}{colon}{', '.join(named)}{more}"
    return _sample(facts)


def _counts(facts: Counts) -> str:
    unit = facts.unit.removesuffix("s")
    of = f"{facts.alone:,} of {number_of(facts.total, unit)}" if facts.total is not None else ""
    alone = of or number_of(facts.alone, unit)
    if facts.together is None:
        return f"{alone}; counting all conditions together takes too long"
    return f"{alone}; {facts.together:,} with all conditions together"


def _joined(facts: Joined) -> str:
    parts = [number_of(facts.rows, "row")]
    if facts.columns is not None:
        parts[0] += f", {number_of(facts.columns, 'column')}"
    before = number_of(facts.before or 0, "row")
    if facts.lost:
        unused = f", and nothing else of {facts.unused} is used" if facts.unused else ""
        parts.append(f"{facts.lost:,} of {before} lost{unused}")
    worst = max(facts.steps, key=lambda step: step.lost or 0, default=None)
    if worst is not None and worst.lost and 2 * worst.lost > (worst.before or 0) and worst.many:
        parts.append(f"{worst.many} loses {worst.lost:,} of {number_of(worst.before or 0, 'row')}")
    if facts.unmatched:
        parts.append(f"{facts.unmatched:,} of {before} kept without a match")
    if facts.multiplied:
        parts.append(_grown(facts, before))
    if facts.twice is None:
        why = "could not be checked" if facts.unchecked else "takes too long to say"
        parts.append(f"whether something is counted twice {why}")
    if not facts.steps and facts.before is not None and len(parts) == 1:
        parts.append(f"each of {before} once")
    return "; ".join(parts)


def _grown(facts: Joined, before: str) -> str:
    """That a join makes several rows of one, which is no fault by itself."""
    why = f"several {facts.many} for one {facts.one or 'row'}" if facts.many else ""
    if facts.lost or facts.unmatched or not why:
        return f"{number_of(facts.multiplied or 0, 'row')} more{': ' + why if why else ' by several matches'}"
    return f"{before} become {facts.rows:,}: {why}"


def _sample(facts: Sample) -> str:
    """Where nobody knows how many rows there are, there are more than those shown."""
    if facts.count is None:
        parts = [f"more than {number_of(len(facts.rows), 'row')}"]
    else:
        parts = [number_of(facts.count, "row")]
        if facts.before is not None and facts.before != facts.count:
            parts[0] += f" of {facts.before:,}"
    if facts.rows:
        parts.append("first: " + _row(facts.rows[0]))
    return "; ".join(parts)


def _row(row: Sequence[Any]) -> str:
    shown = " | ".join(said(value, 24) for value in row[:6])
    return shown + (" | …" if len(row) > 6 else "")


def warning_of(facts: Facts) -> str:
    """What must not be missed: what a join makes wrong, a condition or a join that leaves nothing.

    >>> warning_of(Joined(12, 5, 10, lost=0, multiplied=2))
    ''
    >>> warning_of(Joined(12, 5, 10, twice=(Twice("SUM(d.size)", "sum", ("dept",), 12, 10),)))
    'SUM(d.size) adds rows of dept several times, because this join repeats them: 12 values instead of 10'
    >>> warning_of(Joined(0, 5, 10, lost=10, empty=("trans",)))
    'nothing is left after the join: trans is empty'
    >>> warning_of(Groups(8, (), (), (Loose("d.id", 7, 8),)))
    'd.id is not grouped by: 7 of 8 groups have several of it, and any one of them is shown'
    """
    if isinstance(facts, Joined):
        if facts.twice:
            return "; ".join(_twice(one, bool(facts.steps)) for one in facts.twice)
        if facts.rows or not (facts.before or facts.empty):
            return ""
        return "nothing is left after the join" + (f": {_without_rows(facts.empty)}" if facts.empty else "")
    if isinstance(facts, Counts) and facts.empty:
        return _without_rows(facts.empty)
    if isinstance(facts, Counts) and facts.total:
        if not facts.alone:
            return "no row meets this condition"
        if facts.together == 0:
            return "no row meets all conditions together"
    if isinstance(facts, Groups):
        return "; ".join(_loose(one) for one in facts.loose)
    return ""


def _without_rows(tables: Sequence[str]) -> str:
    return f"{' and '.join(tables)} {'is' if len(tables) == 1 else 'are'} empty"


def _loose(one: Loose) -> str:
    have = "has" if one.several == 1 else "have"
    return (
        f"{said(one.sql)} is not grouped by: {one.several:,} of {number_of(one.groups, 'group')} {have}"
        " several of it, and any one of them is shown"
    )


_DOES: Final = {"sum": "adds", "avg": "weighs", "count": "counts"}


def _twice(one: Twice, whole: bool) -> str:
    join = "a join" if whole else "this join"
    return (
        f"{said(one.sql)} {_DOES[one.word]} rows of {' and '.join(one.tables)} several times, because {join}"
        f" repeats them: {number_of(one.counted, 'value')} instead of {one.once:,}"
    )
