"""Rows of the store: inserting them, interning names, packing literals, counting what depends on them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sqlore.model import Fragment

__all__ = [
    "MAX_ALIASES",
    "MAX_LITERALS",
    "insert",
    "literals_of",
    "name_id",
    "packed",
    "recount",
    "split_column",
    "storable",
]

MAX_LITERALS: Final = 64
MAX_ALIASES: Final = 8
"""Further names that an item keeps."""
_COLUMN = re.compile(r'(?:(.*)\.)?("(?:[^"]|"")*"|[^."]*)')


def recount(db: sqlite3.Connection, items: Iterable[int]) -> None:
    """Computes what is counted of the items given and of their scripts, from the tables.

    Synthetic texts count for nothing: what is known from them alone has a support of 0.
    """
    rows = [(item,) for item in sorted(items)]
    db.executemany(
        "UPDATE scripts SET runs = (SELECT coalesce(sum(g.runs), 0) FROM variants v"
        " JOIN sightings g ON g.variant = v.id WHERE v.script = scripts.id AND NOT v.synthetic),"
        " synthetic = NOT EXISTS (SELECT 1 FROM variants v WHERE v.script = scripts.id AND NOT v.synthetic)"
        " WHERE item = ?",
        rows,
    )
    db.executemany(
        "UPDATE items SET (support, runs) = (SELECT count(*), coalesce(sum(s.runs), 0) FROM scripts s"
        " WHERE s.id IN (SELECT v.script FROM fragments f JOIN variants v ON v.id = f.variant"
        " WHERE f.item = items.id AND NOT v.synthetic)) WHERE id = ?",
        rows,
    )


def storable(text: str) -> str:
    """`text` without lone surrogates, which SQLite cannot keep."""
    return text.encode("utf-8", "replace").decode()


def insert(db: sqlite3.Connection, table: str, values: Mapping[str, Any]) -> int:
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    kept = [storable(v) if isinstance(v, str) else v for v in values.values()]
    cursor = db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", kept)
    return int(cursor.lastrowid or 0)


def name_id(db: sqlite3.Connection, table: str, name: str | None) -> int:
    """The number of an interned name, 0 for none."""
    if not name:
        return 0
    row = db.execute(f"SELECT id FROM {table} WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else insert(db, table, {"name": name})


def literals_of(fragment: Fragment) -> str | None:
    return packed(fragment.literals) if fragment.literals else None


def packed(literals: Sequence[str]) -> str:
    """Literals as a row of a fragment holds them."""
    kept = list(literals[:MAX_LITERALS])
    return storable(json.dumps(kept, ensure_ascii=False, separators=(",", ":")))


def split_column(column: str) -> tuple[str, str]:
    match = _COLUMN.fullmatch(column)
    return (match[1] or "", match[2]) if match else ("", column)
