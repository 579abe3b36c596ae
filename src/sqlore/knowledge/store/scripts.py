"""Reading scripts, their texts, and what was not learned, out of the store."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from typing import cast

from sqlore.knowledge.records import Stats, Text, Use
from sqlore.knowledge.store.items import rows_of, strings
from sqlore.knowledge.store.rows import packed
from sqlore.model import KINDS, Rejected, RejectReason, Script, StoredScript, Trust

__all__ = [
    "dismiss",
    "fragments_of_script",
    "load_scripts",
    "load_texts",
    "load_uses",
    "rejected_scripts",
    "stats",
    "warning_of",
]

_SCRIPT = """
SELECT s.id, v.sql, v.key, v.question, v.comment, v.evidence, g.name AS source, v.line, v.dialect, v.database,
    s.runs, s.synthetic, i.skeleton, i.description, i.trust,
    (SELECT count(*) FROM variants o WHERE o.script = s.id) AS variants,
    (SELECT p.name FROM sightings t JOIN people p ON p.id = t.author
     WHERE t.variant = v.id ORDER BY t.last DESC LIMIT 1) AS author,
    (SELECT max(t.last) FROM sightings t WHERE t.variant = v.id) AS time
FROM scripts s JOIN items i ON i.id = s.item
JOIN variants v ON v.id = (SELECT id FROM variants WHERE script = s.id ORDER BY synthetic, id LIMIT 1)
LEFT JOIN sources g ON g.id = v.source WHERE s.id {ids}
"""


def load_scripts(db: sqlite3.Connection, ids: Sequence[int] | None = None) -> list[StoredScript]:
    """The scripts of these ids in their order (all, by id, where None is given); unknown ids are left out."""
    rows = {row["id"]: row for row in rows_of(db, _SCRIPT, ids)}
    items: dict[int, list[int]] = defaultdict(list)
    for script, item in rows_of(
        db,
        "SELECT DISTINCT v.script, f.item FROM fragments f JOIN variants v ON v.id = f.variant"
        " WHERE v.script {ids} ORDER BY v.script, f.item",
        ids,
    ):
        items[script].append(item)
    wanted = sorted(rows) if ids is None else [number for number in ids if number in rows]
    return [_stored(rows[number], tuple(items[number])) for number in wanted]


def _script(row: sqlite3.Row, evidence: str | None = None) -> Script:
    """The script of a row; those that were not learned are kept without evidence."""
    return Script(
        row["sql"],
        key=row["key"] or "",
        question=row["question"],
        comment=row["comment"],
        evidence=evidence,
        author=row["author"],
        time=row["time"],
        runs=row["runs"],
        source=row["source"],
        line=row["line"],
        dialect=row["dialect"],
        database=row["database"],
    )


def _stored(row: sqlite3.Row, items: tuple[int, ...]) -> StoredScript:
    return StoredScript(
        row["id"],
        _script(row, row["evidence"]),
        row["skeleton"],
        row["description"],
        items,
        row["variants"],
        row["trust"],
        bool(row["synthetic"]),
    )


def load_texts(db: sqlite3.Connection, script: int | None = None) -> list[Text]:
    """Every stored text, or those of one script, in the order they were learned."""
    rows = rows_of(
        db,
        "SELECT v.id, v.script, v.sql, coalesce(v.key, ''), coalesce(v.question, v.comment, ''),"
        " v.synthetic, i.trust, coalesce(v.comment, '') FROM variants v JOIN scripts s ON s.id = v.script"
        " JOIN items i ON i.id = s.item WHERE v.script {ids} ORDER BY v.id",
        None if script is None else [script],
    )
    return [Text(row[0], row[1], row[2], row[3], row[4], bool(row[5]), row[6], row[7]) for row in rows]


def load_uses(db: sqlite3.Connection) -> list[Use]:
    """Every use of an item in a stored text, in the order of the texts."""
    rows = db.execute(
        "SELECT variant, item, literals FROM fragments ORDER BY variant, start, stop DESC, item"
    )
    return [Use(row[0], row[1], strings(row[2])) for row in rows]


def fragments_of_script(db: sqlite3.Connection, script: int) -> list[tuple[int, int, int, str]]:
    """(item, start, end, scope) of the fragments in a script's own text, in text order."""
    rows = db.execute(
        "SELECT item, start, stop, coalesce(scope, 'main') FROM fragments"
        " WHERE variant = (SELECT id FROM variants WHERE script = ? ORDER BY synthetic, id LIMIT 1)"
        " ORDER BY start, stop DESC, item",
        (script,),
    )
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def warning_of(db: sqlite3.Connection, item: int, literals: Sequence[str] | None = None) -> str:
    """What is said against an item where each of its texts, of those with these literals, has a warning."""
    from sqlore.history.asking import warning_in

    rows = db.execute(
        "SELECT v.comment FROM fragments f JOIN variants v ON v.id = f.variant"
        " WHERE f.item = ? AND NOT v.synthetic AND (? IS NULL OR f.literals = ?)",
        (item, *2 * (packed(literals) if literals is not None else None,)),
    )
    first = ""
    for (comment,) in rows:
        said = warning_in(comment)
        if not said:
            return ""
        first = first or said
    return first


def rejected_scripts(
    db: sqlite3.Connection,
    *,
    reason: RejectReason | None = None,
    limit: int | None = None,
    dismissed: bool = False,
) -> list[tuple[int, Rejected]]:
    """What was not learned, each with its number and reason, in the order of source and line.

    What somebody dismissed is among it where `dismissed` says so.
    """
    sql = (
        "SELECT * FROM rejected WHERE (? IS NULL OR reason = ?) AND (? OR NOT dismissed)"
        " ORDER BY source, coalesce(error_line, line), hash LIMIT ?"
    )
    rows = db.execute(sql, (reason, reason, dismissed, -1 if limit is None else limit))
    return [(int(row["hash"]), _rejected(row)) for row in rows]


def _rejected(row: sqlite3.Row) -> Rejected:
    return Rejected(_script(row), row["reason"], row["message"], row["error_line"])


def dismiss(db: sqlite3.Connection, number: int | None, reason: RejectReason | None) -> int:
    """Dismisses one rejected script, or all (of a reason); returns how many were shown before."""
    return db.execute(
        "UPDATE rejected SET dismissed = 1"
        " WHERE NOT dismissed AND (? IS NULL OR hash = ?) AND (? IS NULL OR reason = ?)",
        (number, number, reason, reason),
    ).rowcount


def stats(db: sqlite3.Connection) -> Stats:
    """Counts of everything in the store."""

    def number(sql: str) -> int:
        return int(db.execute(sql).fetchone()[0])

    def groups(sql: str) -> dict[str, int]:
        return {row[0]: row[1] for row in db.execute(sql)}

    kinds = groups("SELECT kind, count(*) FROM items GROUP BY kind")
    return Stats(
        scripts=number("SELECT count(*) FROM scripts"),
        texts=number("SELECT count(DISTINCT hash) FROM sightings WHERE runs > 0"),
        items=number("SELECT count(*) FROM items"),
        rejected=number("SELECT count(*) FROM rejected WHERE NOT dismissed"),
        runs=number("SELECT coalesce(sum(runs), 0) FROM scripts"),
        bytes=number("PRAGMA page_count") * number("PRAGMA page_size"),
        by_kind={kind: kinds[kind] for kind in KINDS if kind in kinds},
        by_reason=groups(
            "SELECT reason, count(*) FROM rejected WHERE NOT dismissed GROUP BY reason ORDER BY 2 DESC, 1"
        ),
        by_trust=cast(
            dict[Trust, int], groups("SELECT trust, count(*) FROM items GROUP BY trust ORDER BY 1")
        ),
        by_source=groups("SELECT source, count(*) FROM items GROUP BY source ORDER BY 1"),
        stale=number("SELECT count(*) FROM items WHERE stale IS NOT NULL"),
        synthetic=number("SELECT count(*) FROM scripts WHERE synthetic"),
        synthetic_items=number("SELECT count(*) FROM items WHERE support = 0"),
    )
