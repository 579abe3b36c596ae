"""The steps of a query in words: a question decomposition as people write them (QDMR), made from SQL alone.

Least-to-most prompting shows a model questions that are taken apart. For a script of a history, and for an
exemplar that was adapted to a database, nobody took the question apart; its SQL did.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.knowledge.describe.describer import Describer
from sqlore.knowledge.describe.english import joined
from sqlore.knowledge.describe.words import Words
from sqlore.model import Schema
from sqlore.sql.decompose import Step
from sqlore.sql.tree import parse_expression, parse_one

_COUNTED: Final = re.compile(r"\((?:distinct )?`?([^`()]+?)`?\.\*\)")
_RESULT: Final = re.compile(r"'#(\d+)'")
_STAND_IN: Final = re.compile(r"\bstep result (\d+)\b")
_MEMBER: Final = re.compile(r"(.+?) (not )?in \('#(\d+)'\)")
_NAME: Final = re.compile(r'\w+|"[^"]+"')
_JOINING: Final = {
    "either": " or ",
    "together": ", ",
    "union": " or ",
    "intersect": " and ",
    "except": " besides ",
}


def say_steps(
    steps: Sequence[Step], dictionary: Words | None = None, schema: Schema | None = None
) -> tuple[str, ...]:
    """One sentence a step; ``#2`` in it is the result of the second step.

    >>> from sqlore.sql.decompose import decompose
    >>> say_steps(decompose("SELECT name FROM head WHERE age > 56 ORDER BY age DESC LIMIT 1"))
    ('return heads', 'return #1 whose age is more than 56', 'return age of #2', 'return #2 where #3 is \
highest', 'return name of #4')
    """
    words = StepWords(dictionary, schema)
    return tuple(words.sentence(step, steps) for step in steps)


class StepWords:
    """Says the steps of one database's queries; remembers its vocabulary."""

    def __init__(self, dictionary: Words | None = None, schema: Schema | None = None) -> None:
        describer = Describer(dictionary, schema)
        self.words = describer.words
        self.queries = describer.queries

    def sentence(self, step: Step, steps: Sequence[Step]) -> str:
        """One step, among all steps of its query."""
        return _STAND_IN.sub(r"#\1", _RESULT.sub(r"#\1", f"return {self._said(step, steps)}"))

    def _said(self, step: Step, steps: Sequence[Step]) -> str:
        results = [f"#{number}" for number in step.uses]
        rows = results[0] if results else ""
        operation = step.operation
        if operation in _JOINING:
            both = "both " if operation == "intersect" else ""
            return both + _JOINING[operation].join(results)
        if operation == "rows":
            return self.words.tables(step.sql)
        if operation == "join":
            return f"{rows} that have {self.words.tables(step.sql)}" if step.sql else " with ".join(results)
        if operation == "limit":
            return f"{step.limit} of {rows}"
        if operation in ("filter", "compare"):
            return f"{rows} {self._predicate(step, steps)}"
        if operation == "superlative":
            return self._extreme(step, steps)
        if operation == "sort":
            return f"{rows} sorted by {self._order(step, steps)}"
        return self._formula(step, steps, rows)

    # -------------------------------------------------------------- parts

    def _formula(self, step: Step, steps: Sequence[Step], rows: str) -> str:
        """What a step computes: of rows, of each group, or of the results of other steps."""
        if step.operation == "aggregate" and step.sql == "count(*)":
            return f"number of {rows}"
        noun = self._noun(step.sql, self._entity(step, steps))
        distinct = "distinct " if step.distinct else ""
        keys = joined([self._noun(key, "") for key in step.keys])
        of = "among" if noun.startswith("number of ") else "of"
        return f"{distinct}{noun} {of} {rows}" + (f" for each {keys}" if keys else "")

    def _noun(self, sql: str, entity: str) -> str:
        node = _parse(sql)
        try:
            return self.queries.formulas(entity).noun(node) if node is not None else sql
        except (SqlglotError, AttributeError, KeyError, TypeError, ValueError, IndexError):
            return sql  # a construct without words is said as it is written

    def _predicate(self, step: Step, steps: Sequence[Step]) -> str:
        """``whose age is more than 56``; ``where #3 is at least 2`` of what was computed before."""
        member = _MEMBER.fullmatch(step.sql)
        if member:
            left, no, number = member.groups()
            if _NAME.fullmatch(left):
                return f"that have {'no' if no else 'any of'} #{number}"
            noun = self._noun(left, self._entity(step, steps))
            return f"whose {noun} is {'not ' if no else ''}among #{number}"
        node = _parse(step.sql)
        if node is None:
            return f"where {step.sql}"
        computed = self._stand_in(node, step, steps)
        try:
            said = self.queries.whose(node, "" if computed else self._entity(step, steps))
        except (SqlglotError, AttributeError, KeyError, TypeError, ValueError, IndexError):
            return f"where {step.sql}"
        return re.sub(r"^whose ", "where ", said) if computed else said

    def _stand_in(self, node: Any, step: Step, steps: Sequence[Step]) -> bool:
        """Put the results of earlier steps in the place of the formulas that those computed."""
        known = {steps[number - 1].sql: number for number in step.uses if _computes(steps[number - 1])}
        found = False
        for part in list(node.walk()):
            number = known.get(_plain(part.sql()))
            if number is not None:
                part.replace(exp.column(f"step_result_{number}"))
                found = True
        return found

    def _extreme(self, step: Step, steps: Sequence[Step]) -> str:
        """``#1 where #2 is highest``, or the first so many by several keys."""
        keys = _keys(step.sql)
        rows = f"#{step.uses[0]}"
        if len(keys) != 1 or len(step.uses) < 2:
            return f"the first {step.limit} of {rows} sorted by {self._order(step, steps)}"
        end = self.queries.end(keys[0].this, bool(keys[0].args.get("desc")))
        end = {"A": "first in the alphabet", "Z": "last in the alphabet"}.get(end, end)
        few = "" if step.limit == "1" else f"the {step.limit} of "
        return f"{few}{rows} where #{step.uses[1]} is {end}"

    def _order(self, step: Step, steps: Sequence[Step]) -> str:
        keys = _keys(step.sql)
        try:
            return self.queries.order(keys, self._entity(step, steps)) if keys else step.sql
        except (SqlglotError, AttributeError, KeyError, TypeError, ValueError, IndexError):
            return step.sql

    def _entity(self, step: Step, steps: Sequence[Step]) -> str:
        """The table that a step is about: what it counts, else the rows that it began with."""
        counted = _COUNTED.search(step.natsql)
        if counted:
            return counted[1]
        while step.uses and step.operation != "rows":
            step = steps[step.uses[0] - 1]
        return step.sql if step.operation == "rows" else ""


def _computes(step: Step) -> bool:
    return step.operation in ("group", "aggregate") and bool(step.sql)


def _plain(sql: str) -> str:
    """A formula to be compared, whatever the case of its function names."""
    return sql.lower()


def _parse(sql: str) -> Any:
    """The expression, None where it is written in a way that the general parser does not know."""
    try:
        return parse_expression(sql)
    except SqlglotError:
        return None


def _keys(sql: str) -> list[Any]:
    try:
        order = parse_one(f"SELECT 1 ORDER BY {sql}").args.get("order")
    except SqlglotError:
        return []
    return list(order.expressions) if order is not None else []
