"""A query of any origin as a draft: checked, run and cited as the answer to a question is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlore.answer.cite import cite
from sqlore.answer.coverage import Coverage
from sqlore.answer.tries import describe
from sqlore.config import Settings, load_settings
from sqlore.errors import EngineError, SqlError
from sqlore.model import Attempt, Draft
from sqlore.sql import check_query

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.engines import Engine
    from sqlore.knowledge import Store
    from sqlore.retrieve.snapshot import Snapshot

__all__ = ["checked_draft"]


def checked_draft(
    sql: str,
    *,
    engine: Engine,
    catalog: Catalog,
    store: Store | None = None,
    settings: Settings | None = None,
    question: str = "",
    snapshot: Snapshot | None = None,
) -> Draft:
    """A query checked, run and cited as `ask` does it: with rows, or with the reason why not.

    `snapshot` is what the history knows of the words of the question (`Retriever.snapshot`).
    """
    settings = settings or load_settings()
    try:
        sql = check_query(sql, engine.dialect, catalog.schema)
    except SqlError as error:
        return Draft(question, "", attempts=(Attempt(sql, describe(error)),), error=describe(error))
    rows, failure = None, None
    try:
        rows = engine.run(sql, limit=settings.row_limit, timeout=settings.query_timeout)
    except (SqlError, EngineError) as error:
        failure = describe(error)
    citations = cite(sql, store, engine.dialect, catalog.schema, catalog) if store is not None else ()
    left = Coverage(catalog, snapshot, engine.dialect, engine).uncovered(question, sql) if question else ()
    return Draft(question, sql, citations, rows, (Attempt(sql, failure),), error=failure, uncovered=left)
