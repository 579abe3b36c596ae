"""Words in the store: the full-text index kept in step with the tables, and who may replace a description.

The full-text tables hold no text of their own, so the words of a row have to be taken out of the index as
they were before the row changes, and put back after it.
"""

from __future__ import annotations

import sqlite3
from types import TracebackType
from typing import Final, Literal

from sqlore.knowledge.records import Source, key_hash

__all__ = ["Level", "TextIndex", "rebuild", "set_description"]

Level = Literal["item", "script"]

_COLUMNS: Final[dict[Level, str]] = {
    "item": "name, aliases, description, skeleton",
    "script": "words, evidence, description",
}
_RANK: Final[dict[str, int]] = {"rule": 0, "model": 1, "person": 2}


class TextIndex:
    """The rows whose words change in one transaction; leaving the block indexes them again.

    Call `fresh` for a row that was just inserted and `changing` before an item changes. The words of a query
    item are words of every variant of its script.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._out: dict[Level, set[int]] = {"item": set(), "script": set()}

    def fresh(self, level: Level, row: int) -> None:
        """Row `row` is new and not in the index."""
        self._out[level].add(row)

    def changing(self, item: int) -> None:
        """The words of `item` are about to change."""
        kind = self._db.execute("SELECT kind FROM items WHERE id = ?", (item,)).fetchone()[0]
        if kind != "query":
            self._remove("item", item)
            return
        rows = self._db.execute(
            "SELECT v.id FROM variants v JOIN scripts s ON s.id = v.script WHERE s.item = ?", (item,)
        ).fetchall()
        for row in rows:
            self._remove("script", int(row[0]))

    def changing_text(self, variant: int) -> None:
        """The words of a script's text are about to change."""
        self._remove("script", variant)

    def leaving(self, level: Level, row: int) -> None:
        """Row `row` is about to be deleted."""
        self._remove(level, row)

    def _remove(self, level: Level, row: int) -> None:
        if row in self._out[level]:
            return
        self._out[level].add(row)
        self._db.execute(
            f"INSERT INTO {level}_text ({level}_text, rowid, {_COLUMNS[level]})"
            f" SELECT 'delete', id, {_COLUMNS[level]} FROM {level}_words WHERE id = ?",
            (row,),
        )

    def __enter__(self) -> TextIndex:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            return  # the transaction is rolled back, and the index with it
        for level, rows in self._out.items():
            self._db.executemany(
                f"INSERT INTO {level}_text (rowid, {_COLUMNS[level]})"
                f" SELECT id, {_COLUMNS[level]} FROM {level}_words WHERE id = ?",
                [(row,) for row in sorted(rows)],
            )
            rows.clear()


def rebuild(db: sqlite3.Connection) -> None:
    """Makes the full-text index anew from the tables."""
    for level in _COLUMNS:
        db.execute(f"INSERT INTO {level}_text ({level}_text) VALUES ('rebuild')")


def set_description(
    db: sqlite3.Connection,
    index: TextIndex,
    item: int,
    *,
    source: Source,
    name: str | None = None,
    text: str | None = None,
) -> bool:
    """Gives an item a name, a description or both, unless a better source gave it one.

    A person's words stand above a model's, a model's above a rule's. Returns whether anything changed.
    """
    row = db.execute(
        "SELECT name, name_source, description, source FROM items WHERE id = ?", (item,)
    ).fetchone()
    if name is None or _RANK[source] < _RANK[row[1]]:
        name, name_source = row[0], row[1]
    else:
        name_source = source
    if text is None or _RANK[source] < _RANK[row[3]]:
        text, text_source = row[2], row[3]
    else:
        text_source = source
    if (name, name_source, text, text_source) == tuple(row):
        return False
    index.changing(item)
    db.execute(
        "UPDATE items SET name = ?, name_source = ?, description = ?, source = ? WHERE id = ?",
        (name, name_source, text, text_source, item),
    )
    return True


def set_vector(db: sqlite3.Connection, item: int, words: str) -> None:
    """Points an item, or the wordless texts of a query item's script, at the vector of `words`."""
    number = key_hash(words)
    done = db.execute("UPDATE items SET vector = ? WHERE id = ? AND kind <> 'query'", (number, item)).rowcount
    if not done:
        db.execute(
            "UPDATE variants SET vector = ? WHERE question IS NULL AND comment IS NULL"
            " AND script = (SELECT id FROM scripts WHERE item = ?)",
            (number, item),
        )
