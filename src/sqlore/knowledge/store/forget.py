"""Taking synthetic texts out of the store again, with everything that was known from them alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from sqlore.knowledge.store.rows import recount
from sqlore.knowledge.store.text import TextIndex

__all__ = ["forget_synthetic"]


def forget_synthetic(db: sqlite3.Connection, source: str, keep: Collection[int]) -> int:
    """Deletes the synthetic texts of `source` but those of the hashes in `keep`; returns how many.

    What somebody ran stays, whoever wrote it first. Scripts and items that no text holds any more go too,
    with what people said about them.
    """
    rows = db.execute(
        "SELECT v.id FROM variants v JOIN sources g ON g.id = v.source WHERE v.synthetic AND g.name = ?"
        " ORDER BY v.id",
        (source,),
    ).fetchall()
    kept = {
        int(row[0])
        for number in keep
        for row in db.execute("SELECT variant FROM sightings WHERE hash = ?", (number,))
    }
    gone = [int(row[0]) for row in rows if row[0] not in kept]
    touched: set[int] = set()
    with TextIndex(db) as index:
        for variant in gone:
            items = db.execute("SELECT DISTINCT item FROM fragments WHERE variant = ?", (variant,))
            touched.update(int(row[0]) for row in items)
            _delete_text(db, index, variant)
        left = {item for item in touched if not _delete_unused(db, index, item)}
    recount(db, left)
    return len(gone)


def _delete_text(db: sqlite3.Connection, index: TextIndex, variant: int) -> None:
    index.leaving("script", variant)
    db.execute("DELETE FROM fragments WHERE variant = ?", (variant,))
    db.execute("DELETE FROM sightings WHERE variant = ?", (variant,))
    db.execute("DELETE FROM variants WHERE id = ?", (variant,))


def _delete_unused(db: sqlite3.Connection, index: TextIndex, item: int) -> bool:
    """Deletes an item that no text uses, with its script where it is a query; whether it did."""
    if db.execute("SELECT 1 FROM fragments WHERE item = ? LIMIT 1", (item,)).fetchone():
        return False
    kind = db.execute("SELECT kind FROM items WHERE id = ?", (item,)).fetchone()[0]
    if kind == "query":
        db.execute("DELETE FROM scripts WHERE item = ?", (item,))
    else:
        index.leaving("item", item)
    for table, column in (("item_names", "item"), ("changes", "item"), ("items", "id")):
        db.execute(f"DELETE FROM {table} WHERE {column} = ?", (item,))
    return True
