"""Predicates as clauses: "whose height is more than 200", "where year of date is 1997"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlore.knowledge.describe.conditional import bare
from sqlore.knowledge.describe.dates import date_unit
from sqlore.knowledge.describe.english import bracketed, joined
from sqlore.knowledge.describe.functions import number_of, text_of
from sqlore.knowledge.describe.nested import Holding, holding, is_of_column, spoken_json
from sqlore.knowledge.describe.reading import escaped, plain
from sqlore.knowledge.describe.shifts import is_dated, shift_of
from sqlore.knowledge.describe.subject import unwrapped
from sqlore.knowledge.describe.words import Vocabulary

if TYPE_CHECKING:
    from sqlore.knowledge.describe.expr import Formulas

__all__ = ["Conditions"]

_COMPARE: Final[dict[type[exp.Expr], tuple[str, str]]] = {
    exp.EQ: ("is", "is"),
    exp.NEQ: ("is not", "is not"),
    exp.GT: ("is more than", "is after"),
    exp.GTE: ("is at least", "is on or after"),
    exp.LT: ("is less than", "is before"),
    exp.LTE: ("is at most", "is on or before"),
    exp.NullSafeEQ: ("is", "is"),
    exp.NullSafeNEQ: ("is not", "is not"),
}
_AVERAGE: Final = {"is more than": "is above", "is less than": "is below"}
_FLIP: Final[dict[type[exp.Expr], type[exp.Expr]]] = {
    exp.GT: exp.LT,
    exp.LT: exp.GT,
    exp.GTE: exp.LTE,
    exp.LTE: exp.GTE,
}
_YES: Final = frozenset({"1", "true", "t", "y", "yes"})
_NO: Final = frozenset({"0", "false", "f", "n", "no"})
_FLAGS: Final = {
    "is": ("are", "are not"),
    "was": ("were", "were not"),
    "has": ("have", "do not have"),
    "can": ("can", "cannot"),
}
_LIST: Final = 5
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]|\Z)")
_FIRST_YEAR: Final = 1000  # a smaller number beside a "time" is a duration


class Conditions:
    """Clauses for predicates. Formulas and queries inside them are said by those who know them."""

    words: Vocabulary

    def formulas(self, entity: str = "") -> Formulas:
        """The formulas of a sentence about `entity`."""
        raise NotImplementedError

    def select(self, node: exp.Expr, *, short: bool = False) -> str:
        """A query as a sentence."""
        raise NotImplementedError

    def rows(self, node: exp.Expr) -> str:
        """The rows of a subquery."""
        raise NotImplementedError

    def where(self, node: exp.Expr, entity: str) -> str:
        """A condition on rows: "where height is more than 200"."""
        return f"where {self.condition(node, entity)}"

    def whose(self, node: exp.Expr, entity: str) -> str:
        """A condition on things: "whose height is more than 200 and that are not hidden"."""
        node = unwrapped(node)
        for kind, word in ((exp.And, "and"), (exp.Or, "or")):
            if isinstance(node, kind):
                parts = [within(node, part, self.whose(part, entity)) for part in node.flatten()]
                return f" {word} ".join(dict.fromkeys(parts))
        flag = self._flag(node)
        if flag is not None:
            return f"that {flag}"
        if isinstance(node, exp.Exists) or (isinstance(node, exp.Not) and isinstance(node.this, exp.Exists)):
            return f"for which {self.condition(node, entity)}"
        subject = node.this if isinstance(node, exp.Not) else node
        held = holding(subject)
        said_of = held.subject if held is not None else subject.this
        if (held or isinstance(subject, exp.Predicate)) and is_of_column(said_of):
            return f"whose {self.condition(node, entity)}"
        return f"where {self.condition(node, entity)}"

    def condition(self, node: exp.Expr, entity: str, *, negated: bool = False) -> str:
        """A predicate as a clause: "height is more than 200"."""
        node = unwrapped(node)
        for kind, word in ((exp.And, "and"), (exp.Or, "or")):
            if isinstance(node, kind):
                parts = [within(node, part, self.condition(part, entity)) for part in node.flatten()]
                text = f" {word} ".join(dict.fromkeys(parts))
                return f"not ({text})" if negated else text
        if isinstance(node, exp.Not):
            return self.condition(node.this, entity, negated=not negated)
        if node.args.get("negate"):  # NOT LIKE is a LIKE with a mark
            negated = not negated
        if isinstance(node, exp.Exists):
            return there_is(self.rows(node.this), negated=negated)
        held = holding(node)
        if held is not None:
            return self._holds(held, entity, negated)
        if isinstance(node, exp.Column) or not isinstance(node, exp.Predicate):
            return f"{self.formulas(entity).noun(node)} is {'not ' if negated else ''}true"
        left, right = node.this, node.args.get("expression")
        kind_of: type[exp.Expr] = type(node)
        if kind_of in _COMPARE and text_of(left) is not None and text_of(right) is None:
            left, right, kind_of = right, left, _FLIP.get(kind_of, kind_of)
        return f"{self._subject(left, entity)} {self._verb(node, kind_of, left, right, entity, negated)}"

    def _holds(self, held: Holding, entity: str, negated: bool) -> str:
        """What a list or document contains; where it is given itself, what is within it."""
        formulas, value = self.formulas(entity), bare(held.value)
        no = " not" if negated != held.negated else ""
        if held.given:
            within = joined([formulas.noun(one) for one in value.expressions or [value]])
            subject = formulas.noun(held.subject)
            return f"{subject} {'are' if _is_plural(subject) else 'is'}{no} within {within}"
        subject = formulas.noun(value)
        one, many = ("has", "have") if held.keys else ("contains", "contain")
        plain = many if _is_plural(subject) else one
        verb = f"{'do' if plain == many else 'does'} not {many}" if no else plain
        parts = [spoken_json(text_of(p) or "") or self._value(value, p, entity) for p in held.parts]
        more = "any of " if held.word == "or" and len(parts) > 1 else ""
        return f"{subject} {verb} {more}{joined(parts, held.word)}"

    def _subject(self, node: exp.Expr, entity: str) -> str:
        inner = bare(node)
        if isinstance(inner, exp.Column) and inner.table:
            # "whose publisher is Marvel", not "whose publisher name is Marvel".
            if inner.table != entity and self.words.is_name(inner.table, inner.name):
                return self.words.table(inner.table)
            gloss = self.words.gloss(inner.table, inner.name)
            said = self.formulas(entity).column(inner)
            return f"{said} ({gloss})" if gloss else said
        return self.formulas(entity).noun(node)

    def _verb(
        self,
        node: exp.Expr,
        kind: type[exp.Expr],
        left: exp.Expr,
        right: exp.Expr | None,
        entity: str,
        negated: bool,
    ) -> str:
        no = " not" if negated else ""
        if kind in _COMPARE and right is not None:
            return self._compare(kind, left, right, entity, negated)
        if isinstance(node, exp.Is):
            return self._is(left, right, entity, negated)
        if isinstance(node, exp.Between):
            low, high = (self._value(left, node.args[side], entity) for side in ("low", "high"))
            return f"is{no} between {low} and {high}"
        if isinstance(node, exp.In):
            return self._in(node, left, entity, negated)
        if isinstance(node, (exp.Like, exp.ILike, exp.SimilarTo, exp.Glob, exp.RegexpLike)):
            return self._like(left, right, negated)
        shown = self.formulas(entity).noun(right) if isinstance(right, exp.Expr) else ""
        return f"{'does not satisfy' if negated else 'satisfies'} {node.key} {shown}".strip()

    def _compare(
        self,
        kind: type[exp.Expr],
        left: exp.Expr,
        right: exp.Expr,
        entity: str,
        negated: bool,
    ) -> str:
        number = number_of(right)
        moment = (
            (self._is_moment(left) or _DAY.match(text_of(right) or "") or is_dated(right) or shift_of(right))
            and not isinstance(bare(right), (exp.Subquery, exp.Select))
            and (number is None or number >= _FIRST_YEAR)
        )
        verb = _COMPARE[kind][1 if moment else 0]
        if negated:
            verb = verb.replace("is ", "is not ", 1) if " " in verb else "is not"
        inner = bare(right)
        query = inner.this if isinstance(inner, exp.Subquery) else inner
        if isinstance(query, exp.Select):
            average = query.expressions and isinstance(bare(query.expressions[0]), exp.Avg)
            verb = _AVERAGE.get(verb, verb) if average else verb
            return f"{verb} the {self.select(query, short=True)}"
        return f"{verb} {self._value(left, right, entity)}"

    def _value(self, left: exp.Expr, right: exp.Expr, entity: str) -> str:
        text, column = text_of(right), bare(left)
        if text is None:
            return self.formulas(entity).noun(right)
        if isinstance(column, exp.Column):
            return self.words.value(text, column.table, column.name)
        return self.words.value(text)

    def _is(self, left: exp.Expr, right: exp.Expr | None, entity: str, negated: bool) -> str:
        if isinstance(right, exp.Null) or right is None:
            return "is known" if negated else "is missing"
        if isinstance(right, exp.Boolean):
            return f"is {'yes' if right.this != negated else 'no'}"
        return f"is {'not ' if negated else ''}{self._value(left, right, entity)}"

    def _in(self, node: exp.In, left: exp.Expr, entity: str, negated: bool) -> str:
        query = node.args.get("query")
        no = " not" if negated else ""
        if query is not None:
            return f"is{no} among the {self.select(query, short=True)}"
        values = [self._value(left, value, entity) for value in node.expressions[:_LIST]]
        more = len(node.expressions) - _LIST
        if more > 0:
            return f"is{no} one of {', '.join(values)} and {more} more"
        return f"is{no} one of {joined(values, 'or')}" if len(values) > 1 else f"is{no} {joined(values)}"

    def _like(self, left: exp.Expr, right: exp.Expr | None, negated: bool) -> str:
        pattern = text_of(right)
        if pattern is None:
            shown = self.formulas().noun(right) if right is not None else ""
            return f"{'does not look' if negated else 'looks'} like {shown}"
        pattern = escaped(pattern, "\\")
        core = pattern.strip("%*")
        column = bare(left)
        table, name = (column.table, column.name) if isinstance(column, exp.Column) else ("", "")
        value = self.words.value(plain(core), table, name)
        starts, ends = not pattern.startswith(("%", "*")), not pattern.endswith(("%", "*"))
        if not core.strip("_") or any(sign in core for sign in "%*"):
            value, starts, ends = f"'{plain(pattern)}'", True, True
        if starts and ends:
            return f"{'is not' if negated else 'is'} like {value}"
        if starts:
            return f"{'does not start' if negated else 'starts'} with {value}"
        if ends:
            return f"{'does not end' if negated else 'ends'} with {value}"
        return f"{'does not contain' if negated else 'contains'} {value}"

    def _is_moment(self, node: exp.Expr) -> bool:
        node = bare(node)
        if isinstance(node, exp.Column):
            return self.words.is_moment(node.table, node.name)
        if shift_of(node) is not None:
            return True
        found = date_unit(node)
        return found is not None and found[0] in ("year", "date", "day", "year and month")

    def _flag(self, node: exp.Expr) -> str | None:
        """A yes/no column that is compared with 1 or 0: "are oversized", "do not have full art"."""
        if isinstance(node, exp.Column):
            column, value = node, "1"
        elif isinstance(node, exp.EQ) and isinstance(node.this, exp.Column):
            column = node.this
            right = node.expression
            value = (
                str(right.this).lower() if isinstance(right, exp.Boolean) else (text_of(right) or "").lower()
            )
        else:
            return None
        words = self.words.column(column.table, column.name)
        verb, _, rest = words.partition(" ")
        if verb not in _FLAGS or not rest or value not in _YES | _NO:
            return None
        return f"{_FLAGS[verb][value in _NO]} {rest}"


def within(node: exp.Expr, part: exp.Expr, said: str) -> str:
    """A part of a condition; in brackets where it is an OR among parts that all hold."""
    several = isinstance(node, exp.And) and isinstance(unwrapped(part), exp.Or) and " or " in said
    return bracketed(said) if several else said


def there_is(rows: str, *, negated: bool) -> str:
    """That there is such a row, or none.

    >>> there_is("order", negated=False), there_is("loan", negated=True)
    ('there is an order', 'there is no loan')
    """
    return f"there is {'no' if negated else 'an' if rows[:1] in 'aeiou' else 'a'} {rows}"


def _is_plural(noun: str) -> bool:
    head = noun.split(" of ")[0]
    return head.endswith("s") and not head.endswith("ss")
