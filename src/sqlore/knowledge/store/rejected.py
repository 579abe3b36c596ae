"""What was not learned: keeping it, reading it again in another dialect, and forgetting it when it is learned
or is no longer there."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from sqlore.knowledge.records import NewScript
from sqlore.knowledge.store.items import rows_of
from sqlore.knowledge.store.rows import insert
from sqlore.model import Rejected

__all__ = ["forget_gone", "keep_rejected", "rejected_in", "understood"]

MAX_REJECTED: Final = 20_000
_BY_DIALECT: Final = ("unparsable", "not_a_query")
"""The reasons that another dialect may do away with."""


def keep_rejected(db: sqlite3.Connection, rejected: Rejected, number: int) -> bool:
    """Keeps what was not learned; returns whether it is new. What is known takes over the latest reason."""
    read = rejected.script
    latest = {
        "reason": rejected.reason,
        "message": rejected.message,
        "error_line": rejected.line,
        "dialect": read.dialect,
    }
    changes = ", ".join(f"{name} = ?" for name in latest)
    if db.execute(f"UPDATE rejected SET {changes} WHERE hash = ?", (*latest.values(), number)).rowcount:
        return False
    insert(
        db,
        "rejected",
        {
            **latest,
            "hash": number,
            "sql": read.sql[:MAX_REJECTED],
            "key": read.key or None,
            "question": read.question,
            "comment": read.comment,
            "author": read.author,
            "time": read.time,
            "source": read.source,
            "line": read.line,
            "database": read.database,
        },
    )
    return True


def rejected_in(db: sqlite3.Connection, dialects: Mapping[int, str]) -> set[int]:
    """Which of these texts, given with the dialect that each is in, were rejected and would be again.

    What could not be read as one dialect may be read as another.
    """
    rows = rows_of(db, "SELECT hash, reason, dialect FROM rejected WHERE hash {ids}", list(dialects))
    return {
        int(number)
        for number, reason, dialect in rows
        if reason not in _BY_DIALECT or (dialect or "") == dialects[number]
    }


def understood(db: sqlite3.Connection, scripts: Iterable[NewScript]) -> None:
    """Takes what is learned now out of what was not.

    In another dialect a statement may end sooner (at T-SQL's ``GO``): it is the one that was rejected where
    that began with it, at the same place.
    """
    given = {new.hash: new.parsed.script for new in scripts}
    db.executemany("DELETE FROM rejected WHERE hash = ?", [(number,) for number in given])
    texts = {(read.source, read.line): read.sql for read in given.values() if read.line is not None}
    marks = ", ".join("?" * len(_BY_DIALECT))
    places = db.execute(
        f"SELECT hash, source, line FROM rejected WHERE source IS NOT NULL AND reason IN ({marks})",
        _BY_DIALECT,
    )
    found = [(int(row[0]), texts[row[1], row[2]]) for row in places if (row[1], row[2]) in texts]
    db.executemany("DELETE FROM rejected WHERE hash = ?1 AND substr(sql, 1, length(?2)) = ?2", found)


def forget_gone(db: sqlite3.Connection, texts: Mapping[str, Collection[int]]) -> int:
    """Takes out what the given sources hold no longer: it was corrected there. Returns how many.

    `texts` are the hashes of all that a source holds now, by its name.
    """
    rows = db.execute("SELECT hash, source FROM rejected WHERE source IS NOT NULL")
    gone = [(int(number),) for number, source in rows if source in texts and number not in texts[source]]
    db.executemany("DELETE FROM rejected WHERE hash = ?", gone)
    return len(gone)
