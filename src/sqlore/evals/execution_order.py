"""What a query's outermost ORDER BY and LIMIT leave open: the query without LIMIT, with its keys shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

__all__ = ["Cut", "cut_of"]


@dataclass(frozen=True, slots=True)
class Cut:
    """A query that orders its rows or takes only some of them.

    `sql` is the same query without LIMIT, its sort keys beside its columns: the last `extra` columns, or
    those at `places`. It is None where it cannot be written so.
    """

    ordered: bool
    limit: int | None
    offset: int
    sql: str | None
    extra: int = 0
    places: tuple[int, ...] = ()

    def key(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values that a row of `sql` is ordered by."""
        return row[len(row) - self.extra :] if self.extra else tuple(row[place] for place in self.places)

    def bare(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """The row as the query itself gives it."""
        return row[: len(row) - self.extra] if self.extra else row


def cut_of(sql: str, dialect: str) -> Cut | None:
    """The outermost ORDER BY and LIMIT of a query; None where it has neither, or cannot be read.

    >>> cut = cut_of("SELECT name FROM hero ORDER BY height DESC LIMIT 3", "sqlite")
    >>> cut.sql
    'SELECT name, height AS _key_0 FROM hero ORDER BY height DESC'
    >>> cut.limit, cut.key(("Thor", 198)), cut.bare(("Thor", 198))
    (3, (198,), ('Thor',))
    """
    try:
        tree = parse_one(sql, read=dialect)
    except (SqlglotError, RecursionError):
        return None
    if not isinstance(tree, (exp.Select, exp.SetOperation)):
        return None
    order, limit, offset = (tree.args.get(name) for name in ("order", "limit", "offset"))
    if order is None and limit is None:
        return None
    most, skipped = _number(limit), _number(offset)
    if (limit is not None and most is None) or (offset is not None and skipped is None):
        return Cut(order is not None, None, 0, None)
    bare = tree.copy()
    for name in ("limit", "offset"):
        bare.set(name, None)
    keys = [ordered.this for ordered in order.expressions] if order is not None else []
    extra, places = _shown(bare, keys)
    if keys and not extra and not places:
        return Cut(True, most, skipped or 0, None)
    return Cut(bool(keys), most, skipped or 0, bare.sql(dialect=dialect), extra, places)


def _number(clause: exp.Expression | None) -> int | None:
    """The number of a LIMIT or OFFSET; None where it is not a plain one."""
    value = clause.args.get("expression") if clause is not None else None
    if isinstance(value, exp.Literal) and not value.is_string:
        return int(value.name) if value.name.isdigit() else None
    return None


def _shown(tree: exp.Expression, keys: list[exp.Expression]) -> tuple[int, tuple[int, ...]]:
    """Adds the keys to the columns, or finds them there: how many were added, or their places.

    To the columns of SELECT DISTINCT and of a set operation nothing can be added without another result.
    """
    first = tree
    while isinstance(first, exp.SetOperation):
        first = first.this
    if not isinstance(first, exp.Select):
        return 0, ()
    columns = list(first.expressions)
    found = [_place(key, columns) for key in keys]
    if first is tree and not tree.args.get("distinct"):
        for number, (key, place) in enumerate(zip(keys, found, strict=True)):
            shown = columns[place].unalias() if place is not None else key
            tree.append("expressions", exp.alias_(shown.copy(), f"_key_{number}"))
        return len(keys), ()
    if None in found or any(column.is_star for column in columns):
        return 0, ()
    return 0, tuple(place for place in found if place is not None)


def _place(key: exp.Expression, columns: list[exp.Expression]) -> int | None:
    """Which column a sort key names, by its number, its alias or its text."""
    if isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit():
        return int(key.name) - 1 if 1 <= int(key.name) <= len(columns) else None
    for place, column in enumerate(columns):
        if isinstance(column, exp.Alias) and isinstance(key, exp.Column) and not key.table:
            if column.alias.lower() == key.name.lower():
                return place
        elif column.unalias() == key or column.alias_or_name.lower() == key.name.lower() != "":
            return place
    return None
