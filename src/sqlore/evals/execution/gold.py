"""Gold answers: whether a task's own SQL has one answer at all, and what that is.

Gold that does not run, takes too long, or could as well have given other rows (a random function, a LIMIT
over ties, a column outside its GROUP BY) measures nothing: such a task is named and not counted. Four tests
find what is not determined: the query runs twice; its ORDER BY is looked at where LIMIT cuts; it runs with
what it leaves open settled in two ways; and on SQLite with its tables read in the other direction.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, Literal
from urllib.parse import quote

from sqlore.engines import Engine
from sqlore.engines.url import parse_target
from sqlore.errors import ConnectError, QueryTimeout, SqloreError
from sqlore.evals.compare_rows import comparable_rows, sorted_by_a_column
from sqlore.evals.execution.order import Cut, cut_of, settled
from sqlore.evals.results import same_multiset, same_set
from sqlore.model import Rows

__all__ = ["NOT_ASKED", "ROWS", "Gold", "GoldStatus", "asks_for_order", "check_gold", "run_anew"]

GoldStatus = Literal["ok", "missing", "error", "timeout", "too_large", "nondeterministic"]
#: Without an answer to compare with nothing is asked; where gold could differ, it is asked and not counted.
NOT_ASKED: Final = frozenset({"missing", "error", "timeout", "too_large"})
#: Rows of a result that are compared; one of more is not compared at all.
ROWS: Final = 250_000
_ORDER_WORDS: Final = re.compile(
    r"\b(?:order(?:ed)? by|sort(?:ed)?|(?:a|de)scending|alphabetical(?:ly)?|ranked|ranking"
    r"|chronological(?:ly)?"
    r"|from (?:the )?(?:high|low|larg|small|old|young|new|most|least|earli|lat|top|best|worst)\w* to)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Gold:
    """A task's right answer. `message` says what is wrong where `status` is not ``ok``.

    `groups` are set where the order of rows counts: the sizes of the runs that may stand either way.
    """

    status: GoldStatus
    rows: tuple[tuple[Any, ...], ...] = ()
    groups: tuple[int, ...] | None = None
    message: str = ""


def asks_for_order(question: str) -> bool:
    """Whether a question's words ask for rows in an order.

    >>> asks_for_order("List heroes in descending order of height"), asks_for_order("In what order?")
    (True, False)
    """
    return bool(_ORDER_WORDS.search(question))


def check_gold(
    engine: Engine, sql: str, *, question: str = "", timeout: float = 30.0, most: int = ROWS
) -> Gold:
    """Runs gold and says whether its answer can be relied on; one of more than `most` rows is not.

    Never raises for what is wrong with the SQL; `ConnectError` where the connection is lost.
    """
    if not sql.strip():
        return Gold("missing", message="the task has no SQL")
    try:
        first = engine.run(sql, limit=most, timeout=timeout)
        again = engine.run(sql, limit=most, timeout=2 * timeout)
    except QueryTimeout as error:
        return Gold("timeout", message=error.message)
    except ConnectError:
        raise
    except SqloreError as error:
        return Gold("error", message=error.message)
    if first.truncated:
        return Gold("too_large", message=f"more than {most:,} rows")
    groups, message = None, ""
    if not same_multiset(first.rows, again.rows):
        message = "two runs gave different rows"
    else:
        cut = cut_of(sql, engine.dialect)
        if cut is not None:
            groups, message = _looked_at(engine, cut, first.rows, timeout)
    if not message and not _holds_settled(engine, sql, first.rows, timeout):
        message = "a subquery's LIMIT cuts ties, or a column is neither grouped by nor aggregated"
    if not message and not _holds_reversed(engine, sql, first.rows, timeout):
        message = "it depends on the order in which the database reads its tables"
    if groups is None and asks_for_order(question) and sorted_by_a_column(first.rows):
        groups = (1,) * len(first.rows)
    return Gold("nondeterministic" if message else "ok", first.rows, groups, message)


def _looked_at(
    engine: Engine, cut: Cut, rows: Sequence[tuple[Any, ...]], timeout: float
) -> tuple[tuple[int, ...] | None, str]:
    """The runs of rows that gold's ORDER BY does not tell apart, and what is wrong with its LIMIT."""
    plain = (1,) * len(rows) if cut.ordered else None
    if cut.sql is None:
        return plain, ""
    found = run_anew(engine, cut.sql, timeout)
    if found is None or found.truncated:
        return plain, ""
    every = comparable_rows(found.rows)
    end = len(every) if cut.limit is None else cut.offset + cut.limit
    # what was written anew must say the same as gold, else nothing follows from it
    if len(every[cut.offset : end]) != len(rows):
        return plain, ""
    keys = [cut.key(row) for row in every]
    bare = [cut.bare(row) for row in every]
    for place in (cut.offset, end):
        if not 0 < place < len(keys) or keys[place - 1] != keys[place]:
            continue
        tied = {row for row, key in zip(bare, keys, strict=True) if key == keys[place]}
        if len(tied) > 1:
            return plain, "rows are tied where LIMIT cuts" if cut.ordered else "LIMIT without ORDER BY"
    if not cut.ordered:
        return None, ""
    return tuple(len(list(run)) for _, run in groupby(keys[cut.offset : end])), ""


def _holds_settled(engine: Engine, sql: str, rows: Sequence[tuple[Any, ...]], timeout: float) -> bool:
    """Whether the same rows come when what the query leaves open is settled one way and the other way."""
    for other in settled(sql, engine.dialect):
        found = run_anew(engine, other, timeout)
        if found is not None and not same_set(found.rows, rows):
            return False
    return True


def run_anew(engine: Engine, sql: str, timeout: float) -> Rows | None:
    """The rows of a query that was written anew, at most `ROWS`; None where it cannot be written so, or takes
    too long: nothing is known. Raises `ConnectError` where the connection is lost."""
    try:
        return engine.run(sql, limit=ROWS, timeout=timeout)
    except ConnectError:
        raise
    except SqloreError:
        return None


def _holds_reversed(engine: Engine, sql: str, rows: Sequence[tuple[Any, ...]], timeout: float) -> bool:
    """Whether SQLite gives the same rows when it reads in the other direction what has no order.

    The connection is this function's own, for the setting would change what others see; the engine has run
    the same SQL before, so it only reads. Sums of floats differ in their last digits: those do not count.
    """
    if engine.dialect != "sqlite":
        return True
    uri = f"file:{quote(str(parse_target(engine.url).path.absolute()))}?mode=ro"
    try:
        connection = sqlite3.connect(uri, uri=True)
    except sqlite3.Error:
        return True
    deadline = time.monotonic() + 2 * timeout
    try:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA reverse_unordered_selects = ON")
        connection.set_progress_handler(lambda: int(time.monotonic() > deadline), 4000)
        return same_set(connection.execute(sql).fetchmany(ROWS + 1), rows)
    except sqlite3.Error:
        return True  # too slow that way round: nothing is known
    finally:
        connection.close()
