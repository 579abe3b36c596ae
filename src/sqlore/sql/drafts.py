"""Drafts of fragments, and what a window function leaves: its dimension and its order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sqlore.model import Form, Kind, Schema
from sqlore.sql.joins import FromClause, join_pieces
from sqlore.sql.names import spell
from sqlore.sql.numbering import sort_key
from sqlore.sql.render import OR, Text, unwrap
from sqlore.sql.resolve import ATOM, Piece, Scope
from sqlore.sql.spans import Block, Range, Spans, position_of
from sqlore.sql.tokens import Tokens


@dataclass(slots=True)
class Draft:
    """A fragment before its skeleton is finished."""

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
    scope: Scope


class Drafts(FromClause):
    """Collects drafts; renders windows."""

    def __init__(self, tokens: Tokens, spans: Spans, dialect: str, schema: Schema | None) -> None:
        super().__init__(tokens, dialect)
        self.spans = spans
        self.schema = schema
        self.drafts: list[Draft] = []
        self.named: list[Named] = []
        self.scopes: list[Scope] = []
        self.windows: dict[str, Any] = {}
        self.whole: Range = (spans.first, spans.stop)

    def draft(self, kind: Kind, form: Form, piece: Piece, found: Range, scope: Scope) -> None:
        start, end = self.spans.offsets(found)
        self.drafts.append(Draft(kind, form, piece, start, end, scope))

    def window(self, node: Any) -> Text:
        """A window function; its PARTITION BY and ORDER BY are fragments of their own."""
        this = node.args.get("this")
        lead = self.render(this)[0]
        offset = position_of(_innermost(this))
        block = self.spans.window(offset) if offset >= 0 else None
        spec = self._window_spec(node, block)
        return f"{lead} over ({spec})", ATOM

    def named_windows(self, windows: list[Any]) -> None:
        """The WINDOW clause: fragments where it defines, the definition itself where OVER names it."""
        self.windows = {**self.windows, **{self.name(window.this): window for window in windows}}
        for window in windows:
            index = self.spans.token_at(position_of(window.this))
            values, references = len(self.values), len(self.references)
            text = self._window_spec(window, self.spans.levels.get(index + 2))
            self.cut(text, OR, values, references)

    def _window_spec(self, node: Any, block: Block | None) -> str:
        args = node.args
        named = self.windows.get(self.name(args["alias"])) if args.get("alias") is not None else None
        parts = []
        if named is not None:
            defined = self._window_spec(named, None)
            parts += [defined] if defined else []
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
            self.draft(kind, "clause", piece, found, self.scope)

    def _frame(self, spec: Any) -> str:
        args = spec.args

        def bound(key: str) -> str:
            value = args.get(key)
            side = args.get(f"{key}_side")
            text = value if isinstance(value, str) else self.render(value)[0] if value is not None else ""
            return f"{text} {side or ''}".strip().lower()

        start, end = bound("start"), bound("end")
        return f"{str(args.get('kind', 'rows')).lower()} between {start} and {end or 'current row'}"


def _innermost(node: Any) -> Any:
    """The function under FILTER, WITHIN GROUP and IGNORE NULLS."""
    while type(node) in (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls):
        node = node.this
    return node
