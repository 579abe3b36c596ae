"""From a parsed query to its fragments: the walk over SELECTs, CTEs, subqueries and set operations.

Each SELECT is rendered once. Every clause leaves a `Draft` (its piece, its range, its scope); the pieces
together are the query's own skeleton. The kinds follow BIRD-History, section 4 and A.2.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import exp

from sqlore.errors import NotAQuery
from sqlore.model import Form, Kind, Schema
from sqlore.sql.joins import Atom, FromClause, Item, conjunction, items_of, join_pieces, outer_edge
from sqlore.sql.names import spell
from sqlore.sql.numbering import has_tags, numbered, renumberings, sort_key
from sqlore.sql.parse import place
from sqlore.sql.render import OR, Text, unwrap
from sqlore.sql.resolve import ATOM, Output, Piece, Scope
from sqlore.sql.spans import Block, Range, Spans, position_of
from sqlore.sql.tokens import Tokens

_NO_FORMULA: Final = (
    exp.Column,
    exp.Literal,
    exp.Null,
    exp.Boolean,
    exp.Star,
    exp.Subquery,
    exp.Placeholder,
    exp.Parameter,
    exp.Interval,
    exp.Identifier,
    exp.Var,
    exp.HexString,
    exp.National,
)
_QUERIES: Final = (exp.Select, exp.Subquery, exp.SetOperation, exp.Values)
_DULL_ALIAS: Final = re.compile(r"(?:col|column|expr|field|val|value|x|y|t|c|a|b|n)_?\d*\Z|.\Z")


@dataclass(slots=True)
class Draft:
    """A fragment before its skeleton is finished; `edge` marks join edges (their numbering is minimal)."""

    kind: Kind
    form: Form
    piece: Piece
    start: int
    end: int
    scope: Scope


@dataclass(slots=True)
class Named:
    """A projection with an alias."""

    piece: Piece
    alias: str


class Walker(FromClause):
    """Takes one statement apart; `drafts`, `named` and `scopes` hold what it found."""

    def __init__(self, tokens: Tokens, spans: Spans, dialect: str, schema: Schema | None) -> None:
        super().__init__(tokens, dialect)
        self.spans = spans
        self.schema = schema
        self.drafts: list[Draft] = []
        self.named: list[Named] = []
        self.scopes: list[Scope] = []
        self._windows: dict[str, Any] = {}
        self._whole: Range = (spans.first, spans.stop)

    # -------------------------------------------------------------- queries

    def run(self, node: Any) -> Output:
        """Walk the whole statement."""
        scope = self._open(None, None, "main")
        output = self._query(node, scope)
        start, end = self.spans.offsets(self._whole)
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
        windows = self._windows
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
            self.scope, self._windows = outer, windows

    def _wrapped(self, node: Any, scope: Scope) -> Output:
        """``(SELECT ...) ORDER BY ... LIMIT ...``."""
        inner = self._open(scope, scope, "subquery")
        output = self._query(node.this, inner)
        scope.start = inner.start
        tail = self._tail(node, scope, self._tail_block(node, scope), output)
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
        text = self._function_source(node)[1:-1] if type(node) is exp.Values else self.other(node)[0]
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
        line, column, position = place(self.source_text, self.spans.offsets(at or self._whole)[0])
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
        tail = self._tail(node, scope, self._tail_block(node, scope), left)
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
            self._named_windows(args["windows"])
        output = Output()
        output.counts = scope.totals
        projections = self._projections(node, scope, block, output)
        where, extra = self._where(args.get("where"), scope, block)
        source = self._relation(items, extra, scope, block)
        scope.aliases = output.columns if not output.stars else dict(output.columns)
        group = self._group_by(args.get("group"), scope, block, projections)
        having = self._having(args.get("having"), "having", scope, block)
        qualify = self._having(args.get("qualify"), "qualify", scope, block)
        tail = self._tail(node, scope, block, output, projections)
        head, distinct = self._head(node, scope, block)
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

    def _head(self, node: Any, scope: Scope, block: Block | None) -> tuple[Piece, bool]:
        distinct = node.args.get("distinct")
        if distinct is None:
            return Piece("select"), False
        values, references = len(self.values), len(self.references)
        on = distinct.args.get("on")
        text = "distinct"
        if on is not None:
            inner = on.expressions if isinstance(on, exp.Tuple) else [on]
            text = f"distinct on ({self.texts([unwrap(item) for item in inner])})"
        piece = self.cut(text, OR, values, references)
        found = self._whole
        if block is not None:
            start, end = self.spans.prefix(block)
            end = next((i for i in range(start + 1, end) if self.spans.tokens[i].text.upper() == "TOP"), end)
            found = (start, end) if end > start else found
        self._draft("output", "clause", piece, found, scope)
        return piece._replace(text=f"select {text}"), True

    def _projections(self, node: Any, scope: Scope, block: Block | None, output: Output) -> list[Piece]:
        expressions = node.expressions
        ranges = self.spans.projections(block) if block is not None else []
        matched = len(ranges) == len(expressions)
        whole = (ranges[0][0], ranges[-1][1]) if ranges else self._whole
        pieces: list[Piece] = []
        for index, item in enumerate(expressions):
            aliased = type(item) is exp.Alias
            inner = unwrap(item.args["this"] if aliased else item)
            piece = self.piece(inner)
            pieces.append(piece)
            output.pieces.append(piece)
            name = self._projection_name(item, inner)
            output.order.append(name)
            if name is not None:
                output.columns.setdefault(name, piece)
                scope.defined.setdefault(name, piece)
            elif isinstance(inner, exp.Star) or (isinstance(inner, exp.Column) and inner.is_star):
                self._star(inner, scope, output)
            if is_formula(inner):
                found = ranges[index] if matched else whole
                if aliased and matched:
                    found = self._without_alias(found, item)
                self._draft("calculation", "formula", piece, found, scope)
            if aliased:
                self._naming(item, inner, piece)
        return pieces

    def _projection_name(self, item: Any, inner: Any) -> str | None:
        alias = item.args.get("alias") if type(item) in (exp.Alias, exp.Subquery) else None
        if isinstance(alias, exp.TableAlias):
            alias = alias.this
        if isinstance(alias, exp.Identifier):
            return self.name(alias)
        if type(inner) is exp.Column and type(inner.this) is exp.Identifier:
            return self.name(inner.this)
        return None

    def _star(self, node: Any, scope: Scope, output: Output) -> None:
        table = node.args.get("table") if isinstance(node, exp.Column) else None
        if table is None:
            output.stars.extend(scope.sources)
        else:
            source = scope.source(self.name(table))
            if source is not None:
                output.stars.append(source)

    def _without_alias(self, found: Range, item: Any) -> Range:
        """The range of a projection without its alias, which stands behind, or before a ``=`` (T-SQL)."""
        tokens = self.spans.tokens
        start, stop = found
        alias = item.args["alias"]
        meta = alias._meta if isinstance(alias, exp.Identifier) else None
        if meta and meta.get("start") == tokens[start].start and stop - start > 2:
            return start + 2, stop
        stop -= 1
        if stop - 1 > start and tokens[stop - 1].text.upper() == "AS":
            stop -= 1
        return (start, stop) if stop > start else found

    def _naming(self, item: Any, inner: Any, piece: Piece) -> None:
        alias = item.args["alias"]
        word = alias.name if isinstance(alias, exp.Identifier) else str(alias)
        lowered = word.lower()
        if _DULL_ALIAS.match(lowered) or (not piece.references and "*" not in piece.text):
            return
        column = piece.text.rpartition(".")[2].strip('"').lower()
        if re.sub(r"[\W_]", "", lowered) != re.sub(r"[\W_]", "", column):
            self.named.append(Named(piece, word))

    # -------------------------------------------------------------- clauses

    def _where(self, node: Any, scope: Scope, block: Block | None) -> tuple[Piece | None, list[Piece]]:
        if node is None:
            return None, []
        members = self.conjuncts(node.this)
        kept: list[Piece] = []
        edges: list[Piece] = []
        every: list[Atom] = []
        for piece, atoms in members:
            every.extend(atoms)
            atom = atoms[0] if len(atoms) == 1 else None
            edge = atom.edge if atom is not None and not self.strict else None
            if edge is not None and edge[0].group != edge[1].group:
                edges.append(piece)
            else:
                for inner in atoms:
                    inner.edge = None
                kept.append(piece)
        found = block.clause("where") if block is not None else None
        self._predicates(every, (found[0] + 1, found[1]) if found else None, scope)
        return self._condition("where", kept), edges

    def _condition(self, word: str, kept: list[Piece]) -> Piece | None:
        if not kept:
            return None
        joined = join_pieces(conjunction(kept), " and ")
        return joined._replace(text=f"{word} {joined.text}")

    def _having(self, node: Any, word: str, scope: Scope, block: Block | None) -> Piece | None:
        if node is None:
            return None
        members = self.conjuncts(node.this)
        every = [atom for _, atoms in members for atom in atoms]
        for atom in every:
            atom.edge = None
        found = block.clause(word) if block is not None else None
        self._predicates(every, (found[0] + 1, found[1]) if found else None, scope)
        return self._condition(word, [piece for piece, _ in members])

    def _predicates(
        self, atoms: list[Atom], found: Range | None, scope: Scope, item: Item | None = None
    ) -> None:
        """Fragments of the atomic predicates of one condition, matched to their ranges in order."""
        ranges = self.spans.predicates(*found) if found is not None else []
        matched = len(ranges) == len(atoms)
        for index, atom in enumerate(atoms):
            at = ranges[index] if matched else found or self._whole
            if atom.edge is None:
                self._draft("condition", "predicate", atom.piece, at, scope)
            else:
                self._draft("relation", "edge", self._edge_piece(atom, item), at, scope)

    def _edge_piece(self, atom: Atom, item: Item | None) -> Piece:
        side = item.side if item is not None else ""
        if not side or atom.edge is None or item is None:
            return smallest(atom.piece)
        one, two = atom.edge
        new = [inner.source for inner in _flat([item])]
        if (one in new) == (two in new):
            return atom.piece
        left, right = (two, one) if one in new else (one, two)
        sides: list[Piece | None] = []
        for source in (left, right):
            column = next(
                c
                for c in (unwrap(atom.node.this), unwrap(atom.node.expression))
                if self.resolve(c)[1] is source
            )
            sides.append(self.resolve(column)[0])
        return smallest(outer_edge(atom.piece, side, left, right, sides))

    def _relation(
        self, items: list[Item], extra: list[Piece], scope: Scope, block: Block | None
    ) -> Piece | None:
        if not items:
            return None
        for item in _flat(items):
            if item.atoms and block is not None:
                offset = max(position_of(atom.node) for atom in item.atoms)
                self._predicates(item.atoms, self.spans.on_range(offset, block), scope, item)
            for edge in item.edges:
                self._draft(
                    "relation", "edge", smallest(edge.piece), self._shared_range(edge.node, block), scope
                )
        clause, alone = self.clause(items, extra)
        if len(scope.sources) > 1 and block is not None:
            self._draft("relation", "clause", alone, block.clause("from") or self._whole, scope)
        return clause

    def _shared_range(self, node: Any, block: Block | None) -> Range:
        """``USING (a, b)`` around one of its columns, or ``NATURAL JOIN t`` up to its table."""
        index = self.spans.token_at(position_of(node))
        tokens = self.spans.tokens
        if index < 0 or block is None:
            return self._whole
        start = index
        while start > block.start and tokens[start].text.upper() not in ("USING", "NATURAL"):
            start -= 1
        end = self.spans.match.get(start + 1, index) + 1
        return (start, end) if start > block.start else (index, index + 1)

    def _group_by(
        self, node: Any, scope: Scope, block: Block | None, projections: list[Piece]
    ) -> Piece | None:
        if node is None:
            return None
        values, references = len(self.values), len(self.references)
        pieces = [self._key(item, scope, projections) for item in node.expressions]
        suffix = ""
        for key in ("rollup", "cube", "grouping_sets"):
            for item in node.args.get(key) or ():
                if item.expressions:
                    pieces.append(self.piece(item))
                else:
                    suffix = f" with {key}"
        pieces.sort(key=lambda piece: sort_key(piece.text))
        if pieces:
            joined = join_pieces(pieces, ", ")
            piece = joined._replace(text=f"group by {joined.text}{suffix}")
        else:
            piece = self.cut("group by all", OR, values, references)
        found = block.clause("group") if block is not None else None
        self._draft("dimension", "clause", piece, found or self._whole, scope)
        return piece

    def _key(self, item: Any, scope: Scope, projections: list[Piece], alias_first: bool = False) -> Piece:
        """A key of GROUP BY or ORDER BY: an ordinal or an alias is its expression."""
        inner = unwrap(item)
        if type(inner) is exp.Literal and not inner.args.get("is_string") and str(inner.this).isdigit():
            number = int(str(inner.this))
            if 0 < number <= len(projections) and not any(
                piece.text.endswith("*") for piece in projections[:number]
            ):
                return projections[number - 1]
        if alias_first and type(inner) is exp.Column and inner.args.get("table") is None:
            name = self.name(inner.this) if type(inner.this) is exp.Identifier else ""
            if name in scope.aliases:
                return scope.aliases[name]
        return self.piece(inner)

    def _tail(
        self,
        node: Any,
        scope: Scope,
        block: Block | None,
        output: Output,
        projections: list[Piece] | None = None,
    ) -> Piece | None:
        """ORDER BY with LIMIT, OFFSET, FETCH or TOP: one output fragment."""
        args = node.args
        order, limit, offset = args.get("order"), args.get("limit"), args.get("offset")
        if order is None and limit is None and offset is None:
            return None
        if projections is None:
            projections = [output.columns.get(name or "", Piece(spell(name or ""))) for name in output.order]
            scope.aliases = output.columns
        parts: list[Piece] = []
        if order is not None:
            parts.append(self._order_by(order, scope, block, projections))
        parts += self._bounds(limit, offset)
        piece = join_pieces(parts, " ")
        found = block.tail() if block is not None else None
        if found is None and block is not None and block.start in self.spans.blocks:
            start, end = self.spans.prefix(block)
            top = next((i for i in range(start, end) if self.spans.tokens[i].text.upper() == "TOP"), start)
            found = (top, end) if end > top else None
        self._draft("output", "clause", piece, found or self._whole, scope)
        return piece

    def _order_by(self, order: Any, scope: Scope, block: Block | None, projections: list[Piece]) -> Piece:
        found = block.clause("order") if block is not None else None
        ranges = self.spans.items(found, block) if found is not None and block is not None else []
        matched = len(ranges) == len(order.expressions)
        parts: list[Piece] = []
        for index, item in enumerate(order.expressions):
            inner = unwrap(item.this) if type(item) is exp.Ordered else unwrap(item)
            piece = self._key(inner, scope, projections, alias_first=True)
            if is_formula(inner):
                at = self._without_direction(ranges[index]) if matched else found or self._whole
                self._draft("calculation", "formula", piece, at, scope)
            text = piece.text if piece.strength > OR else f"({piece.text})"
            words = self.direction(item) if type(item) is exp.Ordered else " asc"
            parts.append(piece._replace(text=text + words, strength=OR))
        joined = join_pieces(parts, ", ")
        return joined._replace(text=f"order by {joined.text}")

    def _without_direction(self, found: Range) -> Range:
        start, stop = found
        tokens = self.spans.tokens
        if stop - start > 2 and tokens[stop - 2].text.upper() == "NULLS":
            stop -= 2
        if stop - start > 1 and tokens[stop - 1].text.upper() in ("ASC", "DESC"):
            stop -= 1
        return start, stop

    def _bounds(self, limit: Any, offset: Any) -> list[Piece]:
        parts: list[Piece] = []
        if limit is not None:
            count = limit.args.get("expression") or limit.args.get("count")
            piece = self.piece(count) if count is not None else Piece("")
            words = f"limit {piece.text}".strip() if piece.strength > OR else f"limit ({piece.text})"
            options = limit.args.get("limit_options")
            if options is not None:
                words += " percent" if options.args.get("percent") else ""
                words += " with ties" if options.args.get("with_ties") else ""
            parts.append(piece._replace(text=words, strength=OR))
            offset = offset or limit.args.get("offset")
        if offset is not None:
            piece = self.piece(offset.expression if isinstance(offset, exp.Offset) else offset)
            parts.append(piece._replace(text=f"offset {piece.text}", strength=OR))
        return parts

    # -------------------------------------------------------------- windows

    def window(self, node: Any) -> Text:
        """A window function; its PARTITION BY and ORDER BY are fragments of their own."""
        this = node.args.get("this")
        lead = self.render(this)[0]
        offset = position_of(_innermost(this))
        block = self.spans.window(offset) if offset >= 0 else None
        spec = self._window_spec(node, block)
        return f"{lead} over ({spec})", ATOM

    def _named_windows(self, windows: list[Any]) -> None:
        """The WINDOW clause: fragments where it defines, the definition itself where OVER names it."""
        self._windows = {**self._windows, **{self.name(window.this): window for window in windows}}
        for window in windows:
            index = self.spans.token_at(position_of(window.this))
            values, references = len(self.values), len(self.references)
            text = self._window_spec(window, self.spans.levels.get(index + 2))
            self.cut(text, OR, values, references)

    def _window_spec(self, node: Any, block: Block | None) -> str:
        args = node.args
        named = self._windows.get(self.name(args["alias"])) if args.get("alias") is not None else None
        parts = []
        if named is not None:
            inner = self._window_spec(named, None)
            parts += [inner] if inner else []
        elif args.get("alias") is not None:
            parts.append(spell(self.name(args["alias"])))
        if args.get("partition_by"):
            pieces = sorted(
                (self.piece(item) for item in args["partition_by"]), key=lambda p: sort_key(p.text)
            )
            joined = join_pieces(pieces, ", ")
            piece = joined._replace(text=f"partition by {joined.text}")
            parts.append(self.add(piece))
            self._window_draft("dimension", piece, block, "partition")
        order = args.get("order")
        if order is not None:
            items = []
            for item in order.expressions:
                inner = self.piece(unwrap(item.this) if type(item) is exp.Ordered else item)
                words = self.direction(item) if type(item) is exp.Ordered else " asc"
                items.append(inner._replace(text=inner.text + words))
            joined = join_pieces(items, ", ")
            piece = joined._replace(text=f"order by {joined.text}")
            parts.append(self.add(piece))
            self._window_draft("output", piece, block, "order")
        if args.get("spec") is not None:
            parts.append(self._frame(args["spec"]))
        return " ".join(parts)

    def _window_draft(self, kind: Kind, piece: Piece, block: Block | None, clause: str) -> None:
        found = block.clause(clause) if block is not None else None
        if found is not None:
            self._draft(kind, "clause", piece, found, self.scope)

    def _frame(self, spec: Any) -> str:
        args = spec.args

        def bound(key: str) -> str:
            value = args.get(key)
            side = args.get(f"{key}_side")
            text = value if isinstance(value, str) else self.render(value)[0] if value is not None else ""
            return f"{text} {side or ''}".strip().lower()

        start, end = bound("start"), bound("end")
        return f"{str(args.get('kind', 'rows')).lower()} between {start} and {end or 'current row'}"

    # -------------------------------------------------------------- drafts

    def _draft(self, kind: Kind, form: Form, piece: Piece, found: Range, scope: Scope) -> None:
        start, end = self.spans.offsets(found)
        self.drafts.append(Draft(kind, form, piece, start, end, scope))


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


def smallest(piece: Piece) -> Piece:
    """A join edge under the smallest numbering of its instances."""
    if not has_tags(piece.text):
        return piece
    texts = [change(piece.text) for change in renumberings([piece.text])]
    return piece._replace(text=min(texts, key=sort_key)) if len(texts) > 1 else piece


def is_formula(node: Any) -> bool:
    """Whether a projection is a calculation: not a bare column, literal, star or subquery."""
    while type(node) in (exp.Paren, exp.Collate, exp.Neg):
        if type(node) is exp.Neg and type(node.this) is not exp.Literal:
            return True
        node = node.args["this"]
    if type(node) is exp.Cast and type(node.this) is exp.Literal:
        return False
    if type(node) is exp.Dot:
        return not isinstance(node.this, exp.Column | exp.Dot)
    return not isinstance(node, _NO_FORMULA)


def _innermost(node: Any) -> Any:
    """The function under FILTER, WITHIN GROUP and IGNORE NULLS."""
    while type(node) in (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls):
        node = node.this
    return node


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


def _flat(items: list[Item]) -> list[Item]:
    out: list[Item] = []
    for item in items:
        out.append(item)
        if item.group:
            out.extend(_flat(item.group))
    return out


__all__ = ["Draft", "Named", "Walker", "is_formula"]
