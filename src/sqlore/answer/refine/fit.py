"""Whether a piece of the history may stand in a place of a draft."""

from __future__ import annotations

import re
from typing import Final

from sqlore.answer.join_path import kept_table
from sqlore.errors import EditError, SqlError
from sqlore.model import KnowledgeItem, Schema
from sqlore.sql.edit.grouping import is_aggregate
from sqlore.sql.edit.query import Place, Query
from sqlore.sql.names import table_and_column
from sqlore.sql.parse import parse_query

__all__ = ["fits", "is_of_one_row", "require_new", "side_of"]

_NUMBER: Final = re.compile(r"-?\d+")


def fits(text: str, old: str, place: Place, dialect: str) -> bool:
    """Whether a piece may stand in a clause: aggregates in HAVING, none in WHERE, columns as they were."""
    word = text.split(None, 1)[0].upper()
    now = old.split(None, 1)[0].upper()
    if place.clause in ("tail", "window", "distinct", "top", "group", "partition"):
        lists = ("ORDER", "LIMIT", "FETCH", "OFFSET")
        return word == now or (place.clause == "tail" and word in lists and now in lists)
    if place.clause in ("from", "using"):
        return True
    try:
        new, before = (parse_query(f"SELECT {part}", dialect).tree.expressions[0] for part in (text, old))
    except SqlError:
        return False
    if place.clause in ("where", "on"):
        return not is_aggregate(new)
    return is_aggregate(new) == is_aggregate(before)


def is_of_one_row(item: KnowledgeItem, schema: Schema) -> bool:
    """Whether an item is a condition on a numeric id: a column that alone is a key, or refers to one.

    >>> from sqlore.model import Column, Table
    >>> schema = Schema((Table("client", (Column("client_id", "INTEGER", primary_key=True), Column("sex"))),))
    >>> def condition(column, value):
    ...     skeleton = f"{column} = <val>"
    ...     return KnowledgeItem(1, "condition", "predicate", skeleton, "", "", "", 1, columns=(column,),
    ...                          literals=(((value,), 1),))
    >>> is_of_one_row(condition("client.client_id", "13539"), schema)
    True
    >>> is_of_one_row(condition("client.sex", "1"), schema)
    False
    """
    if (
        item.kind != "condition"
        or len(item.columns) != 1
        or not item.skeleton.startswith(f"{item.columns[0]} ")
    ):
        return False
    values = [value for seen, _ in item.literals for value in seen]
    if not values or not all(_NUMBER.fullmatch(value) for value in values) or "select" in item.skeleton:
        return False
    owner, name = table_and_column(item.columns[0])
    table = schema.table(owner)
    if table is None:
        return False
    primary = [column.name.lower() for column in table.columns if column.primary_key]
    referring = [key.columns[0].lower() for key in table.foreign_keys if len(key.columns) == 1]
    return name.lower() in referring or primary == [name.lower()]


def side_of(item: KnowledgeItem, table: str, sources: int) -> str:
    """How a relation joins a table to the `sources` that are there: an outer join goes on keeping its side.

    Raises `EditError` where the table's rows would have to be kept beside those of several others.
    """
    kept = kept_table(item.skeleton)
    if kept is None:
        return "JOIN"
    if kept != table:
        return "LEFT JOIN"
    if sources > 1:
        raise EditError(
            f"item {item.id} keeps all rows of {table}, and this part reads from other tables first",
            hint="begin its FROM clause with that table: edit the SQL",
        )
    return "RIGHT JOIN"


def require_new(query: Query, kind: str, scope: str, text: str) -> None:
    """Raises `EditError` where a scope has the piece, with the same values, already."""
    words = " ".join(text.lower().split())
    for one in query.fragments:
        if (one.kind, one.scope) == (kind, scope) and " ".join(one.sql.lower().split()) == words:
            raise EditError(f"{text} is there already", hint="add it with another value, or another piece")
