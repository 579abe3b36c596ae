"""A schema without types: the form that few-shot examples of many databases share.

"Adapt and Decompose" (section 4.1) gives every database of its generic prompt as CREATE TABLE statements
with primary and foreign keys and nothing else, so that several fit. The target has the form of the examples.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlore.catalog import quote_name
from sqlore.catalog.names import quote_reference
from sqlore.model import Schema, Table


def bare_schema(schema: Schema) -> str:
    """One line a table: columns, primary key, foreign keys.

    >>> from sqlore.model import Column, ForeignKey
    >>> rooms = Table("room", (Column("id", "INTEGER", primary_key=True), Column("beds", "INTEGER")))
    >>> stay = Table("stay", (Column("room_id"),), foreign_keys=(ForeignKey(("room_id",), "room", ("id",)),))
    >>> print(bare_schema(Schema((rooms, stay))))
    CREATE TABLE room (id, beds, PRIMARY KEY (id));
    CREATE TABLE stay (room_id, FOREIGN KEY (room_id) REFERENCES room (id));
    """
    return "\n".join(_table(table, schema.dialect) for table in schema.tables)


def _table(table: Table, dialect: str) -> str:
    def listed(names: Sequence[str]) -> str:
        return ", ".join(quote_name(name, dialect) for name in names)

    inside = [listed([column.name for column in table.columns])] if table.columns else []
    primary = [column.name for column in table.columns if column.primary_key]
    if primary:
        inside.append(f"PRIMARY KEY ({listed(primary)})")
    for key in table.foreign_keys:
        refers = f" ({listed(key.ref_columns)})" if key.ref_columns else ""
        to = quote_reference(key.ref_table, dialect)
        inside.append(f"FOREIGN KEY ({listed(key.columns)}) REFERENCES {to}{refers}")
    name = ".".join(quote_name(part, dialect) for part in (table.schema, table.name) if part)
    return f"CREATE TABLE {name} ({', '.join(inside)});"
