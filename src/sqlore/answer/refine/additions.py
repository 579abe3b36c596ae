"""Items of the history put into a scope of a draft that does not have them: which fit, and how."""

from __future__ import annotations

from typing import Final

from sqlore.answer.join_path import Join, edge_of
from sqlore.answer.refine.donors import TRIED, Alternative, Donors
from sqlore.answer.refine.fit import require_place, side_of
from sqlore.answer.refine.room import folded, room_for
from sqlore.errors import EditError, SqlError
from sqlore.model import Kind, KnowledgeItem
from sqlore.sql import check_query
from sqlore.sql.edit.compare import confirmed
from sqlore.sql.edit.insert import inserted, joined, told_apart
from sqlore.sql.edit.query import Query
from sqlore.sql.edit.text import Change, TextEdit
from sqlore.sql.placeholders import is_placeholder
from sqlore.sql.resolve import Scope

__all__ = ["Additions"]

_ADDED: Final[tuple[Kind, ...]] = ("condition", "calculation", "dimension")


class Additions:
    """Items for a scope that does not have them yet."""

    def __init__(self, donors: Donors) -> None:
        self._donors = donors

    def to(self, query: Query, path: str, limit: int = 40) -> tuple[Alternative, ...]:
        """The items over the tables of a scope that can be put there and are not, most used first.

        Each was put there and read again. `values` are those that the history has in its places.
        """
        scope = query.scope_at(path)
        here = sorted({source.base for source in scope.sources if source.base})
        there = {(f.kind, f.skeleton) for f in query.fragments if f.scope == path}
        pool: dict[int, KnowledgeItem] = {}
        for kind in _ADDED:
            for table in here:
                pool.update((item.id, item) for item in self._donors.items(kind, table))
        found: list[Alternative] = []
        for item in sorted(pool.values(), key=lambda one: (-one.support, one.id))[: limit * TRIED]:
            usable = not item.stale and item.trust != "deprecated" and set(item.tables) <= set(here)
            if usable and (item.kind, item.skeleton) not in there and len(found) < limit:
                try:
                    change, text = self.put(query, item, path)
                    check_query(change.after, self._donors.dialect, self._donors.schema)
                except SqlError:
                    continue
                values = tuple(seen for seen, _ in item.literals if not any(map(is_placeholder, seen)))
                words = item.description or item.name
                found.append(Alternative(
                    item.id, text, item.support, (), words, item.trust, 1.0, item.synthetic, item.kind,
                    values,
                ))  # fmt: skip
        return tuple(found)

    def put(self, query: Query, item: KnowledgeItem, path: str) -> tuple[Change, str]:
        """The change that puts an item into the right clause of a scope, and its text there."""
        scope = query.scope_at(path)
        if item.kind == "query":
            raise EditError(
                f"item {item.id} is a whole query", hint="add one of its pieces: sqlore knowledge show"
            )
        if item.kind == "relation":
            return self._joined(query, scope, item)
        text, room = self._donors.written(query, scope, item, None)
        if item.kind == "dimension" and text.upper().startswith("PARTITION"):
            raise EditError(f"item {item.id} belongs to a window function", hint="add its formula")
        require_place(query, scope, item.kind, text)
        edits: list[TextEdit] = []
        if room.joins:
            edits += joined(query, scope, room.joins) + told_apart(query, scope, room.tables)
        edits += inserted(query, scope, item.kind, text)
        return confirmed(query, Change(query.sql, tuple(edits), room.notes))[0], text

    def _joined(self, query: Query, scope: Scope, item: KnowledgeItem) -> tuple[Change, str]:
        """A table joined by a relation of the history."""
        edge = edge_of(item.skeleton) if item.form == "edge" else None
        if edge is None:
            raise EditError(
                f"item {item.id} is a whole FROM clause", hint="add one of its joins; each is an item too"
            )
        here = {folded(s.base) for s in scope.sources if s.base}
        missing = [table for table in (edge[0], edge[2]) if table not in here]
        if len(missing) != 1:
            why = "joins two tables that are not here" if missing else "joins tables that are here already"
            raise EditError(
                f"item {item.id} {why}", hint="choose it as an alternative of a join" if not missing else None
            )
        join = Join(edge[0], edge[2], ((edge[1], edge[3]),))
        side = side_of(item, missing[0], len(scope.sources))
        room = room_for(query, scope, missing, self._donors.graph, known={missing[0]: join}, side=side)
        edits = joined(query, scope, room.joins) + told_apart(query, scope, room.tables)
        notes = ("SELECT * shows its columns too",) if query.starred(scope) is None else ()
        change = confirmed(query, Change(query.sql, tuple(edits), (*room.notes, *notes)))[0]
        return change, room.joins[0]
