"""The knowledge store: one SQLite file with everything that was learned of one database's history."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sqlore.errors import StoreError
from sqlore.knowledge.records import (
    Added,
    Batch,
    Description,
    Source,
)
from sqlore.knowledge.store import health, scripts
from sqlore.knowledge.store.file import connect, plain_errors, sound
from sqlore.knowledge.store.forget import forget_synthetic
from sqlore.knowledge.store.rejected import forget_gone
from sqlore.knowledge.store.sightings import recount_reworded
from sqlore.knowledge.store.text import TextIndex, set_description
from sqlore.knowledge.store.trust import mark_stale, merge, set_trust, set_words
from sqlore.knowledge.store.write import add_batch
from sqlore.model import KnowledgeItem, RejectReason, Schema, Trust

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.embed import Embedder
from sqlore.knowledge.store.reader import StoreReader

__all__ = ["Store"]


class Store(StoreReader):
    """An open knowledge store.

    Use as a context manager. One process may share it between threads; several processes may read one file
    while one of them writes. Every method raises `StoreError` where the file cannot be read or written, and
    then nothing is half written.

    >>> with Store.create(":memory:") as store:
    ...     store.stats().scripts
    0
    """

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = False) -> Store:
        """The store in the file `path`.

        Raises `StoreError` where there is none, `StoreVersionError` where a newer sqlore made it.
        """
        return cls(connect(Path(path), create=False, read_only=read_only), str(path))

    @classmethod
    def create(cls, path: str | Path) -> Store:
        """The store in the file `path`, made where there is none; ``:memory:`` for one that is not kept.

        Raises `StoreError` where the file is something else: sqlore writes over no file it did not make.
        """
        return cls(connect(Path(path), create=True), str(path))

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it or nothing, whatever happens inside, Ctrl-C too."""
        with self._lock, plain_errors(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                # SQLite itself has rolled back where the disk is full.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def set_meta(self, **facts: str | int | None) -> None:
        """Remembers facts; None forgets one."""
        with self._writing() as db:
            _set_facts(db, facts)

    def save_catalog(self, data: Any, *, schema: Schema | None = None, **facts: str | int | None) -> None:
        """Keeps the catalog's JSON, compressed; an equal one is not written again.

        What is said of the catalog goes with it, in one transaction: `facts` as in `set_meta`, and what is
        stale by its `schema` as in `mark_stale`.
        """
        packed = _packed(data)
        with self._writing() as db, sound(self.path):
            _put_catalog(db, packed, schema, facts)

    def revise_catalog(
        self,
        act: Callable[[Catalog | None], Catalog],
        *,
        schema: Schema | None = None,
        **facts: str | int | None,
    ) -> None:
        """Keeps what `act` makes of the catalog that is saved, in one transaction: of two processes at a
        time, each makes its own of what the other one left. `schema` and `facts` as in `save_catalog`."""
        with self._writing() as db:
            packed = _packed(act(self.saved_catalog()).to_json())
            with sound(self.path):
                _put_catalog(db, packed, schema, facts)

    def add(self, batch: Batch) -> Added:
        """Stores a batch in one transaction and says what was new."""
        with self._writing() as db:
            return add_batch(db, batch)

    def forget_gone(self, texts: Mapping[str, Collection[int]], fresh: Collection[int] = ()) -> int:
        """Forgets what was not learned of sources that hold it no longer; returns how many.

        `texts` are the hashes of all texts that a source holds now, by its name. What was learned stays; but
        where one of the `fresh` texts is the same SQL in other words, the runs are its own now.
        """
        with self._writing() as db:
            recount_reworded(db, texts, fresh)
            return forget_gone(db, texts)

    def forget_synthetic(self, source: str, *, keep: Collection[int] = ()) -> int:
        """Takes the synthetic texts of `source` out, but those whose hash is in `keep`; returns how many.

        What is known from them alone goes with them; what somebody ran stays.
        """
        with self._writing() as db:
            return forget_synthetic(db, source, keep)

    def dismiss(self, number: int | None = None, reason: RejectReason | None = None) -> int:
        """Dismisses what was not learned: one, all of a reason, or all; returns how many.

        It is not listed and not counted any more, and a later run does not bring it back.
        """
        with self._writing() as db:
            return scripts.dismiss(db, number, reason)

    def improve(
        self, words: Mapping[int, Description], source: Source, embedder: Embedder | None = None
    ) -> int:
        """Descriptions by item from a rule or a model; those of a better source stay.

        Returns how many were taken.
        """
        with self._writing() as db, TextIndex(db) as index:
            taken = [
                item
                for item, new in words.items()
                if set_description(db, index, item, source=source, name=new.name, text=new.text)
            ]
        if embedder is not None and taken:
            self._refresh_vectors(taken, embedder)
        return len(taken)

    def reembed(self, embedder: Embedder) -> int:
        """Makes all vectors anew with another model, in one transaction; returns how many texts that were.

        Also gives vectors to a store that was learned without an embedding model.
        """
        with self._writing() as db:
            db.execute("DELETE FROM vectors")
            done = health.store_vectors(db, *health.words_to_embed(db), embedder)
            for key, value in (("embedder", embedder.name), ("dimension", str(embedder.dimension))):
                db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
        return done

    def _refresh_vectors(self, items: Sequence[int], embedder: Embedder) -> None:
        self.require_embedder(embedder)
        with self._writing() as db:
            health.store_vectors(db, *health.words_to_embed(db, items), embedder)

    def compact(self) -> None:
        """Gives unused space back to the disk and merges the full-text index; the content stays the same."""
        with self._lock, plain_errors(self.path):
            health.compact(self._db)

    def repair(self) -> None:
        """Makes everything that can be computed anew: counts and the full-text index."""
        with self._writing() as db:
            health.repair(db)

    def set_trust(self, item: int, trust: Trust, who: str, why: str = "") -> KnowledgeItem:
        """Sets an item's trust and keeps who and why. Raises `UsageError` for an unknown item or trust."""
        with self._writing() as db:
            set_trust(db, item, trust, who, why)
        return self._item(item)

    def describe(
        self,
        item: int,
        *,
        name: str | None = None,
        description: str | None = None,
        who: str,
        why: str = "",
        embedder: Embedder | None = None,
    ) -> KnowledgeItem:
        """A person's name or description of an item; no rule and no model replaces it."""
        with self._writing() as db, TextIndex(db) as index:
            changed = set_words(db, index, item, name=name, description=description, who=who, why=why)
        if changed and embedder is not None:
            self._refresh_vectors([item], embedder)
        return self._item(item)

    def merge(self, item: int, into: int, who: str, why: str = "") -> KnowledgeItem:
        """Says that an item means the same as `into`, which takes its names; the item is deprecated.

        Returns the one that stays. Raises `UsageError` where the two are not of one kind.
        """
        with self._writing() as db, TextIndex(db) as index:
            merge(db, index, item, into, who, why)
        return self._item(into)

    def mark_stale(self, schema: Schema) -> tuple[int, int]:
        """Marks items that name what the schema lacks, unmarks what is back; returns both counts."""
        with self._writing() as db, sound(self.path):
            return mark_stale(db, schema)

    def _item(self, number: int) -> KnowledgeItem:
        found = self.item(number)
        if found is None:
            raise StoreError(f"there is no knowledge item {number}", where=self.path)
        return found


def _packed(catalog: Any) -> bytes:
    return zlib.compress(json.dumps(catalog, ensure_ascii=False, separators=(",", ":")).encode(), 9)


def _put_catalog(
    db: sqlite3.Connection, packed: bytes, schema: Schema | None, facts: Mapping[str, str | int | None]
) -> None:
    """Writes the catalog, and in `catalog_is` a stamp that tells one catalog from another."""
    row = db.execute("SELECT value FROM meta WHERE key = 'catalog'").fetchone()
    if row is None or row[0] != packed:
        db.execute("INSERT OR REPLACE INTO meta VALUES ('catalog', ?)", (packed,))
    _set_facts(db, {"catalog_is": hashlib.sha256(packed).hexdigest()[:16], **facts})
    if schema is not None:
        mark_stale(db, schema)


def _set_facts(db: sqlite3.Connection, facts: Mapping[str, str | int | None]) -> None:
    for key, value in facts.items():
        if value is None:
            db.execute("DELETE FROM meta WHERE key = ?", (key,))
        else:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, str(value)))
