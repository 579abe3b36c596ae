"""Window functions: ranks, running totals, values within a group, and the rows that a frame takes in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sqlglot import exp

from sqlore.knowledge.describe.arithmetic import Arithmetic
from sqlore.knowledge.describe.conditional import bare
from sqlore.knowledge.describe.english import joined
from sqlore.knowledge.describe.functions import RANKS, function_name, number_of
from sqlore.knowledge.describe.words import Vocabulary

__all__ = ["Windows", "frame"]

_TOTALS: Final = (exp.Sum, exp.Count, exp.Avg)
_EVERY: Final = "all rows"
_UNBOUNDED: Final = "UNBOUNDED"


class Windows(Arithmetic):
    """The part of `Formulas` that says window functions."""

    words: Vocabulary

    def window(self, node: exp.Expr) -> str:
        """A window function: ranks, running totals, values within a group."""
        what, order = node.this, node.args.get("order")
        groups = [self.group(part) for part in node.args.get("partition_by") or ()]
        within = f" within each {joined(groups)}" if groups else ""
        ordered = self.queries.order(order.expressions, self.entity) if order else ""
        name = function_name(what)
        if name in RANKS:
            return f"{RANKS[name]}{' by ' + ordered if ordered else ''}{within}"
        if name in ("lag", "lead"):
            side = "previous" if name == "lag" else "next"
            return f"{side} {self.noun(what.this)}{' by ' + ordered if ordered else ''}{within}"
        rows = frame(node.args.get("spec"), self.noun)
        if rows == _EVERY and isinstance(what, (*_TOTALS, exp.Max, exp.Min)):
            return f"{self.noun(what)}{within}"
        running = ordered and not rows and isinstance(what, _TOTALS)
        of = f" of {rows}" if rows else ""
        said = f"{'running ' if running else ''}{self.noun(what)}{of}"
        return f"{said}{' in order of ' + ordered if ordered else ''}{within}"

    def group(self, node: exp.Expr) -> str:
        """What rows are divided by: for a key the thing itself, "within each branch"."""
        column = bare(node)
        if isinstance(column, exp.Column) and column.table:
            table = column.table if self.words.is_key(column.table, column.name) else ""
            table = table or self.words.refers(column.table, column.name)
            if table:
                return self.words.table(table)
        return self.noun(node)


def frame(spec: exp.Expr | None, noun: Callable[[exp.Expr], str]) -> str:
    """The rows of a frame; empty for all up to this one, which is meant where nothing is said.

    >>> from sqlglot import parse_one
    >>> of = lambda rows: frame(parse_one(f"sum(a) OVER (ORDER BY b {rows})").args["spec"], str)
    >>> of("ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"), of("ROWS UNBOUNDED PRECEDING")
    ('this and the 2 rows before', '')
    >>> of("ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING"), of("ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING")
    ('this, the row before and the row after', 'the 3 rows before')
    """
    if spec is None:
        return ""
    first, last = _side(spec, "start"), _side(spec, "end")
    start, end = spec.args.get("start"), spec.args.get("end")
    if start == end == _UNBOUNDED:
        return _EVERY
    if start == _UNBOUNDED and not last:
        return ""
    if first == last and first:
        far, near = (start, end) if first < 0 else (end, start)
        return _apart(spec, far, near, first, noun)
    parts = [_beside(spec, start, first, noun)] if first else []
    parts += [_beside(spec, end, last, noun)] if last else []
    return joined(["this", *parts])


def _side(spec: exp.Expr, edge: str) -> int:
    """On which side of a row a frame begins or ends: -1 before, 1 after, 0 with the row itself."""
    side = str(spec.args.get(f"{edge}_side") or "").upper()
    return {"PRECEDING": -1, "FOLLOWING": 1}.get(side, 0)


def _beside(spec: exp.Expr, bound: Any, side: int, noun: Callable[[exp.Expr], str]) -> str:
    """The rows on one side of this one."""
    where = "before" if side < 0 else "after"
    kind = {"GROUPS": "group of equal rows"}.get(str(spec.args.get("kind")).upper(), "row")
    number = number_of(bound) if isinstance(bound, exp.Expr) else None
    if not isinstance(bound, exp.Expr):
        return f"all rows {where}"
    if number is None or str(spec.args.get("kind")).upper() == "RANGE":
        return f"the rows up to {noun(bound)} {where}"
    several = kind.replace("group", "groups") if kind != "row" else "rows"
    return f"the {kind} {where}" if number == 1 else f"the {number:g} {several} {where}"


def _apart(
    spec: exp.Expr,
    far: Any,
    near: Any,
    side: int,
    noun: Callable[[exp.Expr], str],
) -> str:
    """The rows from one to another, both before this one or both after it."""
    if isinstance(near, exp.Expr) and number_of(near) == 1:
        return _beside(spec, far, side, noun)
    where = "before" if side < 0 else "after"
    until = noun(near) if isinstance(near, exp.Expr) else str(near)
    return f"the rows from {noun(far) if isinstance(far, exp.Expr) else 'all'} to {until} {where}"
