"""Formulas as noun phrases: `cast(sum(a.x) as real) / count(a.id)` -> average x of a.

The canonical text of a fragment is parsed by sqlglot, whose generic dialect reads the functions of all
others; a function it does not know keeps its name ("a_function of x and y").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlore.knowledge.describe.aggregated import of_sorted
from sqlore.knowledge.describe.conditional import Conditional, bare, conditional, tables_in
from sqlore.knowledge.describe.dates import date_unit, is_now, moved
from sqlore.knowledge.describe.english import bracketed, joined, plural
from sqlore.knowledge.describe.functions import (
    PLAIN_CALLS,
    arguments,
    characters,
    function_name,
    number_of,
    text_of,
)
from sqlore.knowledge.describe.nested import holding, inner
from sqlore.knowledge.describe.shifts import start_of
from sqlore.knowledge.describe.windows import Windows
from sqlore.knowledge.describe.words import Vocabulary

if TYPE_CHECKING:
    from sqlore.knowledge.describe.query import Queries

__all__ = ["Formulas"]

_AGGREGATES: Final[dict[type[exp.Expr], str]] = {
    exp.Sum: "total",
    exp.Avg: "average",
    exp.Max: "highest",
    exp.Min: "lowest",
}


class Formulas(Windows):
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
        part = inner(node)
        if part is not None:
            steps = [step if isinstance(step, str) else self.noun(step) for step in reversed(part.steps)]
            return " of ".join([*steps, self.noun(part.value)])
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            return handler(self, node)
        if isinstance(node, exp.Condition) and isinstance(node, (exp.Predicate, exp.Connector, exp.Not)):
            return f"whether {self.queries.condition(node, self.entity)}"
        if holding(node) is not None:
            return f"whether {self.queries.condition(node, self.entity)}"
        return self.call(node)

    def column(self, node: exp.Expr) -> str:
        """A column, with its table where the sentence is about another one."""
        assert isinstance(node, exp.Column)
        if is_now(node):
            return "today"
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
            parts = [self.whole(part) for part in (inner, *node.expressions)]
            return f"the {'larger' if isinstance(node, exp.Max) else 'smaller'} of {joined(parts)}"
        word, said = self._extreme(word, inner), self.inside(inner)
        if said.startswith(f"{word} "):  # the total of a column that is a total by its name
            return f"{'sum' if word == 'total' else word} of {said}"
        return f"{word} {said}"

    def _extreme(self, word: str, node: exp.Expr) -> str:
        """The word of an aggregate; of dates latest and earliest."""
        target = bare(node)
        if isinstance(target, exp.Column) and self.words.is_moment(target.table, target.name):
            return {"highest": "latest", "lowest": "earliest"}.get(word, word)
        return word

    def filtered(self, node: exp.Expr) -> str:
        """An aggregate with FILTER."""
        some = conditional(node)
        if some is not None:
            return self.some(some)
        test = node.expression.this if isinstance(node.expression, exp.Where) else node.expression
        return f"{self.noun(node.this)} {self.queries.where(test, self.entity)}"

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
        word = self._extreme(_AGGREGATES[some.kind], some.value) + (" of different" if some.distinct else "")
        return f"{word} {self.inside(some.value)} {self.queries.where(some.predicate, entity)}"

    def concat(self, node: exp.Expr) -> str:
        """Texts put together, without the blanks between them."""
        parts = list(node.flatten()) if isinstance(node, exp.DPipe) else list(node.expressions)
        shown = [self.noun(p) for p in parts if (text_of(p) or "x").strip(" ,.-/:;()%")]
        shown = [bracketed(one) if one.endswith(" where missing") or ";" in one else one for one in shown]
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
        parts = [self.whole(part) for part in (node.this, *node.expressions)]
        # The mean of the known values is another thing than the mean with zeros in their place.
        outside = isinstance(bare(node.this), (exp.Avg, exp.Max, exp.Min))
        if len(parts) == 2 and text_of(bare(node.expressions[0])) is not None and not outside:
            return f"{parts[0]} ({parts[1]} where missing)"
        return f"{parts[0]}, or {joined(parts[1:], 'or')} where missing"

    def substring(self, node: exp.Expr) -> str:
        """A piece of a text; of a date written as text its year or month."""
        column = bare(node.this)
        first, length = number_of(node.args.get("start")), number_of(node.args.get("length"))
        moment = isinstance(column, exp.Column) and self.words.is_moment(column.table, column.name)
        return characters(self.noun(node.this), first, length, moment=moment)

    def subquery(self, node: exp.Expr) -> str:
        return self.queries.select(node, short=True)

    def exists(self, node: exp.Expr) -> str:
        return f"whether {self.queries.condition(node, self.entity)}"

    def placeholder(self, node: exp.Expr) -> str:
        return f"a given {node.name.replace('_', ' ')}" if node.name not in ("", "?") else "a given value"

    def quantified(self, node: exp.Expr) -> str:
        """ANY and ALL of a list or of the rows of a subquery."""
        word = "any of" if isinstance(node, exp.Any) else "all of"
        listed = bare(node.this)
        values = listed.expressions if isinstance(listed, exp.Array) else [listed]
        text = text_of(listed) or ""
        if text.startswith("{") and text.endswith("}"):
            values = [exp.Literal.string(one) for one in text[1:-1].split(",")]
        return f"{word} {joined([self.noun(value) for value in values], 'or')}"

    def distinct(self, node: exp.Expr) -> str:
        return "different " + joined([plural(self.noun(part)) for part in node.expressions])

    def call(self, node: exp.Expr) -> str:
        """Any other function: by its name and what it is applied to."""
        name = function_name(node)
        if is_now(node):
            return "today"
        if (ordered := of_sorted(self, node)) is not None:
            return ordered
        if start := start_of(node):
            return self.start(*start)
        if away := self.away(node):
            return away
        shift = moved(node)
        if shift is not None and name != "julianday":
            return self.shifted(*shift, name)
        unit = date_unit(node)
        if unit is not None:
            return f"{unit[0]} of {self.whole(unit[1])}"
        given = arguments(node)
        if name in ("json_array_length", "json_length") and len(given) == 2:
            given = [exp.Anonymous(this="json_value", expressions=[one.copy() for one in given])]
        shown = [self.whole(argument) for argument in given]
        if name in PLAIN_CALLS:
            return f"{PLAIN_CALLS[name]} {shown[0] if shown else ''}".strip()
        words = name.replace("_", " ")
        return f"{words} of {joined(shown)}" if shown else words


_HANDLERS: Final[dict[type[exp.Expr], Callable[[Formulas, exp.Expr], str]]] = {
    exp.Column: Formulas.column,
    exp.Literal: Formulas.literal,
    exp.National: Formulas.literal,
    exp.Boolean: lambda self, node: "yes" if node.this else "no",
    exp.Null: lambda self, node: "nothing",
    exp.Star: lambda self, node: "all columns",
    exp.Sum: Formulas.aggregate,
    exp.Avg: Formulas.aggregate,
    exp.Max: Formulas.aggregate,
    exp.Min: Formulas.aggregate,
    exp.Count: Formulas.count,
    exp.Filter: Formulas.filtered,
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
    **dict.fromkeys((exp.DateAdd, exp.DatetimeAdd, exp.TimestampAdd), Formulas.date_add),
    **dict.fromkeys((exp.DateSub, exp.DatetimeSub, exp.TimestampSub), Formulas.date_add),
    exp.TimestampDiff: Formulas.date_diff,
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
    exp.Any: Formulas.quantified,
    exp.All: Formulas.quantified,
    exp.Identifier: lambda self, node: node.name,
    exp.Lambda: lambda self, node: self.noun(node.this),
    exp.Slice: lambda self, node: f"items {self.noun(node.this)} to {self.noun(node.expression)}",
    exp.PropertyEQ: lambda self, node: f"{node.name} {self.noun(node.expression)}",
}
