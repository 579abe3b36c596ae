"""What people say about items, and what a changed schema says: trust, names, descriptions, staleness.

Every change makes a new version of the item and leaves one entry in its history: what, who, why, when.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from datetime import UTC, datetime

from sqlore.errors import UsageError
from sqlore.knowledge.store.rows import MAX_ALIASES, storable
from sqlore.knowledge.store.text import TextIndex, set_description
from sqlore.model import Schema, Trust
from sqlore.sql.check.known import is_known

__all__ = ["mark_stale", "merge", "set_trust", "set_words"]

_TRUST: tuple[Trust, ...] = ("unverified", "verified", "deprecated")


def set_trust(db: sqlite3.Connection, item: int, trust: Trust, who: str, why: str) -> bool:
    """Sets an item's trust; returns whether anything was recorded.

    What was verified and has been changed since can be verified again: it is another version. Raises
    `UsageError` for an unknown item or trust.
    """
    if trust not in _TRUST:
        raise UsageError(f"unknown trust: {trust!r}", hint="one of: " + ", ".join(_TRUST))
    old = _value(db, item, "trust")
    if old == trust and not (trust == "verified" and _changed_since(db, item)):
        return False
    db.execute("UPDATE items SET trust = ? WHERE id = ?", (trust, item))
    _record(db, item, "trust", old, trust, who, why)
    return True


def merge(db: sqlite3.Connection, index: TextIndex, item: int, into: int, who: str, why: str) -> None:
    """Says that an item means the same as another, which is to be used: it is not offered any more.

    Its names become further names of the other one, so that it is found by them. Uses and counts stay where
    they are: they are what was run. Raises `UsageError` where the two cannot be one.
    """
    kind, other = _value(db, item, "kind"), _value(db, into, "kind")
    if item == into:
        raise UsageError(f"item {item} cannot be merged into itself", hint="choose another item")
    if kind != other:
        raise UsageError(f"a {kind} cannot be merged into a {other}", hint="choose an item of the same kind")
    if _value(db, into, "trust") == "deprecated":
        raise UsageError(f"item {into} is deprecated itself", hint="choose the item that is to be used")
    before = _value(db, into, "aliases")
    given = [_value(db, item, "name"), *_value(db, item, "aliases").split("\n")]
    own = _value(db, into, "name").lower()
    names = dict.fromkeys([*before.split("\n"), *(name for name in given if name.lower() != own)])
    after = "\n".join([name for name in names if name][:MAX_ALIASES])
    if after != before:
        index.changing(into)
        db.execute("UPDATE items SET aliases = ? WHERE id = ?", (after, into))
        _record(db, into, "aliases", before, after, who, why)
    set_trust(db, item, "deprecated", who, why)
    _record(db, item, "merged", "", str(into), who, why)


def _changed_since(db: sqlite3.Connection, item: int) -> bool:
    """Whether the last thing that happened to an item is something else than a verdict on it."""
    row = db.execute("SELECT what FROM changes WHERE item = ? ORDER BY id DESC LIMIT 1", (item,)).fetchone()
    return row is not None and row[0] != "trust"


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
        if not is_known(schema, table, column):
            gone[number] = f"column {table}.{column}" if column else f"table {table}"
    items: dict[int, list[str]] = defaultdict(list)
    rows = db.execute(
        "SELECT u.item, n.id FROM item_names u JOIN names n ON n.id = u.name"
        " ORDER BY u.item, n.column_name <> '', n.table_name, n.column_name"
    )
    for item, number in rows:
        if number in gone:
            items[item].append(gone[number])
    return items


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
