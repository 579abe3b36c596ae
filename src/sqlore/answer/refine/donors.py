"""Pieces of the history as its scripts write them, with their columns under the names of a draft.

Where a table of a piece is not in the draft, the join is added that the foreign keys or the history know.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlore.answer.join_path import JoinGraph, join_graph
from sqlore.answer.refine.kept import Kept, kept_of
from sqlore.answer.refine.room import Room, folded, room_for
from sqlore.errors import EditError, SqlError
from sqlore.model import Fragment, Kind, KnowledgeItem, Schema
from sqlore.sql.edit.query import Place, Query
from sqlore.sql.edit.transfer import transferred, transferred_clause
from sqlore.sql.resolve import Scope

if TYPE_CHECKING:
    from sqlore.knowledge import Store

__all__ = ["TRIED", "Alternative", "Donors"]

#: How many more than wanted are tried, since some do not fit after all.
TRIED: Final = 4
#: Items of one table that are looked at, the most used first, and scripts of an item that are.
_POOL: Final = 300
_SCRIPTS: Final = 6


@dataclass(frozen=True, slots=True)
class Alternative:
    """An item of the history for a place in a draft: its text here, and the joins that it needs.

    `with_values` is how many of its `support` scripts have the values of this text, where these were chosen.
    """

    item: int
    sql: str
    support: int
    joins: tuple[str, ...] = ()
    description: str = ""
    trust: str = "unverified"
    similarity: float = 0.0
    synthetic: bool = False
    kind: Kind = "condition"
    values: tuple[tuple[str, ...], ...] = ()
    with_values: int | None = None


class Donors:
    """What one store has for drafts over one schema."""

    def __init__(self, store: Store, schema: Schema, dialect: str) -> None:
        self.store, self.schema, self.dialect = store, schema, dialect

    @property
    def _known(self) -> Kept:
        """What was read of the store before, by this or by another: one request makes one of these."""
        return kept_of(self.store, self.schema, self.dialect)

    @property
    def graph(self) -> JoinGraph:
        """The ways between tables that keys and history know."""
        kept = self._known
        if kept.graph is None:
            kept.graph = join_graph(self.schema, self.store)
        return kept.graph

    def item(self, number: int) -> KnowledgeItem:
        """The item of that id. Raises `EditError` where the store has none."""
        item = self.store.item(number)
        if item is None:
            raise EditError(f"the history has no item {number}", hint="sqlore knowledge list shows the items")
        return item

    def items(self, kind: Kind, table: str | None) -> list[KnowledgeItem]:
        """The items of a kind over a table, the most used first."""
        pools = self._known.pools
        if (kind, table) not in pools:
            pools[kind, table] = self.store.items(kind=kind, table=table, limit=_POOL)
        return pools[kind, table]

    def written(
        self, query: Query, scope: Scope, item: KnowledgeItem, place: Place | None
    ) -> tuple[str, Room]:
        """An item's text under the names of a scope, and the joins that it needs. Raises `EditError`."""
        here = {folded(s.base) for s in scope.sources if s.base}
        missing = [folded(table) for table in item.tables if folded(table) not in here]
        clause = place is not None and place.clause == "from"
        room = room_for(query, scope, missing, self.graph, named=clause, far=place is None)
        for donor, fragment, inner in self._sources(item):
            if clause:
                text = transferred_clause(donor, fragment, inner, room.aliases)
            else:
                text = transferred(donor, fragment, room.aliases)
            if text is not None:
                return text, Room(room.aliases) if clause else room
        raise EditError(
            f"item {item.id} cannot be written here",
            where=item.skeleton,
            hint="no script of it uses these tables alone; edit the SQL",
        )

    def _sources(self, item: KnowledgeItem) -> Iterator[tuple[Query, Fragment, Scope]]:
        """Places where scripts of the history write an item."""
        for script in item.scripts[:_SCRIPTS]:
            donor = self._donor(script)
            for number, fragment in enumerate(donor.fragments if donor is not None else ()):
                if donor is not None and (fragment.kind, fragment.form, fragment.skeleton) == (
                    item.kind, item.form, item.skeleton,
                ):  # fmt: skip
                    yield donor, fragment, donor.scope(number)

    def _donor(self, script: int) -> Query | None:
        donors = self._known.donors
        if script not in donors:
            stored = self.store.script(script)
            try:
                text = stored.script.sql if stored is not None else ""
                dialect = (stored.script.dialect if stored is not None else None) or self.dialect
                found = Query(text, dialect, self.schema) if stored is not None else None
            except SqlError:
                found = None
            self._known.keep(script, found)
            return found
        return donors.get(script)
