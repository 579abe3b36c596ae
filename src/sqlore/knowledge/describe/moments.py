"""Dates as noun phrases: parts of a date, the time between two, a date some days from another."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sqlore.knowledge.describe.conditional import bare
from sqlore.knowledge.describe.dates import date_unit, is_now, said_away, said_moved, unit_of
from sqlore.knowledge.describe.english import joined
from sqlore.knowledge.describe.functions import PLAIN_CALLS, text_of
from sqlore.knowledge.describe.shifts import Shift, shift_of, start_of

__all__ = ["Moments"]


class Moments:
    """The part of `Formulas` that says dates."""

    def noun(self, node: exp.Expr) -> str:
        """A formula as a noun phrase."""
        raise NotImplementedError

    def whole(self, node: exp.Expr) -> str:
        """A formula that a function is applied to."""
        raise NotImplementedError

    def call(self, node: exp.Expr) -> str:
        """Any other function."""
        raise NotImplementedError

    def date_part(self, node: exp.Expr) -> str:
        """EXTRACT, YEAR, DATE_TRUNC and their kin."""
        if start := start_of(node):
            return self.start(*start)
        found = date_unit(node)
        return f"{found[0]} of {self.whole(found[1])}" if found else self.call(node)

    def date_diff(self, node: exp.Expr) -> str:
        """DATEDIFF, whichever order and unit the dialect writes."""
        parts = [p for p in (node.this, node.expression, node.args.get("unit")) if p is not None]
        if len(parts) < 3:
            return f"days between {joined([self.whole(part) for part in parts])}"
        # The unit is the first of three, but the last where that names one and is no column.
        at = 2 if isinstance(parts[2], exp.Var) and unit_of(parts[2]) and not unit_of(parts[0]) else 0
        named = parts.pop(at)
        unit, between = unit_of(named), joined([self.whole(part) for part in parts])
        return f"{unit}s between {between}" if unit else f"difference ({named.name}) between {between}"

    def away(self, node: exp.Expr) -> str | None:
        """A date some time from another, "3 days before due"; None where the formula is none."""
        found = shift_of(node)
        if found is None:
            return None
        return self._away(found, self.noun(found.date) if start_of(found.date) else self.whole(found.date))

    def _away(self, shift: Shift, date: str) -> str:
        amount = text_of(bare(shift.amount)) or self.whole(shift.amount)
        return said_away(amount, shift.unit, date, before=shift.before)

    def date_add(self, node: exp.Expr) -> str:
        """DATE_ADD and DATE_SUB, of an interval or of so many days."""
        return self.away(node) or self.call(node)

    def start(self, unit: str, date: exp.Expr) -> str:
        """The start of a unit of time, "the start of this month"."""
        if is_now(bare(date)):
            return "today" if unit == "day" else f"the start of this {unit}"
        away = shift_of(date)
        if away is not None and away.unit == unit and is_now(bare(away.date)):
            return self._away(away, self.start(unit, away.date))
        return f"the start of the {unit} of ({self.noun(date)})"

    def shifted(self, date: exp.Expr, steps: Sequence[exp.Expr], name: str) -> str:
        """A date that is moved: "30 days before today"."""
        if (text_of(date) or "").lower() == "now":
            said = "today"
        else:
            said = (
                self.noun(date)
                if name == "date_moved"
                else f"{PLAIN_CALLS.get(name, 'time of')} {self.noun(date)}"
            )
        for step in steps:
            text = text_of(step)
            if text is None:  # '-' || n || ' days'
                pieces = step.flatten() if isinstance(step, exp.DPipe) else step.expressions or [step]
                text = "".join(text_of(piece) or self.noun(piece) for piece in pieces)
            said = said_moved(said, text)
        return said

    def now(self, node: exp.Expr) -> str:
        return "today"

    def interval(self, node: exp.Expr) -> str:
        amount, unit = text_of(node.this) or self.noun(node.this), node.args.get("unit")
        return f"{amount} {unit.name.lower()}s".replace("ss", "s") if unit is not None else amount
