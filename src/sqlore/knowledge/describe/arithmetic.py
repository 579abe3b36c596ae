"""Arithmetic as noun phrases: percentages, averages by hand, ages, differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqlore.knowledge.describe.conditional import bare, conditional, tables_in
from sqlore.knowledge.describe.functions import date_unit, is_now, number_of, text_of

if TYPE_CHECKING:
    from sqlore.knowledge.describe.expr import Formulas
    from sqlore.knowledge.describe.query import Queries

__all__ = ["Arithmetic"]


class Arithmetic:
    """The part of `Formulas` that says +, -, *, / and %."""

    queries: Queries
    entity: str

    def about(self, entity: str) -> Formulas:
        """The formulas of a sentence about another table."""
        return self.queries.formulas(entity)

    def noun(self, node: exp.Expr) -> str:
        """A formula as a noun phrase."""
        raise NotImplementedError

    def counted(self, node: exp.Expr) -> str:
        """What a COUNT counts."""
        raise NotImplementedError

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
                return f"{text_of(number)} times {self.noun(other)}"
        return f"{self.noun(node.this)} times {self.noun(node.expression)}"

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
        if some is not None and some.kind is exp.Count and isinstance(below, exp.Count):
            inner = bare(below.this) if below.this is not None else exp.Star()
            tables = tables_in(inner)
            entity = tables[0] if tables else self.entity or next(iter(tables_in(some.predicate)), "")
            rows = self.about(entity).counted(below)
            return f"{part} of {rows} {self.queries.whose(some.predicate, entity)}"
        if some is not None and some.value is not None and isinstance(below, exp.Sum):
            return f"{part} of the {self.noun(below)} {self.queries.where(some.predicate, self.entity)}"
        if isinstance(above, exp.Sum) and isinstance(below, exp.Count) and some is None and not percent:
            return f"average {self.noun(above.this)} (total divided by {self.noun(below)})"
        if percent:
            return f"{self.noun(above)} as a percentage of {self.noun(below)}"
        if isinstance(above, exp.Count) and isinstance(below, exp.Count):
            return f"{self.noun(above)} per one of the {self.counted(below)} (ratio)"
        divisor = number_of(below)
        if divisor is not None:
            several = isinstance(above, exp.Binary) or (
                isinstance(above, exp.AggFunc) and isinstance(bare(above.this), exp.Binary)
            )
            return f"{self.noun(above)}{',' if several else ''} divided by {divisor:g}"
        return f"ratio of {self.noun(above)} to {self.noun(below)}"

    def subtract(self, node: exp.Expr) -> str:
        """A difference; of dates the time between, of this year and a birthday the age."""
        left, right = bare(node.this), bare(node.expression)
        units = date_unit(left), date_unit(right)
        if units[0] and units[0][0] == (units[1] or units[0])[0] and (units[1] or is_now(right)):
            assert units[0] is not None
            unit, start = units[0]
            end = bare(units[1][1]) if units[1] else right
            if is_now(start):
                return f"age ({unit}s from {self.noun(end)} until today)"
            return f"{unit}s between {self.noun(end)} and {self.noun(start)}"
        if left.find(exp.AggFunc) and right.find(exp.AggFunc):
            return f"difference between {self.noun(left)} and {self.noun(right)}"
        return f"{self.noun(left)} minus {self.noun(right)}"

    def add(self, node: exp.Expr) -> str:
        return f"{self.noun(node.this)} plus {self.noun(node.expression)}"

    def modulo(self, node: exp.Expr) -> str:
        return f"remainder of {self.noun(node.this)} by {self.noun(node.expression)}"

    def negative(self, node: exp.Expr) -> str:
        number = text_of(node)
        return number if number is not None else f"minus {self.noun(node.this)}"


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
