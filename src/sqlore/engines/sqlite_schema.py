"""The schema of a SQLite file: what its catalogue says, and what the CREATE statements add to it."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from sqlore.engines.base import quote_name
from sqlore.engines.ddl_comments import ddl_comments
from sqlore.model import Column, ForeignKey, Schema, Table

__all__ = ["read_schema"]

#: Seconds that counting the rows of all tables together may take.
COUNT_BUDGET: Final = 1.0
# Full-text and R-tree tables keep their data in ordinary tables of these names, which are theirs alone.
_SHADOWS: Final = (
    *("data", "idx", "content", "docsize", "config"),  # fts5
    *("segments", "segdir", "stat"),  # fts3, fts4
    *("node", "rowid", "parent"),  # rtree
)


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    is_view: bool
    sql: str


def read_schema(connection: sqlite3.Connection, name: str, set_deadline: Callable[[float], None]) -> Schema:
    """Every table and view but SQLite's own. A view or virtual table that is broken has no columns."""
    entries = list(_entries(connection))
    columns = {entry.name.lower(): _columns(connection, entry) for entry in entries}
    names = {entry.name.lower(): entry.name for entry in entries}
    counts = _row_counts(connection, [e.name for e in entries if not e.is_view], set_deadline)
    tables = tuple(
        Table(
            name=entry.name,
            columns=columns[entry.name.lower()],
            foreign_keys=tuple(_foreign_keys(connection, entry.name, names, columns)),
            comment=None if entry.is_view else ddl_comments(entry.sql).table,
            rows=counts.get(entry.name),
            is_view=entry.is_view,
        )
        for entry in entries
    )
    return Schema(tables, name=name, dialect="sqlite")


def _entries(connection: sqlite3.Connection) -> Iterator[_Entry]:
    rows = connection.execute(
        "SELECT name, type, coalesce(sql, '') FROM sqlite_master"
        " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    ).fetchall()
    virtual = {name for name, _, sql in rows if re.match(r"\s*create\s+virtual\b", sql, re.IGNORECASE)}
    shadows = {f"{name}_{suffix}" for name in virtual for suffix in _SHADOWS}
    for name, kind, sql in rows:
        if name not in shadows:
            yield _Entry(name, kind == "view", sql)


def _columns(connection: sqlite3.Connection, entry: _Entry) -> tuple[Column, ...]:
    try:
        rows = connection.execute(f"PRAGMA table_xinfo({quote_name(entry.name)})").fetchall()
    except sqlite3.OperationalError:
        return ()
    comments = {} if entry.is_view else ddl_comments(entry.sql).columns
    return tuple(
        Column(
            name=name,
            type=kind or "",
            nullable=not required and not key,
            primary_key=bool(key),
            comment=comments.get(name.lower()),
        )
        for _, name, kind, required, _, key, hidden in rows
        if hidden != 1  # 1 is a hidden column of a virtual table; 2 and 3 are generated ones, which show
    )


def _foreign_keys(
    connection: sqlite3.Connection,
    table: str,
    names: dict[str, str],
    columns: dict[str, tuple[Column, ...]],
) -> Iterator[ForeignKey]:
    """The keys in the order they are written; one to a table that does not exist is left out."""
    keys: dict[int, list[tuple[str, str, str | None]]] = {}
    rows = connection.execute(f"PRAGMA foreign_key_list({quote_name(table)})")
    for number, _, target, own, theirs, *_ in rows:
        keys.setdefault(number, []).append((target, own, theirs))
    for _, pairs in sorted(keys.items(), reverse=True):
        target = pairs[0][0].lower()
        if target not in names:
            continue
        theirs = tuple(theirs for _, _, theirs in pairs if theirs is not None)
        if not theirs:  # REFERENCES t without columns means the primary key of t
            theirs = tuple(column.name for column in columns[target] if column.primary_key)
        spelling = {column.name.lower(): column.name for column in columns[target]}
        if len(theirs) == len(pairs):
            spelled = tuple(spelling.get(name.lower(), name) for name in theirs)
            yield ForeignKey(tuple(own for _, own, _ in pairs), names[target], spelled)


def _row_counts(
    connection: sqlite3.Connection, tables: list[str], set_deadline: Callable[[float], None]
) -> dict[str, int]:
    """Exact counts while the budget lasts; a table that is not counted in time is absent."""
    counts: dict[str, int] = {}
    end = time.monotonic() + COUNT_BUDGET
    for table in tables:
        left = end - time.monotonic()
        if left <= 0:
            break
        set_deadline(left)
        try:
            counts[table] = connection.execute(f"SELECT count(*) FROM {quote_name(table)}").fetchone()[0]
        except sqlite3.OperationalError:
            continue
        finally:
            set_deadline(float("inf"))
    return counts
