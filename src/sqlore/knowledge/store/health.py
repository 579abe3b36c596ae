"""Keeping a store sound: checks, repair of what can be computed, compaction, vectors made anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from sqlore.embed import Embedder
from sqlore.errors import StoreError
from sqlore.knowledge.records import Description, Health, key_hash
from sqlore.knowledge.store.file import RESTORE
from sqlore.knowledge.store.items import rows_of
from sqlore.knowledge.store.rows import recount
from sqlore.knowledge.store.search import pack
from sqlore.knowledge.store.text import rebuild

__all__ = ["REEMBED", "check", "compact", "repair", "store_vectors", "unreadable", "words_to_embed"]

REEMBED: Final = "sqlore learn --history FOLDER --reembed"
"""The command that makes all vectors anew."""

_COUNTS = """
SELECT count(*) FROM items i WHERE (support, runs) IS NOT (
    SELECT count(*), coalesce(sum(s.runs), 0) FROM scripts s WHERE s.id IN (
        SELECT v.script FROM fragments f JOIN variants v ON v.id = f.variant
        WHERE f.item = i.id AND NOT v.synthetic))
"""


def check(db: sqlite3.Connection, embedder: Embedder | None) -> Health:
    """Looks at the file, the references, the counts, the full-text index and the vectors."""
    problems = []
    damage = [str(row[0]) for row in db.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
    if damage:
        problems.append(f"the file is damaged ({'; '.join(damage)}): restore a backup or learn anew")
    if db.execute("PRAGMA foreign_key_check").fetchone() is not None:
        problems.append("rows refer to rows that are gone: learn the history into a new store")
    unread = "SELECT 1 FROM fragments WHERE literals IS NOT NULL AND NOT json_valid(literals) LIMIT 1"
    if db.execute(unread).fetchone() is not None:
        problems.append(f"values that scripts use cannot be read: {RESTORE}")
    wrong = db.execute(_COUNTS).fetchone()[0]
    if wrong:
        problems.append(f"{wrong} items have a wrong count: repair the store")
    for level in ("item", "script"):
        words = db.execute(f"SELECT count(*) FROM {level}_words").fetchone()[0]
        indexed = db.execute(f"SELECT count(*) FROM {level}_text_docsize").fetchone()[0]
        if words != indexed:
            problems.append(f"the full-text index of {level}s is not complete: repair the store")
    problems += _check_vectors(db, embedder)
    return Health(tuple(problems))


def _check_vectors(db: sqlite3.Connection, embedder: Embedder | None) -> list[str]:
    facts = dict(db.execute("SELECT key, value FROM meta WHERE key IN ('embedder', 'dimension')").fetchall())
    name = facts.get("embedder")
    if name is None:
        return [f"there are no vectors: learn with an embedding model, or {REEMBED}"]
    problems = []
    if embedder is not None and name != embedder.name:
        problems.append(f"the vectors were made with {name}, not with {embedder.name}: {REEMBED}")
    dimension = str(facts.get("dimension"))
    size = 4 + int(dimension) if dimension.isdecimal() else 0
    if db.execute("SELECT 1 FROM vectors WHERE length(codes) <> ? LIMIT 1", (size,)).fetchone():
        problems.append(f"some vectors have another length: {REEMBED}")
    missing = db.execute(
        "SELECT (SELECT count(*) FROM items WHERE kind <> 'query' AND (vector IS NULL"
        " OR vector NOT IN (SELECT hash FROM vectors))) + (SELECT count(*) FROM variants"
        " WHERE vector IS NULL OR vector NOT IN (SELECT hash FROM vectors))"
    ).fetchone()[0]
    if missing:
        problems.append(f"{missing} texts have no vector: {REEMBED}")
    return problems


def unreadable(reads: Iterable[Callable[[], object]]) -> list[str]:
    """What of a store's content cannot be read, in a file that may be sound for SQLite.

    >>> unreadable([lambda: None])
    []
    """
    problems = []
    for read in reads:
        try:
            read()
        except StoreError:
            what = getattr(read, "__name__", "content").replace("_", " ")
            problems.append(f"the {what} cannot be read: {RESTORE}")
    return problems


def repair(db: sqlite3.Connection) -> None:
    """Computes the counts and the full-text index anew."""
    recount(db, [int(row[0]) for row in db.execute("SELECT id FROM items")])
    rebuild(db)


def compact(db: sqlite3.Connection) -> None:
    """Drops vectors nobody uses, merges the full-text index, and shrinks the file."""
    db.execute(
        "DELETE FROM vectors WHERE hash NOT IN (SELECT vector FROM items WHERE vector IS NOT NULL"
        " UNION SELECT vector FROM variants WHERE vector IS NOT NULL)"
    )
    for level in ("item", "script"):
        db.execute(f"INSERT INTO {level}_text ({level}_text) VALUES ('optimize')")
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def words_to_embed(
    db: sqlite3.Connection, items: Sequence[int] | None = None
) -> tuple[dict[int, str], dict[int, str]]:
    """What is embedded of items and of texts, by id; None for all.

    A text is embedded by what was written about it, else by its description.
    """
    of_items: dict[int, str] = {}
    described: dict[int, str] = {}
    for number, kind, name, text in rows_of(
        db, "SELECT id, kind, name, description FROM items WHERE id {ids} ORDER BY id", items
    ):
        words = Description(name, text).words
        if kind == "query":
            described[number] = words
        else:
            of_items[number] = words
    of_texts = {
        int(row[0]): row[1] or described[row[2]]
        for row in rows_of(
            db,
            "SELECT v.id, coalesce(v.question, v.comment), s.item FROM variants v"
            " JOIN scripts s ON s.id = v.script WHERE s.item {ids} ORDER BY v.id",
            items,
        )
    }
    return of_items, of_texts


def store_vectors(
    db: sqlite3.Connection, items: dict[int, str], texts: dict[int, str], embedder: Embedder
) -> int:
    """Embeds the words of items and texts and points them at their vectors; returns how many words."""
    words = list(dict.fromkeys([*items.values(), *texts.values()]))
    codes = [(key_hash(text), pack(row)) for text, row in zip(words, embedder.embed(words), strict=True)]
    db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", codes)
    for table, wanted in (("items", items), ("variants", texts)):
        db.executemany(
            f"UPDATE {table} SET vector = ? WHERE id = ?",
            [(key_hash(text), number) for number, text in wanted.items()],
        )
    return len(words)
