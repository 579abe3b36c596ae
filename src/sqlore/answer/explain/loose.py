"""SELECT columns that are not grouped by, of which a group shows any one of several values.

SQLite and MySQL allow that. Whether it matters is asked of the data: a name beside its key is one a group.
"""

from __future__ import annotations

from typing import Any, Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.answer.explain.facts import Loose
from sqlore.answer.explain.joins import Ask
from sqlore.answer.explain.sql import NodeSql, conjunction, has_query
from sqlore.errors import QueryError, QueryTimeout
from sqlore.sql.edit.follow import same_column
from sqlore.sql.edit.grouping import varies
from sqlore.sql.tree import parse_expression

__all__ = ["loose_columns"]

_LOOSE: Final = frozenset({"sqlite", "mysql"})


def loose_columns(sql: NodeSql, dialect: str, ask: Ask) -> tuple[Loose, ...]:
    """The columns of a grouped SELECT that have several values in some group; each is asked of the data.

    In SQLite a column beside one MIN or MAX is that of the row it was found in, which is no fault. Where
    counting fails or takes too long there are none.
    """
    if dialect not in _LOOSE or not sql.parts.groups:
        return ()
    read = [(text, _read(text, dialect)) for text in sql.parts.expressions]
    if dialect == "sqlite" and any(_extreme(node) for _, node in read):
        return ()
    keys = [_read(text, dialect) for text in sql.parts.groups]
    found = []
    for text, node in read:
        if node is None or has_query(text) or not varies(node):
            continue
        if any(key is not None and same_column(key, node) for key in keys):
            continue
        if all(any(same_column(key, one) for key in keys if key) for one in node.find_all(exp.Column)):
            continue  # a formula of keys
        try:
            counts = ask(_question(sql, text), 1).rows[0]
        except (QueryError, QueryTimeout):
            continue
        several, groups = int(counts[0] or 0), int(counts[1] or 0)
        if several:
            found.append(Loose(text, several, groups))
    return tuple(found)


def _question(sql: NodeSql, text: str) -> str:
    """In how many groups a formula has several values, and how many groups there are."""
    differs = f"MIN({text}) <> MAX({text})"
    having = f" HAVING {conjunction([sql.parts.having])}" if sql.parts.having else ""
    inner = f"SELECT CASE WHEN {differs} THEN 1 END AS differs {sql.grouped(spelled=True)}{having}"
    return f"{sql.lead}SELECT COUNT(differs), COUNT(*) FROM ({inner}) AS loose"


def _read(text: str, dialect: str) -> Any:
    try:
        return parse_expression(text, dialect)
    except SqlglotError:
        return None


def _extreme(node: Any) -> bool:
    """Whether a formula holds an aggregating MIN or MAX."""
    return node is not None and any(not one.expressions for one in node.find_all(exp.Min, exp.Max))
