"""Formulas as noun phrases: `cast(sum(a.x) as real) / count(a.id)` -> average x of a.

The canonical text of a fragment is parsed by sqlglot, whose generic dialect reads the functions of all
others; a function it does not know keeps its name ("a_function of x and y").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlglot import exp

from sqlore.catalog.names import word_set
from sqlore.knowledge.describe_functions import (
    characters,
    date_unit,
    format_parts,
    function_name,
    is_now,
    number_of,
    text_of,
)
from sqlore.knowledge.describe_words import Vocabulary, joined, plural

if TYPE_CHECKING:
    from sqlore.knowledge.describe_query import Queries

__all__ = ["Conditional", "Formulas", "bare", "conditional", "tables_in"]

_AGGREGATES: Final[dict[type[exp.Expr], str]] = {
    exp.Sum: "total",
    exp.Avg: "average",
    exp.Max: "highest",
    exp.Min: "lowest",
}
_WRAPPERS: Final = (exp.Cast, exp.TryCast, exp.Paren, exp.Round, exp.Collate)


class Conditional(NamedTuple):
    """An aggregate over the rows for which something holds: `sum(case when P then X else 0 end)`."""

    kind: type[exp.Expr]
    predicate: exp.Expr
    value: exp.Expr | None
    distinct: bool = False


def bare(node: exp.Expr) -> exp.Expr:
    """The formula without casts, parentheses and rounding, which say nothing about its meaning."""
    while isinstance(node, _WRAPPERS):
        node = node.this
    return node


def tables_in(node: exp.Expr) -> list[str]:
    """The tables a formula names outside of its subqueries, in order, each once."""
    found: dict[str, None] = {}
    for column in node.find_all(exp.Column, bfs=False):
        if column.table and column.find_ancestor(exp.Subquery, exp.Select) is node.find_ancestor(
            exp.Subquery, exp.Select
        ):
            found[column.table] = None
    return list(found)


def conditional(node: exp.Expr) -> Conditional | None:
    """The condition inside a conditional count or sum, None where the formula is none."""
    if isinstance(node, exp.Filter) and isinstance(node.expression, exp.Where):
        inner = node.this
        if isinstance(inner, (exp.Count, exp.Sum, exp.Avg)):
            value = None if isinstance(inner.this, exp.Star) else inner.this
            return Conditional(type(inner), node.expression.this, value)
    if not isinstance(node, (exp.Count, exp.Sum, exp.Avg)):
        return None
    inner, distinct = node.this, False
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        inner, distinct = inner.expressions[0], True
    inner = bare(inner) if inner is not None else inner
    if isinstance(inner, (exp.EQ, exp.GT, exp.LT, exp.GTE, exp.LTE, exp.NEQ, exp.And, exp.Like, exp.In)):
        return Conditional(exp.Count, inner, None) if isinstance(node, exp.Sum) else None
    branch = _one_branch(inner)
    if branch is None:
        return None
    predicate, value, otherwise = branch
    empty = otherwise is None or isinstance(otherwise, exp.Null) or number_of(otherwise) == 0
    if not empty or (isinstance(node, exp.Avg) and otherwise is not None and number_of(otherwise) == 0):
        return None
    if number_of(value) == 1 or (isinstance(node, exp.Count) and isinstance(value, exp.Literal)):
        return Conditional(exp.Count, predicate, None, distinct)
    return Conditional(type(node), predicate, value, distinct)


def _one_branch(
    node: exp.Expr | None,
) -> tuple[exp.Expr, exp.Expr, exp.Expr | None] | None:
    if isinstance(node, exp.If) and node.args.get("true") is not None:
        return node.this, node.args["true"], node.args.get("false")
    if isinstance(node, exp.Case) and len(node.args["ifs"]) == 1:
        branch = node.args["ifs"][0]
        test = exp.EQ(this=node.this.copy(), expression=branch.this.copy()) if node.this else branch.this
        return test, branch.args["true"], node.args.get("default")
    return None


class Formulas:
    """Noun phrases for formulas.

    `entity` is the table that the sentence is about: its columns need no "of the ...". `queries` says
    conditions and subqueries, so that this class and that one can be read apart.
    """

    def __init__(self, words: Vocabulary, queries: Queries, entity: str = "") -> None:
        self.words = words
        self.queries = queries
        self.entity = entity

    def noun(self, node: exp.Expr) -> str:
        """A formula as a noun phrase."""
        node = bare(node)
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            return handler(self, node)
        if isinstance(node, exp.Condition) and isinstance(node, (exp.Predicate, exp.Connector, exp.Not)):
            return f"whether {self.queries.condition(node, self.entity)}"
        return self.call(node)

    def column(self, node: exp.Expr) -> str:
        """A column, with its table where the sentence is about another one."""
        assert isinstance(node, exp.Column)
        table, name = node.table, node.name
        if isinstance(node.this, exp.Star):
            return f"all columns of {self.words.tables(table)}"
        short = self.words.column(table, name)
        if not table or table == self.entity:
            return short
        return self.words.full(table, name)

    def literal(self, node: exp.Expr) -> str:
        return self.words.value(text_of(node) or "")

    def aggregate(self, node: exp.Expr) -> str:
        """SUM, AVG, MAX, MIN."""
        some = conditional(node)
        if some is not None:
            return self.some(some)
        word, inner = _AGGREGATES[type(node)], node.this
        if isinstance(inner, exp.Distinct) and inner.expressions:
            word, inner = f"{word} of different", inner.expressions[0]
        if node.expressions and isinstance(node, (exp.Max, exp.Min)):
            parts = [self.noun(part) for part in (inner, *node.expressions)]
            return f"the {'larger' if isinstance(node, exp.Max) else 'smaller'} of {joined(parts)}"
        target = bare(inner)
        if isinstance(target, exp.Column) and self.words.is_moment(target.table, target.name):
            word = {"highest": "latest", "lowest": "earliest"}.get(word, word)
        return f"{word} {self.noun(inner)}"

    def count(self, node: exp.Expr) -> str:
        """COUNT of rows, of keys, of different values, of rows that fit a condition."""
        some = conditional(node)
        if some is not None:
            return self.some(some)
        return f"number of {self.counted(node)}"

    def counted(self, node: exp.Expr) -> str:
        """What a COUNT counts: superheroes, different cities, rows."""
        inner, different = node.this, ""
        if isinstance(inner, exp.Distinct):
            different = "different "
            if len(inner.expressions) != 1:
                return "different combinations of " + joined([self.noun(e) for e in inner.expressions])
            inner = inner.expressions[0]
        inner = bare(inner) if inner is not None else exp.Star()
        if isinstance(inner, exp.Column) and not isinstance(inner.this, exp.Star):
            return different + self.words.counted(inner.table, inner.name)
        if isinstance(inner, (exp.Star, exp.Literal, exp.Column)):
            return different + (self.words.tables(self.entity) if self.entity else "rows")
        return f"{different}values of {self.noun(inner)}"

    def some(self, some: Conditional) -> str:
        """A count or sum of the rows for which a condition holds."""
        tables = tables_in(some.predicate)
        entity = self.entity or (tables[0] if tables else "")
        if some.kind is exp.Count:
            different = "different " if some.distinct else ""
            value = bare(some.value) if some.value is not None else None
            if isinstance(value, exp.Column) and not isinstance(value.this, exp.Star):
                rows, entity = self.words.counted(value.table, value.name), entity or value.table
            else:
                rows = self.words.tables(entity) if entity else "rows"
            return f"number of {different}{rows} {self.queries.whose(some.predicate, entity)}"
        assert some.value is not None
        return (
            f"{_AGGREGATES[some.kind]} {self.noun(some.value)} {self.queries.where(some.predicate, entity)}"
        )

    # ---------------------------------------------------------------- arithmetic

    def divide(self, node: exp.Expr) -> str:
        """A ratio: a percentage, a share, an average by hand, or simply one thing by another."""
        return self._ratio(node.this, node.expression, percent=False)

    def multiply(self, node: exp.Expr) -> str:
        ratio = _percentage(node)
        if ratio is not None:
            return self._ratio(*ratio, percent=True)
        left, right = node.this, node.expression
        for number, other in ((left, right), (right, left)):
            if number_of(number) is not None:
                return f"{text_of(number)} times {self.noun(other)}"
        return f"{self.noun(left)} times {self.noun(right)}"

    def _ratio(self, above: exp.Expr, below: exp.Expr, *, percent: bool) -> str:
        above, below = bare(above), bare(below)
        if not percent and isinstance(above, exp.Mul):
            for number, other in ((above.this, above.expression), (above.expression, above.this)):
                if number_of(number) == 100:
                    return self._ratio(other, below, percent=True)
        part = "percentage" if percent else "share"
        some = conditional(above)
        if conditional(below) is not None:
            return f"ratio of {self.noun(above)} to {self.noun(below)}"
        if some is not None and some.kind is exp.Count and isinstance(below, exp.Count):
            inner = bare(below.this) if below.this is not None else exp.Star()
            tables = tables_in(inner)
            entity = tables[0] if tables else self.entity or next(iter(tables_in(some.predicate)), "")
            rows = Formulas(self.words, self.queries, entity).counted(below)
            return f"{part} of {rows} {self.queries.whose(some.predicate, entity)}"
        if some is not None and some.value is not None and isinstance(below, exp.Sum):
            return f"{part} of the {self.noun(below)} {self.queries.where(some.predicate, self.entity)}"
        if isinstance(above, exp.Sum) and isinstance(below, exp.Count) and some is None and not percent:
            return f"average {self.noun(above.this)} (total divided by {self.noun(below)})"
        if percent:
            return f"{self.noun(above)} as a percentage of {self.noun(below)}"
        if isinstance(above, exp.Count) and isinstance(below, exp.Count):
            return f"{self.noun(above)} per one of the {self.counted(below)} (ratio)"
        if number_of(below) is not None:
            return f"{self.noun(above)} divided by {text_of(below)}"
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

    def concat(self, node: exp.Expr) -> str:
        """Texts put together, without the blanks between them."""
        parts = list(node.flatten()) if isinstance(node, exp.DPipe) else list(node.expressions)
        shown = [self.noun(p) for p in parts if (text_of(p) or "x").strip(" ,.-/:;()%")]
        return f"{joined(shown)} joined together"

    # ---------------------------------------------------------------- functions

    def case(self, node: exp.Expr) -> str:
        """CASE and IIF as alternatives."""
        if isinstance(node, exp.If):
            branches, default = [(node.this, node.args["true"])], node.args.get("false")
        else:
            subject = node.this
            branches = [
                (exp.EQ(this=subject.copy(), expression=b.this.copy()) if subject else b.this, b.args["true"])
                for b in node.args["ifs"]
            ]
            default = node.args.get("default")
        shown = [
            f"{self.noun(value)} {self.queries.where(test, self.entity)}" for test, value in branches[:4]
        ]
        if default is not None and not isinstance(default, exp.Null):
            shown.append(f"otherwise {self.noun(default)}")
        return "; ".join(shown)

    def coalesce(self, node: exp.Expr) -> str:
        parts = [self.noun(part) for part in (node.this, *node.expressions)]
        return f"{parts[0]}, or {joined(parts[1:], 'or')} where missing"

    def substring(self, node: exp.Expr) -> str:
        """A piece of a text; of a date written as text its year or month."""
        column = bare(node.this)
        first, length = number_of(node.args.get("start")), number_of(node.args.get("length"))
        moment = isinstance(column, exp.Column) and self.words.is_moment(column.table, column.name)
        return characters(self.noun(node.this), first, length, moment=moment)

    def date_part(self, node: exp.Expr) -> str:
        """EXTRACT, YEAR, DATE_TRUNC and their kin."""
        found = date_unit(node)
        return f"{found[0]} of {self.noun(found[1])}" if found else self.call(node)

    def date_diff(self, node: exp.Expr) -> str:
        """DATEDIFF, whichever order and unit the dialect writes."""
        parts = [p for p in (node.this, node.expression, node.args.get("unit")) if p is not None]
        unit = "day"
        for part in list(parts):
            name = part.name.lower() if isinstance(part, (exp.Var, exp.Column, exp.Literal)) else ""
            if name in _UNITS and not (isinstance(part, exp.Column) and part.table):
                unit = name
                parts.remove(part)
        return f"{unit}s between {joined([self.noun(part) for part in parts])}"

    def window(self, node: exp.Expr) -> str:
        """A window function: ranks, running totals, values within a group."""
        what, order = node.this, node.args.get("order")
        groups = [self.noun(part) for part in node.args.get("partition_by") or ()]
        within = f" within each {joined(groups)}" if groups else ""
        ordered = self.queries.order(order.expressions, self.entity) if order else ""
        name = function_name(what)
        if name in _RANKS:
            return f"{_RANKS[name]}{' by ' + ordered if ordered else ''}{within}"
        if name in ("lag", "lead"):
            side = "previous" if name == "lag" else "next"
            return f"{side} {self.noun(what.this)}{' by ' + ordered if ordered else ''}{within}"
        running = "running " if ordered and isinstance(what, (exp.Sum, exp.Count, exp.Avg)) else ""
        return f"{running}{self.noun(what)}{' in order of ' + ordered if ordered else ''}{within}"

    def subquery(self, node: exp.Expr) -> str:
        return self.queries.select(node, short=True)

    def exists(self, node: exp.Expr) -> str:
        return f"whether {self.queries.condition(node, self.entity)}"

    def now(self, node: exp.Expr) -> str:
        return "today"

    def interval(self, node: exp.Expr) -> str:
        amount, unit = text_of(node.this) or self.noun(node.this), node.args.get("unit")
        return f"{amount} {unit.name.lower()}s".replace("ss", "s") if unit is not None else amount

    def placeholder(self, node: exp.Expr) -> str:
        return f"a given {node.name.replace('_', ' ')}" if node.name not in ("", "?") else "a given value"

    def distinct(self, node: exp.Expr) -> str:
        return "different " + joined([plural(self.noun(part)) for part in node.expressions])

    def call(self, node: exp.Expr) -> str:
        """Any other function: by its name and what it is applied to."""
        name = function_name(node)
        if is_now(node):
            return "today"
        unit = date_unit(node)
        if unit is not None:
            return f"{unit[0]} of {self.noun(unit[1])}"
        if name in ("strftime", "date_format", "to_char", "format", "timetostr"):
            formatted = format_parts(node)
            if formatted is not None:
                return f"{formatted[0]} of {self.noun(formatted[1])}"
        arguments = node.expressions if isinstance(node, exp.Anonymous) else _arguments(node)
        shown = [self.noun(argument) for argument in arguments]
        if name in _PLAIN_CALLS:
            return f"{_PLAIN_CALLS[name]} {shown[0] if shown else ''}".strip()
        words = name.replace("_", " ")
        return f"{words} of {joined(shown)}" if shown else words


_UNITS: Final = word_set("year quarter month week day hour minute second")
_RANKS: Final = {
    "rank": "rank",
    "dense_rank": "rank without gaps",
    "row_number": "row number",
    "percent_rank": "rank as a share",
    "cume_dist": "cumulative share",
    "ntile": "equal group (ntile)",
}
_PLAIN_CALLS: Final = {
    "abs": "absolute value of",
    "lower": "lower case",
    "upper": "upper case",
    "trim": "trimmed",
    "length": "length of",
    "char_length": "length of",
    "group_concat": "list of all",
    "string_agg": "list of all",
    "array_agg": "list of all",
    "median": "median",
    "stddev": "standard deviation of",
    "variance": "variance of",
    "sqrt": "square root of",
    "ceil": "rounded up",
    "floor": "rounded down",
    "julianday": "day number of",
    "datetime": "time of",
    "date": "date of",
    "total": "total",
}


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    for key in node.arg_types:
        value = node.args.get(key)
        found += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, exp.Expr)]
    return found


def _percentage(node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """The ratio that is multiplied by 100."""
    for number, other in ((node.this, node.expression), (node.expression, node.this)):
        inner = bare(other)
        if number_of(number) == 100 and isinstance(inner, exp.Div):
            return inner.this, inner.expression
    return None


_HANDLERS: Final[dict[type[exp.Expr], Callable[[Formulas, exp.Expr], str]]] = {
    exp.Column: Formulas.column,
    exp.Literal: Formulas.literal,
    exp.Boolean: lambda self, node: "yes" if node.this else "no",
    exp.Null: lambda self, node: "nothing",
    exp.Star: lambda self, node: "all columns",
    exp.Sum: Formulas.aggregate,
    exp.Avg: Formulas.aggregate,
    exp.Max: Formulas.aggregate,
    exp.Min: Formulas.aggregate,
    exp.Count: Formulas.count,
    exp.Filter: Formulas.count,
    exp.Div: Formulas.divide,
    exp.Mul: Formulas.multiply,
    exp.Sub: Formulas.subtract,
    exp.Add: Formulas.add,
    exp.Mod: Formulas.modulo,
    exp.Neg: Formulas.negative,
    exp.DPipe: Formulas.concat,
    exp.Concat: Formulas.concat,
    exp.ConcatWs: Formulas.concat,
    exp.Case: Formulas.case,
    exp.If: Formulas.case,
    exp.Coalesce: Formulas.coalesce,
    exp.Substring: Formulas.substring,
    exp.Left: Formulas.substring,
    exp.Extract: Formulas.date_part,
    exp.Year: Formulas.date_part,
    exp.Month: Formulas.date_part,
    exp.Day: Formulas.date_part,
    exp.DateTrunc: Formulas.date_part,
    exp.TimestampTrunc: Formulas.date_part,
    exp.DateDiff: Formulas.date_diff,
    exp.Window: Formulas.window,
    exp.Subquery: Formulas.subquery,
    exp.Select: Formulas.subquery,
    exp.Exists: Formulas.exists,
    exp.CurrentDate: Formulas.now,
    exp.CurrentTimestamp: Formulas.now,
    exp.Interval: Formulas.interval,
    exp.Placeholder: Formulas.placeholder,
    exp.Parameter: Formulas.placeholder,
    exp.Distinct: Formulas.distinct,
}
