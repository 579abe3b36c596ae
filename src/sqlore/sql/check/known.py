"""What a schema does not list and a query may name all the same: the one place that knows of it.

The check of a query asks it, and so does the store when it looks for items whose tables or columns are gone:
what the one lets pass, the other must not call missing.
"""

from __future__ import annotations

from typing import Final

from sqlore.model import Schema, Table
from sqlore.sql.check.scope import CATALOGUE_TABLES, CATALOGUES, PSEUDO, STRUCTS

__all__ = ["base_table", "is_catalogue", "is_known", "is_pseudo", "is_row_of_statement"]

# How the types begin or are spelled whose values have fields, in the dialects of STRUCTS.
_FIELDED: Final = ("struct", "row", "record", "tuple", "nested", "map", "union", "json", "variant", "object")


def base_table(schema: Schema, name: str, db: str = "") -> Table | None:
    """The table that is meant; a schema or database in front of its name need not be one that is listed.

    Where the database tells its schemas, though, the table of another schema is another table.
    """
    table = schema.table(f"{db}.{name}") if db else None
    if table is None and db and schema.home and db.lower() != schema.name.lower():
        return None
    return table or schema.table(name)


def is_catalogue(name: str, db: str = "") -> bool:
    """Whether a table is one of those in which the database describes itself."""
    return db.lower() in CATALOGUES or name.lower().startswith(CATALOGUE_TABLES)


def is_pseudo(column: str) -> bool:
    """Whether a column is there without being listed: row ids, parameters, what a table function gives."""
    return column.lower() in PSEUDO or column.startswith(("$", "@", "#"))


def is_row_of_statement(table: str) -> bool:
    """Whether a name stands for the row that a statement writes."""
    return table.lower() in ("excluded", "new", "old", "inserted", "deleted")


def is_known(schema: Schema, table: str, column: str = "") -> bool:
    """Whether a database of that schema may have a table, or a column of it; False where it surely has not.

    Names are spelled as fragments spell them, in quotes where they need any. A column of no table, or of a
    table that is not there, cannot be judged: the table is what is missing.

    >>> schema = Schema((Table("t", ()),))
    >>> is_known(schema, "t", "any"), is_known(schema, "u"), is_known(schema, "u", "any")
    (True, False, True)
    """
    parts = _bare(table).split(".")
    name, db = parts[-1], parts[-2] if len(parts) > 1 else ""
    if not table or _is_field(schema, parts):
        return True
    found = schema.table(".".join(parts)) or base_table(schema, name, db)
    if found is None:
        return bool(column) or is_catalogue(name, db) or is_row_of_statement(name)
    wanted = _bare(column)
    # The name of a table is its whole row, and what a full-text table of SQLite is searched by.
    own = wanted.lower() == found.name.lower()
    unknown = not found.columns or not column or column == "*"
    return unknown or own or is_pseudo(wanted) or found.column(wanted) is not None


def _is_field(schema: Schema, parts: list[str]) -> bool:
    """Whether what stands in front of a name is a column of structs: `s.city`, `t.s.city`."""
    if schema.dialect.lower() not in STRUCTS or schema.table(".".join(parts)) is not None:
        return False
    columns = (table.column(part) for table in schema.tables for part in parts)
    return any(column is not None and _has_fields(column.type) for column in columns)


def _has_fields(type_name: str) -> bool:
    folded = type_name.lower()
    return not folded or any(word in folded for word in _FIELDED)


def _bare(name: str) -> str:
    """A name of a skeleton without its quotes: `"Free Meal"` -> Free Meal, `s1."T"` -> s1.T."""
    if '"' not in name:
        return name
    return name.replace('""', "\0").replace('"', "").replace("\0", '"')
