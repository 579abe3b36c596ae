"""Tables that stand without what the database needs to find them: their schema, or quotes for their capitals.

A table of another schema has its schema's name before it, and on PostgreSQL one with capitals is in quotes.
Models leave out both. Where only one table can be meant, it is written as the database finds it:
`letter_case` does that for names with capitals that are spelled in one way throughout, this module for a
table whose name a column has as well (`"Kunde"` beside `"order".kunde`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlore.catalog.names import always_quote, quote_name
from sqlore.errors import SqlError
from sqlore.sql.parse import parse_query

if TYPE_CHECKING:
    from sqlore.model import Schema, Table

__all__ = ["with_places"]


def with_places(sql: str, dialect: str, schema: Schema) -> tuple[str, tuple[str, ...]]:
    """The query with such tables written out, and each as it is written now.

    >>> from sqlore.model import Column, Schema, Table
    >>> schema = Schema((Table("staff", (Column("id"),), schema="hr"), Table("staffs", ())), home="public")
    >>> with_places("SELECT staff.id FROM staff", "postgres", schema)
    ('SELECT staff.id FROM hr.staff', ('hr.staff',))
    """
    named = _tables(schema)
    folds = dialect == "postgres"
    if not any(_needs(table, folds) for tables in named.values() for table in tables):
        return sql, ()
    try:
        tree = parse_query(sql, dialect).tree
    except SqlError:
        return sql, ()
    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    changes: dict[tuple[int, int], str] = {}
    told: dict[str, None] = {}
    for node in tree.find_all(exp.Table):
        known = _meant(node, named, ctes, schema.home)
        if known is None:
            continue
        place = _place(node.this)
        if place is None:
            continue
        bare = folds and not node.this.quoted and _needs_quotes(known.name)
        called = always_quote(known.name, dialect) if bare else sql[slice(*place)]
        if not node.db and known.schema:
            called = f"{quote_name(known.schema, dialect)}.{called}"
        if sql[slice(*place)] == called:
            continue
        changes[place] = called
        told[f"{node.db}.{called}" if node.db else called] = None
        if bare and not node.alias:
            changes |= {one: always_quote(known.name, dialect) for one in _uses(node)}
    for (start, end), text in sorted(changes.items(), reverse=True):
        sql = f"{sql[:start]}{text}{sql[end:]}"
    return sql, tuple(told)


def _tables(schema: Schema) -> dict[str, list[Table]]:
    """The tables by their names in small letters."""
    named: dict[str, list[Table]] = {}
    for table in (*schema.tables, *schema.partitions):
        named.setdefault(table.name.lower(), []).append(table)
    return named


def _needs_quotes(name: str) -> bool:
    return name != name.lower()


def _needs(table: Table, folds: bool) -> bool:
    return bool(table.schema) or (folds and _needs_quotes(table.name))


def _meant(node: exp.Table, named: dict[str, list[Table]], ctes: set[str], home: str) -> Table | None:
    """The one table that is meant; None where it is none of the schema, or several could be."""
    if not isinstance(node.this, exp.Identifier) or (not node.db and node.name.lower() in ctes):
        return None
    tables = named.get(node.name.lower(), [])
    if len(tables) != 1 or (node.db and node.db.lower() != (tables[0].schema or home or node.db).lower()):
        return None
    return tables[0] if not node.this.quoted or node.name == tables[0].name else None


def _place(name: exp.Expr) -> tuple[int, int] | None:
    start, end = name.meta.get("start"), name.meta.get("end")
    return None if start is None or end is None else (start, end + 1)


def _uses(node: exp.Table) -> Iterator[tuple[int, int]]:
    """Where columns of the query have the table's bare name before them."""
    select = node.find_ancestor(exp.Select)
    for column in select.find_all(exp.Column) if select is not None else ():
        part = column.args.get("table")
        place = (
            None if part is None or part.quoted or column.table.lower() != node.name.lower() else _place(part)
        )
        if place is not None:
            yield place
