"""Which figures an explanation has, how each is computed, and what it may cost.

Every figure is a `Job`: asked for its facts with a function that runs SQL, so that whoever runs it decides
about time, threads and cancelling. What each kind shows follows Cerebra's Knowledge View; beyond it, a join
says how many rows it loses and multiplies, and which sums that makes wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from sqlore.answer.explain.facts import Counts, Facts, FigureKind, Groups, Joined, Sample, Values
from sqlore.answer.explain.joins import Ask, Joins, NoFigure, number
from sqlore.answer.explain.loose import loose_columns
from sqlore.answer.explain.model import ExplainedNode, Explanation, Item
from sqlore.answer.explain.sql import NodeSql, edges_in, has_query, split_commas
from sqlore.answer.explain.twice import Doubles
from sqlore.answer.explain.unused import unused_joins
from sqlore.answer.explain.words import short_value
from sqlore.catalog import humanize
from sqlore.errors import QueryError, QueryTimeout
from sqlore.knowledge.describe.english import plural, singular
from sqlore.model import Rows
from sqlore.sql.scopes.graph import Node

SAMPLE: Final = 10
"""Rows of a sample."""
VALUES: Final = 5
"""Values of a calculation or dimension."""
_LOOKED_AT: Final = 100
_UNKNOWN: Final = 1000.0
_MOST: Final = 1e18
_PARTITION: Final = re.compile(r"partition\s+by\s*", re.I)


@dataclass(frozen=True, slots=True)
class Job:
    """One figure to be computed; `cost` is about how many rows are read for it."""

    node: str
    item: str
    kind: FigureKind
    cost: float
    work: Callable[[Ask], Facts]


def jobs_of(explanation: Explanation) -> list[Job]:
    """A job for each item and each node, the cheapest first."""
    costs = costs_of(explanation)
    jobs = [job for one in explanation.nodes for job in _NodeJobs(explanation, one, costs).jobs()]
    return sorted(jobs, key=lambda job: job.cost)


def costs_of(explanation: Explanation) -> dict[str, float]:
    """About how many rows are read to compute each node.

    A base table has the rows that the catalog counted; a query reads what its sources read, and a
    correlated one does so once for each outer row.
    """
    costs: dict[str, float] = {}
    for one in explanation.nodes:
        reads = explanation.graph.reads(one.id)
        if one.node.kind == "table":
            costs[one.id] = float(one.rows) if one.rows is not None else _UNKNOWN
            continue
        own = sum(
            costs.get(edge.source, _UNKNOWN) for edge in reads if edge.how not in ("outer", "recursion")
        )
        outer = sum(costs.get(edge.source, _UNKNOWN) for edge in reads if edge.how == "outer")
        costs[one.id] = min(_MOST, max(own, 1.0) * max(outer, 1.0))
    return costs


class _NodeJobs:
    """The jobs of one node."""

    def __init__(self, explanation: Explanation, explained: ExplainedNode, costs: dict[str, float]) -> None:
        self.graph, self.script, self.dialect = explanation.graph, explanation.sql, explanation.dialect
        self.explained = explained
        self.node: Node = explained.node
        self.cost = costs[explained.id]
        self.sql = NodeSql(self.node) if self.node.parts is not None else None

    def jobs(self) -> Iterator[Job]:
        """One for each item, one for the node."""
        for item in self.explained.items:
            kind: FigureKind = item.kind if item.kind != "query" else "rows"
            yield Job(self.node.id, item.id, kind, self._cost(item), partial(self._facts, item))
        yield Job(self.node.id, "", "rows", self.cost, self.sample)

    def _cost(self, item: Item) -> float:
        """A weight for how many times the rows are read; a later join costs more than an earlier one."""
        weight = 1.0
        if item.kind == "relation":
            weight = 1.5 + max(item.join, 0)
        elif item.kind == "condition":
            weight = 3.0 if has_query(item.fragment.sql) else 1.2
        return min(_MOST, self.cost * weight)

    def _facts(self, item: Item, ask: Ask) -> Facts:
        if not self.node.runnable:
            raise NoFigure(self.node.reason)
        if item.kind == "output":
            return self.output(item, ask)
        if self.sql is None:
            raise NoFigure("it belongs to several SELECTs at once")
        if item.kind == "relation":
            joined = self.relation(self.sql, item, ask)
            return joined if joined.rows else replace(joined, empty=self._empty(self.sql, ask))
        if item.kind == "condition":
            counts = self.condition(self.sql, item, ask)
            return counts if counts.total != 0 else replace(counts, empty=self._empty(self.sql, ask))
        if item.kind == "dimension":
            return self.dimension(self.sql, item, ask)
        return self.calculation(self.sql, item, ask)

    def _empty(self, sql: NodeSql, ask: Ask) -> tuple[str, ...]:
        """The tables of the FROM clause that have no rows at all."""
        read = [self.graph.index.get(join.node) for join in sql.parts.joins]
        tables = {node.name: node for node in read if node is not None and node.kind == "table" and node.sql}
        try:
            return tuple(name for name, node in tables.items() if not ask(node.sql, 1).rows)
        except (QueryTimeout, QueryError):
            return ()

    # -------------------------------------------------------------- rows and output

    def sample(self, ask: Ask) -> Sample:
        """The first rows of the node, and how many there are."""
        if not self.node.runnable:
            raise NoFigure(self.node.reason)
        found = ask(self.node.sql, SAMPLE)
        count: int | None = len(found.rows)
        if found.truncated:
            try:
                count = number(ask(f"SELECT COUNT(*) FROM ({self.node.sql}\n) AS counted", 1))
            except (QueryTimeout, QueryError):
                count = None
        rows = tuple(tuple(short_value(value) for value in row) for row in found.rows)
        return Sample(found.columns, rows, count)

    def output(self, item: Item, ask: Ask) -> Sample:
        """The node's sample, and how many rows there were before DISTINCT or LIMIT."""
        found = self.sample(ask)
        if self.sql is None or self.node.outer or item.clause not in ("distinct", "order"):
            return found
        distinct = item.clause == "distinct"
        rest = self.sql.listed(self.sql.qualified()) if distinct else self.sql.distinct()
        try:
            before = number(ask(self.sql.count([rest]), 1))
        except (QueryTimeout, QueryError):
            before = None
        return Sample(found.columns, found.rows, found.count, before)

    # -------------------------------------------------------------- conditions

    def condition(self, sql: NodeSql, item: Item, ask: Ask) -> Counts:
        """Rows left by one condition alone, by all of its clause together, and all there are."""
        predicate = item.fragment.sql
        if item.clause == "where":
            return self._where(sql, predicate, ask)
        if item.clause == "having":
            rests = [sql.listed(sql.having(predicate)), sql.listed(sql.having()), sql.listed(sql.grouped())]
            return self._counted(sql, rests, ask, bool(sql.parts.group))
        if item.clause == "qualify":
            rests = [sql.listed(sql.qualified(one)) for one in (predicate, None, "")]
            return self._counted(sql, rests, ask)
        if item.join < 1:
            raise NoFigure("the join that it belongs to could not be found in the text")
        edges = edges_in(self.explained.items, item.join)
        rests = [
            sql.on(item.join, [*edges, predicate]),
            f"FROM {sql.joined(item.join)}",
            sql.on(item.join, edges),
        ]
        return self._counted(sql, rests, ask)

    def _counted(self, sql: NodeSql, rests: list[str], ask: Ask, groups: bool = False) -> Counts:
        """Counts of three FROM clauses: one condition, all of them, none."""
        alone = number(ask(sql.count(rests[:1]), 1))
        others: list[int | None] = []
        for rest in rests[1:]:
            try:
                others.append(number(ask(sql.count([rest]), 1)))
            except QueryTimeout:
                others.append(None)
        return Counts(alone, others[0], others[1], "groups" if groups else "rows")

    def _where(self, sql: NodeSql, predicate: str, ask: Ask) -> Counts:
        if self.node.outer or not sql.parts.source:
            alone = sql.filtered(predicate) if sql.parts.source else f"WHERE {predicate}"
            return self._counted(sql, [alone, sql.where, sql.source], ask)
        plain = [
            i.fragment.sql for i in self.explained.items if i.clause == "where" and i.kind == "condition"
        ]
        simple = [one for one in plain if not has_query(one)]
        if predicate not in simple:
            return self._counted(sql, [sql.filtered(predicate), sql.where, sql.source], ask)
        whole = [] if len(simple) < len(plain) else [sql.parts.where]
        counts = [int(n) for n in ask(sql.count_cases([*simple, *whole], sql.source), 1).rows[0]]
        together: int | None = counts[-1] if whole else None
        if not whole:
            try:
                together = number(ask(sql.count([sql.where]), 1))
            except QueryTimeout:
                together = None
        return Counts(counts[1 + simple.index(predicate)], together, counts[0])

    # -------------------------------------------------------------- relations, dimensions, calculations

    def relation(self, sql: NodeSql, item: Item, ask: Ask) -> Joined:
        """Rows and columns after a join or after all joins, and what they lose and multiply."""
        asked_anew = any(i.correlated and i.clause == "from" for i in self.explained.items)
        if asked_anew or (self.node.outer and any(join.lateral for join in sql.parts.joins)):
            raise NoFigure("it joins with each row of the outer query")
        joins = Joins(self.graph, sql, ask)
        if item.fragment.form != "edge":
            whole = joins.whole()
            named = [replace(step, many=self._joined_name(n)) for n, step in enumerate(whole.steps, 1)]
            return self._twice(replace(whole, steps=tuple(named)), sql, ask)
        if item.join < 1:
            raise NoFigure("the join that it belongs to could not be found in the text")
        many, one = self._partners(item)
        step = joins.step(item.join)
        unused = self._joined_name(item.join) if step.lost and item.join in self._unused(item) else ""
        return self._twice(replace(step, many=many, one=one, unused=unused), sql, ask, item.join)

    def _unused(self, item: Item) -> frozenset[int]:
        return unused_joins(self.script, self.dialect, item.fragment.scope)

    def _joined_name(self, number: int) -> str:
        """What a join adds to those before it: its table; empty where it has no name."""
        assert self.node.parts is not None
        source = self.graph.index.get(self.node.parts.joins[number].node)
        return source.name if source is not None else ""

    def _twice(self, joined: Joined, sql: NodeSql, ask: Ask, join: int | None = None) -> Joined:
        """The same with what is counted twice because of one join, or of any, where that is known."""
        try:
            found = Doubles(self.graph, sql, ask).found()
            return replace(joined, twice=tuple(one for place, one in found if join is None or place == join))
        except (QueryTimeout, QueryError) as error:
            return replace(joined, twice=None, unchecked=not isinstance(error, QueryTimeout))

    def _partners(self, item: Item) -> tuple[str, str]:
        """What the joined rows are called, many of them, and what each of those before is; empty: no name."""
        assert self.node.parts is not None
        new = self._joined_name(item.join)
        others = [name for name in item.fragment.tables if name.replace('"', "").lower() != new.lower()]
        one = singular(humanize(others[0].replace('"', ""))) if len(others) == 1 else ""
        return (plural(humanize(new)) if new else ""), one

    def dimension(self, sql: NodeSql, item: Item, ask: Ask) -> Groups:
        """The different values that are grouped by, the most frequent ones first."""
        if self.node.outer:
            raise NoFigure("its groups are those of one row of the outer query at a time")
        if item.clause == "window":
            keys, rest = split_commas(_PARTITION.sub("", item.fragment.sql)), sql.having(spelled=True)
        else:
            keys, rest = list(sql.parts.groups), sql.where
        if not keys:  # ROLLUP and the like: how many groups there are
            return Groups(number(ask(sql.count([sql.listed(sql.grouped())]), 1)), (), ())
        found = ask(sql.keys(keys, rest), VALUES)
        values = tuple(tuple(short_value(value) for value in row[:-2]) for row in found.rows)
        distinct = int(found.rows[0][-1]) if found.rows else 0
        loose = loose_columns(sql, self.dialect, ask) if item.clause == "group" else ()
        return Groups(distinct, values, tuple(int(row[-2]) for row in found.rows), loose)

    def calculation(self, sql: NodeSql, item: Item, ask: Ask) -> Values:
        """Different values that a formula gives; all formulas of a SELECT are asked for at once."""
        own = item.fragment.sql
        failure = QueryError("it could not be computed")
        for query, column in self._ways(sql, item, own):
            try:
                return _values(ask(query, _LOOKED_AT), column)
            except QueryError as error:
                failure = error
        raise failure

    def _ways(self, sql: NodeSql, item: Item, own: str) -> Iterator[tuple[str, int]]:
        """Queries with the values of a formula, and the column they are in: the next where one fails.

        With the other formulas; alone; behind the SELECT's own list, whose names it or HAVING may use; over
        its rows, for ORDER BY.
        """
        spelled = sql.qualified(spelled=True)
        if sql.parts.groups or not sql.parts.group:
            items = [i for i in self.explained.items if i.kind == "calculation" and not i.correlated]
            together = list(dict.fromkeys(i.fragment.sql for i in items if not has_query(i.fragment.sql)))
            if own in together:
                yield sql.ask(together, spelled), together.index(own)
            yield sql.ask([own], spelled), 0
        yield sql.ask([*sql.parts.projections, own], sql.qualified()), -1
        if item.clause == "order":
            yield sql.ask([own], sql.listed(sql.qualified())), 0


def _values(found: Rows, column: int) -> Values:
    """The first different values of one column."""
    values: list[object] = []
    for row in found.rows:
        value = short_value(row[column])
        if not any(value is known or (type(value) is type(known) and value == known) for known in values):
            values.append(value)
    return Values(tuple(values[:VALUES]), len(values) > VALUES or found.truncated)
