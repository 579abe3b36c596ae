"""FROM clauses: join conditions, join edges, and the clause's skeleton.

Inner joins have no order: their tables and edges are sorted, and equality in WHERE between sources that
only a comma or CROSS JOIN connects counts as their edge. Outer joins keep their order; RIGHT is turned
into LEFT where that is possible.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from sqlore.sql.names import fold, spell
from sqlore.sql.numbering import has_tags, numbered, renumberings, sort_key, tagged
from sqlore.sql.render import AND, OR, unwrap
from sqlore.sql.resolve import ATOM, LITERAL, Piece, Scope, Source
from sqlore.sql.sources import Atom, Edge, Item, Sources


class FromClause(Sources):
    """Conditions, edges and the text of a FROM clause."""

    #: Atomic predicates of the condition that is being rendered; None inside one.
    atoms: list[Atom] | None = None

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
    return list({piece.text: piece for piece in reversed(pieces)}.values())[::-1]


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
    """A join edge with its direction: ``a left join b on a.id = b.a_id``; an inner one is the equality."""
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
