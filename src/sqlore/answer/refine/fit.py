"""Whether a piece of the history may stand in a place of a draft."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from sqlglot import exp

from sqlore.answer.join_path import kept_table
from sqlore.errors import EditError, SqlError
from sqlore.model import KnowledgeItem, Schema
from sqlore.sql.edit.grouping import is_aggregate, keys_of, same_formula
from sqlore.sql.edit.query import Place, Query
from sqlore.sql.names import table_and_column
from sqlore.sql.parse import parse_query
from sqlore.sql.resolve import Scope
from sqlore.sql.tokens import FUNCTION_MARK

__all__ = ["fits", "is_of_one_row", "require_new", "require_place", "side_of"]

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


def require_place(query: Query, scope: Scope, kind: str, text: str) -> None:
    """Raises `EditError` where a scope cannot take a new column, key or condition.

    A query in an expression and a branch of a UNION have the columns that they must have. No window function
    can be a key or stand in WHERE, and whatever is selected beside a key has to be one (but in SQLite and
    MySQL) or to be aggregated.
    """
    select = query.select(scope)
    if select is None:
        return  # what can be put there is said by who puts it
    if kind in ("calculation", "dimension") and not _is_relation(select):
        what = "column" if kind == "calculation" else "key"
        raise EditError(f"this part cannot take a further {what}: {_WHY_NOT}", hint="choose another part")
    items = [one.this if isinstance(one, exp.Alias) else one for one in select.expressions]
    keys = [key for _, key in keys_of(query, scope)]
    if kind == "calculation":
        new = parse_query(f"SELECT {text}", query.dialect).tree.expressions[0]
        _require_no_window_key(new, items, bool(keys))
    elif kind == "dimension":
        named = re.sub(r"\A\s*GROUP\s+BY\s+", "", text, flags=re.IGNORECASE)
        group = parse_query(f"SELECT 1 FROM x GROUP BY {named}", query.dialect).tree.args["group"]
        if any(key.find(exp.Window) for key in group.expressions):
            raise EditError("nothing can be grouped by a window function")
        if query.dialect not in ("sqlite", "mysql"):
            _require_grouped(query, scope, [*keys, *group.expressions])
    elif kind == "condition":
        new = parse_query(f"SELECT 1 FROM x WHERE {text}", query.dialect).tree.args["where"].this
        if any(isinstance(one, exp.Window) for one in _own(new)):
            raise EditError("a window function cannot stand in WHERE", hint="select from this query first")
        if is_aggregate(new):
            _require_grouped(query, scope, keys)


_WHY_NOT: Final = "its columns are those that the query around it needs"


def _is_relation(select: exp.Expr) -> bool:
    """Whether a SELECT may have as many columns as it likes: the whole query, or one of FROM or WITH."""
    inner, around = select, select.parent
    while isinstance(around, exp.Subquery | exp.Paren):
        if around.args.get("alias") is not None and around.args["alias"].args.get("columns"):
            return False
        inner, around = around, around.parent
    if isinstance(around, exp.CTE):
        return not around.args["alias"].args.get("columns")
    named = around.args.get("alias") if isinstance(around, exp.Lateral) else None
    if named is not None and named.args.get("columns"):
        return False
    return around is None or (isinstance(around, exp.From | exp.Join | exp.Lateral) and around.this is inner)


def _require_no_window_key(new: exp.Expr, items: Sequence[exp.Expr], grouped: bool) -> None:
    """What is selected beside an aggregate becomes a key: a window function cannot."""
    adding = is_aggregate(new)
    grouped = grouped or any(is_aggregate(one) for one in items)
    becoming = [new] if grouped and not adding else [] if grouped or not adding else items
    if any(isinstance(one, exp.Window) for item in becoming for one in _own(item)):
        raise EditError("a window function and an aggregate cannot be selected side by side")
    plain = [one for one in items if not is_aggregate(one)]
    if adding and not grouped and any(isinstance(part, exp.Star) for one in plain for part in _own(one)):
        raise EditError("SELECT * cannot stand beside an aggregate", hint="name the columns first")


def _require_grouped(query: Query, scope: Scope, keys: Sequence[exp.Expr]) -> None:
    """Raises `EditError` for a selected column that is neither aggregated nor a key."""
    mine = {id(use.node) for use in query.uses if use.owner is scope}
    for place, named in enumerate(query.select(scope).expressions, 1):
        item = named.this if isinstance(named, exp.Alias) else named
        called = {named.alias_or_name.lower(), str(place)}
        if is_aggregate(item) or any(same_formula(key, item) or key.name.lower() in called for key in keys):
            continue
        stars = [one for one in _own(item) if isinstance(one, exp.Star)]
        held = [*stars, *(one for one in item.find_all(exp.Column) if id(one) in mine)]
        if not all(any(same_formula(key, one) for key in keys) for one in held):
            raise EditError(
                "what is selected would be neither grouped by nor aggregated",
                where=item.sql(comments=False).replace(FUNCTION_MARK, ""),
                hint="take it out of SELECT first",
            )


def _own(node: exp.Expr) -> Iterator[exp.Expr]:
    """The nodes of an expression, but for those of queries in it."""
    return node.walk(prune=lambda one: isinstance(one, exp.Query))
