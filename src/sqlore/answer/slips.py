"""Slips that need no model to mend: a column under the wrong alias.

Small models often know the column and miss the alias: `T2.weight_kg` where only `T1` has a `weight_kg`. The
check says so, and where exactly one alias of the query has that column nothing else can have been meant.
"""

from __future__ import annotations

import re
from typing import Final

from sqlore.errors import SqlError, UnknownName
from sqlore.model import Attempt, Schema
from sqlore.sql import check_query

__all__ = ["mended_names"]

#: Slips mended in one query at most.
_MOST: Final = 12
_QUALIFIER: Final = re.compile(r"[\w$]+\s*\.\s*\Z")


def mended_names(sql: str, dialect: str, schema: Schema) -> tuple[str, list[Attempt]]:
    """The query with its columns under the alias that has them, and each slip as an attempt of its own.

    A query that has another fault, or a name that could mean several columns, comes back as it is.

    >>> from sqlore.model import Column, Table
    >>> hero = Table("hero", (Column("id"), Column("weight"), Column("side_id")))
    >>> side = Table("side", (Column("id"), Column("name")))
    >>> sql = "SELECT s.weight FROM hero h JOIN side s ON h.side_id = s.id"
    >>> mended_names(sql, "sqlite", Schema((hero, side)))[0]
    'SELECT h.weight FROM hero h JOIN side s ON h.side_id = s.id'
    """
    slips: list[Attempt] = []
    while len(slips) < _MOST:
        try:
            sql = check_query(sql, dialect, schema)
        except UnknownName as error:
            mended = _in_place(sql, error)
            if mended is None:
                break
            slips.append(Attempt(sql, f"{error.message}; {error.instead} was meant"))
            sql = mended
        except SqlError:
            break
        else:
            break
    return sql, slips


def _in_place(sql: str, error: UnknownName) -> str | None:
    """The query with the right qualifier at the error's position, where it can be found there."""
    if error.instead is None or error.position is None:
        return None
    qualifier = _QUALIFIER.search(sql, 0, error.position)
    if qualifier is None:
        return None
    alias = error.instead.rpartition(".")[0]
    return f"{sql[: qualifier.start()]}{alias}.{sql[error.position :]}"
