"""Looking in the database for one value of one column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlore.errors import EngineError
from sqlore.model import Schema
from sqlore.sql.literals import quote_text

if TYPE_CHECKING:
    from sqlore.engines import Engine

__all__ = ["column_holds"]


def column_holds(
    engine: Engine, schema: Schema, table: str, column: str, text: str, seconds: float
) -> bool | None:
    """Whether a row has the text in that column; None where that cannot be seen in so many seconds.

    `table` and `column` are names, in any case, the table's with its schema where it has one. A column that
    the schema does not have cannot be seen.
    """
    found = schema.table(table)
    named = found.column(column) if found else None
    if found is None or named is None:
        return None
    where = ".".join(engine.quote(part) for part in (found.schema, found.name) if part)
    query = f"SELECT 1 FROM {where} WHERE {engine.quote(named.name)} = {quote_text(text, engine.dialect)}"
    try:
        return bool(engine.run(query, limit=1, timeout=seconds).rows)
    except EngineError:
        return None
