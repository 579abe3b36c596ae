"""Which tables a NatSQL query must name although no column of theirs is said: ``@.@ join t.*``."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

from sqlore.model import Schema
from sqlore.sql.natsql.scope import Frame

_TABLE: Final = re.compile(r'"(?:[^"]|"")*"|(`[^`]+`|[\w$#]+)\.(?=[\w*`])|`[^`]*`')


def named_tables(texts: Iterable[str]) -> list[str]:
    """The tables that NatSQL texts name, each once, in order.

    >>> named_tables(["count(head.*)", 'city.Name = "a.b"'])
    ['head', 'city']
    """
    found = (match.group(1) for text in texts for match in _TABLE.finditer(text))
    return list(dict.fromkeys(name.strip("`") for name in found if name))


def unsaid_tables(frame: Frame, texts: Iterable[str]) -> list[str]:
    """The last table of FROM that neither a text nor the way between two named tables tells; mostly none."""
    tables = frame.tables
    said = set(named_tables(texts)) & set(tables)
    missing = [table for table in tables if table not in said]
    if len(tables) < 2 or not missing:
        return []
    way = _way(frame.schema, sorted(said))
    return [table for table in missing if table not in way][-1:]


def counted_table(frame: Frame, said: set[str]) -> str:
    """The table whose rows ``count(*)`` counts in a join.

    NatSQL has no join, so the counted table must also tell which tables are joined: of those that nothing
    else tells it is the one farthest from what is said; the first of FROM where all are told.
    """
    tables = frame.tables
    if len(tables) < 2:
        return tables[0] if tables else ""
    way = _way(frame.schema, sorted(said & set(tables)))
    free = [table for table in tables if table not in way]
    if not free:
        return tables[0]
    near: dict[str, list[str]] = {table: [] for table in tables}
    for one, two in frame.edges:
        near.setdefault(one.table, []).append(two.table)
        near.setdefault(two.table, []).append(one.table)
    goals = [table for table in tables if table in said]
    return max(free, key=lambda table: min((len(shortest(near, table, goal)) for goal in goals), default=0))


def _way(schema: Schema | None, tables: Sequence[str]) -> set[str]:
    """The tables on the shortest ways of foreign keys from the first table to each other one."""
    out = set(tables)
    if schema is None or len(tables) < 2:
        return out
    near = neighbours(schema)
    for table in tables[1:]:
        out.update(shortest(near, tables[0], table))
    return out


def neighbours(schema: Schema) -> dict[str, list[str]]:
    """The tables next to every table by a foreign key, in schema order."""
    near: dict[str, list[str]] = {table.name.lower(): [] for table in schema.tables}
    for table in schema.tables:
        for key in table.foreign_keys:
            one, two = table.name.lower(), key.ref_table.lower()
            if one != two and two in near and two not in near[one]:
                near[one].append(two)
                near[two].append(one)
    return near


def shortest(near: dict[str, list[str]], start: str, goal: str) -> list[str]:
    """The shortest way between two tables, both included; empty where there is none."""
    before: dict[str, str] = {start: start}
    queue = deque([start])
    while queue:
        table = queue.popleft()
        if table == goal:
            way = [goal]
            while way[-1] != start:
                way.append(before[way[-1]])
            return way
        for other in near.get(table, ()):
            if other not in before:
                before[other] = table
                queue.append(other)
    return []
