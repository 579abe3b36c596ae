"""What a training set is: question-SQL pairs, and the schemas that they are over."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sqlore.errors import SourceError
from sqlore.model import Schema

__all__ = ["Pair", "TrainingDatabase", "TrainingSet"]


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
