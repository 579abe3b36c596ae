"""What tests of the store share: an embedder that needs no model, and the content as plain rows."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sqlore.knowledge import LearnReport, Store, learn
from sqlore.model import Script

TABLES = (
    "meta sources people items scripts variants sightings fragments names item_names namings rejected"
    " changes vectors"
)


class WordEmbedder:
    """Vectors by hashing words: texts with the same words are near each other."""

    def __init__(self, dimension: int = 64, name: str = "words") -> None:
        self.name = f"{name}-{dimension}"
        self.dimension = dimension
        self.texts = 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.texts += len(texts)
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split() or [""]:
                digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
                row[int.from_bytes(digest, "big") % self.dimension] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def content(path: str | Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of a store's file, in the order of their columns."""
    with sqlite3.connect(path) as db:
        return {
            table: sorted(db.execute(f"SELECT * FROM {table}").fetchall(), key=repr)
            for table in TABLES.split()
        }


def teach(store: Store, *sql: str | Script, **options: Any) -> LearnReport:
    """Learns statements; a text becomes a script of the source `a.sql`."""
    scripts = [s if isinstance(s, Script) else Script(s, source="a.sql") for s in sql]
    options.setdefault("embedder", WordEmbedder())
    options.setdefault("dialect", "sqlite")
    return learn(store, scripts, **options)
