"""Fragments of WHERE, HAVING, QUALIFY and FROM: atomic predicates, join edges, the clause."""

from __future__ import annotations

from typing import Any

from sqlore.sql.drafts import Drafts
from sqlore.sql.joins import conjunction, join_pieces, outer_edge
from sqlore.sql.numbering import has_tags, renumberings, sort_key
from sqlore.sql.render import unwrap
from sqlore.sql.resolve import Piece, Scope
from sqlore.sql.sources import Atom, Item
from sqlore.sql.spans import Block, Range, position_of


class Conditions(Drafts):
    """Conditions and relations of one SELECT."""

    def where(self, node: Any, scope: Scope, block: Block | None) -> tuple[Piece | None, list[Piece]]:
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

    def having(self, node: Any, word: str, scope: Scope, block: Block | None) -> Piece | None:
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
        ranges = self.spans.predicates(*found) if found is not None else ()
        matched = len(ranges) == len(atoms)
        for index, atom in enumerate(atoms):
            at = ranges[index] if matched else found or self.whole
            if atom.edge is None:
                self.draft("condition", "predicate", atom.piece, at, scope)
            else:
                self.draft("relation", "edge", self._edge_piece(atom, item), at, scope)

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

    def relation(
        self, items: list[Item], extra: list[Piece], scope: Scope, block: Block | None
    ) -> Piece | None:
        if not items:
            return None
        for item in _flat(items):
            if item.atoms and block is not None:
                offset = max(position_of(atom.node) for atom in item.atoms)
                self._predicates(item.atoms, self.spans.on_range(offset, block), scope, item)
            for edge in item.edges:
                self.draft(
                    "relation", "edge", smallest(edge.piece), self._shared_range(edge.node, block), scope
                )
        clause, alone = self.clause(items, extra)
        if len(scope.sources) > 1 and block is not None:
            self.draft("relation", "clause", alone, block.clause("from") or self.whole, scope)
        return clause

    def _shared_range(self, node: Any, block: Block | None) -> Range:
        """``USING (a, b)`` around one of its columns, or ``NATURAL JOIN t`` up to its table."""
        index = self.spans.token_at(position_of(node))
        tokens = self.spans.tokens
        if index < 0 or block is None:
            return self.whole
        start = index
        while start > block.start and tokens[start].text.upper() not in ("USING", "NATURAL"):
            start -= 1
        end = self.spans.match.get(start + 1, index) + 1
        return (start, end) if start > block.start else (index, index + 1)


def smallest(piece: Piece) -> Piece:
    """A join edge under the smallest numbering of its instances."""
    if not has_tags(piece.text):
        return piece
    texts = [change(piece.text) for change in renumberings([piece.text])]
    return piece._replace(text=min(texts, key=sort_key)) if len(texts) > 1 else piece


def _flat(items: list[Item]) -> list[Item]:
    out: list[Item] = []
    for item in items:
        out.append(item)
        if item.group:
            out.extend(_flat(item.group))
    return out
