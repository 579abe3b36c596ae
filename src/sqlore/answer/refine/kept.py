"""What refinement reads of a store once and not for each request: joins, items of a table, scripts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from sqlore.answer.join_path import JoinGraph
from sqlore.model import KnowledgeItem, Schema
from sqlore.sql.edit.query import Query

if TYPE_CHECKING:
    from sqlore.knowledge import Store

__all__ = ["Kept", "kept_of"]

#: Scripts that are kept taken apart.
_DONORS: Final = 256


@dataclass
class Kept:
    """What was read of a store for drafts over one schema, until somebody writes to the store.

    It does not hold the store, which would keep that open.
    """

    stamp: tuple[int, int]
    schema: Schema
    dialect: str
    graph: JoinGraph | None = None
    donors: dict[int, Query | None] = field(default_factory=dict)
    pools: dict[tuple[str, str | None], list[KnowledgeItem]] = field(default_factory=dict)

    def keep(self, script: int, query: Query | None) -> None:
        """Keeps a script taken apart, in the place of the oldest where there are many."""
        while len(self.donors) >= _DONORS:
            self.donors.pop(next(iter(self.donors)), None)
        self.donors[script] = query


_KEPT: WeakKeyDictionary[Store, Kept] = WeakKeyDictionary()


def kept_of(store: Store, schema: Schema, dialect: str) -> Kept:
    """What is kept for a store as it is now; nothing yet where it or the schema has changed."""
    kept, stamp = _KEPT.get(store), store.stamp()
    if kept is None or kept.stamp != stamp or kept.schema is not schema or kept.dialect != dialect:
        kept = _KEPT[store] = Kept(stamp, schema, dialect)
    return kept
