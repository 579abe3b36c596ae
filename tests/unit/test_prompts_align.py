"""A query aligned with the database: values, functions, style; nothing where there is doubt."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from sqlore.catalog import build_catalog
from sqlore.engines import Engine, connect
from sqlore.errors import QueryError
from sqlore.prompts.align import Aligner


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    path = tmp_path_factory.mktemp("align") / "fleet.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(
            "CREATE TABLE port (port_id INTEGER PRIMARY KEY, port_name TEXT, country TEXT);"
            "CREATE TABLE ship (ship_id INTEGER PRIMARY KEY, name TEXT, days INTEGER, kind TEXT,"
            " port_id INTEGER REFERENCES port(port_id));"
            "INSERT INTO port VALUES (1, 'Port Ellen', 'Scotland'), (2, 'Cork', 'Ireland');"
            "INSERT INTO ship VALUES (1, 'Gull', 12, 'Cargo', 1), (2, 'Tern', NULL, 'Ferry', 2),"
            " (3, 'Auk', 41, 'Ferry', 2), (4, 'Owl', 5, 'O''Hara', 2);"
        )
    db.close()
    with connect(f"sqlite:///{path}") as opened:
        yield opened


@pytest.fixture(scope="module")
def aligner(engine: Engine) -> Aligner:
    return Aligner(build_catalog(engine), engine)


@pytest.mark.parametrize(
    ("sql", "aligned"),
    [
        ("SELECT name FROM ship WHERE kind = 'ferry'", "SELECT name FROM ship WHERE kind = 'Ferry'"),
        (
            "SELECT s.name FROM ship AS s JOIN port AS p ON s.port_id = p.port_id"
            " WHERE p.country = 'port ellen'",
            "SELECT s.name FROM ship AS s JOIN port AS p ON s.port_id = p.port_id"
            " WHERE p.port_name = 'Port Ellen'",
        ),
        (
            "SELECT name FROM ship WHERE port_id IN (SELECT port_id FROM port WHERE country = 'IRELAND')",
            "SELECT name FROM ship WHERE port_id IN (SELECT port_id FROM port WHERE country = 'Ireland')",
        ),
        ("SELECT name FROM ship WHERE 'CARGO' = kind", "SELECT name FROM ship WHERE 'Cargo' = kind"),
        ("SELECT name FROM ship WHERE kind = 'o''hara'", "SELECT name FROM ship WHERE kind = 'O''Hara'"),
        (
            "SELECT name FROM ship ORDER BY MAX(days) DESC LIMIT 1",
            "SELECT name FROM ship ORDER BY days DESC LIMIT 1",
        ),
        (
            "SELECT name FROM ship ORDER BY days LIMIT 1",
            "SELECT name FROM ship WHERE NOT days IS NULL ORDER BY days LIMIT 1",
        ),
        (
            "SELECT name FROM ship WHERE kind = 'Ferry' ORDER BY MIN(days) LIMIT 1",
            "SELECT name FROM ship WHERE kind = 'Ferry' AND NOT days IS NULL ORDER BY days LIMIT 1",
        ),
    ],
)
def test_what_is_aligned(aligner: Aligner, engine: Engine, sql: str, aligned: str) -> None:
    found, why = aligner(sql)
    assert found == aligned
    assert why
    try:
        before = engine.run(sql).rows
    except QueryError:  # SQLite takes no aggregate to sort by where nothing is grouped
        before = ()
    assert engine.run(found).rows != before
    assert aligner(found) == (found, "")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM ship WHERE kind = 'Ferry'",
        "SELECT name FROM ship WHERE kind = 'submarine'",  # nothing like it
        "SELECT name FROM ship WHERE kind = 'Cork'",  # a value of another table
        "SELECT name FROM ship WHERE days = 12 AND kind <> 'ferry'",
        "SELECT kind, MAX(days) FROM ship GROUP BY kind ORDER BY MAX(days) DESC LIMIT 1",
        "SELECT MAX(days) FROM ship ORDER BY MAX(days)",
        "SELECT name FROM ship ORDER BY days DESC LIMIT 1",
        "SELECT name FROM ship ORDER BY days",
        "SELECT name FROM ship ORDER BY ship_id LIMIT 1",  # a column without NULL
        "SELECT name FROM ship WHERE days > 3 ORDER BY days LIMIT 1",
        "SELECT port_id FROM ship JOIN port USING (port_id) WHERE port_id = 'ferry'",  # whose port_id?
        "SELECT x FROM (SELECT kind AS x FROM ship) WHERE x = 'ferry'",
        "SELECT name FROM",
    ],
)
def test_what_is_left_alone(aligner: Aligner, sql: str) -> None:
    assert aligner(sql) == (sql, "")


def test_without_the_database_no_value_is_put_into_a_query(engine: Engine, aligner: Aligner) -> None:
    sql = "SELECT name FROM ship WHERE kind = 'ferry' ORDER BY MAX(days) LIMIT 1"
    found, _ = Aligner(aligner.catalog)(sql)
    assert "'ferry'" in found
    assert "MAX" not in found
