"""The sources of FROM: base tables, CTEs, derived tables, functions, and the joins that bring them in."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot import exp

from sqlore.sql.functions import Functions
from sqlore.sql.names import DEFAULT_SCHEMAS, fold, spell
from sqlore.sql.resolve import ATOM, Output, Piece, Scope, Source
from sqlore.sql.tokens import FUNCTION_MARK

LONGEST: Final = 20_000
"""Characters of a CTE or a query in FROM, or of one of its columns, that are written out where it is read."""


@dataclass(slots=True)
class Atom:
    """An atomic predicate: its node, its piece, and for a join edge its two sides."""

    node: Any
    piece: Piece
    edge: tuple[Source, Source] | None = None


@dataclass(slots=True)
class Edge:
    """One join edge, and the token it stands at where no predicate spells it (USING, NATURAL)."""

    piece: Piece
    node: Any


@dataclass(slots=True)
class Item:
    """One source of a FROM clause with the join that brings it in; a group is a join in parentheses."""

    node: Any
    join: Any = None
    side: str = ""
    source: Source | None = None
    group: list[Item] = field(default_factory=list)
    lateral: bool = False
    edges: list[Edge] = field(default_factory=list)
    atoms: list[Atom] = field(default_factory=list)
    condition: list[Piece] = field(default_factory=list)

    @property
    def inner(self) -> bool:
        """Whether its place in the clause does not matter."""
        return not self.side and not self.lateral and all(item.inner for item in self.group)


def items_of(first: Any, joins: list[Any]) -> list[Item]:
    """The sources of a FROM clause in order."""
    items = [_item(first, None)]
    items.extend(_item(join.args["this"], join) for join in joins)
    return items


def _item(node: Any, join: Any) -> Item:
    side = ""
    if join is not None:
        args = join.args
        side = (args.get("side") or "").lower()
        kind = (args.get("kind") or "").lower()
        if kind in ("semi", "anti"):
            side = f"{side} {kind}".strip()
        if (args.get("method") or "").lower() == "asof":
            side = f"asof {side}".strip()
    item = Item(node, join, side)
    if type(node) is exp.Subquery and type(node.this) is exp.Table and not node.args.get("alias"):
        node = node.this
        item.group = items_of(node, (node.args.get("joins") or []))
        item.group[0].group = []
    elif type(node) is exp.Table and node.args.get("joins") and join is not None:
        item.group = [Item(node), *(_item(inner.args["this"], inner) for inner in node.args["joins"])]
    return item


def _shorten(output: Output) -> None:
    """Names of a fixed length for what is too long to be written out wherever it is read.

    A query that reads the one before it twice, a dozen times over, would double its text each time.
    """
    output.piece = _named(output.piece, "query")
    for name, piece in output.columns.items():
        output.columns[name] = _named(piece, "expression")
    output.pieces = [_named(piece, "expression") for piece in output.pieces]


def _named(piece: Piece, word: str) -> Piece:
    if len(piece.text) <= LONGEST:
        return piece
    digest = hashlib.sha256(piece.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Piece(f"{word}_{digest}", ATOM, (), tuple(dict.fromkeys(piece.references)))


class Sources(Functions):
    """Renders the sources of a FROM clause and gives them to their scope."""

    def output(self, node: Any, parent: Scope, label: str) -> Output:
        """The columns and text of a query in FROM."""
        raise NotImplementedError

    def sources(self, items: list[Item], scope: Scope) -> None:
        """Render every source and give it to the scope, in FROM order."""
        for item in items:
            if item.group:
                self.sources(item.group, scope)
                continue
            item.source = self._source(item, scope)
            if item.lateral:
                scope.number()
            scope.sources.append(item.source)

    def _source(self, item: Item, scope: Scope) -> Source:
        node = item.node
        alias = node.args.get("alias")
        name = self.name(alias.this) if alias is not None and alias.args.get("this") is not None else ""
        columns = [self.name(c) for c in (alias.args.get("columns") or ())] if alias is not None else []
        kind = type(node)
        if kind is exp.Table and not isinstance(node.this, exp.Func):
            return self._table(node, name, columns, scope)
        values, references = len(self.values), len(self.references)
        if kind is exp.Subquery:
            visible, scope.sources = scope.sources, []
            output = self.output(node, scope, "subquery")
            scope.sources = visible
            return self._derived(name, output, columns)
        if kind is exp.Lateral and type(node.this) is exp.Subquery:
            item.lateral = True
            scope.number()
            source = self._derived(name, self.output(node.this, scope, "subquery"), columns)
            source.piece = source.piece._replace(text=f"lateral {source.piece.text}")
            if not item.side and node.args.get("cross_apply") is False:
                item.side = "left"
            return source
        scope.number()
        text = self.function_source(node)
        item.lateral = len(self.references) > references
        piece = self.cut(text, ATOM, values, references)
        output = Output()
        for column in columns:
            output.columns[column] = (
                piece if len(columns) == 1 and kind is exp.Unnest else Piece(spell(column))
            )
        output.order = list(columns)
        source = Source(name, piece, output=output if columns else None)
        source.counts = {}
        return source

    def function_source(self, node: Any) -> str:
        kind = type(node)
        if kind is exp.Values:
            rows = [self.render(row)[0] for row in node.expressions[:1]]
            values, references = len(self.values), len(self.references)
            rows += [self.render(row)[0] for row in node.expressions[1:]]
            if len(set(rows)) == 1:  # rows that are alike are one
                rows = rows[:1]
                del self.values[values:], self.references[references:]
            return f"(values {', '.join(rows)})"
        if kind is exp.Unnest:
            return f"unnest({self.texts(node.expressions)})"
        if kind is exp.Lateral:
            return f"lateral {self.render(node.this)[0]}"
        if kind is exp.Table:
            return self.render(node.this)[0]
        bare = node.copy()
        bare.set("alias", None)
        return self.other(bare)[0]

    def _derived(self, alias: str, output: Output, columns: list[str]) -> Source:
        if columns:
            output = output.rename(columns)
        _shorten(output)
        inner = output.piece
        text = output.name or f"({inner.text})"
        return Source(alias, inner._replace(text=text, strength=ATOM), output=output)

    def _table(self, node: Any, alias: str, columns: list[str], scope: Scope) -> Source:
        args = node.args
        this = args["this"]
        name = self._table_name(this)
        schema = self._table_name(args["db"]) if args.get("db") is not None else ""
        if not schema:
            found = scope.cte(name)
            if found is not None:
                return self._derived(alias or name, found, columns)
        parts = [spell(name)]
        if args.get("catalog") is not None:
            parts = [spell(self._table_name(args["catalog"])), *([spell(schema)] if schema else []), *parts]
        elif schema and not self._is_own(schema, name, scope):
            parts = [spell(schema), *parts]
        base = ".".join(parts)
        source = Source(alias or name, Piece(base, ATOM, (), ((base, ""),)), base=base)
        source.schema = "" if alias else schema
        if scope.schema is not None:
            known = scope.schema.table(f"{schema}.{name}") if schema else None
            source.table = known or scope.schema.table(name.lstrip("\x04"))
        if args.get("pivots"):
            pivots = " ".join(self.other(pivot)[0] for pivot in args["pivots"])
            return Source(alias or name, Piece(f"{base} {pivots}", ATOM, (), ((base, ""),)))
        return source

    def _is_own(self, schema: str, name: str, scope: Scope) -> bool:
        """Whether a schema is the default one, which its tables go without; MySQL calls its database so.

        Which it is the database says where it is known: elsewhere `public.t` is another table than `t`.
        """
        known = scope.schema
        home = known.home if known is not None else ""
        if known is not None and home:
            found = known.table(f"{schema}.{name}")
            if found is not None:
                return found.schema is None
            return schema == home or (schema in DEFAULT_SCHEMAS and home in DEFAULT_SCHEMAS)
        own = self.dialect == "mysql" and known is not None and schema == known.name.lower()
        return own or schema in DEFAULT_SCHEMAS

    def _table_name(self, node: Any) -> str:
        if isinstance(node, str):
            return node.lower()
        if type(node) is exp.Identifier:
            return self.name(node)
        if type(node) is exp.Parameter:
            return "@" + str(node.this.name).lower()
        return fold(node.name.replace(FUNCTION_MARK, ""), False, self.dialect)
