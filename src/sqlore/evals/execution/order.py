"""What a query leaves open: by its outermost ORDER BY and LIMIT, and further in.

`cut_of` gives the query without its LIMIT, the sort keys shown, so that ties can be seen. `settled` gives the
query with every choice that it leaves to the database made one way, and made the other way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.sql.tree import parse_one

__all__ = ["Cut", "cut_of", "settled"]


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
        tree = parse_one(sql, dialect)
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
    """Which column a sort key names: by its number, by the name that the column goes by, or by what it is."""
    if isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit():
        return int(key.name) - 1 if 1 <= int(key.name) <= len(columns) else None
    if isinstance(key, exp.Column) and not key.table:
        for place, column in enumerate(columns):
            if isinstance(column, exp.Alias) and column.alias.lower() == key.name.lower():
                return place
    return next((p for p, column in enumerate(columns) if _same(column.unalias(), key)), None)


def _same(one: Any, other: Any) -> bool:
    """Whether two expressions are one; of columns a table that is not named may be any."""
    if not (isinstance(one, exp.Column) and isinstance(other, exp.Column)):
        return bool(one == other)
    tables = {one.table.lower(), other.table.lower()} - {""}
    return one.name.lower() == other.name.lower() and len(tables) < 2


def settled(sql: str, dialect: str) -> list[str]:
    """The query with what it leaves open settled one way and the other way; nothing where all is settled.

    Ties under a LIMIT of a subquery or CTE are broken by its columns, rising and falling; of a column that is
    neither grouped by nor aggregated the least and the greatest value is taken. SQLite takes such a column
    from the row of the only MIN or MAX, if there is one: there it stays as it is.

    >>> settled("SELECT name FROM h WHERE id = (SELECT id FROM h ORDER BY w LIMIT 1)", "sqlite")[1]
    'SELECT name FROM h WHERE id = (SELECT id FROM h ORDER BY w, 1 DESC LIMIT 1)'
    >>> settled("SELECT name, COUNT(*) FROM h GROUP BY side", "sqlite")[0]
    'SELECT MIN(name), COUNT(*) FROM h GROUP BY side'
    """
    found = []
    for greatest in (False, True):
        try:
            tree = parse_one(sql, dialect)
        except (SqlglotError, RecursionError):
            return []
        changed = [
            _settle(query, tree, greatest) for query in list(tree.find_all(exp.Select, exp.SetOperation))
        ]
        if not any(changed):
            return []
        found.append(tree.sql(dialect=dialect))
    return found


def _settle(query: Any, whole: Any, greatest: bool) -> bool:
    """Settles one SELECT in place; whether there was something to settle."""
    changed = False
    if query is not whole and query.args.get("limit") is not None:
        order = query.args.get("order") or exp.Order(expressions=[])
        first = query
        while isinstance(first, exp.SetOperation):
            first = first.this
        columns = first.expressions if isinstance(first, exp.Select) else []
        for number in range(1, 2 if any(c.is_star for c in columns) else len(columns) + 1):
            order.append("expressions", exp.Ordered(this=exp.Literal.number(number), desc=greatest))
        query.set("order", order)
        changed = bool(columns)
    if isinstance(query, exp.Select):
        for column in _open_columns(query):
            column.replace((exp.Max if greatest else exp.Min)(this=column.copy()))
            changed = True
    return changed


def _open_columns(query: exp.Select) -> list[exp.Column]:
    """The columns that an aggregating SELECT shows without grouping by them."""
    own = [node for column in query.expressions for node in column.walk() if node.parent_select is query]
    totals = [node for node in own if isinstance(node, exp.AggFunc)]
    group = query.args.get("group")
    if any(isinstance(node, exp.Window) for node in own) or not (group or totals):
        return []
    if len(totals) == 1 and isinstance(totals[0], (exp.Min, exp.Max)):
        return []
    keys = list(group.expressions) if group else []
    if group is not None and any(group.args.get(name) for name in ("cube", "rollup", "grouping_sets", "all")):
        return []
    names = {key.name.lower() for key in keys if isinstance(key, exp.Column) and not key.table}
    places = {int(key.name) - 1 for key in keys if isinstance(key, exp.Literal) and key.name.isdigit()}
    return [
        node
        for place, column in enumerate(query.expressions)
        if place not in places
        and not any(_same(column.unalias(), key) for key in keys)
        and not (isinstance(column, exp.Alias) and column.alias.lower() in names)
        for node in column.find_all(exp.Column)
        if node.parent_select is query
        and not any(_same(node, key) for key in keys)
        and not node.is_star
        and node.find_ancestor(exp.AggFunc) is None
    ]
