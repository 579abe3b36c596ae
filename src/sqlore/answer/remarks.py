"""What is said of a draft beside its rows: what was refused on the way, values that are not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlore.answer.absent import AbsentValues
from sqlore.errors import NotAQuery, SqloreError, UnsafeSql
from sqlore.model import Attempt, Draft, Rows

if TYPE_CHECKING:
    from sqlore.answer.tries import Tries

__all__ = ["NOTHING_LEARNED", "UNKNOWN_WORDS", "refusal", "remarks_on", "without_history"]

NOTHING_LEARNED: Final = (
    "nothing was learned for this database, so nothing is cited: sqlore learn --history FOLDER"
)

UNKNOWN_WORDS: Final = (
    "no word of this question is in the history or the names and values of the database: the SQL is a guess"
)


def remarks_on(job: Tries, sql: str, rows: Rows | None, attempts: Sequence[Attempt] = ()) -> tuple[str, ...]:
    """The notes of a draft with this SQL and these rows, which took these attempts; none where it failed."""
    if not sql or rows is None:
        return ()
    absent = AbsentValues(job.catalog, job.engine, job.settings.query_timeout)
    return (*dict.fromkeys(_refused(attempts)), *absent(sql))


def without_history(draft: Draft) -> Draft:
    """The draft of a database for which nothing was learned, which says so."""
    return replace(draft, notes=(*draft.notes, NOTHING_LEARNED)) if draft.sql else draft


def refusal(error: SqloreError) -> str:
    """What a model wrote that no query may do, where an error says so; empty for any other.

    >>> refusal(NotAQuery("DELETE is not a query"))
    'a statement that is not a query; it was refused: DELETE is not a query'
    """
    if not isinstance(error, NotAQuery | UnsafeSql):
        return ""
    kind = "a statement that is not a query" if isinstance(error, NotAQuery) else "what no query may do"
    return f"{kind}; it was refused: {error.message}"


def _refused(attempts: Sequence[Attempt]) -> Iterator[str]:
    """What the model wrote first and was not run."""
    return (f"the model first wrote {one.refused}" for one in attempts if one.refused)
