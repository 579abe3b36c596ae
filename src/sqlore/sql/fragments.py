"""From a parsed query to its fragments: the walk over SELECTs, CTEs, subqueries and set operations.

Each SELECT is rendered once. Every clause leaves a `Draft` (its piece, its range, its scope); the pieces
together are the query's own skeleton. The kinds follow BIRD-History, section 4 and A.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sqlglot import exp

from sqlore.errors import NotAQuery
from sqlore.sql.clauses import Clauses
from sqlore.sql.drafts import Draft
from sqlore.sql.handlers import HANDLERS
from sqlore.sql.joins import join_pieces
from sqlore.sql.numbering import has_tags, numbered
from sqlore.sql.parse import place
from sqlore.sql.render import OR
from sqlore.sql.resolve import Output, Piece, Scope
from sqlore.sql.sources import Item, items_of
from sqlore.sql.spans import Block, Range, position_of

_QUERIES: Final = (exp.Select, exp.Subquery, exp.SetOperation, exp.Values)


class Walker(Clauses):
    """Takes one statement apart; `drafts`, `named` and `scopes` hold what it found."""

    handlers = HANDLERS

    def run(self, node: Any) -> Output:
        """Walk the whole statement."""
        scope = self._open(None, None, "main")
        output = self._query(node, scope)
        start, end = self.spans.offsets(self.whole)
        self.drafts.append(Draft("query", "query", output.piece, start, end, scope))
        return output

    def query(self, node: Any) -> str:
        """A query inside an expression."""
        atoms, self.atoms = self.atoms, None
        output = self.output(node, self.scope, "subquery")
        self.atoms = atoms
        return self.add(output.piece)

    def output(self, node: Any, parent: Scope, label: str) -> Output:
        """A nested query, in a scope of its own."""
        return self._query(node, self._open(parent, parent, label))

    def _open(self, parent: Scope | None, path: Scope | None, label: str) -> Scope:
        scope = Scope(parent, path, label, self.schema)
        self.scopes.append(scope)
        return scope

    def _query(self, node: Any, scope: Scope, first: Callable[[Output], None] | None = None) -> Output:
        outer, self.scope = self.scope, scope
        windows = self.windows
        try:
            node = _bare_query(node)
            if node.args.get("with_") is not None:
                self._ctes(node.args["with_"], scope)
            if isinstance(node, exp.Select):
                return self._select(node, scope)
            if isinstance(node, exp.SetOperation):
                return self._set_operation(node, scope, first)
            if isinstance(node, exp.Subquery):
                return self._wrapped(node, scope)
            return self._other_query(node)
        finally:
            self.scope, self.windows = outer, windows

    def _wrapped(self, node: Any, scope: Scope) -> Output:
        """``(SELECT ...) ORDER BY ... LIMIT ...``."""
        inner = self._open(scope, scope, "subquery")
        output = self._query(node.this, inner)
        scope.start = inner.start
        tail = self.tail(node, scope, self._tail_block(node, scope), output)
        if tail is not None:
            output.piece = join_pieces([output.piece._replace(text=f"({output.piece.text})"), tail], " ")
        return output

    def _other_query(self, node: Any) -> Output:
        output = Output()
        if type(node) is exp.Table:
            items = items_of(node, node.args.get("joins") or [])
            self.sources(items, self.scope)
            self.scope.number()
            output.piece = items[0].source.piece if items[0].source else Piece("")
            output.stars = list(self.scope.sources)
            output.counts = self.scope.totals
            return output
        values, references = len(self.values), len(self.references)
        text = self.function_source(node)[1:-1] if type(node) is exp.Values else self.other(node)[0]
        output.piece = self.cut(text, OR, values, references)
        return output

    def _ctes(self, clause: Any, scope: Scope) -> None:
        recursive = bool(clause.args.get("recursive")) or self.dialect in ("tsql", "")
        for cte in clause.expressions:
            alias = cte.args["alias"]
            name = self.name(alias.this)
            columns = [self.name(column) for column in alias.args.get("columns") or ()]
            body = cte.this
            if not isinstance(body, _QUERIES):
                index = self.spans.token_at(position_of(body))
                raise self._refused(
                    f"{type(body).__name__.upper()} in WITH", (index, index + 1) if index > 0 else None
                )
            inner = self._open(scope, None, f"cte:{name.lstrip(chr(4))}")
            first: Callable[[Output], None] | None = None
            if recursive:

                def first(output: Output, name: str = name, columns: list[str] = columns) -> None:
                    provisional = _steady(output, columns)
                    provisional.name, provisional.piece = "cte", Piece("cte")
                    scope.ctes.setdefault(name, provisional)

            output = self._query(body, inner, first)
            started = scope.ctes.get(name)
            if started is not None and started.used:
                output = _steady(output, columns)
            scope.ctes[name] = output.rename(columns) if columns else output

    def _refused(self, what: str, at: Range | None) -> NotAQuery:
        line, column, position = place(self.source_text, self.spans.offsets(at or self.whole)[0])
        return NotAQuery(f"it is not only a query: {what}", position=position, line=line, column=column)

    def _set_operation(self, node: Any, scope: Scope, first: Callable[[Output], None] | None) -> Output:
        branches, words = _branches(node)
        outputs: list[Output] = []
        for branch in branches:
            inner = self._open(scope, scope, "union")
            output = self._query(branch, inner)
            if _needs_parentheses(branch):
                output.piece = output.piece._replace(text=f"({output.piece.text})")
            outputs.append(output)
            if scope.start < 0:
                scope.start = inner.start
            if first is not None and len(outputs) == 1:
                first(outputs[0])
        output = Output()
        left = outputs[0]
        output.columns, output.order = dict(left.columns), list(left.order)
        output.stars, output.counts, output.pieces = left.stars, left.counts, left.pieces
        text = outputs[0].piece.text
        for word, other in zip(words, outputs[1:], strict=True):
            text += f" {word} {other.piece.text}"
        joined = join_pieces([o.piece for o in outputs], "")._replace(text=text, strength=OR)
        tail = self.tail(node, scope, self._tail_block(node, scope), left)
        output.piece = joined if tail is None else join_pieces([joined, tail], " ")
        return output

    def _tail_block(self, node: Any, scope: Scope) -> Block | None:
        """The block that holds the ORDER BY or LIMIT of a set operation."""
        if (
            node.args.get("order") is None
            and node.args.get("limit") is None
            and node.args.get("offset") is None
        ):
            return None
        offset = max(
            position_of(node.args[key]) for key in ("order", "limit", "offset") if node.args.get(key)
        )
        index = self.spans.token_at(offset) if offset >= 0 else -1
        for block in [*self.spans.blocks.values(), *self.spans.levels.values()]:
            tail = block.tail()
            if tail is not None and tail[0] < index < tail[1]:
                return block
        return None

    # -------------------------------------------------------------- one SELECT

    def _select(self, node: Any, scope: Scope) -> Output:
        args = node.args
        block = self.spans.block_of(node)
        scope.start = block.start if block is not None else -1
        if args.get("into") is not None:
            raise self._refused("SELECT INTO", block.clause("into") if block is not None else None)
        items = self._from(node, scope)
        if args.get("windows"):
            self.named_windows(args["windows"])
        output = Output()
        output.counts = scope.totals
        projections = self.projections(node, scope, block, output)
        where, extra = self.where(args.get("where"), scope, block)
        source = self.relation(items, extra, scope, block)
        scope.aliases = output.columns if not output.stars else dict(output.columns)
        group = self.group_by(args.get("group"), scope, block, projections)
        having = self.having(args.get("having"), "having", scope, block)
        qualify = self.having(args.get("qualify"), "qualify", scope, block)
        tail = self.tail(node, scope, block, output, projections)
        head = self.head(node, scope, block)
        parts = [head, join_pieces(projections, ", ")] if projections else [head]
        parts += [part for part in (source, where, group, having, qualify, tail) if part is not None]
        whole = join_pieces(parts, " ")
        text = whole.text
        if has_tags(text) and (scope.path_parent is not None or scope.label != "main"):
            text = numbered(text, only=scope.totals)
        output.piece = whole._replace(text=text, strength=OR)
        return output

    def _from(self, node: Any, scope: Scope) -> list[Item]:
        source = node.args.get("from_")
        joins = list(node.args.get("joins") or [])
        if source is not None and type(source.this) is exp.Table and source.this.args.get("joins"):
            joins = [*source.this.args["joins"], *joins]
        items = items_of(source.this, joins) if source is not None else []
        for lateral in node.args.get("laterals") or []:
            items.append(Item(lateral))
        if items:
            self.sources(items, scope)
            scope.number()
            self.conditions(items, scope)
        return items


def _steady(output: Output, columns: list[str]) -> Output:
    """A recursive CTE's columns: those that start as constants are ``cte.c1``, by their position.

    A counter is not its first value; the other columns are their first definition.
    """
    steady = output.rename(columns or [name or "" for name in output.order])
    for position, (name, piece) in enumerate(steady.columns.items(), 1):
        if not piece.references:
            steady.columns[name] = Piece(f"cte.c{position}")
    steady.pieces = list(steady.columns.values())
    return steady


def _bare_query(node: Any) -> Any:
    while isinstance(node, exp.Subquery | exp.Paren):
        if any(node.args.get(key) for key in ("order", "limit", "offset", "with_")):
            return node
        node = node.this
    return node


def _branches(node: Any) -> tuple[list[Any], list[str]]:
    """The queries of a chain of set operations in order of the text, and the words between them."""
    branches: list[Any] = [node.args["expression"]]
    words = [_set_word(node)]
    current = node.args["this"]
    while True:
        plain = current
        while type(plain) is exp.Subquery and not any(
            plain.args.get(k) for k in ("order", "limit", "offset", "with_")
        ):
            plain = plain.this
        if isinstance(plain, exp.SetOperation) and not any(
            plain.args.get(k) for k in ("order", "limit", "offset", "with_")
        ):
            branches.append(plain.args["expression"])
            words.append(_set_word(plain))
            current = plain.args["this"]
            continue
        branches.append(current)
        return branches[::-1], words[::-1]


def _needs_parentheses(branch: Any) -> bool:
    """Whether a branch would read differently bare: its own ORDER BY or LIMIT, another set operation."""
    while type(branch) is exp.Subquery:
        branch = branch.this
    return isinstance(branch, exp.SetOperation) or any(
        branch.args.get(key) for key in ("order", "limit", "offset")
    )


def _set_word(node: Any) -> str:
    word = type(node).__name__.lower()
    if type(node) is exp.Union:
        return word if node.args.get("distinct") else f"{word} all"
    return word if node.args.get("distinct", True) else f"{word} all"
