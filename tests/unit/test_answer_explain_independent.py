"""Explanations and items switched off, held against what sqlglot's tree alone says: every shape of query."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

import explain_checks
from explain_checks import check_script
from independent import Own
from join_checks import Found
from query_cases import DATABASE, ONLY, QUERIES
from refine_checks import check_off
from sqlore.answer.explain.facts import Counts, Joined
from sqlore.answer.explain.run import figures
from sqlore.answer.refine.change import Refiner
from sqlore.catalog import catalog_from_schema
from sqlore.engines import connect
from support import data_dir

Made = tuple[Path, Path]


@pytest.fixture(params=["sqlite", "duckdb"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Made:
    """The same small database twice: DuckDB opens a file only one way at a time."""
    paths = tmp_path / f"one.{request.param}", tmp_path / f"two.{request.param}"
    for path in paths:
        connection = sqlite3.connect(path) if request.param == "sqlite" else duckdb.connect(str(path))
        for statement in DATABASE:
            connection.execute(statement)
        connection.commit()
        connection.close()
    return paths


def queries(dialect: str) -> dict[str, str]:
    return {**QUERIES, **ONLY[dialect]}


def checked(made: Made, *only: str) -> Found:
    found = Found()
    with connect(str(made[0])) as engine:
        catalog = catalog_from_schema(engine.schema())
        for name, sql in queries(engine.dialect).items():
            if only and name not in only:
                continue
            own = Own(made[1], engine.dialect)
            check_script(sql, engine, catalog, own, found, name)
            own.connection.close()
    return found


def test_closures_and_figures_of_every_shape_are_what_independent_queries_give(made: Made) -> None:
    found = checked(made)
    assert not found.differs
    assert not found.unexplained
    assert found.explained == found.scripts == len(queries(made[0].suffix[1:]))
    least = {
        "closure rows": 110, "closure in the whole": 35, "correlated in the whole": 12, "join rows lost": 45,
        "where condition alone": 110, "having condition alone": 9, "from condition alone": 5, "groups": 12,
    }  # fmt: skip
    assert {kind: found.checked[kind] >= least[kind] for kind in least} == dict.fromkeys(least, True)


@pytest.mark.parametrize("wrong", [Counts, Joined])
def test_a_wrong_figure_is_found(made: Made, wrong: type, monkeypatch: pytest.MonkeyPatch) -> None:
    def shifted(*given: object, **named: object) -> object:
        for figure in figures(*given, **named):  # type: ignore[arg-type]
            facts = figure.facts
            if isinstance(facts, Counts) and wrong is Counts:
                facts = replace(facts, alone=facts.alone + 1)
            elif isinstance(facts, Joined) and wrong is Joined:
                facts = replace(facts, rows=facts.rows + 1)
            yield replace(figure, facts=facts)

    monkeypatch.setattr(explain_checks, "figures", shifted)
    kinds = {kind for kind, _, _ in checked(made, "comma", "leftmany", "havsub").differs}
    assert (
        kinds <= {"where condition alone", "having condition alone", "from condition alone"}
        or wrong is Joined
    )
    assert kinds
    assert "join rows" in kinds or wrong is Counts


def test_an_item_switched_off_is_the_query_without_it(made: Made) -> None:
    found = Found()
    with connect(str(made[0])) as engine:
        refiner = Refiner(catalog_from_schema(engine.schema()), engine.dialect)
        for name, sql in queries(engine.dialect).items():
            own = Own(made[1], engine.dialect)
            check_off(sql, refiner, own, found, name)
            own.connection.close()
    assert not found.differs
    assert found.checked["off where: SQL"] > 100
    assert found.checked["off where: rows"] > 100
    assert found.checked["off having: SQL"] >= 5


def sample(step: int) -> list[tuple[str, str, str]]:
    """Scripts of the development set whose databases are there, and composed tasks: one of every `step`."""
    folder = data_dir("bird", "databases")
    rows = json.loads(data_dir("bird", "dev.json").read_text(encoding="utf-8"))
    for path in sorted(data_dir("history_tasks").glob("*.json")):
        rows += json.loads(path.read_text(encoding="utf-8"))
    known = [row for row in rows if (folder / f"{row['db_id']}.sqlite").exists()]
    return [(row["db_id"], str(row["question_id"]), row["SQL"]) for row in known[::step]]


Check = Callable[[str, Path, Found, str], None]


def explained(sql: str, path: Path, found: Found, name: str) -> None:
    with connect(str(path)) as engine:
        own = Own(path, "sqlite", 2.0)
        check_script(sql, engine, catalog_from_schema(engine.schema()), own, found, name)
        own.connection.close()


def off(sql: str, path: Path, found: Found, name: str) -> None:
    with connect(str(path)) as engine:
        own = Own(path, "sqlite", 2.0)
        check_off(sql, Refiner(catalog_from_schema(engine.schema())), own, found, name)
        own.connection.close()


@pytest.mark.parametrize(("check", "kind"), [(explained, "closure rows"), (off, "off where: rows")])
def test_real_scripts_on_their_databases(check: Check, kind: str) -> None:
    found = Found()
    for database, number, sql in sample(120):
        check(sql, data_dir("bird", "databases", f"{database}.sqlite"), found, f"{database}/{number}")
    assert not found.differs
    assert not found.unexplained
    assert found.checked[kind] >= 4
