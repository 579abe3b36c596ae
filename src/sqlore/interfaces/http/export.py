"""Results as files: CSV, and Parquet written by DuckDB."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, Literal

from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from sqlore.engines import Engine
from sqlore.interfaces.http.results import KeptResult
from sqlore.model import Rows
from sqlore.sql.literals import quote_text

__all__ = ["Format", "exported", "write_csv", "write_parquet"]

Format = Literal["csv", "parquet"]
MOST_ROWS: Final = 1_000_000
_MEDIA: Final = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}


def exported(kept: KeptResult, format: Format, engine: Engine | None, seconds: float) -> FileResponse:
    """A result as a file to be saved; with an engine its query is run again for all its rows."""
    rows = engine.run(kept.sql, limit=MOST_ROWS, timeout=seconds) if engine is not None else kept.rows
    with tempfile.NamedTemporaryFile(suffix=f".{format}", prefix="sqlore-", delete=False) as made:
        file = Path(made.name)
    (write_csv if format == "csv" else write_parquet)(rows, file)
    return FileResponse(
        file,
        media_type=_MEDIA[format],
        filename=f"result.{format}",
        background=BackgroundTask(file.unlink, missing_ok=True),
    )


def write_csv(rows: Rows, file: Path) -> None:
    """Rows as CSV (RFC 4180, UTF-8 with a mark, so that spreadsheets read it rightly); NULL is empty."""
    with file.open("w", encoding="utf-8-sig", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(rows.columns)
        writer.writerows([_text(value) for value in row] for row in rows.rows)


def write_parquet(rows: Rows, file: Path) -> None:
    """Rows as Parquet; a column of values of different kinds is one of texts."""
    import duckdb

    names = _unique(rows.columns)
    types = [_type([row[place] for row in rows.rows]) for place in range(len(names))]
    listed = ", ".join(
        f"{quote_text(name)}: {quote_text(type_)}" for name, type_ in zip(names, types, strict=True)
    )
    with tempfile.TemporaryDirectory(prefix="sqlore-") as folder:
        source = Path(folder) / "rows.ndjson"
        with source.open("w", encoding="utf-8") as out:
            for row in rows.rows:
                values = (_json(value, type_) for value, type_ in zip(row, types, strict=True))
                out.write(json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=True) + "\n")
        with duckdb.connect() as db:
            db.execute(
                f"COPY (SELECT * FROM read_json({quote_text(str(source))}, format = 'newline_delimited',"
                f" columns = {{{listed}}}, maximum_object_size = 268435456))"
                f" TO {quote_text(str(file))} (FORMAT parquet)"
            )


def _unique(names: Sequence[str]) -> list[str]:
    """Names of which no two are the same in any case.

    >>> _unique(["a", "A", "", "a"])
    ['a', 'A_2', 'column', 'a_3']
    """
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        name = name or "column"
        free, number = name, 1
        while free.lower() in taken:
            number += 1
            free = f"{name}_{number}"
        taken.add(free.lower())
        found.append(free)
    return found


def _type(values: Sequence[Any]) -> str:
    """The type of a Parquet column that holds these values.

    >>> _type([1, None]), _type([1, 2.5]), _type([1, "a"]), _type([None]), _type([2**70])
    ('BIGINT', 'DOUBLE', 'VARCHAR', 'VARCHAR', 'VARCHAR')
    """
    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        return "VARCHAR"
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        small = all(-(2**63) <= value < 2**63 for value in values if value is not None)
        return "BIGINT" if small else "VARCHAR"
    if Decimal in kinds:
        return _decimal([value for value in values if value is not None])
    if kinds <= {int, float}:
        return "DOUBLE" if all(_exact(value) for value in values) else "VARCHAR"
    if kinds == {date}:
        return "DATE"
    return "TIMESTAMP" if kinds == {datetime} else "VARCHAR"


def _exact(value: Any) -> bool:
    """Whether a number is the same as a float."""
    return not isinstance(value, int) or abs(value) <= 2**53


def _decimal(values: Sequence[Any]) -> str:
    """The type that holds these numbers to the last digit: DECIMAL, or else texts.

    >>> _decimal([Decimal("1.50"), 7]), _decimal([Decimal("1e60"), 1]), _decimal([Decimal("NaN")])
    ('DECIMAL(38, 2)', 'VARCHAR', 'VARCHAR')
    >>> _decimal([Decimal("1.5"), 0.25])
    'DOUBLE'
    """
    if any(isinstance(value, float) for value in values):
        return "DOUBLE" if all(isinstance(value, int | float | Decimal) for value in values) else "VARCHAR"
    if not all(isinstance(value, int | Decimal) and Decimal(value).is_finite() for value in values):
        return "VARCHAR"
    scale = whole = 0
    for value in values:
        number = Decimal(value)
        exponent = number.as_tuple().exponent
        assert isinstance(exponent, int)
        scale, whole = max(scale, -exponent), max(whole, number.adjusted() + 1)
    return f"DECIMAL(38, {scale})" if scale + whole <= 38 else "VARCHAR"


def _json(value: Any, type_: str) -> Any:
    if value is None:
        return None
    if type_ == "DOUBLE":
        number = float(value)
        return number if number == number and abs(number) != float("inf") else str(number)
    if type_ in ("BIGINT", "BOOLEAN"):
        return value
    return _text(value)


def _text(value: Any) -> Any:
    """A value as a file has it: whole, unlike on a page."""
    if value is None:
        return ""
    if isinstance(value, bytes | bytearray | memoryview):
        return f"0x{bytes(value).hex()}"
    return value if isinstance(value, str) else str(value)
