"""Searching the store: vectors as int8 with one scale each, and full text ranked by BM25."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from sqlore.knowledge.records import Vectors
from sqlore.knowledge.store.text import Level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]
else:
    Ids = Any

__all__ = ["Ids", "VectorLevel", "fts_search", "pack", "unpack", "vectors"]

_SCALE: Final = 4  # bytes of the float32 scale in front of the codes

VectorLevel = Literal["item", "script", "text"]
_VECTORS: Final[dict[VectorLevel, str]] = {
    "item": "SELECT i.id, v.codes FROM items i JOIN vectors v ON v.hash = i.vector ORDER BY i.id",
    "script": "SELECT t.script, v.codes FROM variants t JOIN vectors v ON v.hash = t.vector ORDER BY t.id",
    "text": "SELECT t.id, v.codes FROM variants t JOIN vectors v ON v.hash = t.vector ORDER BY t.id",
}
_SEARCH: Final[dict[Level, str]] = {
    "item": """
SELECT rowid, bm25(item_text) AS score FROM item_text WHERE item_text MATCH ? ORDER BY score, rowid LIMIT ?
""",
    "script": """
WITH f AS MATERIALIZED (
    SELECT rowid AS variant, bm25(script_text) AS score FROM script_text WHERE script_text MATCH ?)
SELECT v.script, min(f.score) AS best
FROM f JOIN variants v ON v.id = f.variant GROUP BY v.script ORDER BY best, v.script LIMIT ?
""",
}
_WORD = re.compile(r"[^\W_]+")


def pack(vector: Vectors) -> bytes:
    """A float32 vector as one float32 scale and int8 codes: 388 bytes for 384 numbers.

    >>> len(pack(np.ones(384, dtype=np.float32)))
    388
    """
    row = np.asarray(vector, dtype=np.float32)
    scale = float(np.abs(row).max()) / 127.0 if row.size else 0.0
    codes = np.rint(row / scale).astype(np.int8) if scale else np.zeros(row.shape, dtype=np.int8)
    return np.float32(scale).tobytes() + codes.tobytes()


def unpack(blobs: Sequence[bytes], dimension: int) -> Vectors:
    """Packed vectors as one float32 matrix (n x dimension) with rows of length 1.

    >>> unpack([pack(np.array([3.0, 4.0], dtype=np.float32))], 2).round(2).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    if not blobs:
        return np.zeros((0, dimension), dtype=np.float32)
    raw = np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(len(blobs), _SCALE + dimension)
    # The scale falls out when the rows are brought back to length 1.
    rows = raw[:, _SCALE:].view(np.int8).astype(np.float32)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return rows


def vectors(db: sqlite3.Connection, level: VectorLevel, dimension: int) -> tuple[Ids, Vectors]:
    """Ids (n) and unit rows (n x dimension).

    Level ``text`` gives the ids of texts; at level ``script`` a script comes once for each of its texts.
    """
    rows = db.execute(_VECTORS[level]).fetchall()
    ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
    return ids, unpack([row[1] for row in rows], dimension)


def fts_search(
    db: sqlite3.Connection, query: str | Sequence[str], level: Level, limit: int
) -> list[tuple[int, float]]:
    """Ids and BM25 scores (higher is better) of what holds any of the words, best first.

    Whatever a question holds is words to look for, never operators of the query language.
    """
    text = query if isinstance(query, str) else " ".join(query)
    words = list(dict.fromkeys(_WORD.findall(text.lower())))
    if not words:
        return []
    match = " OR ".join(f'"{word}"' for word in words)
    return [(int(row[0]), -float(row[1])) for row in db.execute(_SEARCH[level], (match, limit))]
