"""Where texts were seen: counting them, and telling a fuller reading of a source from a further run.

A source may be read again with more said of it: a column that holds the question, who ran it, when. Its
texts have other hashes or authors then, but are the same runs: the fuller reading takes them over. The row
of the poorer one stays, with no runs, so that its text is still known.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from typing import NamedTuple

from sqlore.knowledge.records import Sighting
from sqlore.knowledge.store.items import rows_of
from sqlore.knowledge.store.rows import name_id, recount
from sqlore.knowledge.store.text import TextIndex
from sqlore.model import Script

__all__ = ["complete", "recount_reworded", "see", "variant_of"]


def see(db: sqlite3.Connection, seen: Sighting, variant: int) -> tuple[set[int], bool]:
    """Sets how often a text was seen; the variants whose counts changed, and whether more is known of it."""
    source, author = name_id(db, "sources", seen.source), name_id(db, "people", seen.author)
    row = db.execute(
        "SELECT runs, first, last FROM sightings WHERE hash = ? AND source = ? AND author = ?",
        (seen.hash, source, author),
    ).fetchone()
    runs, first, last = seen.runs, seen.first, seen.last
    taken, dated = set[int](), False
    if row is not None:
        # Taken over by a fuller reading; in this one there is nothing fuller, so it is the poorer one again.
        runs = 0 if row[0] == 0 and not seen.among else max(runs, row[0])
        first = min(filter(None, (first, row[1])), default=None)
        last = max(filter(None, (last, row[2])), default=None)
        if (runs, first, last) == tuple(row):
            return set(), False
        dated = row[1] is None and first is not None
    db.execute(
        "INSERT OR REPLACE INTO sightings VALUES (?, ?, ?, ?, ?, ?, ?)",
        (seen.hash, source, author, variant, runs, first, last),
    )
    if source:
        taken = _take_over(db, seen, source, runs - (row[0] if row else 0))
    return {variant, *taken}, dated or bool(taken)


def _take_over(db: sqlite3.Connection, seen: Sighting, source: int, more: int) -> set[int]:
    """Takes `more` runs from the poorer readings of the source, but none that this run has seen as such."""
    variants = set[int]()
    for number, author, mine in seen.poorer:
        if more <= 0:
            break
        key = (number, source, name_id(db, "people", author))
        row = db.execute(
            "SELECT runs, variant FROM sightings WHERE hash = ? AND source = ? AND author = ?", key
        ).fetchone()
        moved = min(more, row[0] - mine) if row else 0
        if moved > 0:
            db.execute(
                "UPDATE sightings SET runs = runs - ? WHERE hash = ? AND source = ? AND author = ?",
                (moved, *key),
            )
            more -= moved
            variants.add(int(row[1]))
    return variants


def complete(
    db: sqlite3.Connection, index: TextIndex, script: int, read: Script, vector: int | None
) -> int | None:
    """The variant read at the same place of the same source with less said of it: now it says all.

    None where there is no such variant, or it says something else.
    """
    if read.source is None or not (read.text or read.evidence):
        return None
    words = (read.question, read.comment, read.evidence)
    place = (read.source, read.line, read.key or None)
    row = db.execute(
        "SELECT v.id FROM variants v JOIN sources g ON g.id = v.source WHERE v.script = ? AND NOT v.synthetic"
        " AND v.sql = ? AND g.name = ? AND v.line IS ? AND (v.line IS NOT NULL OR v.key IS ?)"
        " AND (v.question IS NULL OR v.question IS ?) AND (v.evidence IS NULL OR v.evidence IS ?)"
        " AND (v.comment IS NULL OR v.comment IS ? OR v.question IS NULL AND ? IS NOT NULL)"
        " AND (v.question, v.comment, v.evidence) IS NOT (?, ?, ?) ORDER BY v.id LIMIT 1",
        (script, read.sql, *place, read.question, read.evidence, read.comment, read.question, *words),
    ).fetchone()
    if row is None:
        return None
    index.changing_text(int(row[0]))
    db.execute(
        "UPDATE variants SET key = ?, question = coalesce(?, question), comment = coalesce(?, comment),"
        " evidence = coalesce(?, evidence), vector = coalesce(?, vector) WHERE id = ?",
        (read.key or None, *words, vector, *row),
    )
    return int(row[0])


class _Seen(NamedTuple):
    """A sighting of a text that somebody ran, with its variant's SQL."""

    hash: int
    source: str
    author: int
    variant: int
    runs: int
    sql: str


_SIGHTINGS = (
    "SELECT s.hash, g.name, s.author, s.variant, s.runs, v.sql FROM sightings s"
    " JOIN sources g ON g.id = s.source JOIN variants v ON v.id = s.variant"
    " WHERE s.runs > 0 AND NOT v.synthetic AND"
)


def recount_reworded(
    db: sqlite3.Connection, texts: Mapping[str, Collection[int]], fresh: Collection[int]
) -> None:
    """Where a source says other words of the same SQL now, the runs of its former words are counted no more.

    `texts` are the hashes that each source holds now, `fresh` those that are new. A text that is gone and
    has no such heir keeps its runs: it was run, wherever it went.
    """
    rows = db.execute("SELECT s.hash, g.name FROM sightings s JOIN sources g ON g.id = s.source WHERE s.runs")
    gone = {(int(n), name) for n, name in rows if fresh and name in texts and n not in texts[name]}
    if not gone:
        return
    heirs: dict[tuple[str, str], int] = {}
    for row in rows_of(db, f"{_SIGHTINGS} s.hash {{ids}}", list(fresh)):
        one = _Seen(*row)
        if one.hash in texts.get(one.source, ()):
            heirs[one.source, one.sql] = heirs.get((one.source, one.sql), 0) + one.runs
    variants = set[int]()
    former = list(rows_of(db, f"{_SIGHTINGS} s.hash {{ids}}", sorted({number for number, _ in gone})))
    for row in former:
        one = _Seen(*row)
        moved = min(heirs.get((one.source, one.sql), 0), one.runs) if (one.hash, one.source) in gone else 0
        if moved:
            heirs[one.source, one.sql] -= moved
            db.execute(
                "UPDATE sightings SET runs = runs - ? WHERE hash = ? AND author = ?"
                " AND source = (SELECT id FROM sources WHERE name = ?)",
                (moved, one.hash, one.author, one.source),
            )
            variants.add(one.variant)
    items = rows_of(db, "SELECT DISTINCT item FROM fragments WHERE variant {ids}", sorted(variants))
    recount(db, {int(row[0]) for row in items})


def variant_of(db: sqlite3.Connection, number: int) -> int | None:
    """The variant that a text became, by its hash."""
    row = db.execute("SELECT variant FROM sightings WHERE hash = ? LIMIT 1", (number,)).fetchone()
    return int(row[0]) if row else None
