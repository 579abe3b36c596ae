"""Question-SQL pairs over known schemas, to take examples from: sqlore's own, a person's own, or Spider's.

The own form is YAML, one file a database::

    database: library
    about: a small town's public library
    ddl: |
      CREATE TABLE member (member_id INTEGER PRIMARY KEY, name TEXT, joined TEXT);
    rows:                       # optional: what the tables hold, so that the SQL can be run
      member:
        - [1, Ada, 2021-03-01]
    pairs:
      - question: Who joined in 2021?
        sql: SELECT name FROM member WHERE strftime('%Y', joined) = '2021'
        parts: [Who joined, in 2021?]          # optional: the question taken apart
        natsql:                                # optional: NatSQL of each part
          - select member.name
          - select where strftime('%Y', member.joined) = '2021'

`dialect` (sqlite) is that of the SQL; the DDL is read by SQLite. A folder of such files is one training set.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from sqlore.errors import SourceError, UsageError
from sqlore.model import Schema
from sqlore.prompts.training_pairs import Pair, TrainingDatabase, TrainingSet
from sqlore.prompts.training_yaml import read_database

__all__ = ["YamlTraining", "own_training", "training_set"]


class YamlTraining:
    """A training set of the own form."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._texts = [(path, path.read_bytes()) for path in paths]
        self._schemas: dict[str, Schema] = {}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the files."""
        digest = hashlib.sha256()
        for _, text in self._texts:
            digest.update(text)
        return digest.hexdigest()[:16]

    @cached_property
    def databases(self) -> Mapping[str, TrainingDatabase]:
        """Its databases by name, in the order of the files.

        Raises SourceError, with file and line, where a file is not of the form.
        """
        found: dict[str, TrainingDatabase] = {}
        for path, text in self._texts:
            database = read_database(text, str(path))
            if database.name in found:
                raise SourceError(f"there are two databases named {database.name!r}", where=str(path))
            found[database.name] = database
        return found

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs, file by file."""
        return tuple(pair for database in self.databases.values() for pair in database.pairs)

    def schema(self, database: str) -> Schema:
        """The schema of one of its databases."""
        if database not in self._schemas:
            self._schemas[database] = self.databases[database].schema()
        return self._schemas[database]


def own_training() -> YamlTraining:
    """The training set that comes with sqlore: pairs over small schemas of different domains.

    >>> len(own_training().databases) >= 6
    True
    """
    folder = Path(str(files("sqlore.prompts"))) / "training"
    return YamlTraining(sorted(folder.glob("*.yaml")))


def training_set(path: str | Path | None = None) -> TrainingSet:
    """The training set of a path: a YAML file, a folder of them, Spider's folder or its train_spider.json.

    None is sqlore's own. Raises UsageError where there is nothing of the kind.
    """
    if path is None:
        return own_training()
    path = Path(path).expanduser()
    if path.name.endswith(".json") or (path / "train_spider.json").is_file():
        from sqlore.prompts.training_spider import SpiderTraining

        return SpiderTraining(path)
    found = sorted(_yaml_files(path))
    if not found:
        raise UsageError(
            f"there is no training set at {path}",
            hint="give a YAML file, a folder of them, or Spider's folder (train_spider.json, tables.json)",
        )
    return YamlTraining(found)


def _yaml_files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path.is_dir():
        yield from (p for p in path.iterdir() if p.suffix.lower() in (".yaml", ".yml"))
