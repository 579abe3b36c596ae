"""Conditions as NatSQL writes them: one flat list, HAVING among them, subqueries unfolded into it.

``x in (select ...)`` becomes ``@.@ in t.*`` and the conditions of the subquery follow; ``@.@`` stands for
a column that the right side tells: the foreign key between the two tables, or the compared column itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from sqlglot import exp

from sqlore.sql.natsql.scope import Ref, foreign_keys
from sqlore.sql.natsql.terms import AGGREGATES, COMPARISONS, NEGATED, Terms, function
from sqlore.sql.render import unwrap

PLACE: Final = "@.@"
"""NatSQL's column that is not said because the rest tells it."""


@dataclass(frozen=True, slots=True)
class NatCondition:
    """One condition and the word that ties it to the one before (``and``, ``or``, ``except_``, ``sub``).

    `table` is the table of its left side, `nested` whether it compares with a subquery, `inner` whether it
    is a condition of that subquery, `correlated` whether it ties one to the query around it.
    """

    text: str
    word: str = "and"
    table: str = ""
    sign: str = ""
    inner: bool = False
    nested: bool = False
    correlated: bool = False


class Conditions(Terms):
    """Writes WHERE and HAVING of one SELECT; `main` are the tables that the rest of it names."""

    main: frozenset[str] = frozenset()

    def flat(self, node: Any, word: str = "and") -> list[NatCondition]:
        """The conditions of an expression in text order; parentheses stay where OR stands inside of AND."""
        node = unwrap(node)
        if not isinstance(node, exp.And | exp.Or):
            return self.atom(node, word)
        inner = "and" if isinstance(node, exp.And) else "or"
        out: list[NatCondition] = []
        for side, tie in ((node.this, word), (node.expression, inner)):
            out += self.side(side, tie, alone=inner == "or")
        return out

    def side(self, node: Any, word: str, *, alone: bool) -> list[NatCondition]:
        """The conditions of one side of AND: those of an OR in parentheses, unless it stands alone."""
        part = self.flat(node, word)
        if not alone and part and isinstance(unwrap(node), exp.Or):
            part[0] = replace(part[0], text=f"({part[0].text}")
            part[-1] = replace(part[-1], text=f"{part[-1].text})")
        return part

    def atom(self, node: Any, word: str) -> list[NatCondition]:
        """One predicate, several where it holds a subquery."""
        negated = isinstance(node, exp.Not)
        inner = unwrap(node.this) if negated else node
        if isinstance(inner, exp.Between) and negated is False:
            return self._between(inner, word)
        if isinstance(inner, exp.In):
            return self._in(inner, negated, word)
        if isinstance(inner, exp.Exists):
            return self._exists(inner, negated, word)
        sign = COMPARISONS.get(type(inner))
        if sign is not None:
            return self._compare(inner, NEGATED[sign] if negated else sign, word)
        if isinstance(inner, exp.Like | exp.ILike):
            no = negated or bool(inner.args.get("negate"))
            return [self.plain(inner.this, ("not " if no else "") + inner.key, inner.expression, word)]
        if isinstance(inner, exp.Is):
            return [self.plain(inner.this, "is not" if negated else "is", inner.expression, word)]
        return [NatCondition(self.text(node), word)]

    def plain(self, left: Any, sign: str, right: Any, word: str) -> NatCondition:
        """A condition of two expressions."""
        return NatCondition(f"{self.text(left)} {sign} {self.text(right)}", word, self.table(left), sign)

    def table(self, node: Any) -> str:
        """The table of the first column of an expression."""
        for column in node.find_all(exp.Column):
            if not isinstance(column.this, exp.Star):
                found = self.frame.column(column)
                if isinstance(found, Ref):
                    return found.table
        return ""

    def _between(self, node: Any, word: str) -> list[NatCondition]:
        low, high = node.args["low"], node.args["high"]
        bounds = ((high, exp.LTE), (low, exp.GTE))
        if not any(isinstance(unwrap(bound), exp.Subquery) for bound, _ in bounds):
            text = f"{self.text(node.this)} between {self.text(low)} and {self.text(high)}"
            return [NatCondition(text, word, self.table(node.this), "between")]
        out: list[NatCondition] = []
        for bound, kind in bounds:
            out += self.atom(kind(this=node.this, expression=bound), "and" if out else word)
        return out

    def _in(self, node: Any, negated: bool, word: str) -> list[NatCondition]:
        sign = "not in" if negated else "in"
        query = node.args.get("query")
        if query is None:
            values = ", ".join(self.text(value) for value in node.expressions)
            return [
                NatCondition(f"{self.text(node.this)} {sign} ({values})", word, self.table(node.this), sign)
            ]
        return self._nested(node.this, sign, query, word)

    def _exists(self, node: Any, negated: bool, word: str) -> list[NatCondition]:
        nested = self.nested(node.this)
        first = NatCondition(f"{PLACE} {'not in' if negated else 'in'} {nested.source}.*", word, nested=True)
        told = [condition for condition in nested.conditions if not condition.correlated]
        return [first, *(self._inside(condition) for condition in told)]

    def _compare(self, node: Any, sign: str, word: str) -> list[NatCondition]:
        left, right = unwrap(node.this), unwrap(node.expression)
        if isinstance(left, exp.Subquery) and not isinstance(right, exp.Subquery):
            turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
            return self._nested(right, turned.get(sign, sign), left, word)
        if isinstance(right, exp.Subquery):
            return self._nested(left, sign, right, word)
        plain = self.plain(left, sign, right, word)
        sides = {self._outer(left), self._outer(right)}
        return [replace(plain, correlated=sign == "=" and sides == {True, False})]

    def _outer(self, node: Any) -> bool | None:
        """Whether a side is a column of the query around this one; None where it is no column."""
        if not isinstance(node, exp.Column) or self.frame.is_text(node):
            return None
        if node.table:
            return all(source.alias != node.table.lower() for source in self.frame.sources)
        found = self.frame.column(node)
        return isinstance(found, Ref) and found.table not in self.frame.tables

    def nested(self, query: Any) -> Any:
        """The NatSQL of a subquery; the writer of whole queries gives it."""
        raise NotImplementedError

    def _nested(self, left: Any, sign: str, query: Any, word: str) -> list[NatCondition]:
        """A comparison with a subquery: the left side, what it is compared with, the inner conditions."""
        nested = self.nested(query)
        right = nested.select[0] if nested.select else f"{nested.source}.*"
        one = self.frame.column(left) if isinstance(left, exp.Column) else None
        other = nested.first
        said = self.text(left)
        if isinstance(one, Ref) and other is not None:
            if not nested.aggregated:
                said, sign, right = self._key(one, sign, other)
            elif same(one, other) and sign not in ("in", "not in"):
                said = PLACE
        first = NatCondition(f"{said} {sign} {right}", word, sign=sign, nested=True)
        conditions = [first, *(self._inside(condition) for condition in nested.conditions)]
        if nested.tail:
            conditions[-1] = replace(conditions[-1], text=f"{conditions[-1].text} {nested.tail}")
        return conditions

    def _inside(self, condition: NatCondition) -> NatCondition:
        """A condition of a subquery; one with a subquery of its own begins with ``sub``."""
        word = "sub" if condition.nested and not condition.inner else condition.word
        return replace(condition, word=word, inner=True)

    def _key(self, one: Ref, sign: str, other: Ref) -> tuple[str, str, str]:
        """Both sides of a comparison of keys: ``@.@`` and ``t.*`` where the foreign key tells them."""
        if one.table == other.table:
            return PLACE, sign, other.text
        sign, whole = ("in", other.text) if sign == "=" else (sign, f"{other.table}.*")
        keys = foreign_keys(self.frame.schema, one.table, other.table)
        pair = (one.folded, other.folded)
        alike = one.folded.column == other.folded.column
        told = keys[0] == pair if keys else alike and (self._primary(one) or self._primary(other))
        if one.table not in self.main and (not told or sign == "in"):
            return (one.text, sign, other.text if not told else whole)
        if told:
            return PLACE, sign, whole
        if keys and pair in keys and keys[0][0] != pair[0]:
            return one.text, sign, whole
        return (PLACE if pair in keys or alike else one.text), sign, other.text

    def _primary(self, ref: Ref) -> bool:
        table = self.frame.schema.table(ref.table) if self.frame.schema is not None else None
        column = table.column(ref.column) if table is not None else None
        return column is not None and column.primary_key


def same(one: Ref, two: Ref) -> bool:
    """Whether both are the same column, whatever the case."""
    return one.folded == two.folded


def has_aggregate(node: Any) -> bool:
    """Whether an expression aggregates."""
    return any(function(inner) in AGGREGATES for inner in node.find_all(exp.Anonymous))
