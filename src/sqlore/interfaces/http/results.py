"""Results of queries, kept for a while so that pages, sorting and filters ask the database nothing again."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from sqlore.errors import UsageError
from sqlore.interfaces.http.contract import ResultColumn, ResultPage
from sqlore.interfaces.http.plain import cell, columns_of
from sqlore.interfaces.http.problems import NotFound
from sqlore.model import Rows

__all__ = ["KeptResult", "Results", "page_of"]

KEPT: Final = 24
"""Results that are kept, the last used."""
MOST_CELLS: Final = 4_000_000
"""Cells of all kept results together."""


@dataclass(frozen=True)
class KeptResult:
    """The rows of a query."""

    id: str
    sql: str
    rows: Rows
    columns: list[ResultColumn] = field(default_factory=list)

    @cached_property
    def weight(self) -> int:
        """How many cells it has; a long value weighs as much as several."""
        long = sum(
            len(value) >> 6 for row in self.rows.rows for value in row if isinstance(value, str | bytes)
        )
        return len(self.rows.rows) * max(1, len(self.rows.columns)) + long


class Results:
    """The results of one server, the oldest forgotten first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, KeptResult] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, sql: str, rows: Rows) -> KeptResult:
        """Keeps rows under a fresh id."""
        result = KeptResult(secrets.token_urlsafe(12), sql, rows, columns_of(rows.columns, rows.rows))
        with self._lock:
            self._kept[result.id] = result
            while len(self._kept) > 1 and (
                len(self._kept) > KEPT or sum(one.weight for one in self._kept.values()) > MOST_CELLS
            ):
                self._kept.popitem(last=False)
        return result

    def get(self, id: str) -> KeptResult:
        """The result of that id. Raises `NotFound` where it was forgotten."""
        with self._lock:
            found = self._kept.get(id)
            if found is None:
                raise NotFound("this result is not kept any more", hint="run the query again")
            self._kept.move_to_end(id)
        return found


def page_of(
    result: KeptResult,
    *,
    offset: int = 0,
    limit: int = 200,
    sort: int | None = None,
    descending: bool = False,
    contains: str = "",
) -> ResultPage:
    """A page of a result: rows with `contains` in any value, sorted by the column of number `sort`.

    NULL comes last, numbers before texts. Raises `UsageError` where there is no such column.
    """
    rows: Sequence[Sequence[Any]] = result.rows.rows
    wanted = contains.casefold()
    if wanted:
        rows = [row for row in rows if any(wanted in str(cell(value)).casefold() for value in row)]
    if sort is not None:
        if not 0 <= sort < len(result.columns):
            raise UsageError(f"there is no column {sort}", hint="columns are counted from 0")
        filled = [row for row in rows if row[sort] is not None]
        filled.sort(key=lambda row: _rank(row[sort]), reverse=descending)
        rows = [*filled, *(row for row in rows if row[sort] is None)]
    return ResultPage(
        id=result.id,
        sql=result.sql,
        columns=result.columns,
        rows=[[cell(value) for value in row] for row in rows[offset : offset + limit]],
        offset=offset,
        fetched=len(result.rows.rows),
        found=len(rows),
        truncated=result.rows.truncated,
        seconds=round(result.rows.seconds, 4),
    )


def _rank(value: Any) -> tuple[int, Any]:
    """What a value is sorted by: numbers first, then texts in any case.

    >>> sorted(["b", 10, "A", 9.5], key=_rank)
    [9.5, 10, 'A', 'b']
    >>> sorted([Decimal("NaN"), 2, float("nan"), 1.5], key=_rank)
    [1.5, 2, Decimal('NaN'), nan]
    """
    if isinstance(value, bool | int | float | Decimal):
        return (1, "") if value != value else (0, value)  # nothing is less or more than what is no number
    text = str(cell(value))
    return 2, (text.casefold(), text)
