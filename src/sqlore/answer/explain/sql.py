"""The queries behind figures: put together from the texts of a node's clauses, nothing is rewritten.

Each is one SELECT over slices of the script, so it means in the database's dialect what the script means. In
a correlated subquery everything is asked once for each row of the outer sources, and added up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sqlore.answer.explain.model import Item
from sqlore.sql.scopes.graph import Join, Node, Parts

_WORDS: Final = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|[(),]""", re.S
)
_SELECT: Final = re.compile(r"\bselect\b", re.I)


def conjunction(predicates: Sequence[str]) -> str:
    """The predicates joined by AND, each in parentheses; empty for none."""
    return " AND ".join(f"({one}\n)" for one in predicates)


def has_query(text: str) -> bool:
    """Whether a text may hold a subquery."""
    return _SELECT.search(text) is not None


def split_commas(text: str) -> list[str]:
    """A list at its own commas.

    >>> split_commas("a, coalesce(b, 0), 'x,y'")
    ['a', 'coalesce(b, 0)', "'x,y'"]
    """
    out, start, depth = [], 0, 0
    for found in _WORDS.finditer(text):
        word = found.group()
        depth += (word == "(") - (word == ")")
        if word == "," and depth == 0:
            out.append(text[start : found.start()].strip())
            start = found.end()
    return [*out, text[start:].strip()]


class NodeSql:
    """Writes the queries about one SELECT; `parts` must not be None."""

    def __init__(self, node: Node) -> None:
        if node.parts is None:
            raise ValueError(f"{node.id} is not one SELECT")
        self.node = node
        self.parts: Parts = node.parts

    # -------------------------------------------------------------- asking

    def ask(self, values: Sequence[str], rest: str) -> str:
        """``SELECT values rest`` where it is: with its WITH, and for each outer row."""
        if not self.node.outer:
            return f"{self.node.prelude}SELECT {', '.join(values)} {rest}"
        own = self.node.own_with
        inner = ", ".join(f"({own}SELECT {value} {rest} LIMIT 1) AS v{n}" for n, value in enumerate(values))
        return f"{self.node.prelude}SELECT {inner} FROM {self._outer()}"

    def _outer(self, counted: str = "") -> str:
        """The outer rows; where rows can stand for each other, each once, `counted` how often it is there."""
        listed, alias = ", ".join(self.node.outer_columns), self.node.outer_alias
        if not alias:
            return self.node.outer
        times = f", COUNT(*) AS {counted}" if counted else ""
        return f"(SELECT {listed}{times} FROM {self.node.outer} GROUP BY {listed}) AS {alias}"

    def count(self, rests: Sequence[str]) -> str:
        """One row: for each FROM clause the number of its rows, over all outer rows where there are any."""
        if not self.node.outer:
            counts = ", ".join(f"(SELECT COUNT(*) {rest}) AS v{n}" for n, rest in enumerate(rests))
            return f"{self.node.prelude}SELECT {counts}"
        times, own = "outer_times" if self.node.outer_alias else "1", self.node.own_with
        inner = ", ".join(f"({own}SELECT COUNT(*) {rest}) * {times} AS v{n}" for n, rest in enumerate(rests))
        sums = ", ".join(f"SUM(v{n})" for n in range(len(rests)))
        outer = self._outer("outer_times")
        return f"{self.node.prelude}SELECT {sums} FROM (SELECT {inner} FROM {outer}) AS asked"

    def count_cases(self, predicates: Sequence[str], rest: str) -> str:
        """One row, in one reading: all rows, then those of each predicate."""
        cases = [f"COUNT(CASE WHEN {one}\n THEN 1 END) AS v{n}" for n, one in enumerate(predicates)]
        return f"{self.lead}SELECT {', '.join(['COUNT(*)', *cases])} {rest}"

    @property
    def lead(self) -> str:
        """The WITH clause before a query that is asked once, whatever the outer rows."""
        before, own = self.node.prelude, self.node.own_with
        if not before or not own:
            return before or own
        listed = re.sub(r"^WITH (RECURSIVE )?", "", own)
        word = "RECURSIVE " if own.startswith("WITH RECURSIVE ") and "RECURSIVE" not in before[:15] else ""
        return f"WITH {word}{before.removeprefix('WITH ').rstrip()}, {listed}"

    # -------------------------------------------------------------- clauses

    @property
    def source(self) -> str:
        """FROM with the links that WHERE gives it; empty where there is none."""
        if not self.parts.source:
            return ""
        where = f" WHERE {conjunction(self.parts.links)}" if self.parts.links else ""
        return f"FROM {self.parts.source}\n{where}"

    def filtered(self, predicate: str) -> str:
        """FROM with the links of WHERE and one predicate."""
        return f"FROM {self.parts.source}\n WHERE {conjunction([*self.parts.links, predicate])}"

    @property
    def where(self) -> str:
        """FROM and WHERE as they are."""
        if not self.parts.source:
            return f"WHERE {self.parts.where}\n" if self.parts.where else ""
        return f"FROM {self.parts.source}\n" + (f" WHERE {self.parts.where}\n" if self.parts.where else "")

    def grouped(self, *, spelled: bool = False) -> str:
        """FROM, WHERE and GROUP BY; `spelled`: its keys as expressions, for another SELECT list."""
        group = ", ".join(self.parts.groups) if spelled and self.parts.groups else self.parts.group
        return self.where + (f" GROUP BY {group}\n" if group else "")

    def having(self, predicate: str | None = None, *, spelled: bool = False) -> str:
        """FROM to HAVING, with its own condition or with another."""
        chosen = self.parts.having if predicate is None else predicate
        return self.grouped(spelled=spelled) + (f" HAVING {chosen}\n" if chosen else "")

    def qualified(self, predicate: str | None = None, *, spelled: bool = False) -> str:
        """FROM to QUALIFY, with its own condition or with another; windows with it."""
        chosen = self.parts.qualify if predicate is None else predicate
        windows = f" {self.parts.windows}\n" if self.parts.windows else ""
        return self.having(spelled=spelled) + windows + (f" QUALIFY {chosen}\n" if chosen else "")

    def listed(self, rest: str) -> str:
        """The SELECT's own list over some FROM, as a derived table to be counted."""
        return f"FROM (SELECT {', '.join(self.parts.projections) or '*'} {rest}) AS counted"

    def distinct(self) -> str:
        """The rows before ORDER BY and LIMIT, as a derived table to be counted."""
        words = f"{self.parts.distinct} " if self.parts.distinct else ""
        return f"FROM (SELECT {words}{', '.join(self.parts.projections)} {self.qualified()}) AS counted"

    def keys(self, keys: Sequence[str], rest: str) -> str:
        """The different values of keys, the most frequent first, with their rows and how many there are."""
        named = ", ".join(f"{key} AS key_{n}" for n, key in enumerate(keys))
        names = ", ".join(f"key_{n}" for n in range(len(keys)))
        return (
            f"{self.node.prelude}SELECT {names}, COUNT(*) AS row_count, COUNT(*) OVER () AS group_count"
            f" FROM (SELECT {named} {rest}) AS keyed GROUP BY {names} ORDER BY row_count DESC, {names}"
        )

    # -------------------------------------------------------------- joins

    def joined(self, number: int) -> str:
        """FROM up to a join, comma joins with their links as a condition."""
        first, *others = self.parts.joins[: number + 1]
        return " ".join([first.source, *(self._step(join) for join in others)])

    def _step(self, join: Join) -> str:
        if join.operator == "," or (join.operator == "CROSS JOIN" and join.links):
            links = conjunction(join.links)
            return f"JOIN {join.source}\n ON {links}" if links else f"CROSS JOIN {join.source}"
        behind = f"ON {join.on}" if join.on else join.using
        return f"{join.operator} {join.source}\n {behind}\n"

    def condition(self, number: int) -> str:
        """What a source is joined by; empty for USING, NATURAL, and where there is nothing."""
        join = self.parts.joins[number]
        return join.on or conjunction(join.links)

    def outer_join(self, number: int, word: str) -> str:
        """FROM up to a join, which is another one: LEFT JOIN, or JOIN for an inner one."""
        join = self.parts.joins[number]
        before = self.joined(number - 1)
        if join.natural:
            return f"FROM {before} NATURAL {word} {join.source}"
        behind = join.using or f"ON {self.condition(number)}"
        return f"FROM {before} {word} {join.source}\n {behind}\n"

    def on(self, number: int, predicates: Sequence[str]) -> str:
        """FROM up to a join with another condition in place of its own."""
        join = self.parts.joins[number]
        condition = conjunction(predicates) or "1 = 1"
        return f"FROM {self.joined(number - 1)} {join.operator} {join.source}\n ON {condition}"


def edges_in(items: Sequence[Item], number: int) -> list[str]:
    """The edges of a join as texts, those behind its ON."""
    return [
        item.fragment.sql
        for item in items
        if item.join == number and item.fragment.form == "edge" and item.clause == "from"
    ]
