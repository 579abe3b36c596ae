"""Dates as noun phrases: parts of a date, the time between two, a date some days from another."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sqlore.knowledge.describe.dates import date_unit, said_moved, unit_of
from sqlore.knowledge.describe.english import joined
from sqlore.knowledge.describe.functions import PLAIN_CALLS, text_of

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

    def date_add(self, node: exp.Expr) -> str:
        """DATE_ADD and DATE_SUB of an interval: "3 days before due"."""
        if not isinstance(node.expression, exp.Interval):
            return self.call(node)
        side = "before" if node.key.endswith("sub") else "after"
        return f"{self.noun(node.expression)} {side} {self.whole(node.this)}"

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
