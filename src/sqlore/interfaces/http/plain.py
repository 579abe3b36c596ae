"""Values of databases as JSON and JavaScript can hold them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final, Literal

from sqlore.interfaces.http.contract import Cell, ResultColumn

__all__ = ["cell", "columns_of", "plain"]

SAFE: Final = 2**53 - 1
"""The largest whole number that JavaScript keeps exactly."""
LONGEST: Final = 100_000
"""Characters of one text value that are sent."""

ColumnKind = Literal["number", "text", "date", "boolean", "empty"]


def cell(value: Any) -> Cell:
    """One value of a row.

    >>> cell(2**60), cell(float("nan")), cell(b"\\x00\\xff"), cell(7), cell(Decimal("1.50"))
    ('1152921504606846976', 'nan', '0x00ff', 7, 1.5)
    >>> cell(Decimal("1e400")), cell(Decimal("NaN"))
    ('1E+400', 'nan')
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -SAFE <= value <= SAFE else str(value)
    if isinstance(value, Decimal):
        short = len(value.as_tuple().digits) <= 15
        value = float(value) if short and abs(value.adjusted()) < 300 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return "0x" + bytes(value[: LONGEST // 2]).hex()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    text = str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def plain(value: Any) -> Any:
    """Nested data whose leaves are values of a database.

    >>> plain({"rows": ((date(2024, 2, 1), 1),)})
    {'rows': [['2024-02-01', 1]]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return cell(value)


def columns_of(names: Sequence[str], rows: Sequence[Sequence[Any]], most: int = 1000) -> list[ResultColumn]:
    """The columns of a result with the kind of their values, judged by the first rows."""
    return [
        ResultColumn(name=name, kind=_kind(row[place] for row in rows[:most]))
        for place, name in enumerate(names)
    ]


def _kind(values: Iterable[Any]) -> ColumnKind:
    """What all values but NULL are; text where they differ.

    >>> _kind([1, 2.5, None]), _kind(["2024-02-01"]), _kind([None]), _kind([1, "a"])
    ('number', 'date', 'empty', 'text')
    """
    kinds: set[ColumnKind] = {_kind_of(value) for value in values if value is not None}
    if not kinds:
        return "empty"
    return kinds.pop() if len(kinds) == 1 else "text"


def _kind_of(value: Any) -> ColumnKind:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float | Decimal):
        return "number"
    if isinstance(value, date):
        return "date"
    return "date" if isinstance(value, str) and _is_date(value) else "text"


def _is_date(text: str) -> bool:
    """Whether a text is a date, with or without a time, as SQLite keeps it."""
    if not 10 <= len(text) <= 32 or text[4] != "-" or text[7] != "-":
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
