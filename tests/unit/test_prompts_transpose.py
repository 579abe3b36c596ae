"""Queries put over to another database by program: what is asked of a column, of a join, of a value."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqlore.catalog import build_catalog
from sqlore.engines import Engine, connect
from sqlore.model import Column, ForeignKey, Schema, Table
from sqlore.prompts.coverage import generic_exemplars
from sqlore.prompts.da_gp_check import Bench, Unfit
from sqlore.prompts.few_shot import Shots
from sqlore.prompts.training_set import own_training
from sqlore.prompts.transpose import transposed
from sqlore.prompts.transpose_slots import pattern_of
from sqlore.prompts.transpose_target import Target

SCHOOL = Schema(
    (
        Table("pupil", tuple(map(Column, ("pupil_id", "name", "town", "born", "marks", "form_id")))),
        Table(
            "form",
            tuple(map(Column, ("form_id", "teacher", "seats"))),
            foreign_keys=(ForeignKey(("form_id",), "pupil", ("form_id",)),),
        ),
    ),
    dialect="sqlite",
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    path = tmp_path_factory.mktemp("fleet") / "fleet.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(
            """
            CREATE TABLE "order line" (ship_id INTEGER REFERENCES ship (ship_id), "sum" REAL, paid DATE);
            CREATE TABLE ship (ship_id INTEGER PRIMARY KEY, name TEXT, port TEXT, built DATE, tons INT);
            """
        )
        ports = ["Oslo", "Bergen", "O'Hara", "Narvik", "Molde"]
        ships = [(n, f"Ship {n}", ports[n % 5], f"19{60 + n}-05-01", 100 + 10 * (n // 2)) for n in range(30)]
        db.executemany("INSERT INTO ship VALUES (?, ?, ?, ?, ?)", ships)
        lines = [(n % 30, 5.5 * (n % 20), f"2020-{1 + n % 12:02}-01") for n in range(90)]
        db.executemany('INSERT INTO "order line" VALUES (?, ?, ?)', lines)
    db.close()
    with connect(f"sqlite:///{path}") as opened:
        yield opened


@pytest.fixture(scope="module")
def target(engine: Engine) -> Target:
    return Target(build_catalog(engine))


def first(sql: str, target: Target, start: int = 0) -> str:
    return next(transposed(sql, SCHOOL, target, start), "")


@pytest.mark.parametrize(
    ("sql", "made"),
    [
        (
            "SELECT town, SUM(marks) FROM pupil GROUP BY town",
            "SELECT port, SUM(tons) FROM ship GROUP BY port",
        ),
        (
            "SELECT COUNT(*) FROM pupil WHERE town <> 'Bree'",
            "SELECT COUNT(*) FROM ship WHERE port <> 'Bergen'",
        ),
        ("SELECT name FROM pupil WHERE name LIKE '%nn%'", "SELECT name FROM ship WHERE name LIKE '%Ship%'"),
        (
            "SELECT T1.name FROM pupil AS T1 JOIN form AS T2 ON T1.form_id = T2.form_id WHERE T2.seats > 20",
            'SELECT T1.name FROM ship AS T1 JOIN "order line" AS T2 ON T1.ship_id = T2.ship_id WHERE '
            "T2.sum > 55",
        ),
        (
            "SELECT STRFTIME('%Y', born), COUNT(*) FROM pupil GROUP BY STRFTIME('%Y', born)",
            "SELECT STRFTIME('%Y', paid), COUNT(*) FROM \"order line\" GROUP BY STRFTIME('%Y', paid)",
        ),
        (
            'SELECT name FROM pupil WHERE town = "Bree" ORDER BY marks DESC LIMIT 3',
            "SELECT name FROM ship WHERE port = 'Molde' ORDER BY built DESC LIMIT 3",
        ),
    ],
)
def test_each_column_bears_the_same_use(target: Target, sql: str, made: str) -> None:
    assert first(sql, target) == made


def test_what_is_looked_up_in_a_subquery_is_of_one_kind(target: Target) -> None:
    made = first(
        "SELECT AVG(marks) FROM pupil WHERE town NOT IN (SELECT town FROM pupil WHERE marks > 3)", target
    )
    assert made.startswith(
        "SELECT AVG(tons) FROM ship WHERE NOT port IN (SELECT port FROM ship WHERE tons > "
    )
    both = first(
        "SELECT town FROM pupil WHERE marks > 3 INTERSECT SELECT name FROM pupil WHERE marks < 9", target
    )
    one, other = both.split(" INTERSECT ")
    assert one.split(" FROM")[0] == other.split(" FROM")[0]


def test_values_turn_and_are_quoted(target: Target) -> None:
    sql = "SELECT COUNT(*) FROM pupil WHERE town = 'Bree'"
    made = {first(sql, target, start) for start in range(5)}
    assert "SELECT COUNT(*) FROM ship WHERE port = 'O''Hara'" in made
    assert len(made) == 5


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT nothing FROM pupil",  # no column of a known table
        "SELECT x FROM (SELECT name AS x FROM pupil)",  # a column of a derived table
        "SELECT a.name FROM pupil AS a JOIN form AS b ON a.form_id = b.form_id JOIN x ON x.id = a.marks",
        "SELECT name FROM",
    ],
)
def test_what_does_not_fit_gives_nothing(target: Target, sql: str) -> None:
    assert first(sql, target) == ""


def test_uses_are_those_of_all_mentions() -> None:
    pattern = pattern_of("SELECT town, marks FROM pupil WHERE marks > 3 ORDER BY town", SCHOOL, "sqlite")
    assert pattern is not None
    assert {column: pattern.use((table, column)) for table, column in pattern.columns} == {
        "town": "range",
        "marks": "number",
    }


def test_most_of_the_shipped_exemplars_go_over(engine: Engine, target: Target) -> None:
    """Those that take a window over a derived table or three joined tables do not, on two tables."""
    bench, training = Bench(engine, build_catalog(engine)), own_training()
    shots, passed = Shots(training, "sqlite"), 0
    chosen = generic_exemplars(shots.pairs).exemplars
    for number, pair in enumerate(chosen):
        shot = shots(pair)
        for text in transposed(shot.sql, training.schema(pair.database), target, number):
            try:
                bench.fit(text, shot.sql)
            except Unfit:
                continue
            passed += 1
            break
    assert passed >= 0.65 * len(chosen)


def test_a_chain_of_joins_is_found_in_a_schema_of_hundreds_of_tables(tmp_path: Path) -> None:
    """Three tables that join one after the other, the last of 240: of all triples these are the last."""
    path = tmp_path / "wide.sqlite"
    with sqlite3.connect(path) as db:
        for number in range(237):
            db.execute(f"CREATE TABLE t{number:03} (name TEXT, amount REAL)")
            db.execute(f"INSERT INTO t{number:03} VALUES ('a', 1.5), ('b', 2.5)")
        db.executescript(
            """
            CREATE TABLE land (land_id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE port (port_id INTEGER PRIMARY KEY, land_id INTEGER REFERENCES land (land_id));
            CREATE TABLE quay (quay_id INTEGER, port_id INTEGER REFERENCES port (port_id), metres INT);
            INSERT INTO land VALUES (1, 'Norway'), (2, 'Chile');
            INSERT INTO port VALUES (1, 1), (2, 2), (3, 1);
            INSERT INTO quay VALUES (1, 1, 80), (2, 2, 90), (3, 3, 200), (4, 3, 120), (5, 2, 70), (6, 1, 125);
            """
        )
    db.close()
    shop = Schema(
        tuple(
            Table(name, tuple(map(Column, columns)))
            for name, columns in {"a": ("id", "label"), "b": ("id", "a_id"), "c": ("b_id", "price")}.items()
        ),
        dialect="sqlite",
    )
    sql = (
        "SELECT a.label, SUM(c.price) FROM a, c JOIN b ON c.b_id = b.id WHERE a.id = b.a_id GROUP BY a.label"
    )
    with connect(f"sqlite:///{path}") as opened:
        made = next(transposed(sql, shop, Target(build_catalog(opened))), "")
        assert {tuple(row) for row in opened.run(made).rows} == {("Norway", 525), ("Chile", 160)}


def test_texts_in_a_column_of_numbers_are_none_of_its_values(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "plant.sqlite") as db:
        db.execute("CREATE TABLE plant (id INTEGER PRIMARY KEY, capacity INT)")
        rows = [(n, "N/A" if n % 5 == 0 else 10 * (n % 7)) for n in range(100)]
        db.executemany("INSERT INTO plant VALUES (?, ?)", rows)
    db.close()
    with connect(str(tmp_path / "plant.sqlite")) as opened:
        column = Target(build_catalog(opened)).column("plant", "capacity")
    assert column is not None
    assert column.kind == "number"
    assert "N/A" not in column.values
    assert float(column.at(0.5)) > 0
