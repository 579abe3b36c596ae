"""Joined tables of which a query uses nothing but the join: what such a join loses, nobody may have meant."""

from __future__ import annotations

from sqlore.errors import SqloreError
from sqlore.sql.edit.query import Query
from sqlore.sql.edit.sources import parts_of, used_by

__all__ = ["unused_joins"]


def unused_joins(sql: str, dialect: str, path: str) -> frozenset[int]:
    """The numbers of the joins of a scope whose tables only joins use that are such themselves.

    None where the rows are counted as they are (``COUNT(*)``), or where a column does not say its table.

    >>> sql = "SELECT COUNT(a.id) FROM a JOIN b ON b.a = a.id JOIN c ON c.b = b.id WHERE a.x = 1"
    >>> sorted(unused_joins(sql, "sqlite", "main"))
    [1, 2]
    >>> unused_joins("SELECT COUNT(*) FROM a JOIN b ON b.a = a.id", "sqlite", "main")
    frozenset()
    """
    try:
        query = Query(sql, dialect)
        scope = query.scope_at(path)
        parts = parts_of(query, scope) or []
    except SqloreError:
        return frozenset()
    unknown = any(use.scope is scope and use.source is None for use in query.uses)
    block = query.block(scope)
    shown = query.spans.projections(block) if block is not None else []
    if unknown or not shown or any("*" in query.text(found) for found in shown):
        return frozenset()
    found: set[int] = set()
    gone: list[tuple[int, int]] = []
    for number in range(len(parts) - 1, 0, -1):
        if not used_by(query, scope, parts[number], gone):
            gone.append((parts[number].first, parts[number].end))
            found.add(number)
    return frozenset(found)
