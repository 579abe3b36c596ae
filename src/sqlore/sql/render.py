"""From expression trees to skeleton text: one pass, one function a node type.

Every handler takes a node and returns its text and how strongly it binds; literals become one mark in the
text and are kept aside, so that skeleton and canonical text come from the same pass. Rare node types go
through sqlglot's generator with their operands swapped out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from sqlglot import exp

from sqlore.sql.literals import quote_text
from sqlore.sql.names import fold, spell
from sqlore.sql.numbering import tagged
from sqlore.sql.resolve import ATOM, LITERAL, Piece, Reference, Scope, Source, Value
from sqlore.sql.tokens import Tokens

Text = tuple[str, int]

OR, AND, NOT, COMPARE, BITS, ADD, MULTIPLY, UNARY, POSTFIX = 1, 2, 3, 4, 5, 6, 7, 8, 9


class Renderer:
    """Renders expressions of one script; `scope` is the SELECT whose names apply now."""

    #: Whether the text is a skeleton: then a column without a table has none, and edges are not in WHERE.
    strict = False
    #: The function of every node type that has one; the others go to `other`.
    handlers: ClassVar[Mapping[type[Any], Callable[[Any, Any], Text]]] = {}

    def __init__(self, tokens: Tokens, dialect: str) -> None:
        self.tokens = tokens
        self.source_text = tokens.text
        self.dialect = dialect
        self.values: list[Value] = []
        self.references: list[Reference] = []
        self.scope = Scope(None, None, "main", None)
        self._types: dict[Any, str] = {}

    # -------------------------------------------------------------- hooks of the walker

    def query(self, node: Any) -> str:
        """The text of a nested query, without parentheses."""
        raise NotImplementedError

    def window(self, node: Any) -> Text:
        """The text of a window function."""
        raise NotImplementedError

    def other(self, node: Any) -> Text:
        """The text of a node type without a handler."""
        raise NotImplementedError

    def mask(self, offset: int, text: str, values: tuple[str, ...]) -> Text:
        """One literal."""
        self.values.append(Value(offset, text, values))
        return LITERAL, ATOM

    # -------------------------------------------------------------- entry points

    def render(self, node: Any) -> Text:
        """Text and binding strength of an expression."""
        handler = self.handlers.get(type(node))
        return handler(self, node) if handler is not None else self.other(node)

    def operand(self, node: Any, least: int) -> str:
        """The text of an operand, in parentheses where it binds less strongly than `least`."""
        text, strength = self.render(node)
        return text if strength >= least else f"({text})"

    def texts(self, nodes: Sequence[Any]) -> str:
        """Texts joined by commas."""
        render = self.render
        return ", ".join([render(node)[0] for node in nodes])

    def piece(self, node: Any) -> Piece:
        """The expression as a piece of its own; what it holds leaves the running lists."""
        values, references = len(self.values), len(self.references)
        text, strength = self.render(node)
        return self.cut(text, strength, values, references)

    def cut(self, text: str, strength: int, values: int, references: int) -> Piece:
        """A piece of what was collected since the two lists had those lengths; the lists are cut back."""
        piece = Piece(text, strength, tuple(self.values[values:]), tuple(self.references[references:]))
        del self.values[values:]
        del self.references[references:]
        return piece

    def add(self, piece: Piece) -> str:
        """Take a piece into the running text."""
        self.values.extend(piece.values)
        self.references.extend(piece.references)
        return piece.text

    def name(self, identifier: Any) -> str:
        """An identifier's name as the dialect folds it."""
        args = identifier.args
        if type(identifier) is not exp.Identifier:
            return fold(str(args.get("this", identifier.name)), False, self.dialect)
        name = fold(args["this"], bool(args.get("quoted")), self.dialect)
        if len(args) > 2:
            # T-SQL's temporary tables.
            return f"##{name}" if args.get("global_") else f"#{name}" if args.get("temporary") else name
        return name

    def subquery_text(self, node: Any) -> str:
        return f"({self.query(node)})"

    # -------------------------------------------------------------- columns

    def resolve(self, node: Any) -> tuple[Piece, Source | None, Scope | None]:
        """A column's piece, and the source and scope it comes from where that is known."""
        args = node.args
        name = self.name(args["this"])
        table = args.get("table")
        if table is None:
            return self._bare(name, node)
        alias = self.name(table)
        schema = self.name(args["db"]) if args.get("db") is not None else ""
        scope: Scope | None = self.scope
        while scope is not None:
            source = scope.source(alias, schema)
            if source is not None:
                return self._column(source, name, scope), source, scope
            if scope.derives(spell(alias)):
                break
            scope = scope.parent
        parts = [
            spell(self.name(args[key]))
            for key in ("catalog", "db", "table", "this")
            if args.get(key) is not None
        ]
        text = ".".join(parts)
        return Piece(text, ATOM, (), ((".".join(parts[:-1]), text),)), None, None

    def _column(self, source: Source, name: str, scope: Scope) -> Piece:
        totals = scope.totals
        inner = self.scope
        if scope is not inner and source.base and inner.totals.get(source.base):
            # A correlated column of the same table: numbered after the tables of the inner scope.
            before = inner.totals[source.base]
            spelled = spell(name)
            text = f"{tagged(source.base, before + source.first[source.base], outer=True)}.{spelled}"
            return Piece(text, ATOM, (), ((source.base, f"{source.base}.{spelled}"),))
        return source.column(name, totals) or Piece(spell(name))

    def _bare(self, name: str, node: Any) -> tuple[Piece, Source | None, Scope | None]:
        if self.strict:
            return Piece(spell(name), ATOM, (), (("", spell(name)),)), None, None
        scope: Scope | None = self.scope
        first, first_scope = scope.owner(name) if scope else (None, False), scope
        while scope is not None:
            source, certain = scope.owner(name)
            if source is not None and certain:
                return self._column(source, name, scope), source, scope
            if name in scope.aliases:
                return scope.aliases[name], None, None
            if source is not None and source.has(name) is None:
                return self._column(source, name, scope), source, scope
            if source is None and any(s.has(name) is None for s in scope.sources):
                break
            scope = scope.parent
        if name in self.scope.defined and not any(s.has(name) is None for s in self.scope.sources):
            return self.scope.defined[name], None, None
        source = first[0]
        if source is not None and first_scope is not None:
            if self._is_string(node):
                return self._string(node), None, None
            row = first_scope.source(name)
            if row is not None and row.base and row.has(name) is False:
                # An alias alone is the whole row: it is called by the table's own name.
                source, name = row, row.base.rpartition(".")[2].strip('"')
            return self._column(source, name, first_scope), source, first_scope
        if self._is_string(node):
            return self._string(node), None, None
        return Piece(spell(name), ATOM, (), (("", spell(name)),)), None, None

    def _is_string(self, node: Any) -> bool:
        """SQLite and MySQL take a double-quoted word that names no column for a string."""
        if self.dialect not in ("sqlite", "mysql") or not node.args["this"].args.get("quoted"):
            return False
        meta = node.args["this"]._meta
        return bool(self.scope.schema) and bool(meta) and self.source_text[meta["start"]] == '"'

    def _string(self, node: Any) -> Piece:
        identifier = node.args["this"]
        word = identifier.args["this"]
        value = Value(identifier._meta["start"], quote_text(word), (word,))
        return Piece(LITERAL, ATOM, (value,))

    def column(self, node: Any) -> Text:
        """A column, resolved to its base table or to its definition."""
        if type(node.args["this"]) is exp.Star:
            return self._table_star(node), ATOM
        piece = self.resolve(node)[0]
        if piece.values:
            self.values.extend(piece.values)
        self.references.extend(piece.references)
        return piece.text, piece.strength

    def _table_star(self, node: Any) -> str:
        source = (
            self.scope.source(self.name(node.args["table"])) if node.args.get("table") is not None else None
        )
        if source is None or not source.base:
            return self.star(node.args["this"])[0]
        self.references.append((source.base, ""))
        several = self.scope.totals.get(source.base, 1) > 1
        table = tagged(source.base, source.first[source.base]) if several else source.base
        return f"{table}.{self.star(node.args['this'])[0]}"

    def star(self, node: Any) -> Text:
        """``*``, with what it leaves out or replaces."""
        text = "*"
        args = node.args
        for key, word in (("except_", "except"), ("replace", "replace"), ("rename", "rename")):
            if args.get(key):
                inner = args[key] if isinstance(args[key], list) else [args[key]]
                text += f" {word} ({', '.join(self._star_item(item) for item in inner)})"
        return text, ATOM

    def _star_item(self, item: Any) -> str:
        if isinstance(item, exp.Alias):
            return f"{self.render(item.this)[0]} as {spell(self.name(item.args['alias']))}"
        return spell(self.name(item.this)) if isinstance(item, exp.Column) else self.render(item)[0]


def unwrap(node: Any) -> Any:
    """The expression inside redundant parentheses."""
    while type(node) is exp.Paren:
        node = node.args["this"]
    return node
