"""Reading a knowledge store: items, scripts and their texts, search, health."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from sqlore.errors import StoreEmbeddingError
from sqlore.knowledge.records import (
    Change,
    Health,
    Known,
    Source,
    Stats,
    Text,
    Use,
    Vectors,
    key_hash,
)
from sqlore.knowledge.store import health, items, scripts, search
from sqlore.knowledge.store.file import sound
from sqlore.knowledge.store.health import REEMBED
from sqlore.knowledge.store.items import Order
from sqlore.knowledge.store.rejected import rejected_in
from sqlore.knowledge.store.search import Ids, VectorLevel
from sqlore.knowledge.store.text import Level
from sqlore.model import Kind, KnowledgeItem, Naming, Rejected, RejectReason, StoredScript

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.embed import Embedder

__all__ = ["StoreReader"]

_LARGEST: Final = 2**63 - 1
"""The largest number that SQLite has."""


class StoreReader:
    """An open knowledge store, as far as it is only read; `Store` adds the writing."""

    def __init__(self, db: sqlite3.Connection, path: str) -> None:
        db.row_factory = sqlite3.Row
        self._db = db
        self._lock = RLock()
        self.path = path

    def close(self) -> None:
        """Closes the file; what was written stays."""
        self._db.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, sound(self.path):
            yield self._db

    def meta(self, key: str) -> str | None:
        """A remembered fact: ``database``, ``dialect``, ``embedder``, ``dimension``, ``version``."""
        with self._reading() as db:
            row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def catalog(self) -> Any:
        """The catalog's JSON as it was saved, or None."""
        with self._reading() as db:
            row = db.execute("SELECT value FROM meta WHERE key = 'catalog'").fetchone()
            return None if row is None else json.loads(zlib.decompress(row[0]))

    def saved_catalog(self) -> Catalog | None:
        """The catalog as it was saved, or None."""
        from sqlore.catalog import Catalog

        with self._reading():
            saved = self.catalog()
            return None if saved is None else Catalog.from_json(saved)

    def namings(self) -> list[Naming]:
        """What the scripts call columns and codes, each as often as scripts do."""
        with self._reading() as db:
            rows = db.execute("SELECT expression, alias, columns, uses FROM namings").fetchall()
            return [Naming(row[0], row[1], tuple(row[2].split("\n"))) for row in rows for _ in range(row[3])]

    def known_hashes(self, hashes: Sequence[int], *, synthetic: bool = False) -> set[int]:
        """Which of these texts were learned before.

        Those that only a model wrote are known to one who learns `synthetic` ones, to nobody else.
        """
        sql = "SELECT DISTINCT hash FROM sightings WHERE hash {ids}"
        if not synthetic:
            sql += " AND variant NOT IN (SELECT id FROM variants WHERE synthetic)"
        with self._reading() as db:
            return {int(row[0]) for row in items.rows_of(db, sql, list(hashes))}

    def rejected_hashes(self, dialects: Mapping[int, str]) -> set[int]:
        """Which of these texts, by the dialect that each is in, were rejected and need no new try."""
        with self._reading() as db:
            return rejected_in(db, dialects)

    def known_items(self, keys: Sequence[str], examples: int = 3) -> Mapping[str, Known]:
        """What is known of the items with these keys (`Fragment.key`); new ones are left out."""
        hashes = {key_hash(key): key for key in keys}
        with self._reading() as db:
            found = items.known_items(db, list(hashes), examples)
        return {hashes[number]: known for number, known in found.items()}

    def items(
        self,
        kind: Kind | None = None,
        table: str | None = None,
        text: str | None = None,
        limit: int | None = None,
        offset: int = 0,
        order: Order = "support",
        **more: Any,
    ) -> list[KnowledgeItem]:
        """Items, most used first: of one kind, that name a table, or with `text` in any of their words.

        `order` is ``support``, ``name``, or ``recent`` (the last seen first); `more` are `column` (with
        `table`), `trust`, `stale`, and `support`, the least that is wanted.
        """
        wanted = {"kind": kind, "table": table, "text": text, **more}
        with self._reading() as db:
            ids = items.select_items(db, limit=limit, offset=offset, order=order, **wanted)
            whole = limit is None and not offset and all(value is None for value in wanted.values())
            by_id = {item.id: item for item in items.load_items(db, None if whole else ids)}
            return [by_id[number] for number in ids]

    def count(self, **wanted: Any) -> int:
        """How many items `items` would give without a limit."""
        with self._reading() as db:
            return items.count_items(db, **wanted)

    def stale_scripts(self, after: int = 0) -> dict[int, str]:
        """What scripts name that the database does not have, by their ids; of those larger than `after`."""
        stale = {item.id: item.stale for item in self.items(kind="query", stale=True)}
        with self._reading() as db:
            rows = db.execute("SELECT id, item FROM scripts WHERE id > ? ORDER BY id", (after,)).fetchall()
        return {script: gone for script, item in rows if (gone := stale.get(item))}

    def last_script(self) -> int:
        """The largest id of a script; 0 where there is none."""
        with self._reading() as db:
            return int(db.execute("SELECT coalesce(max(id), 0) FROM scripts").fetchone()[0])

    def merged(self) -> dict[int, int]:
        """The items that were merged into others, and into which."""
        with self._reading() as db:
            return items.merged_items(db)

    def mentions(self) -> dict[tuple[str, str], int]:
        """How many items name each table (``(table, "")``) and column."""
        with self._reading() as db:
            return items.mentions(db)

    def pieces(self) -> list[KnowledgeItem]:
        """All items but the whole queries, most used first."""
        with self._reading() as db:
            loaded = items.load_items(db, items.PIECES)
        return sorted(loaded, key=lambda item: (-item.support, item.id))

    def blocked(self) -> set[int]:
        """Ids of the items, whole queries too, that are stale or deprecated."""
        with self._reading() as db:
            rows = db.execute("SELECT id FROM items WHERE stale IS NOT NULL OR trust = 'deprecated'")
            return {int(row[0]) for row in rows}

    def item(self, number: int) -> KnowledgeItem | None:
        """The item of that id."""
        with self._reading() as db:
            return next(iter(items.load_items(db, [number])), None) if number <= _LARGEST else None

    def scripts_with(self, item: int, literals: Sequence[str], rows: int = 0) -> int:
        """How many scripts that people ran use an item with just these literals; the last `rows` of them,
        which say how many rows are wanted, may be others.
        """
        with self._reading() as db:
            return items.scripts_with(db, item, literals, rows)

    def warning_of(self, item: int, literals: Sequence[str] | None = None) -> str:
        """What is said against an item; empty where one of its texts (with these literals) has no warning."""
        with self._reading() as db:
            return scripts.warning_of(db, item, literals)

    def item_by_key(self, kind: Kind, skeleton: str) -> KnowledgeItem | None:
        """The item of that kind and skeleton."""
        with self._reading() as db:
            row = db.execute(
                "SELECT id FROM items WHERE hash = ?", (key_hash(f"{kind}: {skeleton}"),)
            ).fetchone()
            return next(iter(items.load_items(db, [row[0]])), None) if row else None

    def scripts(self, ids: Sequence[int] | None = None) -> list[StoredScript]:
        """Scripts by id, or all of them in the order they were learned."""
        with self._reading() as db:
            return scripts.load_scripts(db, ids)

    def script(self, number: int) -> StoredScript | None:
        """The script of that id."""
        return next(iter(self.scripts([number])), None) if number <= _LARGEST else None

    def scripts_of_item(self, item: int) -> list[StoredScript]:
        """The scripts that use an item."""
        found = self.item(item)
        return self.scripts(found.scripts) if found else []

    def items_of_script(self, script: int) -> list[KnowledgeItem]:
        """The items of a script, in the order of its text."""
        with self._reading() as db:
            uses = scripts.fragments_of_script(db, script)
            return items.load_items(db, list(dict.fromkeys(use[0] for use in uses)))

    def fragments(self, script: int) -> list[tuple[int, int, int, str]]:
        """(item, start, end, scope) of each fragment of a script's own text, in text order."""
        with self._reading() as db:
            return scripts.fragments_of_script(db, script)

    def texts(self, script: int | None = None) -> list[Text]:
        """Every stored text (or those of one script): other literals and other questions of one script."""
        with self._reading() as db:
            return scripts.load_texts(db, script)

    def uses(self) -> list[Use]:
        """Every use of an item in a stored text, with its literals."""
        with self._reading() as db:
            return scripts.load_uses(db)

    def rejected(
        self, reason: RejectReason | None = None, limit: int | None = None, *, dismissed: bool = False
    ) -> list[Rejected]:
        """What was not learned, each with its reason; also what was dismissed, where that is wanted."""
        return [one for _, one in self.rejections(reason, limit, dismissed=dismissed)]

    def rejections(
        self, reason: RejectReason | None = None, limit: int | None = None, *, dismissed: bool = False
    ) -> list[tuple[int, Rejected]]:
        """What was not learned, with the numbers by which it can be dismissed."""
        with self._reading() as db:
            return scripts.rejected_scripts(db, reason=reason, limit=limit, dismissed=dismissed)

    def stats(self) -> Stats:
        """How much the store holds."""
        with self._reading() as db:
            return scripts.stats(db)

    def stamp(self) -> tuple[int, int]:
        """Changes whenever anybody has written to the store: what was read before is out of date then."""
        with self._reading() as db:
            return int(db.execute("PRAGMA data_version").fetchone()[0]), db.total_changes

    def history(self, item: int) -> list[Change]:
        """What was changed about an item, by whom and why, oldest first."""
        with self._reading() as db:
            return items.changes_of(db, item)

    def described_by(self, source: Source, limit: int | None = None) -> list[int]:
        """Ids of the items whose description comes from that source, most used first."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT id FROM items WHERE source = ? ORDER BY support DESC, id LIMIT ?",
                (source, -1 if limit is None else limit),
            )
            return [int(row[0]) for row in rows]

    def vectors(self, level: VectorLevel) -> tuple[Ids, Vectors]:
        """Ids (n) and their vectors (n x dimension, float32, unit rows).

        Query items have no vector of their own: their scripts have.
        """
        with self._reading() as db:
            return search.vectors(db, level, int(self.meta("dimension") or 0))

    def fts_search(
        self, query: str | Sequence[str], level: Level = "item", limit: int = 20
    ) -> list[tuple[int, float]]:
        """Ids of items or scripts that hold any of the words, with their BM25 score, best first."""
        with self._reading() as db:
            return search.fts_search(db, query, level, limit)

    def require_embedder(self, embedder: Embedder) -> None:
        """Raises `StoreEmbeddingError` where the store's vectors were made with another model."""
        name, dimension = self.meta("embedder"), self.meta("dimension")
        if name is None or (name == embedder.name and dimension == str(embedder.dimension)):
            return
        raise StoreEmbeddingError(
            f"the vectors were made with {name} ({dimension} numbers),"
            f" not with {embedder.name} ({embedder.dimension} numbers)",
            where=self.path,
            hint=f"make them anew: {REEMBED}; or use the embedding model that made them",
        )

    def health(self, embedder: Embedder | None = None) -> Health:
        """Whether the file is sound, the counts agree with the tables, the vectors are this embedder's."""
        with self._reading() as db:
            found = health.check(db, embedder)
        reads = (self.saved_catalog, self.namings, self.items, self.scripts, self.texts, self.rejections)
        return Health((*found.problems, *health.unreadable(reads)))
