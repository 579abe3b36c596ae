"""Arithmetic as noun phrases: percentages, averages by hand, ages, differences.

Different formulas read differently: an operand that would run into what stands beside it is said in brackets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlore.knowledge.describe.conditional import Conditional, bare, conditional, tables_in
from sqlore.knowledge.describe.dates import date_unit, is_now
from sqlore.knowledge.describe.english import bracketed
from sqlore.knowledge.describe.functions import number_of, text_of
from sqlore.knowledge.describe.moments import Moments

if TYPE_CHECKING:
    from sqlore.knowledge.describe.expr import Formulas
    from sqlore.knowledge.describe.query import Queries

__all__ = ["Arithmetic"]

_OPERATIONS: Final = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_AGGREGATED: Final = (exp.AggFunc, exp.Filter, exp.Window)


class Arithmetic(Moments):
    """The part of `Formulas` that says +, -, *, / and %."""

    queries: Queries
    entity: str

    def about(self, entity: str) -> Formulas:
        """The formulas of a sentence about another table."""
        return self.queries.formulas(entity)

    def counted(self, node: exp.Expr) -> str:
        """What a COUNT counts."""
        raise NotImplementedError

    def whole(self, node: exp.Expr) -> str:
        """A formula that a function is applied to: "absolute value of (price minus discount)"."""
        said = self.noun(node)
        return bracketed(said) if isinstance(bare(node), _OPERATIONS) else said

    def inside(self, node: exp.Expr) -> str:
        """A formula that is aggregated: "total price times quantity", of "(total price) times quantity".

        Only a division that ends in words of its own needs brackets there.
        """
        inner, said = _without_one(bare(node)), self.noun(node)
        if not isinstance(inner, exp.Div) and not (isinstance(inner, exp.Mul) and _percentage(inner)):
            return said
        return said if said.startswith(("ratio ", "share ", "relative ", "percentage ")) else bracketed(said)

    def operand(self, node: exp.Expr, parent: exp.Expr, beside: exp.Expr | None = None) -> str:
        """An operand of `parent`, in brackets where it needs them; `beside` is what is said after it."""
        inner, said = _without_one(bare(node)), self.noun(node)
        return bracketed(said) if _bracketed(inner, said, parent, beside) else said

    def divide(self, node: exp.Expr) -> str:
        """A ratio: a percentage, a share, an average by hand, or simply one thing by another."""
        return self._ratio(node.this, node.expression, percent=False)

    def multiply(self, node: exp.Expr) -> str:
        ratio = _percentage(node)
        if ratio is not None:
            return self._ratio(*ratio, percent=True)
        for number, other in _sides(node):
            if number_of(number) == 1:  # for the sake of its type
                return self.noun(other)
            if number_of(number) is not None:
                return f"{text_of(bare(number))} times {self.operand(other, node)}"
        return f"{self.operand(node.this, node, node.expression)} times {self.operand(node.expression, node)}"

    def _ratio(self, above: exp.Expr, below: exp.Expr, *, percent: bool) -> str:
        above, below = _without_one(bare(above)), bare(below)
        if not percent and isinstance(above, exp.Mul):
            for number, other in _sides(above):
                if number_of(number) == 100:
                    return self._ratio(other, below, percent=True)
        if isinstance(above, exp.Sub) and bare(above.expression) == below:
            grown = f"from {self.noun(below)} to {self.noun(above.this)}"
            return f"{'percentage' if percent else 'relative'} change {grown}"
        part = "percentage" if percent else "share"
        some = conditional(above)
        if conditional(below) is not None:
            return f"ratio of {self.noun(above)} to {self.noun(below)}"
        if some is not None and some.kind is exp.Count and _counts_all_of(below, some):
            inner = bare(below.this) if below.this is not None else exp.Star()
            tables = tables_in(inner)
            entity = tables[0] if tables else self.entity or next(iter(tables_in(some.predicate)), "")
            rows = self.about(entity).counted(below)
            return f"{part} of {rows} {self.queries.whose(some.predicate, entity)}"
        if some is not None and _totals_all_of(below, some):
            return f"{part} of the {self.noun(below)} {self.queries.where(some.predicate, self.entity)}"
        if isinstance(above, exp.Sum) and isinstance(below, exp.Count) and some is None and not percent:
            return f"average {self.noun(above.this)} (total divided by {self.noun(below)})"
        if percent:
            return f"{self.noun(above)} as a percentage of {self.whole(below)}"
        if isinstance(above, exp.Count) and isinstance(below, exp.Count):
            return f"{self.noun(above)} per one of the {self.counted(below)} (ratio)"
        divisor = number_of(below)
        if divisor is not None:
            several = isinstance(above, exp.Binary) or (
                isinstance(above, exp.AggFunc) and isinstance(bare(above.this), exp.Binary)
            )
            return f"{self.noun(above)}{',' if several else ''} divided by {divisor:g}"
        over = self.whole(above) if isinstance(above, (exp.Div, exp.Mod)) else self.noun(above)
        return f"ratio of {over} to {self.whole(below)}"

    def subtract(self, node: exp.Expr) -> str:
        """A difference; of dates the time between, of this year and a birthday the age."""
        left, right = bare(node.this), bare(node.expression)
        units = date_unit(left), date_unit(right)
        if units[0] and units[0][0] == (units[1] or units[0])[0] and (units[1] or is_now(right)):
            assert units[0] is not None
            unit, start = units[0]
            end = bare(units[1][1]) if units[1] else right
            if is_now(start):
                return f"age ({unit}s from {self.whole(end)} until today)"
            return f"{unit}s between {self.whole(end)} and {self.whole(start)}"
        if away := self.away(node):
            return away
        if left.find(exp.AggFunc) and right.find(exp.AggFunc):
            sides = [
                self.whole(side) if isinstance(side, (exp.Add, exp.Sub)) else self.noun(side)
                for side in (left, right)
            ]
            return f"difference between {sides[0]} and {sides[1]}"
        return f"{self.operand(left, node, right)} minus {self.operand(right, node)}"

    def add(self, node: exp.Expr) -> str:
        plain = f"{self.operand(node.this, node, node.expression)} plus {self.operand(node.expression, node)}"
        return self.away(node) or plain

    def modulo(self, node: exp.Expr) -> str:
        return f"remainder of {self.whole(node.this)} by {self.whole(node.expression)}"

    def negative(self, node: exp.Expr) -> str:
        number = text_of(node)
        return number if number is not None else f"minus {self.whole(node.this)}"


def _bracketed(inner: exp.Expr, said: str, parent: exp.Expr, beside: exp.Expr | None) -> bool:
    """Whether an operand would be misread without brackets; `beside` is what follows it, if any."""
    ends = " minus " in said or " plus " in said
    if isinstance(inner, (exp.Case, exp.If, exp.Predicate, exp.Connector, exp.Not)):
        return True
    if isinstance(inner, (exp.Add, exp.Sub)) and isinstance(parent, exp.Mul):
        return True
    if isinstance(inner, (exp.Div, exp.Mod)) or (isinstance(inner, exp.Mul) and _percentage(inner)):
        return beside is not None or not said.startswith(("ratio of ", "remainder of "))
    if beside is None:
        return isinstance(parent, exp.Sub) and isinstance(inner, (exp.Add, exp.Sub))
    if isinstance(inner, exp.Sub) and not ends:  # a difference, an age, the days between
        return True
    return _open(inner) and not isinstance(bare(beside), _AGGREGATED)


def _open(node: exp.Expr) -> bool:
    """Whether words behind a formula would seem to belong to what is aggregated at its end."""
    node = _without_one(bare(node))
    if isinstance(node, (*_AGGREGATED, exp.Subquery, exp.Select)):
        return True
    if isinstance(node, (exp.Neg, exp.Coalesce)):
        return _open(node.this)
    if isinstance(node, exp.Mul):
        last = node.this if number_of(node.expression) is not None else node.expression
        return _open(last)
    return isinstance(node, _OPERATIONS) and _open(node.expression)


def _counts_all_of(below: exp.Expr, some: Conditional) -> bool:
    """Whether a count is of all those of which another counts some."""
    if not isinstance(below, exp.Count):
        return False
    different = isinstance(below.this, exp.Distinct)
    if not some.distinct:
        return not different or some.value is None
    return different and some.value is not None and below.this.expressions == [some.value]


def _totals_all_of(below: exp.Expr, some: Conditional) -> bool:
    """Whether a total is of all those of which another totals some."""
    if some.kind is not exp.Sum or some.value is None or some.distinct or not isinstance(below, exp.Sum):
        return False
    return bare(some.value) == bare(below.this)


def _sides(product: exp.Expr) -> tuple[tuple[exp.Expr, exp.Expr], ...]:
    """Each factor of a product with the other one."""
    return (product.this, product.expression), (product.expression, product.this)


def _without_one(node: exp.Expr) -> exp.Expr:
    """A formula without the 1.0 that makes its division one of fractions."""
    if isinstance(node, exp.Mul):
        for number, other in _sides(node):
            if number_of(number) == 1:
                return bare(other)
    return node


def _percentage(node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """The ratio that is multiplied by 100."""
    for number, other in _sides(node):
        inner = bare(other)
        if number_of(number) == 100 and isinstance(inner, exp.Div):
            return inner.this, inner.expression
    return None
