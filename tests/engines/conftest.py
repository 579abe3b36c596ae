"""The same small databases in every engine, so that one suite judges them all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from engines_helpers import server_of
from sqlore.engines import Engine, connect

FILES = ("sqlite", "duckdb")
KINDS = (*FILES, "postgres", "mysql")

SHOP = (
    "CREATE TABLE customer (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, city TEXT)",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id),"
    " total DOUBLE PRECISION, status TEXT)",
    "INSERT INTO customer VALUES (1, 'Ann', 'Oslo'), (2, 'Bob', NULL), (3, 'Cai', 'Graz')",
    "INSERT INTO orders VALUES (1, 1, 10.5, 'P'), (2, 1, 20, 'X'), (3, 2, 5, 'P')",
    "CREATE VIEW paid AS SELECT * FROM orders WHERE status = 'P'",
)

Make = Callable[..., Any]


def write_database(kind: str, path: Path, statements: Sequence[str]) -> Path:
    """A database file of the given kind made by the statements."""
    if kind == "sqlite":
        connection = sqlite3.connect(path)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
    else:
        with duckdb.connect(str(path)) as other:
            for statement in statements:
                other.execute(statement)
    return path


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of engine in turn; a test of files alone is parametrised with `FILES`."""
    return str(request.param)


@pytest.fixture
def make(kind: str, tmp_path: Path) -> Make:
    """Writes a database of the kind at hand: `make(statements, name)` is its path, or its URL."""

    def build(statements: Sequence[str] = SHOP, name: str = "shop") -> Path | str:
        if kind not in FILES:
            return server_of(kind).make(statements, name)
        return write_database(kind, tmp_path / f"{name}.{kind}", statements)

    return build


@pytest.fixture
def engine(make: Make) -> Iterator[Engine]:
    """The shop, open for reading."""
    with connect(str(make())) as opened:
        yield opened
