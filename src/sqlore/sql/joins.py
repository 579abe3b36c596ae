"""FROM clauses: sources, join edges, and the clause's skeleton.

Inner joins have no order: their tables and edges are sorted, and equality in WHERE between sources that
only a comma or CROSS JOIN connects counts as their edge. Outer joins keep their order; RIGHT is turned
into LEFT where that is possible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from sqlore.sql.names import DEFAULT_SCHEMAS, fold, spell
from sqlore.sql.numbering import has_tags, numbered, renumberings, sort_key, tagged
from sqlore.sql.render import AND, OR, Renderer, unwrap
from sqlore.sql.resolve import ATOM, LITERAL, Output, Piece, Scope, Source
from sqlore.sql.tokens import FUNCTION_MARK


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


class FromClause(Renderer):
    """Renders FROM clauses; the walker below it renders the queries inside them."""

    atoms: list[Atom] | None = None

    def output(self, node: Any, parent: Scope, label: str) -> Output:
        """The columns and text of a query in FROM."""
        raise NotImplementedError

    # -------------------------------------------------------------- sources

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
        text = self._function_source(node)
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

    def _function_source(self, node: Any) -> str:
        kind = type(node)
        if kind is exp.Values:
            rows = [self.render(row)[0] for row in node.expressions]
            if len(set(rows)) == 1:
                rows = rows[:1]
                del self.values[1:]
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
        elif schema and schema not in DEFAULT_SCHEMAS:
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

    def _table_name(self, node: Any) -> str:
        if isinstance(node, str):
            return node.lower()
        if type(node) is exp.Identifier:
            return self.name(node)
        if type(node) is exp.Parameter:
            return "@" + str(node.this.name).lower()
        return fold(node.name.replace(FUNCTION_MARK, ""), False, self.dialect)

    # -------------------------------------------------------------- conditions and edges

    def predicate(self, node: Any, least: int) -> str:
        """Note an atomic predicate of a WHERE, HAVING or ON while one is being rendered."""
        if self.atoms is None:
            return self.operand(node, least)
        inner = unwrap(node)
        if isinstance(inner, exp.And | exp.Or):
            return self.operand(inner, least)
        atoms, self.atoms = self.atoms, None
        values, references = len(self.values), len(self.references)
        text, strength = self.render(inner)
        self.atoms = atoms
        piece = Piece(text, strength, tuple(self.values[values:]), tuple(self.references[references:]))
        atoms.append(Atom(inner, piece, self._edge_sources(inner)))
        return text if strength >= least else f"({text})"

    def _edge_sources(self, node: Any) -> tuple[Source, Source] | None:
        """The two sources of a column = column equality of this scope."""
        if type(node) is not exp.EQ:
            return None
        left, right = unwrap(node.args["this"]), unwrap(node.args["expression"])
        if type(left) is not exp.Column or type(right) is not exp.Column:
            return None
        _, first, first_scope = self.resolve(left)
        _, second, second_scope = self.resolve(right)
        if first is None or second is None or first is second:
            return None
        return (first, second) if first_scope is second_scope is self.scope else None

    def conjuncts(self, node: Any) -> list[tuple[Piece, list[Atom]]]:
        """The members of a condition's top AND: each with the atomic predicates inside it."""
        out: list[tuple[Piece, list[Atom]]] = []
        stack = [node]
        while stack:
            current = unwrap(stack.pop())
            if type(current) is exp.And:
                stack.append(current.args["expression"])
                stack.append(current.args["this"])
                continue
            outer, self.atoms = self.atoms, []
            values, references = len(self.values), len(self.references)
            text = self.predicate(current, OR)
            found, self.atoms = self.atoms, outer
            strength = OR if type(current) is exp.Or else AND
            out.append((self.cut(text, strength, values, references), found))
        return out

    def conditions(self, items: list[Item], scope: Scope) -> None:
        """Read every ON, USING and NATURAL: edges and conditions of each item."""
        group = 0
        for item in items:
            if item.group:
                self.conditions(item.group, scope)
            join = item.join
            if join is None:
                self._group(item, group)
                continue
            on = join.args.get("on")
            if on is not None and not (type(on) is exp.Boolean and on.args["this"]):
                for piece, atoms in self.conjuncts(on):
                    item.condition.append(piece)
                    item.atoms.extend(atoms)
            elif join.args.get("using"):
                for column in join.args["using"]:
                    self._shared(item, self.name(column), scope, column)
            elif (join.args.get("method") or "").lower() == "natural":
                self._natural(item, scope)
            else:
                group += 1
            self._group(item, group)

    def _group(self, item: Item, group: int) -> None:
        if item.source is not None:
            item.source.group = group
        for inner in item.group:
            self._group(inner, group)

    def _shared(self, item: Item, name: str, scope: Scope, node: Any) -> None:
        """The edge of one USING or NATURAL column."""
        right = item.source or next((inner.source for inner in item.group if inner.source), None)
        if right is None:
            return
        earlier = [source for source in scope.sources if source.index < right.index]
        left = scope.merged.get(name) or next((s for s in earlier if s.has(name)), None)
        if left is None:
            left = next((s for s in earlier if s.has(name) is None), earlier[0] if earlier else None)
        if left is None:
            return
        scope.merged[name] = left
        sides = [left.column(name, scope.totals), right.column(name, scope.totals)]
        pieces = [side or Piece(spell(name)) for side in sides]
        pieces.sort(key=lambda piece: sort_key(piece.text))
        text = f"{pieces[0].text} = {pieces[1].text}"
        joined = Piece(
            text, AND, pieces[0].values + pieces[1].values, pieces[0].references + pieces[1].references
        )
        item.condition.append(joined)
        item.edges.append(Edge(outer_edge(joined, item.side, left, right, sides), node))

    def _natural(self, item: Item, scope: Scope) -> None:
        right = item.source
        if right is None or right.table is None:
            return
        for column in right.table.columns:
            name = fold(column.name, self.dialect != "snowflake", self.dialect)
            if any(source.index < right.index and source.has(name) for source in scope.sources):
                self._shared(item, name, scope, item.node)

    # -------------------------------------------------------------- the clause

    def clause(self, items: list[Item], extra: list[Piece]) -> tuple[Piece, Piece]:
        """The FROM clause as its query holds it, and on its own; `extra` are the edges that WHERE gives.

        On its own, the instances of a table have the smallest numbering, whatever their order.
        """
        items = _turned(items)
        lead: list[Item] = []
        while items and items[0].inner:
            lead.append(items.pop(0))
        if not items:
            leaves = _leaves(lead)
            piece = self._inner_clause(leaves, extra, str)
            if not has_tags(piece.text):
                return piece, piece
            choices = [self._inner_clause(leaves, extra, change) for change in renumberings([piece.text])]
            return piece, min(choices or [piece], key=lambda choice: sort_key(numbered(choice.text)))
        parts = [self._inner_clause(_leaves(lead), extra, str)] if lead else []
        parts += [self._outer_item(item, first=not parts and index == 0) for index, item in enumerate(items)]
        whole = join_pieces(parts, "")
        return whole, whole

    def _inner_clause(self, items: list[Item], extra: list[Piece], change: Callable[[str], str]) -> Piece:
        totals = self.scope.totals
        tables = [
            item.source.piece._replace(text=instance_text(item.source, totals))
            for item in items
            if item.source
        ]
        conditions = [piece for item in items for piece in item.condition] + extra
        if change is not str:
            tables = [piece._replace(text=change(piece.text)) for piece in tables]
            conditions = [piece._replace(text=change(piece.text)) for piece in conditions]
        tables.sort(key=lambda piece: sort_key(piece.text))
        conditions.sort(key=lambda piece: (not _looks_like_edge(piece.text), sort_key(piece.text)))
        head = join_pieces(tables, " join ")
        text = f"from {head.text}"
        if not conditions:
            return head._replace(text=text)
        tail = join_pieces(conjunction(_unique(conditions)), " and ")
        return Piece(
            f"{text} on {tail.text}", AND, head.values + tail.values, head.references + tail.references
        )

    def _outer_item(self, item: Item, first: bool) -> Piece:
        if item.group:
            inner = self.clause(item.group, [])[0]
            table = inner._replace(text=f"({inner.text.removeprefix('from ')})")
        else:
            assert item.source is not None
            table = item.source.piece._replace(text=instance_text(item.source, self.scope.totals))
        if first:
            return table._replace(text=f"from {table.text}")
        word = f"{item.side} join" if item.side else "join" if item.condition else "cross join"
        head = table._replace(text=f" {word} {table.text}")
        if not item.condition:
            return head
        tail = join_pieces(conjunction(_unique(item.condition)), " and ")
        return Piece(
            f"{head.text} on {tail.text}", AND, head.values + tail.values, head.references + tail.references
        )


def instance_text(source: Source, totals: dict[str, int]) -> str:
    """A source as FROM names it: a base table with the number of its instance where there are several."""
    if source.base and totals.get(source.base, 1) > 1:
        return tagged(source.base, source.first[source.base])
    return source.piece.text


def _leaves(items: list[Item]) -> list[Item]:
    """The sources of nested groups in order; a group's own condition goes to its first source."""
    out: list[Item] = []
    for item in items:
        if not item.group:
            out.append(item)
            continue
        inner = _leaves(item.group)
        inner[0].condition = [
            *inner[0].condition,
            *(p for p in item.condition if p not in inner[0].condition),
        ]
        inner[0].atoms = [*inner[0].atoms, *(a for a in item.atoms if a not in inner[0].atoms)]
        inner[0].edges = [*inner[0].edges, *(e for e in item.edges if e not in inner[0].edges)]
        out.extend(inner)
    return out


def _turned(items: list[Item]) -> list[Item]:
    """``x RIGHT JOIN y`` at the start as ``y LEFT JOIN x``; FULL JOIN of two with its tables sorted."""
    items = list(items)
    if len(items) > 1 and items[1].side in ("right", "full"):
        first, second = items[0], items[1]
        simple = (
            not first.group and not second.group and first.source is not None and second.source is not None
        )
        swap = items[1].side == "right"
        if simple and not swap and first.source and second.source:
            swap = sort_key(second.source.piece.text) < sort_key(first.source.piece.text)
        if simple and swap:
            side = "left" if second.side == "right" else "full"
            turned = Item(first.node, second.join, side, first.source, [], first.lateral)
            turned.condition, turned.atoms, turned.edges = second.condition, second.atoms, second.edges
            items[:2] = [Item(second.node, None, "", second.source, [], second.lateral), turned]
    return items


def _looks_like_edge(text: str) -> bool:
    return " = " in text and LITERAL not in text and " and " not in text and " or " not in text


def _unique(pieces: list[Piece]) -> list[Piece]:
    seen: set[str] = set()
    return [piece for piece in pieces if not (piece.text in seen or seen.add(piece.text))]  # type: ignore[func-returns-value]


def conjunction(pieces: list[Piece]) -> list[Piece]:
    """Members of an AND: an OR among several is put in parentheses."""
    if len(pieces) < 2:
        return pieces
    return [p._replace(text=f"({p.text})", strength=ATOM) if p.strength == OR else p for p in pieces]


def join_pieces(pieces: list[Piece], glue: str) -> Piece:
    """Several pieces as one."""
    if len(pieces) == 1:
        return pieces[0]
    return Piece(
        glue.join(piece.text for piece in pieces),
        AND,
        tuple(value for piece in pieces for value in piece.values),
        tuple(reference for piece in pieces for reference in piece.references),
    )


def outer_edge(piece: Piece, side: str, left: Source, right: Source, sides: list[Piece | None]) -> Piece:
    """A join edge with its direction: ``a left join b on a.id = b.a_id``; inner edges are the bare equality."""
    if not side:
        return piece
    names = []
    for source, column in zip((left, right), sides, strict=True):
        text = column.text if column is not None else ""
        names.append(text.rpartition(".")[0] or source.piece.text)
    word = side
    if side == "right":
        names.reverse()
        word = "left"
    elif side == "full":
        names.sort(key=sort_key)
    return piece._replace(text=f"{names[0]} {word} join {names[1]} on {piece.text}")


__all__ = [
    "Atom",
    "Edge",
    "FromClause",
    "Item",
    "conjunction",
    "instance_text",
    "items_of",
    "join_pieces",
    "outer_edge",
]
