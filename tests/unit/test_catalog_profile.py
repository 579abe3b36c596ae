"""Profiles of columns within a budget, on SQLite and DuckDB, and schemas from tables.json."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from sqlore.catalog import ProfileBudget, build_catalog, load_tables_json
from sqlore.catalog.profile import ColumnProfile, Profile, profile_database
from sqlore.engines import Engine, connect
from sqlore.errors import SourceError, UsageError
from sqlore.model import Column, Schema, Table
from support import data_dir

DDL = (
    'create table "order" (id integer primary key, status integer, "Kind of ""x""" varchar, day date,'
    " amount double, password varchar, note varchar, data blob, vacant varchar)"
)
ROWS = [
    (
        i,
        i % 4,
        f"kind {i % 3}",
        f"2020-01-{1 + i % 28:02}",
        i / 4,
        f"pw{i}",
        "n" * (i % 200),
        b"\x00\x01",
        None,
    )
    for i in range(400)
]


@pytest.fixture(scope="module", params=["sqlite", "duckdb"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    path = tmp_path_factory.mktemp("profile") / f"shop.{request.param}"
    db = sqlite3.connect(path) if request.param == "sqlite" else duckdb.connect(str(path))
    db.execute(DDL)
    db.executemany(f'insert into "order" values ({", ".join("?" * 9)})', ROWS)
    db.execute("create table empty (a varchar, b integer)")
    db.commit()
    db.close()
    with connect(str(path)) as engine:
        yield engine


def seen(profile: Profile, column: str) -> ColumnProfile:
    found = profile.column("order", column)
    assert found is not None
    return found


def test_values_counts_and_ranges(engine: Engine) -> None:
    profile = profile_database(engine, engine.schema())
    status = seen(profile, "status")
    assert status.values == (("0", 100), ("1", 100), ("2", 100), ("3", 100))
    assert (status.distinct, status.filled, status.minimum, status.maximum) == (4, 400, "0", "3")
    assert status.complete
    assert status.coded
    assert seen(profile, 'kind of "X"').values[0] == ("kind 0", 134)
    day = seen(profile, "day")
    assert (day.kind, day.minimum, day.maximum, day.distinct) == ("date", "2020-01-01", "2020-01-28", 28)
    assert seen(profile, "amount").maximum == "99.75"
    assert not seen(profile, "id").coded
    nothing = seen(profile, "vacant")
    assert (nothing.distinct, nothing.filled, nothing.values) == (0, 0, ())
    empty = profile.column("empty", "a")
    assert empty is not None
    assert (empty.distinct, empty.complete, empty.coded) == (0, True, False)


def test_long_texts_are_counted_but_not_kept(engine: Engine) -> None:
    note = seen(profile_database(engine, engine.schema(), ProfileBudget(length=10)), "note")
    assert note.distinct == 200
    assert not note.complete
    assert {len(v) for v, _ in note.values} <= set(range(1, 11))


def test_secrets_and_bytes_are_never_read(engine: Engine) -> None:
    catalog = build_catalog(engine)
    assert seen(catalog.profile, "password").skipped == "its name looks secret"
    assert seen(catalog.profile, "data").skipped
    assert "pw17" not in json.dumps(catalog.to_json())
    assert catalog.profile.cut == {}, "what is left out on purpose is not cut"


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_an_empty_text_is_a_value_that_is_not_kept(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"shop.{kind}"
    db = sqlite3.connect(path) if kind == "sqlite" else duckdb.connect(str(path))
    db.execute('create table "order" (status varchar)')
    db.executemany('insert into "order" values (?)', [(one,) for one in ("A", "B", "") * 20])
    db.commit()
    db.close()
    with connect(str(path)) as opened:
        status = seen(profile_database(opened, opened.schema()), "status")
        assert status.values == (("A", 20), ("B", 20))
        assert (status.distinct, status.complete, status.coded) == (3, True, True)
        short = profile_database(opened, opened.schema(), ProfileBudget(values=2))
        assert not seen(short, "status").complete


def test_the_budget_of_values(engine: Engine) -> None:
    profile = profile_database(engine, engine.schema(), ProfileBudget(values=3))
    status = seen(profile, "status")
    assert [v for v, _ in status.values] == ["0", "1", "2"]
    assert (status.distinct, status.complete, status.coded) == (4, False, False)
    none_left = profile_database(engine, engine.schema(), ProfileBudget(all_values=5))
    assert sum(len(c.values) for c in none_left.columns) == 5
    assert "order.amount" in none_left.cut


def test_the_budget_of_rows(engine: Engine) -> None:
    status = seen(profile_database(engine, engine.schema(), ProfileBudget(rows=40)), "status")
    assert (status.filled, status.complete) == (40, False)


def test_no_time_at_all(engine: Engine) -> None:
    profile = profile_database(engine, engine.schema(), ProfileBudget(seconds=0))
    assert profile.cut["order.status"] == "no time left"
    assert all(not c.values for c in profile.columns)


def test_a_column_that_is_refused_does_not_stop_the_rest(engine: Engine) -> None:
    schema = Schema((Table("order", (Column("status", "INTEGER"), Column("gone", "TEXT"))),))
    profile = profile_database(engine, schema)
    assert "gone" in profile.cut["order.gone"], "SQLite would read a lone quoted name as a text"
    assert seen(profile, "status").distinct == 4


def test_it_is_the_same_every_time_and_tells_its_progress(engine: Engine) -> None:
    steps: list[tuple[int, int, str]] = []
    first = profile_database(engine, engine.schema(), on_progress=lambda *step: steps.append(step))
    assert first == profile_database(engine, engine.schema())
    assert steps[-1] == (11, 11, "")
    assert len(steps) > 5
    assert Profile.from_json(json.loads(json.dumps(first.to_json()))) == first


def test_a_wide_table_does_not_use_up_what_many_tables_need(tmp_path: Path) -> None:
    path = tmp_path / "wide.sqlite"
    with sqlite3.connect(path) as db:
        db.execute(f"create table wide ({', '.join(f'c{i} text' for i in range(1000))})")
        db.execute(f"insert into wide values ({', '.join(repr(f'v{i}') for i in range(1000))})")
        for i in range(50):
            db.execute(f"create table t{i} (id integer primary key, name text)")
            db.execute(f"insert into t{i} values (1, 'name {i}')")
    with connect(str(path)) as engine:
        profile = profile_database(engine, engine.schema(), ProfileBudget(columns=200))
    assert len(profile.cut) == 1100 - 200
    names = [profile.column(f"t{i}", "name") for i in range(50)]
    assert [c.values for c in names if c] == [((f"name {i}", 1),) for i in range(50)]


# ------------------------------------------------------------------ tables.json


def test_all_schemas_load() -> None:
    files = {
        ("bird", "dev_tables.json"): 8,
        ("bird", "train_tables.json"): 69,
        ("spider", "tables.json"): 166,
        ("kaggledbqa", "KaggleDBQA_tables.json"): 8,
        ("logs", "tables_so.json"): 1,
    }
    for parts, count in files.items():
        schemas = load_tables_json(data_dir(*parts))
        assert len(schemas) == count
        for schema in schemas.values():
            for table in schema.tables:
                for key in table.foreign_keys:
                    target = schema.table(key.ref_table)
                    assert target is not None
                    assert all(target.column(c) for c in key.ref_columns)
                    assert all(table.column(c) for c in key.columns)


def test_keys_types_and_descriptions() -> None:
    path = data_dir("bird", "dev_tables.json")
    (financial,) = load_tables_json(path, "financial").values()
    district = financial.table("district")
    assert district is not None
    assert district.column("a11") == Column("A11", "integer", comment="average salary")
    (card,) = load_tables_json(path, "debit_card_specializing").values()
    yearmonth = card.table("yearmonth")
    assert yearmonth is not None
    assert [c.name for c in yearmonth.columns if c.primary_key] == ["CustomerID", "Date"]
    (nuclear,) = load_tables_json(data_dir("kaggledbqa", "KaggleDBQA_tables.json"), "GeoNuclearData").values()
    plants = nuclear.table("nuclear_power_plants")
    assert plants is not None
    capacity = plants.column("Capacity")
    assert capacity is not None
    assert capacity.comment == "nuclear power plant capacity (design net capacity in MWe)"


def test_wrong_tables_files(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    with pytest.raises(UsageError, match="no file"):
        load_tables_json(path)
    for text in ("[", "3", '[{"db_id": "a"}]', '["x"]'):
        path.write_text(text)
        with pytest.raises(SourceError):
            load_tables_json(path)
    path.write_text("[]")
    with pytest.raises(UsageError, match="no database 'x'"):
        load_tables_json(path, "x")
