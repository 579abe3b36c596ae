"""NatSQL of a query: SQL without the parts that a question does not say.

NatSQL (Gan et al. 2021; the form of "Adapt and Decompose", appendix A.3) is the intermediate form of
least-to-most prompting: no joins (the foreign keys tell them), no HAVING (its conditions stand among the
others), no nested queries (``@.@ in t.*``) and no set operations where conditions can say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from sqlore.model import Schema
from sqlore.sql.natsql.join import counted_table, named_tables, unsaid_tables
from sqlore.sql.natsql.query import NatSql
from sqlore.sql.natsql.scope import Context, Frame, Ref, conjuncts, entered, frame_of
from sqlore.sql.natsql.sets import combine
from sqlore.sql.natsql.where import PLACE, Conditions, NatCondition, has_aggregate
from sqlore.sql.parse import parse_query
from sqlore.sql.render import unwrap


def natsql(sql: str, schema: Schema | None = None, dialect: str = "sqlite") -> str:
    """The NatSQL of one query as Spider's NatSQL file writes it.

    Columns are spelled as the schema spells them; without a schema a bare column belongs to the first
    table. Raises `ParseError` or `NotAQuery` where the text is not one query.

    >>> natsql("SELECT name FROM head GROUP BY name HAVING count(*) > 3 ORDER BY name DESC")
    'select head.name from head where count(head.*) > 3 group by head.name order by head.name desc'
    """
    return natsql_parts(sql, schema, dialect).text


def natsql_parts(sql: str, schema: Schema | None = None, dialect: str = "sqlite") -> NatSql:
    """The NatSQL of one query by its clauses; raises what `natsql` raises."""
    return write(parse_query(sql, dialect).tree, Context(schema, dialect, sql))


def write(
    node: Any, context: Context, parent: Frame | None = None, ctes: dict[str, Any] | None = None
) -> NatSql:
    """The NatSQL of one query tree."""
    node, known = entered(node, ctes or {})
    if isinstance(node, exp.SetOperation):
        left = write(node.this, context, parent, known)
        right = write(node.expression, context, parent, known)
        return combine(left, right, node.key, context.schema)
    if not isinstance(node, exp.Select):
        return NatSql((node.sql(dialect=context.dialect or None, comments=False),), "")
    return SelectWriter(frame_of(node, context, parent, known)).query()


class SelectWriter(Conditions):
    """Writes one SELECT."""

    def nested(self, query: Any) -> NatSql:
        inner = query
        while isinstance(inner, exp.Subquery | exp.Paren):
            inner = inner.this
        return write(inner, self.frame.context, self.frame, self.frame.ctes)

    def prepare(self) -> None:
        """Find the table that ``count(*)`` counts and the tables that the selected columns name."""
        self.rows = counted_table(self.frame, self._said())
        self.main = frozenset(named_tables([self._item(item) for item in self.frame.node.expressions]))

    def query(self) -> NatSql:
        """The whole SELECT."""
        node, frame = self.frame.node, self.frame
        inner = self._derived()
        args = node.args
        self.prepare()
        select = tuple(self._item(item) for item in node.expressions)
        conditions = self._conditions()
        group = tuple(self.text(frame.alias(key)) for key in self._keys("group"))
        order = self._order()
        limit = args.get("limit")
        own = [condition.text for condition in conditions if not condition.inner]
        missing = unsaid_tables(frame, [*select, *own, *group, *order])
        if inner and len(frame.sources) == 1:
            missing = []
        joins = [NatCondition(f"{PLACE} join {table}.*", sign="join", table=table) for table in missing]
        everything = [*joins, *inner, *conditions]
        return NatSql(
            select=select,
            source=frame.tables[0] if frame.tables else "",
            distinct=args.get("distinct") is not None,
            conditions=tuple(everything),
            group=group,
            order=order,
            limit=self.text(limit.expression) if limit is not None and limit.args.get("expression") else "",
            first=self._first(node.expressions),
            aggregated=bool(node.expressions) and has_aggregate(node.expressions[0]),
            tables=tuple(frame.tables),
            grouped=bool(group),
        )

    def _keys(self, name: str) -> list[Any]:
        clause = self.frame.node.args.get(name)
        return list(clause.expressions) if clause is not None else []

    def _order(self) -> tuple[str, ...]:
        """The keys of ORDER BY; a direction that all share is said once, behind the last."""
        keys = self._keys("order")
        ways = ["desc" if key.args.get("desc") else "asc" for key in keys]
        texts = [self.text(self.frame.alias(key.this)) for key in keys]
        last = len(keys) - 1
        once = len(set(ways)) == 1
        pairs = enumerate(zip(texts, ways, strict=True))
        return tuple(text if once and place < last else f"{text} {way}" for place, (text, way) in pairs)

    def _first(self, items: list[Any]) -> Ref | None:
        for column in items[0].find_all(exp.Column) if items else ():
            if not isinstance(column.this, exp.Star):
                found = self.frame.column(column)
                return found if isinstance(found, Ref) else None
        return None

    def predicates(self) -> list[Any]:
        """What the joins ask besides their edges, and what WHERE asks besides joining."""
        frame, where = self.frame, self.frame.node.args.get("where")
        asked = conjuncts(where.this) if where is not None else []
        return [*frame.extra, *(node for node in asked if not frame.crossed or frame.joined(node) is None)]

    def _conditions(self) -> list[NatCondition]:
        out: list[NatCondition] = []
        having = self.frame.node.args.get("having")
        nodes = self.predicates()
        for node in nodes:
            out += self.side(node, "and", alone=len(nodes) == 1 and having is None)
        return out + (self.flat(having.this) if having is not None else [])

    def _derived(self) -> list[NatCondition]:
        """The conditions of derived tables and CTEs: those of the whole, as NatSQL has no derived tables."""
        out: list[NatCondition] = []
        for source in self.frame.sources:
            if source.frame is not None and source.query is not None:
                inner = write(source.query, self.frame.context, None, source.frame.ctes)
                out += [c for c in inner.conditions if c.sign != "join" or len(self.frame.sources) == 1]
        return out

    def _item(self, node: Any) -> str:
        """A selected expression: a foreign key is said by the key it refers to, ``*`` by the first table."""
        inner = unwrap(node.this if isinstance(node, exp.Alias) else node)
        if isinstance(inner, exp.Star):
            return f"{self.frame.tables[0]}.*" if self.frame.tables else "*"
        found = self._reference(inner)
        return found.text if found is not None else self.text(node)

    def _reference(self, node: Any) -> Ref | None:
        if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star) or self.frame.is_text(node):
            return None
        found = self.frame.column(node)
        return self.frame.referred(found) if isinstance(found, Ref) and found.table in self._told() else None

    def _told(self) -> set[str]:
        """The tables that something besides the selected columns names: ``count(*)`` may name any."""
        node = self.frame.node
        if any(isinstance(star.parent, exp.Anonymous) for star in node.find_all(exp.Star)):
            return set(self.frame.tables)
        return self._named([node.args.get(name) for name in ("where", "having", "order", "group")])

    def _said(self) -> set[str]:
        """The tables named by the columns of every clause but GROUP BY and the joins."""
        items = self.frame.node.expressions
        columns = [item for item in items if isinstance(item, exp.Column)]
        found = {ref.table for ref in map(self._reference, columns) if ref is not None}
        others = [item for item in items if not isinstance(item, exp.Column)]
        return found | self._named([*others, *map(self.frame.node.args.get, ("where", "having", "order"))])

    def _named(self, parts: Sequence[Any]) -> set[str]:
        """The tables of the columns in parts of this SELECT, its subqueries left out."""
        out: set[str] = set()
        for part in parts:
            for column in part.find_all(exp.Column) if part is not None else ():
                if column.parent_select is self.frame.node and not isinstance(column.this, exp.Star):
                    found = self.frame.column(column)
                    if isinstance(found, Ref):
                        out.add(found.table)
        return out
