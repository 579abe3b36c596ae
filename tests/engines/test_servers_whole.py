"""A database on a server from its history to an answer and its explanation; no password is left anywhere."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import servers
import sqlore.workspace
from bird_postgres import load_superhero, superhero_questions
from cli_helpers import REVENUE, TABLES, Command, make_history
from engines_helpers import server_of
from http_helpers import BASE
from sqlore.answer.explain.explanation import explain
from sqlore.answer.explain.run import figures
from sqlore.catalog import build_catalog
from sqlore.catalog.profile import ProfileBudget, profile_database
from sqlore.engines import connect
from sqlore.interfaces.http import create_app
from sqlore.llm import FunctionModel
from sqlore.model import Schema
from sqlore.sql.check.query import check_query
from store_helpers import WordEmbedder

Make = Callable[[], str]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """`sqlore` in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return Command(capsys)


@pytest.fixture(params=["postgres", "mysql"])
def url(request: pytest.FixtureRequest) -> str:
    """The shop on each kind of server, with its password."""
    tables = [statement.replace(" REAL", " DOUBLE PRECISION") for statement in TABLES]
    return server_of(request.param).make(tables, "cli_shop")


def test_from_history_to_answer_on_the_command_line(url: str, command: Command, tmp_path: Path) -> None:
    make_history(tmp_path / "queries")
    said = [command("learn", "--db", url, "--history", "queries")]
    assert said[0].code == 0
    assert "Learned 3 scripts" in said[0].out
    said.append(command("retrieve", "revenue of enterprise customers", "--json"))
    assert "orders.status = <val>" in said[-1].out
    said.append(command("explain", REVENUE, "--json"))
    shown = said[-1].json
    assert said[-1].code == 0
    assert "3 of 4" in json.dumps(shown)
    said.append(command("doctor"))
    assert "2 tables, 7 columns" in said[-1].out
    said.append(command("knowledge", "list"))
    said.append(command("learn", f"--db={url}", "--history", "queries"))
    assert "Nothing new" in said[-1].out
    measured = command(
        "eval", "retrieval", "--leave-one-out", "--history", "queries", "--db", url, "--out", "eval"
    )
    said.append(measured)
    assert measured.code == 0, measured.err
    said.append(command("ask", "how many?", "--db", url.replace("cli_shop", "nowhere")))
    assert said[-1].code == 2
    assert "no such database" in said[-1].err
    assert_no_password([one.out + one.err for one in said], tmp_path)
    (store,) = (tmp_path / ".sqlore").glob("*.sqlore")
    assert store.name.startswith("cli_shop-")


def assert_no_password(said: list[str], folder: Path) -> None:
    """Neither what was printed nor any file has the password, as it is or encoded."""
    files = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    assert files
    for secret in (servers.PASSWORD, "s3cret"):
        assert not any(secret in text for text in said)
        assert not any(secret.encode() in content for content in files)


def test_execution_is_measured_on_a_server(url: str, command: Command, tmp_path: Path) -> None:
    tasks = [
        {
            "question_id": 1,
            "db_id": "cli_shop",
            "question": "Revenue of enterprise customers?",
            "SQL": REVENUE,
        },
        {
            "question_id": 2,
            "db_id": "cli_shop",
            "question": "How many orders?",
            "SQL": "SELECT COUNT(*) FROM orders",
        },
    ]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    answers = {"0": f"{REVENUE}\t----- bird -----\tcli_shop", "1": "SELECT 1\t----- bird -----\tcli_shop"}
    (tmp_path / "predicted.json").write_text(json.dumps(answers))
    done = command(
        "eval", "execution", "--tasks", "tasks.json", "--db", url, "--predictions", "other=predicted.json",
        "--out", "run", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "run" / "run.json").read_text())["plan"]["db"].startswith(
        ("postgresql:", "mysql:")
    )
    assert_no_password([done.out, done.err], tmp_path)


def test_asking_and_refining_over_http(url: str, tmp_path: Path) -> None:
    make_history(tmp_path / "queries")
    lore = sqlore.workspace.open(url, home=tmp_path / ".sqlore", model="none")
    lore.__dict__["embedder"] = WordEmbedder()
    lore.__dict__["model"] = FunctionModel(lambda messages: f"```sql\n{REVENUE}\n```")
    lore.learn(tmp_path / "queries")
    draft = lore.ask("Revenue of enterprise customers?")
    assert draft.result is not None
    assert [float(value) for value in draft.result.rows[0]] == [17.5]
    assert {citation.status for citation in draft.citations} == {"cited"}
    again = lore.checked(REVENUE.replace("'P'", "'R'"))
    assert again.result is not None
    assert float(again.result.rows[0][0]) == 20
    assert "nope" in (lore.checked("SELECT nope FROM orders").error or "")
    with TestClient(create_app(lore, static=tmp_path / "no-app"), base_url=BASE) as client:
        health = client.get("/api/health").json()
        assert health["database"]["place"] == lore.engine.url
        run = client.post("/api/run", json={"sql": "SELECT id, amount FROM orders ORDER BY id"}).json()
        assert run["rows"][0] == [1, 10.5]
        settings = client.get("/api/settings").text
        refused = client.post("/api/run", json={"sql": "DELETE FROM orders"})
        assert refused.status_code >= 400
    lore.close()
    assert_no_password([json.dumps(health), settings, refused.text], tmp_path)


def test_every_figure_of_a_query_comes(url: str) -> None:
    with connect(url) as engine:
        catalog = build_catalog(engine)
        assert [match.value for match in catalog.values.match("customers of ENT")] == ["ENT"]
        query = (
            "WITH paid AS (SELECT customer_id, amount FROM orders WHERE status = 'P')"
            " SELECT c.name, COUNT(DISTINCT p.amount), SUM(p.amount) AS total FROM customer AS c"
            " LEFT JOIN paid AS p ON p.customer_id = c.id"
            " WHERE EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.id AND o.amount > 1)"
            " GROUP BY c.name HAVING SUM(p.amount) > 1 ORDER BY total DESC LIMIT 2"
        )
        assert check_query(query, engine.dialect, catalog.schema) == query
        found = [one for one in figures(explain(query, engine, catalog), engine) if one.status != "slow"]
        assert [(one.item, one.text) for one in found if one.status != "done"] == []
        assert any("2 of 4" in one.text or "3 of 4" in one.text for one in found)


def test_a_table_too_large_is_sampled_not_read(url: str) -> None:
    with connect(url) as engine:
        schema = engine.schema()
        large = Schema(
            tuple(_with_rows(table, 1_000_000_000) for table in schema.tables), schema.name, schema.dialect
        )
        profile = profile_database(engine, large, ProfileBudget(rows=2))
    status = profile.column("orders", "status")
    assert status is not None
    assert status.skipped is None
    assert not status.complete
    assert sum(count for _, count in status.values) == 2


def test_a_sample_of_blocks_is_known_to_be_one() -> None:
    rows = "INSERT INTO big SELECT n, 'v' || n % 7 FROM generate_series(1, 50000) AS n"
    url = servers.postgres().make(["CREATE TABLE big (n int, v text)", rows, "ANALYZE big"], "big")
    with connect(url) as engine:
        schema = engine.schema()
        assert schema.tables[0].rows == 50_000
        profile = profile_database(engine, schema, ProfileBudget(rows=5000))
    v, n = profile.column("big", "v"), profile.column("big", "n")
    assert v is not None
    assert n is not None
    assert (v.complete, v.distinct, n.skipped) == (False, 7, None)
    assert 0 < (n.filled or 0) <= 5000
    assert int(n.maximum or 0) > 10_000  # not only the first rows were looked at


def _with_rows(table: Any, rows: int) -> Any:
    from dataclasses import replace

    return replace(table, rows=rows)


def test_bird_in_postgresql_from_its_history_to_explanations(tmp_path: Path) -> None:
    questions = superhero_questions()
    url = load_superhero(servers.postgres())
    (tmp_path / "history.json").write_text(json.dumps(questions[:40]))
    with sqlore.workspace.open(url, home=tmp_path / ".sqlore", model="none") as lore:
        lore.__dict__["embedder"] = WordEmbedder()
        report = lore.learn(tmp_path / "history.json")
        assert (report.rejected, report.new + report.folded) == ({}, 40)
        schema = lore.catalog.schema
        assert (schema.name, schema.dialect, len(schema.tables)) == ("superhero", "postgres", 10)
        hero = schema.table("superhero")
        assert hero is not None
        assert len(hero.foreign_keys) == 7
        found = lore.retrieve("How many heroes of Marvel Comics are taller than 200 cm?")
        assert "publisher.publisher_name = <val>" in {one.item.skeleton for one in found.items}
        assert ("publisher.publisher_name", "Marvel Comics") in {
            (f"{match.table}.{match.column}", match.value) for match in found.values
        }
        failed = []
        for one in questions:
            sql = check_query(one["SQL"], "postgres", schema)
            assert lore.engine.run(sql).columns
            explanation = explain(sql, lore.engine, lore.catalog, lore.store)
            if one in questions[::8]:
                done = figures(explanation, lore.engine, cancel=threading.Event())
                failed += [figure for figure in done if figure.status not in ("done", "slow")]
        assert failed == []


def test_a_server_that_holds_a_database_for_each_id(tmp_path: Path) -> None:
    from sqlore.engines import place_of
    from sqlore.evals.execution.places import find_places

    server = servers.postgres()
    server.make(["CREATE TABLE a (x int)"], "one_db")
    server.make(["CREATE TABLE b (x int)"], "two_db")
    place = place_of(server.url("{db_id}"))
    assert place == server.shown("{db_id}")
    places = find_places(place, ["one_db", "two_db", "two_db", "gone_db"])
    assert places.urls == {"one_db": server.shown("one_db"), "two_db": server.shown("two_db")}
    assert places.missing == {"gone_db": 1}


def test_keys_between_schemas_are_written_as_they_are_named() -> None:
    from sqlore.prompts.bare_schema import bare_schema

    statements = [
        "CREATE SCHEMA s1",
        "CREATE TABLE s1.p (id int PRIMARY KEY)",
        "CREATE TABLE c (p_id int REFERENCES s1.p)",
    ]
    with connect(servers.postgres().make(statements, "keys")) as engine:
        schema = engine.schema()
    assert "REFERENCES s1.p (id)" in bare_schema(schema)


@pytest.mark.parametrize(
    ("sql", "skeleton"),
    [("SELECT cli_shop.orders.id FROM cli_shop.orders WHERE orders.amount > 5", "orders.amount > <val>")],
)
def test_mysql_calls_its_own_database_a_schema(sql: str, skeleton: str) -> None:
    from sqlore.sql import parse_script

    tables = [statement.replace(" REAL", " DOUBLE PRECISION") for statement in TABLES]
    with connect(servers.mysql().make(tables, "cli_shop")) as engine:
        schema = engine.schema()
        assert engine.run(check_query(sql, "mysql", schema)).rows
    parsed = parse_script(sql, "mysql", schema)
    assert skeleton in {fragment.skeleton for fragment in parsed.fragments}
    assert parsed.tables == ("orders",)
