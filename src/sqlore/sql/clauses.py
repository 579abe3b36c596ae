"""Fragments of the SELECT list, GROUP BY and ORDER BY with what bounds the output."""

from __future__ import annotations

import re
from typing import Any, Final

from sqlglot import exp

from sqlore.sql.conditions import Conditions
from sqlore.sql.drafts import Named
from sqlore.sql.joins import join_pieces
from sqlore.sql.names import spell
from sqlore.sql.numbering import sort_key
from sqlore.sql.render import OR, unwrap
from sqlore.sql.resolve import Output, Piece, Scope
from sqlore.sql.spans import Block, Range

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
_DULL_ALIAS: Final = re.compile(r"(?:col|column|expr|field|val|value|x|y|t|c|a|b|n)_?\d*\Z|.\Z")


class Clauses(Conditions):
    """Calculations, dimensions and outputs of one SELECT."""

    def head(self, node: Any, scope: Scope, block: Block | None) -> Piece:
        distinct = node.args.get("distinct")
        if distinct is None:
            return Piece("select")
        values, references = len(self.values), len(self.references)
        on = distinct.args.get("on")
        text = "distinct"
        if on is not None:
            inner = on.expressions if isinstance(on, exp.Tuple) else [on]
            text = f"distinct on ({self.texts([unwrap(item) for item in inner])})"
        piece = self.cut(text, OR, values, references)
        found = self.whole
        if block is not None:
            start, end = self.spans.prefix(block)
            end = next((i for i in range(start + 1, end) if self.spans.tokens[i].text.upper() == "TOP"), end)
            found = (start, end) if end > start else found
        self.draft("output", "clause", piece, found, scope)
        return piece._replace(text=f"select {text}")

    def projections(self, node: Any, scope: Scope, block: Block | None, output: Output) -> list[Piece]:
        expressions = node.expressions
        ranges = self.spans.projections(block) if block is not None else []
        matched = len(ranges) == len(expressions)
        whole = (ranges[0][0], ranges[-1][1]) if ranges else self.whole
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
                self.draft("calculation", "formula", piece, found, scope)
            if aliased:
                self._naming(item, piece, scope)
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

    def _naming(self, item: Any, piece: Piece, scope: Scope) -> None:
        alias = item.args["alias"]
        word = alias.name if isinstance(alias, exp.Identifier) else str(alias)
        lowered = word.lower()
        if _DULL_ALIAS.match(lowered) or (not piece.references and "*" not in piece.text):
            return
        column = piece.text.rpartition(".")[2].strip('"').lower()
        if re.sub(r"[\W_]", "", lowered) != re.sub(r"[\W_]", "", column):
            self.named.append(Named(piece, word, scope))

    def group_by(
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
        self.draft("dimension", "clause", piece, found or self.whole, scope)
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

    def tail(
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
        self.draft("output", "clause", piece, found or self.whole, scope)
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
                at = self._without_direction(ranges[index]) if matched else found or self.whole
                self.draft("calculation", "formula", piece, at, scope)
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
