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
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from sqlore.errors import SourceError, UsageError
from sqlore.model import Schema

__all__ = ["Pair", "TrainingDatabase", "TrainingSet", "YamlTraining", "own_training", "training_set"]


@dataclass(frozen=True, slots=True)
class Pair:
    """One question with its SQL; `parts` is the question taken apart, `natsql` the NatSQL of each part."""

    database: str
    question: str
    sql: str
    parts: tuple[str, ...] = ()
    natsql: tuple[str, ...] = ()
    dialect: str = "sqlite"


@dataclass(frozen=True, slots=True)
class TrainingDatabase:
    """A database of the own form: its tables as DDL, their rows, and its pairs."""

    name: str
    ddl: str
    pairs: tuple[Pair, ...]
    about: str = ""
    dialect: str = "sqlite"
    rows: Mapping[str, tuple[tuple[Any, ...], ...]] = field(default_factory=dict)

    def build(self, connection: sqlite3.Connection) -> None:
        """Creates the tables with their rows. Raises SourceError where the DDL or a row cannot be used."""
        try:
            connection.executescript(self.ddl)
            for table, rows in self.rows.items():
                marks = ", ".join("?" * len(rows[0])) if rows else ""
                connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
        except sqlite3.Error as error:
            raise SourceError(f"the tables of {self.name} cannot be made: {error}") from error

    def schema(self) -> Schema:
        """Its tables, as the database that the DDL makes describes them."""
        from sqlore.engines.sqlite_schema import read_schema

        connection = sqlite3.connect(":memory:")
        try:
            self.build(connection)
            return read_schema(connection, self.name, lambda seconds: None)
        finally:
            connection.close()


class TrainingSet(Protocol):
    """Pairs and the schemas they are over; nothing is read before it is needed."""

    @property
    def fingerprint(self) -> str:
        """Changes when the set changes; cheap."""
        ...

    @property
    def pairs(self) -> Sequence[Pair]: ...

    def schema(self, database: str) -> Schema:
        """The schema of one of its databases; KeyError where it has none of that name."""
        ...


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
        from sqlore.prompts.training_yaml import read_database

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
