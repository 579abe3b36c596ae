"""The schema of a MySQL or MariaDB database: three queries over `information_schema`."""

from __future__ import annotations

import hashlib
import time
from typing import Any, Final

import pymysql

from sqlore.model import Column, ForeignKey, Schema, Table

__all__ = ["read_fingerprint", "read_schema"]

#: Seconds that counting small tables may take: what the server estimates of them may be far off.
COUNT_SECONDS: Final = 1.0
_SMALL: Final = 10_000
_AT_ONCE: Final = 100
_Name = tuple[str, str]

_TABLES: Final = """
SELECT table_schema, table_name, table_type IN ('VIEW', 'SYSTEM VIEW'), table_comment, table_rows
FROM information_schema.tables WHERE table_schema IN %(schemas)s AND table_type <> 'SEQUENCE'
ORDER BY create_time IS NULL, create_time, table_name
"""
_COLUMNS: Final = """
SELECT table_schema, table_name, column_name, column_type, is_nullable, column_key, column_comment
FROM information_schema.columns WHERE table_schema IN %(schemas)s
ORDER BY table_schema, table_name, ordinal_position
"""
_KEYS: Final = """
SELECT table_schema, table_name, constraint_name, column_name, referenced_table_schema,
       referenced_table_name, referenced_column_name
FROM information_schema.key_column_usage
WHERE table_schema IN %(schemas)s AND referenced_table_name IS NOT NULL
ORDER BY table_schema, table_name, constraint_name, ordinal_position
"""
_STATE: Final = """
SELECT table_schema, table_name, create_time, update_time, table_rows, data_length, auto_increment,
       table_comment
FROM information_schema.tables WHERE table_schema IN %(schemas)s ORDER BY table_schema, table_name
"""


def read_schema(connection: Any, database: str, schemas: tuple[str, ...]) -> Schema:
    """Every table and view of the database, and of other `schemas` where they are named.

    A schema is a database here; tables of the one that is connected to have schema None and come first.
    """
    wanted = {"schemas": schemas or (database,)}
    with connection.cursor() as cursor:
        rows = _all(cursor, _TABLES, wanted)
        columns: dict[_Name, list[Column]] = {}
        for schema, table, column, kind, nullable, key, comment in _all(cursor, _COLUMNS, wanted):
            columns.setdefault((schema, table), []).append(
                Column(column, kind, nullable == "YES", key == "PRI", comment or None)
            )
        keys = _foreign(_all(cursor, _KEYS, wanted), {(row[0], row[1]) for row in rows}, database)
    small = [(row[0], row[1]) for row in rows if not row[2] and (row[4] or 0) < _SMALL]
    counts = _counts(connection, small)
    rows.sort(key=lambda row: row[0] != database)
    tables = tuple(
        Table(
            name=table,
            columns=tuple(columns.get((schema, table), ())),
            schema=None if schema == database else schema,
            foreign_keys=tuple(keys.get((schema, table), ())),
            comment=None if is_view else comment or None,
            rows=None if is_view else counts.get((schema, table), estimate),
            is_view=bool(is_view),
        )
        for schema, table, is_view, comment, estimate in rows
    )
    return Schema(tables, name=database, dialect="mysql")


def _all(cursor: Any, sql: str, given: dict[str, Any]) -> list[tuple[Any, ...]]:
    cursor.execute(sql, given)
    return list(cursor.fetchall())


def _foreign(rows: list[tuple[Any, ...]], known: set[_Name], database: str) -> dict[_Name, list[ForeignKey]]:
    """The foreign keys of each table; one to a table that may not be seen is left out."""
    pairs: dict[tuple[str, str, str], list[tuple[str, str, str, str]]] = {}
    for schema, table, constraint, own, *target in rows:
        if (target[0], target[1]) in known:
            pairs.setdefault((schema, table, constraint), []).append((own, *target))
    found: dict[_Name, list[ForeignKey]] = {}
    for (schema, table, _), columns in pairs.items():
        _, other, target_table, _ = columns[0]
        spelled = target_table if other == database else f"{other}.{target_table}"
        key = ForeignKey(tuple(c[0] for c in columns), spelled, tuple(c[3] for c in columns))
        found.setdefault((schema, table), []).append(key)
    return found


def _counts(connection: Any, tables: list[_Name]) -> dict[_Name, int]:
    """Exact counts of small tables, while the time lasts."""
    counts: dict[_Name, int] = {}
    end = time.monotonic() + COUNT_SECONDS
    for start in range(0, len(tables), _AT_ONCE):
        some = tables[start : start + _AT_ONCE]
        if time.monotonic() > end:
            break
        asked = ", ".join(f"(SELECT COUNT(*) FROM {_quoted(schema)}.{_quoted(t)})" for schema, t in some)
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT /* sqlore */ {asked}")
                counts.update(zip(some, cursor.fetchone(), strict=True))
        except pymysql.Error:  # one of them may not be counted: nothing is known of these
            continue
    return counts


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def read_fingerprint(connection: Any, database: str, schemas: tuple[str, ...]) -> str:
    """A hash of when each table was changed, of its size, and of the columns."""
    wanted = {"schemas": schemas or (database,)}
    with connection.cursor() as cursor:
        state = (_all(cursor, _STATE, wanted), _all(cursor, _COLUMNS, wanted))
    return hashlib.sha256(repr(state).encode()).hexdigest()[:32]
