"""What a changed GROUP BY forces on SELECT: a column that was its key follows it."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sqlore.sql.edit.grouping import formula_of, keys_of, same_formula, varies
from sqlore.sql.edit.query import Query
from sqlore.sql.edit.select import alias_of, used_outside
from sqlore.sql.edit.text import TextEdit
from sqlore.sql.resolve import Scope

__all__ = ["followed_columns"]


def followed_columns(query: Query, number: int, after: Query) -> tuple[list[TextEdit], list[str]]:
    """The edits of SELECT that follow where a GROUP BY has other keys in the query `after`, and what is said.

    A SELECT column that was a key becomes the new key in its place; its alias stays. Where no key has come
    for it, or another part of the query uses the column, it stays, and a note says what it shows then.
    """
    scope, path = query.scope(number), query.fragment(number).scope
    node, block = query.select(scope), query.block(scope)
    if node is None or block is None or path not in after.paths:
        return [], []
    ranges, items = query.spans.projections(block), _formulas(node)
    if len(ranges) != len(items):
        return [], []
    new = _keys(after, after.scope_at(path))
    fresh = [text for text, key in new if not any(same_column(key, item) for item in items)]
    gone = [
        index
        for index in dict.fromkeys(_shown_keys(query, scope, items))
        if varies(items[index]) and not any(same_column(key, items[index]) for _, key in new)
    ]
    edits, notes = [], []
    for at, index in enumerate(gone):
        text = formula_of(query, ranges[index], node.expressions[index])
        if at < len(fresh) and not _fixed(query, scope, path, index, items[index]):
            start = query.offsets(ranges[index])[0]
            edits.append(TextEdit(start, start + len(text), fresh[at]))
            if alias_of(query, scope, index) is None and _sorted_by(node, items[index]):
                notes.append(f"ORDER BY still sorts by {' '.join(text.split())}")
        else:
            words = " ".join(text.split())
            notes.append(f"{words} is no longer grouped by: each group shows that of any one of its rows")
    return edits, notes


def same_column(one: Any, other: Any) -> bool:
    """Whether two formulas are the same; a column may have its table named or not.

    >>> from sqlglot import parse_one
    >>> same_column(parse_one("a"), parse_one("t.A")), same_column(parse_one("s.a"), parse_one("t.a"))
    (True, False)
    """
    if isinstance(one, exp.Column) and isinstance(other, exp.Column) and not (one.table and other.table):
        return bool(one.name.lower() == other.name.lower())
    return same_formula(one, other)


def _formulas(node: Any) -> list[Any]:
    return [item.this if isinstance(item, exp.Alias) else item for item in node.expressions]


def _keys(query: Query, scope: Scope) -> list[tuple[str, Any]]:
    """Text and formula of each key of a GROUP BY; an alias or a number is the column that it stands for."""
    node = query.select(scope)
    items = _formulas(node) if node is not None else []
    found = []
    for place, key in keys_of(query, scope):
        index = _index(key, node)
        found.append((query.text(place), key if index is None else items[index]))
    return found


def _shown_keys(query: Query, scope: Scope, items: list[Any]) -> list[int]:
    """The SELECT columns that are keys of GROUP BY, in the order of the keys."""
    keys = [key for _, key in _keys(query, scope)]
    return [index for key in keys for index, item in enumerate(items) if same_column(key, item)]


def _sorted_by(node: Any, item: Any) -> bool:
    order = node.args.get("order")
    return order is not None and any(same_column(one.this, item) for one in order.expressions)


def _index(key: Any, node: Any) -> int | None:
    """The SELECT column that a key names by its number or its alias."""
    if isinstance(key, exp.Literal) and not key.is_string and str(key.this).isdigit():
        index = int(str(key.this)) - 1
        return index if 0 <= index < len(node.expressions) else None
    if isinstance(key, exp.Column) and not key.table:
        for index, item in enumerate(node.expressions):
            if isinstance(item, exp.Alias) and item.alias.lower() == key.name.lower():
                return index
    return None


def _fixed(query: Query, scope: Scope, path: str, index: int, item: Any) -> bool:
    """Whether another part of the query knows the column by the name that it would lose."""
    if path == "main" or alias_of(query, scope, index) is not None:
        return False
    return not isinstance(item, exp.Column) or used_outside(query, item.name)
