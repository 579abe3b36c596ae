"""The schema of a DuckDB file, from its own system tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlore.model import Column, ForeignKey, Schema, Table

if TYPE_CHECKING:
    import duckdb

__all__ = ["read_schema"]

_Name = tuple[str, str]

_TABLES = """
SELECT schema_name, table_name, comment, estimated_size, false, table_oid
FROM duckdb_tables() WHERE database_name = current_database() AND NOT internal AND NOT temporary
UNION ALL
SELECT schema_name, view_name, comment, NULL, true, view_oid
FROM duckdb_views() WHERE database_name = current_database() AND NOT internal AND NOT temporary
ORDER BY 6
"""
_COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, is_nullable, comment
FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal
ORDER BY table_oid, column_index
"""
_KEYS = """
SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table,
       referenced_column_names
FROM duckdb_constraints() WHERE database_name = current_database()
  AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY') ORDER BY table_oid, constraint_index
"""


def read_schema(connection: duckdb.DuckDBPyConnection, name: str) -> Schema:
    """Every table and view of the file; tables of the default schema `main` have schema None."""
    primary: dict[_Name, set[str]] = {}
    foreign: dict[_Name, list[ForeignKey]] = {}
    for schema, table, kind, names, target, targets in _rows(connection, _KEYS):
        if kind == "PRIMARY KEY":
            primary.setdefault((schema, table), set()).update(names)
        else:
            key = ForeignKey(tuple(names), target, tuple(targets))
            foreign.setdefault((schema, table), []).append(key)
    columns: dict[_Name, list[Column]] = {}
    for schema, table, column, kind, nullable, comment in _rows(connection, _COLUMNS):
        is_key = column in primary.get((schema, table), ())
        columns.setdefault((schema, table), []).append(Column(column, kind, bool(nullable), is_key, comment))
    tables = tuple(
        Table(
            name=table,
            columns=tuple(columns.get((schema, table), ())),
            schema=None if schema == "main" else schema,
            foreign_keys=tuple(foreign.get((schema, table), ())),
            comment=comment,
            rows=size,
            is_view=is_view,
        )
        for schema, table, comment, size, is_view, _ in _rows(connection, _TABLES)
    )
    return Schema(tables, name=name, dialect="duckdb", home="main")


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql).fetchall()
