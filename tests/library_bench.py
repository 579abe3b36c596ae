"""The small library and its history of `tests/golden/bench`, for tests of what builds benchmarks."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from support import ROOT

GOLDEN = ROOT / "tests" / "golden" / "bench"


def make_library(folder: Path) -> Path:
    """The library's database, made in a folder."""
    path = folder / "library.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript((GOLDEN / "library.sql").read_text(encoding="utf-8"))
    connection.close()
    return path
