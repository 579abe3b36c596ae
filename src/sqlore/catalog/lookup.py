"""Looking in the database for one value of one column, and for what stands beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlore.errors import EngineError
from sqlore.model import Schema
from sqlore.sql.literals import quote_text

if TYPE_CHECKING:
    from sqlore.engines import Engine

__all__ = ["column_holds", "column_with"]


def column_holds(
    engine: Engine, schema: Schema, table: str, column: str, text: str, seconds: float
) -> bool | None:
    """Whether a row has the text in that column; None where that cannot be seen in so many seconds.

    `table` and `column` are names, in any case, the table's with its schema where it has one. A column that
    the schema does not have cannot be seen.
    """
    where = _where(engine, schema, table, column, text)
    if where is None:
        return None
    try:
        return bool(engine.run(f"SELECT 1 FROM {where}", limit=1, timeout=seconds).rows)
    except EngineError:
        return None


def column_with(
    engine: Engine, schema: Schema, wanted: str, value: tuple[str, str, str], most: int, seconds: float
) -> tuple[str, ...] | None:
    """What column `wanted` holds in the rows with a `value` (table, column, text), `most` of them.

    None where that cannot be seen in so many seconds.
    """
    where = _where(engine, schema, *value)
    known = schema.table(value[0])
    column = known.column(wanted) if known else None
    if where is None or column is None:
        return None
    try:
        rows = engine.run(
            f"SELECT {engine.quote(column.name)} FROM {where}", limit=most, timeout=seconds
        ).rows
    except EngineError:
        return None
    return tuple(str(row[0]) for row in rows)


def _where(engine: Engine, schema: Schema, table: str, column: str, text: str) -> str | None:
    """A table and the condition that its column is the text."""
    found = schema.table(table)
    named = found.column(column) if found else None
    if found is None or named is None:
        return None
    name = ".".join(engine.quote(part) for part in (found.schema, found.name) if part)
    return f"{name} WHERE {engine.quote(named.name)} = {quote_text(text, engine.dialect)}"
