"""A query taken apart into steps, each of which adds one thing to what the steps before it gave.

The steps follow the question decompositions of QDMR (Wolfson et al. 2020), read off the clauses: the rows
that the answer is about, one filter a condition, what is computed for each group, the extreme ones, what is
said of them. Least-to-most prompting ("Adapt and Decompose", section 4.4) answers them one after the other.
Every step has its NatSQL, and its SQL with every column in full: ``'#3'`` there is the result of step 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from sqlore.model import ParsedScript, Schema
from sqlore.sql.decompose_step import Operation, SqlTerms, Step, aggregates, disjuncts
from sqlore.sql.natsql.join import named_tables, unsaid_tables
from sqlore.sql.natsql.scope import Context, Frame, NatSource, conjuncts, entered, frame_of
from sqlore.sql.natsql.where import PLACE, has_aggregate
from sqlore.sql.natsql.writer import SelectWriter
from sqlore.sql.parse import parse_query
from sqlore.sql.render import unwrap

__all__ = ["Operation", "Step", "decompose"]


def decompose(
    query: ParsedScript | str, schema: Schema | None = None, dialect: str = "sqlite"
) -> tuple[Step, ...]:
    """The steps of one query in an order in which each uses only earlier ones; the last one is the answer.

    CTEs, derived tables and subqueries come first, with steps of their own; a step that two parts share is
    there once. Raises `ParseError` or `NotAQuery` where a text is not one query.

    >>> for step in decompose("SELECT count(*) FROM head WHERE age > 56"):
    ...     print(step.number, step.operation, step.sql, step.uses)
    1 rows head ()
    2 filter head.age > 56 (1,)
    3 aggregate count(*) (2,)
    """
    if isinstance(query, ParsedScript):
        script = query.script
        return decompose(script.sql, schema, script.dialect or dialect)
    plan = _Plan(Context(schema, dialect, query))
    plan.query(parse_query(query, dialect).tree, None, {})
    return tuple(plan.steps)


class _Plan:
    """The steps of one query so far."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.steps: list[Step] = []
        self._known: dict[Step, int] = {}

    def add(self, operation: Operation, natsql: str, sql: str = "", **more: Any) -> int:
        """The number of that step, a new one where there is none like it."""
        step = Step(0, operation, natsql, sql, **more)
        number = self._known.get(step)
        if number is None:
            number = self._known[step] = len(self.steps) + 1
            self.steps.append(Step(number, operation, natsql, sql, **more))
        return number

    def step(self, number: int) -> Step:
        """The step of that number."""
        return self.steps[number - 1]

    def query(self, node: Any, parent: Frame | None, ctes: dict[str, Any]) -> int:
        """The number of the step that answers a query."""
        node, known = entered(node, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set(node, parent, known)
        if not isinstance(node, exp.Select):
            return self.add("rows", "select", node.sql(comments=False))
        return self.select(node, parent, known).answer()

    def select(self, node: Any, parent: Frame | None, ctes: dict[str, Any]) -> _SelectSteps:
        """The writer of the steps of one SELECT."""
        return _SelectSteps(frame_of(node, self.context, parent, ctes), self)

    def _set(self, node: Any, parent: Frame | None, ctes: dict[str, Any]) -> int:
        kind: Operation = node.key
        left, right = node.this, node.expression
        if isinstance(left, exp.Select) and isinstance(right, exp.Select):
            one, two = self.select(left, parent, ctes), self.select(right, parent, ctes)
            if one.outputs == two.outputs and not one.computes and not two.computes:
                # Both say the same of different rows: the rows are joined, then said once.
                rows = self.add(kind, f"select {kind}_", uses=(one.rows_left(), two.rows_left()))
                return one.said(rows)
        uses = (self.query(left, parent, ctes), self.query(right, parent, ctes))
        return self.add(kind, f"select {kind}_", uses=uses)


class _SelectSteps(SelectWriter):
    """The steps of one SELECT."""

    def __init__(self, frame: Frame, plan: _Plan) -> None:
        super().__init__(frame)
        self.plan = plan
        self.sql = SqlTerms(frame)
        self.items = [item.this if isinstance(item, exp.Alias) else item for item in frame.node.expressions]
        self.prepare()
        self.outputs = [self._item(item) for item in frame.node.expressions]
        self.computes = any(has_aggregate(item) for item in self.items)
        self.computed: dict[str, int] = {}

    def answer(self) -> int:
        """The step that answers the SELECT."""
        return self.said(self.rows_left())

    # -------------------------------------------------------------- rows

    def rows_left(self) -> int:
        """The rows that the answer is about, after every filter."""
        current = self._base()
        node = self.frame.node
        having = node.args.get("having")
        texts: list[str] = []
        for atom in self.predicates():
            conditions = self.flat(atom)
            if all(condition.correlated for condition in conditions):
                continue  # it only ties a subquery to the rows of the query around it
            texts += [condition.text for condition in conditions if not condition.inner]
            current = self._filtered(atom, current, "filter")
        current = self._joined(current, texts)
        current = self._grouped(current)
        for atom in conjuncts(having.this) if having is not None else ():
            current = self._filtered(atom, current, "compare")
        return self._limited(current)

    def _base(self) -> int:
        """The step of the table that the first selected column is of, or of the derived tables of FROM."""
        derived = [source for source in self.frame.sources if source.frame is not None]
        if derived:
            parts = tuple(dict.fromkeys(self._part(source) for source in self.frame.sources))
            tables = ", ".join(f"{table}.*" for table in self.frame.tables)
            return parts[0] if len(parts) == 1 else self.plan.add("join", f"select {tables}", uses=parts)
        first = next(iter(named_tables(self.outputs[:1])), self.rows)
        table = first if first in self.frame.tables else self.rows
        return self.plan.add("rows", f"select {table}.*", table)

    def _part(self, source: NatSource) -> int:
        """The rows of one source: a table, or what a CTE or derived table gives."""
        if source.frame is not None:
            return self.plan.query(source.query, None, source.frame.ctes)
        return self.plan.add("rows", f"select {source.table}.*", source.table)

    def _joined(self, current: int, texts: Sequence[str]) -> int:
        """A join that only keeps the rows that have a partner."""
        if self._keys("group") or any(source.frame is not None for source in self.frame.sources):
            return current
        orders = [self.text(key.this) for key in self._keys("order")]
        for table in unsaid_tables(self.frame, [*self.outputs, *texts, *orders]):
            current = self.plan.add("join", f"select where {PLACE} join {table}.*", table, uses=(current,))
        return current

    def _filtered(self, atom: Any, current: int, operation: Operation) -> int:
        """The rows that a condition keeps; of OR each side on its own, then both together."""
        node = unwrap(atom)
        if isinstance(node, exp.Or):
            sides = tuple(self._all(side, current, operation) for side in disjuncts(node))
            return self.plan.add("either", "select or", uses=sides)
        inner = [found for found in node.find_all(exp.Select) if found.parent_select is self.frame.node]
        asked = {id(found): self._asked(found) for found in inner}
        computed = [self.computed[key] for key in map(self.text, aggregates(node)) if key in self.computed]
        conditions = [condition for condition in self.flat(node) if not condition.inner]
        said = " and ".join(condition.text for condition in conditions)
        uses = (current, *asked.values(), *computed)
        sql = self._predicate(node, asked)
        return self.plan.add(operation, f"select where {said}", sql, uses=uses)

    def _asked(self, query: Any) -> int:
        """The step that answers a subquery: what it selects, or its rows where only their being counts."""
        if isinstance(query.parent, exp.Exists):
            return self.plan.select(query, self.frame, self.frame.ctes).rows_left()
        return self.plan.query(query, self.frame, self.frame.ctes)

    def _all(self, node: Any, current: int, operation: Operation) -> int:
        for atom in conjuncts(node):
            current = self._filtered(atom, current, operation)
        return current

    def _predicate(self, node: Any, asked: dict[int, int]) -> str:
        """A condition in SQL, a subquery as the number of the step that answers it."""
        if not asked:
            return self.sql.text(node)
        inner = unwrap(node.this) if isinstance(node, exp.Not) else node
        no = "not " if inner is not node else ""
        if isinstance(inner, exp.Exists):
            return f"{self.rows} {no}in ('#{next(iter(asked.values()))}')"
        if isinstance(inner, exp.In):
            return f"{self.sql.text(inner.this)} {no}in ('#{next(iter(asked.values()))}')"
        copy = node.copy()
        originals = [found for found in node.find_all(exp.Select) if id(found) in asked]
        copies = [found for found in copy.find_all(exp.Select) if found.parent_select is None]
        for original, found in zip(originals, copies, strict=False):
            place = found.parent if isinstance(found.parent, exp.Subquery) else found
            place.replace(exp.Literal.string(f"#{asked[id(original)]}"))
        return self.sql.text(copy)

    # -------------------------------------------------------------- groups and order

    def _grouped(self, current: int) -> int:
        """What is computed for each group; the steps are kept under their NatSQL."""
        keys = [self.frame.alias(key) for key in self._keys("group")]
        if not keys:
            return current
        said, written = [self.text(key) for key in keys], tuple(self.sql.text(key) for key in keys)
        node = self.frame.node
        parts = [
            *self.items,
            node.args.get("having"),
            *(self.frame.alias(k.this) for k in self._keys("order")),
        ]
        for part in parts:
            for aggregate in aggregates(part) if part is not None else ():
                text = self.text(aggregate)
                natsql = f"select {text} group by {', '.join(said)}"
                step = self.plan.add("group", natsql, self.sql.text(aggregate), uses=(current,), keys=written)
                self.computed[text] = step
        return current

    def _limited(self, current: int) -> int:
        """The extreme rows, or the first rows of a sorted list."""
        limit = self.frame.node.args.get("limit")
        if limit is None or not limit.args.get("expression"):
            return current
        count, keys = self.text(limit.expression), self._keys("order")
        if not keys:
            return self.plan.add("limit", f"select limit {count}", limit=count, uses=(current,))
        uses = (current, *(self._used(keys) or self._keyed(keys, current)))
        natsql = f"select {self._tail()} limit {count}"
        return self.plan.add("superlative", natsql, self._sorted(keys), uses=uses, limit=count)

    def _tail(self) -> str:
        return f"order by {', '.join(self._order())}"

    def _keyed(self, keys: Sequence[Any], current: int) -> list[int]:
        """What the extreme is taken of, a step of its own as QDMR has it."""
        nodes = [self.frame.alias(key.this) for key in keys]
        return [
            self.plan.add("project", f"select {self.text(node)}", self.sql.text(node), uses=(current,))
            for node in nodes
            if not has_aggregate(node)
        ]

    def _used(self, keys: Sequence[Any]) -> list[int]:
        texts = [self.text(self.frame.alias(key.this)) for key in keys]
        return [self.computed[text] for text in texts if text in self.computed]

    def _sorted(self, keys: Sequence[Any]) -> str:
        ways = ["desc" if key.args.get("desc") else "asc" for key in keys]
        texts = [self.sql.text(self.frame.alias(key.this)) for key in keys]
        return ", ".join(f"{text} {way}" for text, way in zip(texts, ways, strict=True))

    # -------------------------------------------------------------- what is said

    def said(self, rows: int) -> int:
        """What is said of the rows: one step an output, together where there are several, then sorted."""
        parts = [self._output(item, text, rows) for item, text in zip(self.items, self.outputs, strict=True)]
        if self.computed and not any(
            rows in (step.number, *step.uses) for step in map(self.plan.step, parts)
        ):
            parts.insert(0, rows)  # what groups give, of the rows that are left
        answer = parts[0]
        if len(parts) > 1:
            natsql = f"select {', '.join(self.outputs)}"
            answer = self.plan.add("together", natsql, uses=tuple(dict.fromkeys(parts)))
        keys, limit = self._keys("order"), self.frame.node.args.get("limit")
        if keys and limit is None:
            uses = tuple(dict.fromkeys((answer, *self._used(keys))))
            answer = self.plan.add("sort", f"select {self._tail()}", self._sorted(keys), uses=uses)
        return answer

    def _output(self, item: Any, text: str, rows: int) -> int:
        distinct = self.frame.node.args.get("distinct") is not None
        known = self.computed.get(text)
        if known is not None:
            return known
        if not has_aggregate(item):
            natsql = f"select {'distinct ' if distinct else ''}{text}"
            return self.plan.add("project", natsql, self.sql.text(item), uses=(rows,), distinct=distinct)
        of = [self.computed[key] for key in map(self.text, aggregates(item)) if key in self.computed]
        if not of:
            columns = [
                column for column in item.find_all(exp.Column) if not isinstance(column.this, exp.Star)
            ]
            of = [
                self.plan.add("project", f"select {self.text(column)}", self.sql.text(column), uses=(rows,))
                for column in columns
                if column.parent_select is None or column.parent_select is self.frame.node
            ]
        uses = tuple(dict.fromkeys(of)) or (rows,)
        return self.plan.add("aggregate", f"select {text}", self.sql.text(item), uses=uses)
