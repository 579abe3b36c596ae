"""What joins do to rows: how many are lost, kept without a match, and multiplied.

For each join three numbers are counted: the rows on its left, and of a LEFT JOIN in its place the rows and
those of them that meet the condition. They tell what the join drops and what it repeats, whatever its kind.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlore.answer.explain.facts import Joined
from sqlore.answer.explain.sql import NodeSql
from sqlore.errors import QueryError, SqloreError
from sqlore.model import Rows
from sqlore.sql.scopes.graph import Graph

Ask = Callable[[str, int], Rows]
"""Runs a query; at most so many rows."""


class NoFigure(SqloreError):
    """There is no figure for this item; the message says why."""


def number(found: Rows) -> int:
    """The one number of a result; a sum over nothing is 0."""
    return int(found.rows[0][0] or 0)


class Joins:
    """Counts the joins of one SELECT."""

    def __init__(self, graph: Graph, sql: NodeSql, ask: Ask) -> None:
        self.graph, self.sql, self.ask = graph, sql, ask

    def whole(self) -> Joined:
        """The whole FROM clause, with its joins one by one where each can be counted."""
        joins = self.sql.parts.joins
        steps = []
        for place in range(1, len(joins)):
            try:
                steps.append(self.step(place))
            except QueryError:  # the whole may still be counted
                steps = []
                break
        before = steps[0].before if steps else None
        return Joined(self._rows(self.sql.source), self._columns(len(joins) - 1), before, steps=tuple(steps))

    def step(self, place: int) -> Joined:
        """One join, by its number: rows before and after it, left rows without a match and with several."""
        join = self.sql.parts.joins[place]
        side, columns = join.side, self._columns(place)
        before = self._rows(f"FROM {self.sql.joined(place - 1)}")
        linked = bool(join.using or join.natural or self.sql.condition(place))
        if side in ("SEMI", "ANTI"):
            rows = self._rows(f"FROM {self.sql.joined(place)}")
            return Joined(rows, columns, before, before - rows, 0, 0)
        if join.lateral or not linked or side == "ASOF":
            rows = self._rows(f"FROM {self.sql.joined(place)}")
            return Joined(rows, columns, before, None, None, max(rows - before, 0))
        kept, inner = self._matched(place)
        unmatched = kept - inner
        keeps = side in ("LEFT", "FULL")
        rows = {"": inner, "LEFT": kept}.get(side, -1)
        if rows < 0:
            rows = self._rows(f"FROM {self.sql.joined(place)}")
        multiplied = inner - (before - unmatched)
        return Joined(rows, columns, before, 0 if keeps else unmatched, unmatched if keeps else 0, multiplied)

    def _matched(self, place: int) -> tuple[int, int]:
        """Rows of a LEFT JOIN in the place of a join, and how many of them have a match."""
        join = self.sql.parts.joins[place]
        if join.using or join.natural:
            words = ("LEFT JOIN", "JOIN")
            kept, inner = (self._rows(self.sql.outer_join(place, word)) for word in words)
            return kept, inner
        left = self.sql.outer_join(place, "LEFT JOIN")
        found = self.ask(self.sql.count_cases([self.sql.condition(place)], left), 1).rows[0]
        return int(found[0]), int(found[1])

    def _rows(self, rest: str) -> int:
        return number(self.ask(f"{self.sql.lead}SELECT COUNT(*) {rest}", 1))

    def _columns(self, last: int) -> int | None:
        """How many columns there are after a join; None where that is not known."""
        total = 0
        for join in self.sql.parts.joins[: last + 1]:
            source = self.graph.index.get(join.node)
            if source is None or not source.columns_known or join.natural or len(join.tables) > 1:
                return None
            total += len(source.columns) - (join.using.count(",") + 1 if join.using else 0)
        return total or None
