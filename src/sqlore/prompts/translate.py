"""An example's SQL in the dialect of the database that is asked: another dialect's would mislead."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError

from sqlore.prompts.operators import operations_of
from sqlore.sql.tokens import dialect_of
from sqlore.sql.tree import parse_one

#: Operations that have no like in other dialects.
_OWN: Final[dict[str, frozenset[str]]] = {"sqlite": frozenset({"JULIANDAY"})}
_NULLS: Final = re.compile(r" NULLS (?:FIRST|LAST)\b")


@lru_cache(maxsize=16_384)
def translated(sql: str, source: str, target: str) -> str | None:
    """`sql` of the dialect `source` as `target` writes it; None where that has no way to say it.

    Where the dialects are the same, or the target's is not known, the text stays as it is. What only guards
    against differences in rare cases (the order of NULLs, division by zero) is left out: an example is read.

    >>> translated("SELECT strftime('%Y', day) FROM t ORDER BY 1 LIMIT 2", "sqlite", "tsql")
    "SELECT TOP 2 FORMAT(CAST(day AS DATETIME2), 'yyyy') FROM t ORDER BY 1"
    >>> translated("SELECT julianday(a) - julianday(b) FROM t", "sqlite", "postgres") is None
    True
    """
    if not target or target == source:
        return sql
    if operations_of(sql, source) & _OWN.get(source, frozenset()):
        return None
    try:
        writer = dialect_of(target)
        tree = parse_one(sql, source or None)
        for division in tree.find_all(exp.Div):
            _plain(division, writer)
        return _NULLS.sub("", tree.sql(dialect=target))
    except SqlglotError:
        return None


def _plain(division: Any, writer: Dialect) -> None:
    """The division as the writer's own: without guards and casts around it."""
    division.set("safe", writer.SAFE_DIVISION)
    division.set("typed", writer.TYPED_DIVISION)
