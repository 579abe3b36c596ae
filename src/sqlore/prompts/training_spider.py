"""Spider's training set as a source of examples: pairs, schemas, and what NatSQL and Break add to them.

`train_spider.json` and `tables.json` are Spider's own files. Beside them may lie `train_spider-natsql.json`
(the NatSQL of each pair) and `break_qdmr/train_spider.csv` (each question taken apart by people).
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from sqlore.errors import SourceError, UsageError
from sqlore.model import Schema
from sqlore.prompts.training_pairs import Pair

_FILES: Final = ("train_spider.json", "tables.json")
_NATSQL: Final = "train_spider-natsql.json"
_QDMR: Final = Path("break_qdmr", "train_spider.csv")


class SpiderTraining:
    """A folder of Spider's, or its file of questions with `tables.json` beside it."""

    def __init__(self, path: Path) -> None:
        self._questions = path / _FILES[0] if path.is_dir() else path
        self._folder = self._questions.parent
        self._tables = self._folder / _FILES[1]
        for file in (self._questions, self._tables):
            if not file.is_file():
                raise UsageError(f"there is no {file.name}", where=str(file.parent), hint="both are Spider's")

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the sizes and times of the files."""
        files = [self._questions, self._tables, self._folder / _NATSQL, self._folder / _QDMR]
        states = [(str(f), f.stat().st_size, f.stat().st_mtime_ns) for f in files if f.is_file()]
        return hashlib.sha256(repr(states).encode()).hexdigest()[:16]

    @cached_property
    def pairs(self) -> Sequence[Pair]:
        """All pairs in the order of the file. Raises SourceError where it is not of Spider's form."""
        records = _json(self._questions)
        natsql, parts = self._natsql(), self._parts()
        found = []
        for number, record in enumerate(records):
            try:
                pair = Pair(record["db_id"], record["question"], record["query"])
            except (KeyError, TypeError) as error:
                raise SourceError(
                    f"record {number} has no db_id, question and query", where=str(self._questions)
                ) from error
            whole = natsql.get((pair.question, pair.sql))
            apart = parts.get(number, ())
            found.append(
                Pair(
                    pair.database,
                    pair.question,
                    pair.sql.strip().rstrip("; "),
                    apart,
                    (whole,) if whole else (),
                )
            )
        return tuple(found)

    def _natsql(self) -> dict[tuple[str, str], str]:
        file = self._folder / _NATSQL
        if not file.is_file() or self._questions.name != _FILES[0]:
            return {}
        return {
            (r["question"], r["query"]): " ".join(r["NatSQL"].split()) for r in _json(file) if r.get("NatSQL")
        }

    def _parts(self) -> dict[int, tuple[str, ...]]:
        """The steps of each question, by its number in the file."""
        file = self._folder / _QDMR
        if not file.is_file() or self._questions.name != _FILES[0]:
            return {}
        with file.open(encoding="utf-8", newline="") as stream:
            return {
                int(row["question_id"].rsplit("_", 1)[1]): tuple(
                    " ".join(step.split()) for step in row["decomposition"].split(";")
                )
                for row in csv.DictReader(stream)
            }

    @cached_property
    def _schemas(self) -> dict[str, Schema]:
        from sqlore.catalog import load_tables_json

        return load_tables_json(self._tables)

    def schema(self, database: str) -> Schema:
        """The schema of one of its databases, from `tables.json`."""
        return self._schemas[database]


def _json(path: Path) -> list[Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot be read as JSON: {error}", where=str(path)) from error
    if not isinstance(data, list):
        raise SourceError("Spider's files hold a list", where=str(path))
    return data
