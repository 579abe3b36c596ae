"""The structure of a query: base tables, CTEs, subqueries, set operations, and what reads from what.

Pure functions over the text. Every query in it becomes a node with its place in the text, its columns, its
fragments, and a closure: a query that gives its rows by itself, with what it depends on before it, in order
(Cerebra, "intermediate execution results"). Correlated subqueries, which have no rows of their own, are
joined to the rows of the query around them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlore.errors import ParseError
from sqlore.model import Fragment, Schema, Script
from sqlore.sql.build import assemble, in_order, scope_paths
from sqlore.sql.parse import parse_query
from sqlore.sql.resolve import Scope, Source
from sqlore.sql.scopes.closure import Closures
from sqlore.sql.scopes.columns import ColumnFinder
from sqlore.sql.scopes.model import Edge, Graph, How, Join, Node, NodeKind, Parts, Piece
from sqlore.sql.scopes.order import above, in_order_of_reading, read_by, unique
from sqlore.sql.scopes.parts import RANK, clause_at, outer_positions, parts_of
from sqlore.sql.scopes.text import Texts
from sqlore.sql.scopes.walk import Entered, Recorder, usages
from sqlore.sql.spans import Spans

__all__ = ["Edge", "Graph", "Join", "Node", "Parts", "Piece", "graph_of"]

#: What the parser calls the rows of a query that is nothing but VALUES.
_BARE_VALUES = "_values"
_KINDS: dict[str, NodeKind] = {"main": "final", "cte": "cte", "subquery": "subquery", "union": "branch"}


def graph_of(sql: str, dialect: str | None = None, schema: Schema | None = None) -> Graph:
    """The graph of one query; its nodes come in an order in which they can be computed, itself last.

    Raises `ParseError` or `NotAQuery` where the text is not one query.

    >>> graph = graph_of("WITH tall AS (SELECT * FROM hero WHERE cm > 200) SELECT count(*) FROM tall")
    >>> [(node.id, node.kind) for node in graph.nodes]
    [('table:hero', 'table'), ('cte:tall', 'cte'), ('main', 'final')]
    >>> graph.node("cte:tall").sql
    'SELECT * FROM hero WHERE cm > 200'
    """
    chosen = (dialect or (schema.dialect if schema else "") or "").lower()
    parsed = parse_query(sql, chosen)
    spans = Spans(parsed.tokens.tokens, parsed.tokens.kinds, parsed.first, parsed.stop)
    walker = Recorder(parsed.tokens, spans, chosen, schema)
    try:
        walker.run(parsed.tree)
        return _Builder(sql, chosen, walker).graph()
    except RecursionError as error:
        raise ParseError("the query is nested too deeply", position=0, line=1, column=1) from error


class _Builder:
    """Makes the nodes and edges of one walked query."""

    def __init__(self, sql: str, dialect: str, walker: Recorder) -> None:
        self.sql, self.dialect, self.walker = sql, dialect, walker
        self.texts = Texts(walker)
        self.closures = Closures(self.texts)
        self.ids = unique(scope_paths(walker.scopes))
        self.nodes: dict[str, Node] = {}
        self.given: dict[int, str] = {}
        self.edges: dict[Edge, None] = {}
        self.derived = {id(o.scope): s for s, o in self._origins() if o.kind == "query"}
        self.uses = usages(walker, self.derived.keys())
        self.parts = {
            id(scope): parts_of(walker.entered[id(scope)], self.texts, self.source_id)
            for scope in walker.scopes
        }
        written = {key: parts.expressions for key, parts in self.parts.items() if parts is not None}
        self.columns = ColumnFinder(walker, written)
        for scope in walker.scopes:  # one after the other: a long chain of CTEs is no deep recursion
            if scope.label.startswith("cte:"):
                self.columns.columns(scope)

    def _origins(self) -> list[tuple[Source, Any]]:
        sources = [source for scope in self.walker.scopes for source in scope.sources]
        return [(s, self.walker.origins[id(s)]) for s in sources if id(s) in self.walker.origins]

    # -------------------------------------------------------------- the whole

    def graph(self) -> Graph:
        """All nodes in order, all edges."""
        fragments, pieces = self._pieces()
        for scope in self.walker.scopes:
            for source in scope.sources:
                self._source_node(source, scope)
        for number, scope in enumerate(self.walker.scopes):
            here = self.walker.entered[id(scope)]
            node = self._node(here, tuple(pieces.get(id(scope), ())))
            self.nodes[node.id] = node
            self._edges(here, first=number)
        order = in_order_of_reading(self.nodes, self.edges)
        direct = read_by(self.edges)
        reads = {id_: above(id_, direct) for id_ in order}
        ranked = {id_: number for number, id_ in enumerate(order)}
        nodes = tuple(
            replace(self.nodes[id_], depends=tuple(sorted(reads[id_], key=ranked.__getitem__)))
            for id_ in order
        )
        return Graph(self.sql, self.dialect, nodes, tuple(self.edges), fragments)

    def _pieces(self) -> tuple[tuple[Fragment, ...], dict[int, list[Piece]]]:
        """The fragments of the query, and of each scope its own in the order of execution."""
        drafts, fragments = in_order(self.walker.drafts), assemble(Script(self.sql), self.walker).fragments
        out: dict[int, list[Piece]] = {}
        for draft, fragment in zip(drafts, fragments, strict=True):
            if fragment.kind == "query":
                continue
            here = self.walker.entered[id(draft.scope)]
            clause = clause_at(here, self.texts, fragment.kind, fragment.sql, fragment.start)
            outer = any(fragment.start <= at < fragment.end for at in outer_positions(here))
            join = self._join_of(fragment, self.parts[id(draft.scope)]) if clause in ("from", "where") else -1
            out.setdefault(id(draft.scope), []).append(Piece(fragment, clause, join, outer))
        for found in out.values():
            found.sort(key=lambda p: (RANK[p.clause], p.fragment.start, -p.fragment.end))
        return fragments, out

    @staticmethod
    def _join_of(fragment: Fragment, parts: Parts | None) -> int:
        """The join that a fragment belongs to: by its place, or as a link in WHERE."""
        after = -1
        for number, join in enumerate(parts.joins if parts is not None else ()):
            inside = after < fragment.start < join.stop
            link = fragment.form == "edge" and fragment.sql in join.links
            if fragment.form != "clause" and (inside or link):
                return number
            after = join.stop
        return -1

    # -------------------------------------------------------------- sources

    def source_id(self, source: Source) -> str:
        """The id of the node that a source of FROM reads."""
        origin = self.walker.origins.get(id(source))
        if origin is None or source.alias == _BARE_VALUES:
            return ""
        if origin.scope is not None:
            return self.ids[id(origin.scope)]
        if origin.kind == "table":
            return f"table:{source.base or source.piece.text}"
        key = id(source)
        if key not in self.given:  # each is a node of its own, whatever it is called
            name = f"{origin.kind}:{source.alias or source.piece.text}"
            number = sum(known == name or known.startswith(f"{name}#") for known in self.given.values())
            self.given[key] = f"{name}#{number + 1}" if number else name
        return self.given[key]

    def _source_node(self, source: Source, scope: Scope) -> None:
        """The node of a base table, of a table function, or of rows written out."""
        origin = self.walker.origins.get(id(source))
        if origin is None or origin.scope is not None or source.alias == _BARE_VALUES:
            return
        id_ = self.source_id(source)
        start, end = self.texts.name_spans(origin.node) if origin.kind == "table" else (-1, -1)
        join = self._join_at(source, scope)
        if start < 0 and join is not None:
            start, end = join.start, join.end
        known = self.nodes.get(id_)
        if known is not None:
            self.nodes[id_] = replace(known, spans=(*known.spans, (start, end)))
            return
        columns, whole = self.columns.source_columns(source)
        name = (source.table.name if source.table is not None else source.base) or source.alias
        text = self.sql[start:end] if start >= 0 else ""
        kind: NodeKind = origin.kind  # type: ignore[assignment]
        node = Node(id_, name or text, kind, start, end, text, ((start, end),), "from")
        node = replace(node, columns=tuple(columns), columns_known=whole)
        self.nodes[id_] = self._runnable_source(node, join, scope)

    def _runnable_source(self, node: Node, join: Join | None, scope: Scope) -> Node:
        if node.kind == "table":
            sql = f"SELECT * FROM {node.own}" if node.own else ""
            return replace(node, sql=sql, reason="" if sql else "its name could not be found in the text")
        if join is None:
            return replace(node, reason="its place in the text could not be found")
        here = self.walker.entered[id(scope)]
        if self.texts.placeholder(self._tokens(join.start, join.end)):
            return replace(node, reason="it holds a placeholder: a value is missing")
        prelude = (
            self.closures.prelude(self.closures.needed([scope], scope, own=True)) if join.lateral else ""
        )
        if not join.lateral:
            return replace(node, sql=f"SELECT * FROM {join.source}")
        before = self._from_up_to(here, join)
        if here.outer or prelude is None or before is None:
            return replace(node, reason="it is asked of each row of an outer query")
        alias = node.id.partition(":")[2]
        sql = f"{prelude}SELECT {alias}.* FROM {before[1]}"
        return replace(node, sql=sql, prelude=prelude, outer=before[0])

    def _tokens(self, start: int, end: int) -> tuple[int, int]:
        first = self.texts.spans.token_at(start)
        stop = first
        tokens = self.texts.spans.tokens
        while stop < len(tokens) and tokens[stop].start < end:
            stop += 1
        return first, stop

    def _join_at(self, source: Source, scope: Scope) -> Join | None:
        """The place of a source in its FROM."""
        parts = self.parts[id(scope)]
        here = self.walker.entered[id(scope)]
        for item, join in zip(here.items, parts.joins if parts is not None else (), strict=False):
            if item.source is source:
                return join
        return None

    def _from_up_to(self, here: Entered, join: Join) -> tuple[str, str] | None:
        """FROM up to a source, and up to and with it and its condition."""
        parts = self.parts[id(here.scope)]
        if parts is None or not parts.joins or parts.joins[0] is join:
            return None
        number = parts.joins.index(join)
        first = parts.joins[0].start
        return self.sql[first : parts.joins[number - 1].stop], self.sql[first : join.stop]

    # -------------------------------------------------------------- queries

    def _node(self, here: Entered, pieces: tuple[Piece, ...]) -> Node:
        scope, id_ = here.scope, self.ids[id(here.scope)]
        usage = self.uses.get(id(scope), "")
        source = self.derived.get(id(scope))
        lateral, shown = self._lateral(here, source)
        closure = self.closures.of(here, usage, lateral, shown)
        body = self.texts.offsets(self.texts.body(here))
        columns, whole = self.columns.columns(scope)
        return Node(
            id=id_,
            name=self._name(here, source),
            kind=_KINDS[here.kind],
            start=body[0],
            end=body[1],
            own=self.sql[body[0] : body[1]] if body[0] >= 0 else "",
            spans=(body,),
            usage=usage,
            sql=closure.sql,
            reason=closure.reason,
            columns=columns,
            columns_known=whole,
            parts=self.parts[id(scope)],
            pieces=pieces,
            prelude=closure.prelude,
            outer=closure.outer,
            outer_columns=closure.outer_columns,
            outer_alias=closure.outer_alias,
            recursive=closure.recursive,
            own_with=closure.own_with,
        )

    def _lateral(self, here: Entered, source: Source | None) -> tuple[tuple[str, str], str]:
        """Of a subquery that reads the sources before it: FROM up to it, and with it; and its alias."""
        if source is None or not here.outer or here.scope.parent is None:
            return ("", ""), ""
        around = self.walker.entered[id(here.scope.parent)]
        if all(owner is not here.scope.parent for _, _, owner in here.outer):
            return ("", ""), ""
        join = self._join_at(source, here.scope.parent)
        found = self._from_up_to(around, join) if join is not None else None
        return found or ("", ""), source.alias

    def _name(self, here: Entered, source: Source | None) -> str:
        if here.kind == "main":
            return "result"
        if here.cte is not None:
            return str(here.cte.alias)
        path = self.ids[id(here.scope)]
        if source is not None and source.alias:
            return source.alias.lstrip("\x04")
        above, _, last = path.rpartition("/")
        label, _, number = last.partition(":")
        word = "part" if label == "union" else "subquery"
        inside = above.removeprefix("main").lstrip("/").removeprefix("cte:").replace(":", " ")
        return f"{word} {number}" + (f" of {inside}" if inside else "")

    # -------------------------------------------------------------- edges

    def _edges(self, here: Entered, first: int) -> None:
        target = self.ids[id(here.scope)]
        for source in here.scope.sources:
            read = self.source_id(source)
            if read:
                self._edge(read, target, "from")
        for child in self.texts.children(here.scope):
            how: How = "branch" if child.label == "union" else "subquery"
            if id(child) not in self.derived:
                self._edge(self.ids[id(child)], target, how)
        for _, source, _ in here.outer:
            read = self.source_id(source)
            if read:
                self._edge(read, target, "outer")

    def _edge(self, source: str, target: str, how: How) -> None:
        inside = source == target or target.startswith(f"{source}/")
        self.edges.setdefault(Edge(source, target, "recursion" if inside else how))
