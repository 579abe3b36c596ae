"""What people say about items, and what a changed schema says: trust, names, descriptions, staleness.

Every change makes a new version of the item and leaves one entry in its history: what, who, why, when.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from datetime import UTC, datetime

from sqlore.errors import UsageError
from sqlore.knowledge.store_rows import storable
from sqlore.knowledge.store_text import TextIndex, set_description
from sqlore.model import Schema, Trust

__all__ = ["mark_stale", "set_trust", "set_words"]

_TRUST: tuple[Trust, ...] = ("unverified", "verified", "deprecated")


def set_trust(db: sqlite3.Connection, item: int, trust: Trust, who: str, why: str) -> bool:
    """Sets an item's trust; returns whether it changed. Raises `UsageError` for an unknown item or trust."""
    if trust not in _TRUST:
        raise UsageError(f"unknown trust: {trust!r}", hint="one of: " + ", ".join(_TRUST))
    old = _value(db, item, "trust")
    if old == trust:
        return False
    db.execute("UPDATE items SET trust = ? WHERE id = ?", (trust, item))
    _record(db, item, "trust", old, trust, who, why)
    return True


def set_words(
    db: sqlite3.Connection,
    index: TextIndex,
    item: int,
    *,
    name: str | None,
    description: str | None,
    who: str,
    why: str,
) -> bool:
    """A person's name or description of an item, or both; returns whether anything changed."""
    before = {"name": _value(db, item, "name"), "description": _value(db, item, "description")}
    if not set_description(db, index, item, source="person", name=name, text=description):
        return False
    for what, new in (("name", name), ("description", description)):
        if new is not None and new != before[what]:
            _record(db, item, what, before[what], new, who, why)
    return True


def mark_stale(db: sqlite3.Connection, schema: Schema, who: str = "sqlore") -> tuple[int, int]:
    """Marks the items that name a table or column the schema has not, and unmarks those that fit again.

    Returns how many were marked and unmarked. An item keeps its support and history: only what it names is
    gone, and it may come back.
    """
    missing = _missing(db, schema)
    marked = unmarked = 0
    for item, old in db.execute("SELECT id, stale FROM items ORDER BY id").fetchall():
        gone = missing.get(item)
        new = "the database has no " + " and no ".join(gone) if gone else None
        if new == old:
            continue
        db.execute("UPDATE items SET stale = ? WHERE id = ?", (new, item))
        _record(db, item, "stale", old or "", new or "", who, "the schema was compared")
        marked += new is not None
        unmarked += new is None
    return marked, unmarked


def _missing(db: sqlite3.Connection, schema: Schema) -> dict[int, list[str]]:
    """For each item the names that the schema does not have, tables first."""
    gone: dict[int, str] = {}
    for number, table, column in db.execute("SELECT id, table_name, column_name FROM names").fetchall():
        found = schema.table(_bare(table))
        if not table:
            continue  # a column of unknown table cannot be judged
        if not column and found is None:
            gone[number] = f"table {table}"
        elif column and found is not None and column != "*" and found.column(_bare(column)) is None:
            gone[number] = f"column {table}.{column}"
    items: dict[int, list[str]] = defaultdict(list)
    rows = db.execute(
        "SELECT u.item, n.id FROM item_names u JOIN names n ON n.id = u.name"
        " ORDER BY u.item, n.column_name <> '', n.table_name, n.column_name"
    )
    for item, number in rows:
        if number in gone:
            items[item].append(gone[number])
    return items


def _bare(name: str) -> str:
    """A name of a skeleton without its quotes: `"Free Meal"` -> Free Meal, `s1."T"` -> s1.T."""
    if '"' not in name:
        return name
    return name.replace('""', "\0").replace('"', "").replace("\0", '"')


def _value(db: sqlite3.Connection, item: int, column: str) -> str:
    row = db.execute(f"SELECT {column} FROM items WHERE id = ?", (item,)).fetchone()
    if row is None:
        raise UsageError(f"there is no knowledge item {item}", hint="see: sqlore knowledge list")
    return str(row[0] or "")


def _record(db: sqlite3.Connection, item: int, what: str, old: str, new: str, who: str, why: str) -> None:
    version = db.execute(
        "UPDATE items SET version = version + 1 WHERE id = ? RETURNING version", (item,)
    ).fetchone()[0]
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    db.execute(
        "INSERT INTO changes (item, version, what, old, new, who, why, time) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (item, version, what, old, storable(new), storable(who), storable(why), moment),
    )
