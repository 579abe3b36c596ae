"""Where texts were seen: counting them, and telling a fuller reading of a source from a further run.

A source may be read again with more said of it: a column that holds the question, who ran it, when. Its
texts have other hashes or authors then, but are the same runs: the fuller reading takes them over. The row
of the poorer one stays, with no runs, so that its text is still known.
"""

from __future__ import annotations

import sqlite3

from sqlore.knowledge.records import Sighting
from sqlore.knowledge.store.rows import name_id
from sqlore.knowledge.store.text import TextIndex
from sqlore.model import Script

__all__ = ["complete", "see", "variant_of"]


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


def variant_of(db: sqlite3.Connection, number: int) -> int | None:
    """The variant that a text became, by its hash."""
    row = db.execute("SELECT variant FROM sightings WHERE hash = ? LIMIT 1", (number,)).fetchone()
    return int(row[0]) if row else None
