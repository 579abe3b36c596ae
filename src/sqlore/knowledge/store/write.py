"""Writing one batch: folding texts into scripts, fragments into items, and counting what changed.

Everything here runs inside a transaction that the store opened. A text is known by its hash in `sightings`;
counts are computed from the tables, never added up, so that learning again leaves the same numbers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

from sqlore.knowledge.records import Added, Batch, Description, NewScript, Sighting, key_hash
from sqlore.knowledge.store.rejected import keep_rejected, understood
from sqlore.knowledge.store.rows import (
    MAX_ALIASES,
    insert,
    literals_of,
    name_id,
    recount,
    split_column,
    storable,
)
from sqlore.knowledge.store.search import pack
from sqlore.knowledge.store.sightings import complete, see, variant_of
from sqlore.knowledge.store.text import TextIndex, set_description, set_vector
from sqlore.model import Fragment, Naming

__all__ = ["add_batch"]

MAX_VARIANTS: Final = 64
"""Texts kept of one script. A log of a million calls of one query is a count, not a million texts."""
MAX_CANONICAL: Final = 4000


def add_batch(db: sqlite3.Connection, batch: Batch) -> Added:
    """Stores a batch; returns what was new. Texts and items that are known are folded into what is there."""
    with TextIndex(db) as index:
        writer = _Writer(db, batch, index)
        for new in batch.scripts:
            writer.script(new)
        understood(db, batch.scripts)
        rejected = sum(keep_rejected(db, one, number) for one, number in batch.rejected)
        writer.see(batch.sightings)
        writer.describe()
    _call(db, writer.namings)
    recount(db, writer.touched)
    return Added(writer.new, writer.folded, writer.new_items, rejected, frozenset(writer.completed))


class _Writer:
    """The state of one batch: which variants its texts became, and what has to be counted again."""

    def __init__(self, db: sqlite3.Connection, batch: Batch, index: TextIndex) -> None:
        self.db = db
        self.batch = batch
        self.index = index
        self._made = int(batch.synthetic)
        self.touched: set[int] = set()
        self.new = self.folded = self.new_items = 0
        self.completed: set[int] = set()
        self.namings: list[Naming] = []
        self._variants: dict[int, int] = {}
        self._wordless: set[int] = set()
        self._items: dict[str, int] = {}

    def script(self, new: NewScript) -> None:
        """One text: a new script, a new variant of one, or only another sighting of a variant."""
        query = next(f for f in new.parsed.fragments if f.kind == "query")
        item = self._item(query)
        row = self.db.execute("SELECT id, synthetic FROM scripts WHERE item = ?", (item,)).fetchone()
        if row is None:
            script = insert(self.db, "scripts", {"item": item, "synthetic": int(self.batch.synthetic)})
            self.new += 1
            same = None
        else:
            script, made_up = row
            first_real = made_up and not self.batch.synthetic
            self.db.execute(
                "UPDATE scripts SET synthetic = synthetic AND ? WHERE id = ?", (self._made, script)
            )
            completed = self._complete(script, new)
            self.new += first_real
            self.folded += not first_real and completed is None
            same = completed or self._become_real(script, new)
            same = same or self._same_variant(script, item, query, new)
        self._variants[new.hash] = self._new_variant(script, new) if same is None else same

    def _complete(self, script: int, new: NewScript) -> int | None:
        """The variant of the same place, of which this reading says more."""
        if self.batch.synthetic:
            return None
        read = new.parsed.script
        variant = complete(self.db, self.index, script, read, self._vector(read.text))
        if variant is not None:
            self.completed.add(variant)
        return variant

    def _same_variant(self, script: int, item: int, query: Fragment, new: NewScript) -> int | None:
        """The variant that already says all that this text says: its literals and its words.

        A synthetic one says nothing for a text that somebody ran.
        """
        read = new.parsed.script
        row = self.db.execute(
            "SELECT v.id FROM variants v JOIN fragments f ON f.variant = v.id AND f.item = ?"
            " WHERE v.script = ? AND f.literals IS ? AND v.synthetic <= ?"
            " AND (? IS NULL OR (v.question IS ? AND v.comment IS ?)) ORDER BY v.id LIMIT 1",
            (item, script, literals_of(query), self._made, read.text, read.question, read.comment),
        ).fetchone()
        if row is None:
            count, first = self.db.execute(
                "SELECT count(*), min(id) FROM variants WHERE script = ? AND synthetic <= ?",
                (script, self._made),
            ).fetchone()
            return int(first) if count >= MAX_VARIANTS else None
        return int(row[0])

    def _become_real(self, script: int, new: NewScript) -> int | None:
        """The synthetic variant that somebody ran after all, word for word: from now on it is theirs."""
        if self.batch.synthetic:
            return None
        read = new.parsed.script
        row = self.db.execute(
            "SELECT id FROM variants WHERE synthetic AND script = ? AND sql = ? AND question IS ?"
            " AND comment IS ? AND evidence IS ?",
            (script, read.sql, read.question, read.comment, read.evidence),
        ).fetchone()
        if row is None:
            return None
        source = name_id(self.db, "sources", read.source) or None
        self.db.execute("DELETE FROM sightings WHERE variant = ?", row)
        self.db.execute(
            "UPDATE variants SET synthetic = 0, key = ?, source = ?, line = ?, database = ? WHERE id = ?",
            (read.key or None, source, read.line, read.database, *row),
        )
        return int(row[0])

    def _new_variant(self, script: int, new: NewScript) -> int:
        read = new.parsed.script
        variant = insert(
            self.db,
            "variants",
            {
                "script": script,
                "sql": read.sql,
                "key": read.key or None,
                "question": read.question,
                "comment": read.comment,
                "evidence": read.evidence,
                "source": name_id(self.db, "sources", read.source) or None,
                "line": read.line,
                "dialect": read.dialect,
                "database": read.database,
                "vector": self._vector(read.text),
                "synthetic": self._made,
            },
        )
        self.index.fresh("script", variant)
        if not self.batch.synthetic:
            self.namings += new.parsed.namings
        if read.text is None:
            self._wordless.add(script)
        rows = [
            (variant, self._item(f), f.start, f.end, None if f.scope == "main" else f.scope, literals_of(f))
            for f in new.parsed.fragments
        ]
        self.db.executemany("INSERT OR IGNORE INTO fragments VALUES (?, ?, ?, ?, ?, ?)", rows)
        return variant

    def _item(self, fragment: Fragment) -> int:
        key = fragment.key
        known = self._items.get(key)
        if known is None:
            row = self.db.execute("SELECT id, support FROM items WHERE hash = ?", (key_hash(key),)).fetchone()
            known = self._items[key] = int(row[0]) if row else self._new_item(fragment)
            if row and not row[1] and not self.batch.synthetic:  # the text of somebody in place of a model's
                self.db.execute("UPDATE items SET sql = ? WHERE id = ?", (_text_of(fragment), known))
        self.touched.add(known)
        return known

    def _new_item(self, fragment: Fragment) -> int:
        item = insert(
            self.db,
            "items",
            {
                "hash": key_hash(fragment.key),
                "kind": fragment.kind,
                "form": fragment.form,
                "skeleton": fragment.skeleton,
                "sql": _text_of(fragment),
            },
        )
        if fragment.kind != "query":
            self.index.fresh("item", item)
        pairs = {(table, "") for table in fragment.tables} | set(map(split_column, fragment.columns))
        for pair in sorted(pairs):
            self.db.execute("INSERT OR IGNORE INTO names (table_name, column_name) VALUES (?, ?)", pair)
            self.db.execute(
                "INSERT INTO item_names SELECT ?, id FROM names WHERE table_name = ? AND column_name = ?",
                (item, *pair),
            )
        self.new_items += 1
        return item

    def see(self, sightings: Iterable[Sighting]) -> None:
        """Sets how often texts were seen; only what differs is written."""
        for seen in sightings:
            variant = self._variants.get(seen.hash) or variant_of(self.db, seen.hash)
            if variant is None:
                self.db.execute(
                    "UPDATE rejected SET runs = ? WHERE hash = ? AND runs < ?",
                    (seen.runs, seen.hash, seen.runs),
                )
            elif self._counts(variant):
                changed, fuller = see(self.db, seen, variant)
                if fuller:
                    self.completed.add(variant)
                for one in changed:
                    rows = self.db.execute("SELECT DISTINCT item FROM fragments WHERE variant = ?", (one,))
                    self.touched.update(int(row[0]) for row in rows)

    def _counts(self, variant: int) -> bool:
        """Whether a sighting of this batch is one of the variant: what people ran is not seen by a model."""
        row = self.db.execute("SELECT synthetic FROM variants WHERE id = ?", (variant,)).fetchone()
        return bool(row[0]) == self.batch.synthetic

    def describe(self) -> None:
        """Names, descriptions and aliases of the batch, and the vectors of their words."""
        for key, described in self.batch.descriptions.items():
            item = self._items.get(key)
            if item is not None and set_description(
                self.db, self.index, item, source="rule", name=described.name, text=described.text
            ):
                self._point(item, described)
        for key, aliases in self.batch.aliases.items():
            item = self._items.get(key)
            if item is not None:
                self._alias(item, aliases)
        for script in sorted(self._wordless):
            item, name, text = self.db.execute(
                "SELECT i.id, i.name, i.description FROM scripts s JOIN items i ON i.id = s.item"
                " WHERE s.id = ?",
                (script,),
            ).fetchone()
            self._point(item, Description(name, text))

    def _point(self, item: int, described: Description) -> None:
        if self._vector(described.words) is not None:
            set_vector(self.db, item, described.words)

    def _alias(self, item: int, aliases: Sequence[str]) -> None:
        known = str(self.db.execute("SELECT aliases FROM items WHERE id = ?", (item,)).fetchone()[0])
        have = known.split("\n") if known else []
        more = "\n".join(list(dict.fromkeys([*have, *aliases]))[:MAX_ALIASES])
        if more != known:
            self.index.changing(item)
            self.db.execute("UPDATE items SET aliases = ? WHERE id = ?", (more, item))

    def _vector(self, text: str | None) -> int | None:
        """Stores the vector of `text` where the batch has one; returns its number."""
        if text is None or text not in self.batch.vectors:
            return None
        number = key_hash(text)
        self.db.execute(
            "INSERT OR IGNORE INTO vectors (hash, codes) VALUES (?, ?)",
            (number, pack(self.batch.vectors[text])),
        )
        return number


def _text_of(fragment: Fragment) -> str | None:
    """An item's own text: that of a query is its script's, and one without literals is the skeleton."""
    bare = fragment.kind == "query" or fragment.canonical == fragment.skeleton
    return None if bare or len(fragment.canonical) > MAX_CANONICAL else fragment.canonical


def _call(db: sqlite3.Connection, namings: Iterable[Naming]) -> None:
    """Counts what scripts call columns and codes."""
    db.executemany(
        "INSERT INTO namings VALUES (?, ?, ?, 1)"
        " ON CONFLICT (expression, alias, columns) DO UPDATE SET uses = uses + 1",
        [
            (storable(n.expression), storable(n.alias), storable("\n".join(n.columns)))
            for n in namings
            if len(n.expression) <= MAX_CANONICAL
        ],
    )
