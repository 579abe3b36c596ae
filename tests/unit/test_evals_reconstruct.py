"""SQL rebuilt from items alone: what comes back, what is lost and why, and a user who corrects a model."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cli_helpers import Command, clean_environment
from sqlore.catalog import Catalog, build_catalog
from sqlore.engines import Engine, connect
from sqlore.errors import UsageError
from sqlore.evals.execution.tasks import Question
from sqlore.evals.reconstruct import Lost, items_of, losses, outline_of, rebuild
from sqlore.evals.reconstruct_model import Writer, correction
from sqlore.evals.reconstruct_run import Reconstruction, as_json, reconstruct
from sqlore.llm import FunctionModel
from sqlore.model import Fragment, Message
from sqlore.sql import parse_script
from support import data_dir

TABLES = """
CREATE TABLE port (port_id INTEGER PRIMARY KEY, town TEXT, land TEXT);
CREATE TABLE ship (ship_id INTEGER PRIMARY KEY, name TEXT, port_id INTEGER REFERENCES port (port_id),
                   last_port INTEGER REFERENCES port (port_id), tons INTEGER);
INSERT INTO port VALUES (1, 'Oslo', 'N'), (2, 'Molde', 'N'), (3, 'Kiel', 'D'), (4, 'Bonn', 'D');
INSERT INTO ship VALUES (1, 'Ada', 1, 2, 100), (2, 'Bea', 1, 3, 250), (3, 'Cleo', 2, 1, 300),
                        (4, 'Dora', 3, 1, 50), (5, 'Eva', 3, 1, 170), (6, 'Fe', NULL, 2, 90);
"""
JOINED = "FROM ship AS s JOIN port AS p ON s.port_id = p.port_id"
WHOLE = [
    "SELECT COUNT(*) FROM ship",
    "SELECT name, tons FROM ship WHERE tons BETWEEN 100 AND 260 ORDER BY tons DESC LIMIT 2",
    f"SELECT DISTINCT p.town {JOINED} WHERE s.tons > 60",
    f"SELECT p.land, AVG(s.tons), COUNT(*) {JOINED} WHERE p.town <> 'Molde' GROUP BY p.land"
    " HAVING COUNT(*) > 1",
    "SELECT name FROM ship WHERE tons > (SELECT AVG(tons) FROM ship WHERE name <> 'Cleo')",
    "SELECT s.name, 'x', s.tons * 2 FROM ship s LEFT JOIN port p ON s.port_id = p.port_id"
    " WHERE p.town IS NULL",
    "SELECT name, RANK() OVER (ORDER BY tons DESC) FROM ship",
    "SELECT a.town FROM port a JOIN port b ON a.land = b.land WHERE a.port_id < b.port_id",
    "SELECT p.town, SUM(CASE WHEN s.tons > 100 THEN 1 ELSE 0 END) AS big "
    f"{JOINED} GROUP BY p.town ORDER BY big DESC, p.town LIMIT 1",
]
LOSES = {
    "SELECT name FROM ship WHERE tons < 60 OR name = 'Ada'": "OR between conditions",
    "SELECT s.name FROM ship s JOIN port a ON s.port_id = a.port_id JOIN port b ON s.last_port = b.port_id"
    " WHERE a.town = 'Oslo' AND b.town = 'Kiel'": "self join",
    "SELECT name FROM ship WHERE tons > 200 UNION SELECT town FROM port WHERE land = 'D'": "set operation",
    "SELECT MAX(n) FROM (SELECT port_id, COUNT(*) AS n FROM ship GROUP BY port_id)": "derived table",
    "SELECT name, (SELECT COUNT(*) FROM port) FROM ship": "scalar subquery in SELECT",
}


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / "fleet.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(TABLES)
    db.close()
    with connect(f"sqlite:///{path}") as opened:
        yield opened


@pytest.fixture
def catalog(engine: Engine) -> Catalog:
    return build_catalog(engine)


def fragments(sql: str, engine: Engine) -> Sequence[Fragment]:
    return parse_script(sql, "sqlite", engine.schema()).fragments


def tasks(*scripts: str) -> list[Question]:
    return [Question(str(number), "fleet", "", sql) for number, sql in enumerate(scripts)]


# ------------------------------------------------------------------ by program


def test_a_query_comes_back_from_its_items(engine: Engine, catalog: Catalog) -> None:
    found = reconstruct(tasks(*WHOLE), engine, catalog)
    assert found.failures("items+outline") == {}
    assert found.accuracy("items+outline") == 1
    assert not found.not_counted
    assert all(losses(fragments(sql, engine), "sqlite") == () for sql in WHOLE if "port b" not in sql)


def test_what_is_rebuilt_does_not_come_from_the_text(engine: Engine) -> None:
    sql = WHOLE[3]
    found = fragments(sql, engine)
    outline = outline_of(found, "sqlite")
    blank = [one for one in found if one.kind != "query"]
    assert rebuild(blank, "sqlite", outline) == rebuild(found, "sqlite", outline)
    fewer = [one for one in blank if one.canonical != "port.town <> 'Molde'"]
    assert "Molde" not in rebuild(fewer, "sqlite", outline)


def test_without_the_outline_formulas_alone_come_back(engine: Engine, catalog: Catalog) -> None:
    found = reconstruct(tasks(*WHOLE), engine, catalog)
    right = [one.id for one in found.of("items") if one.correct]
    assert right == []  # the sole COUNT(*) names no table
    counted = reconstruct(tasks(f"SELECT COUNT(*) {JOINED}", "SELECT AVG(tons) FROM ship"), engine, catalog)
    assert counted.accuracy("items") == 1
    assert found.failures("items")["no formula is selected"] == 4


@pytest.mark.parametrize("sql", LOSES, ids=LOSES.values())
def test_what_the_items_lose_is_named(sql: str, engine: Engine, catalog: Catalog) -> None:
    found = reconstruct(tasks(sql), engine, catalog)
    assert found.failures("items+outline") == {LOSES[sql]: 1}


def test_scripts_whose_own_sql_tells_nothing_are_not_counted(engine: Engine, catalog: Catalog) -> None:
    found = reconstruct(
        tasks("SELECT nothing FROM ship", "SELECT", "SELECT RANDOM() FROM ship"), engine, catalog
    )
    assert found.rebuilt == []
    assert dict(found.not_counted) == {"error": 1, "not understood": 1, "nondeterministic": 1}


def test_items_within_items_are_none_of_their_own(engine: Engine) -> None:
    items = items_of(fragments(WHOLE[4], engine))
    assert [one.kind for one in items] == ["condition"]
    with pytest.raises(Lost, match="set operation"):
        outline_of(fragments(next(sql for sql in LOSES if "UNION" in sql), engine), "sqlite")


@pytest.mark.parametrize(("database", "least"), [("superhero", 0.95), ("financial", 0.95)])
def test_bird(database: str, least: float) -> None:
    data = data_dir() / "bird"
    records = json.loads((data / "dev.json").read_text(encoding="utf-8"))
    own = [one for one in records if one["db_id"] == database][:40]
    with connect(str(data / "databases" / f"{database}.sqlite")) as engine:
        asked = [Question(str(one["question_id"]), database, "", one["SQL"]) for one in own]
        found = reconstruct(asked, engine, build_catalog(engine))
    assert found.accuracy("items+outline") >= least
    assert set(found.failures("items+outline")) <= {*LOSES.values()}


# ------------------------------------------------------------------ by a model, and refined


def test_a_model_is_told_descriptions_and_not_the_sql(engine: Engine, catalog: Catalog) -> None:
    told = Writer(FunctionModel(lambda messages: ""), catalog).told(fragments(WHOLE[3], engine))
    assert "condition: ports whose town is not Molde" in told
    assert "columns, in this order: port.land, the calculation, the calculation" in told
    assert "AVG(" not in told
    assert "<>" not in told


def test_a_user_corrects_item_by_item(engine: Engine, catalog: Catalog) -> None:
    gold = f"SELECT COUNT(*) {JOINED} WHERE p.land = 'N' AND s.tons > 120"
    wrong = f"SELECT SUM(s.tons) {JOINED} WHERE p.land = 'N' AND s.tons > 90"
    said: list[str] = []

    def answer(messages: Sequence[Message]) -> str:
        task = messages[-1].content
        said.append(task)
        sql = wrong if len(said) == 1 else task.split("not right:\n")[1].split("\n\n")[0]
        if "count(*)" in task:
            sql = sql.replace("SUM(s.tons)", "COUNT(*)")
        if "ship.tons > 120" in task:
            sql = sql.replace("> 90", "> 120")
        return f"```sql\n{sql}\n```"

    model = FunctionModel(answer)
    found = reconstruct(tasks(gold), engine, catalog, model=model)
    (rebuilt,) = found.of("model")
    assert (rebuilt.correct, rebuilt.step) == (True, 2)
    assert "This calculation is wrong: sum(ship.tons)\nIt has to be: count(*)" in said[1]
    assert "This condition is wrong: ship.tons > 90\nIt has to be: ship.tons > 120" in said[2]
    (result,) = [one for one in as_json(found, 5)["results"] if one["way"] == "model"]
    assert result["accuracy_by_step"] == [0, 0, 1, 1, 1, 1]
    stopped = reconstruct(tasks(gold), engine, catalog, model=FunctionModel(lambda m: wrong), steps=1)
    assert stopped.accuracy("model") == 0
    assert stopped.of("model")[0].step == 1


def test_a_user_says_nothing_twice(engine: Engine, catalog: Catalog) -> None:
    model = FunctionModel(lambda messages: "I cannot.")
    found = reconstruct(tasks(WHOLE[0]), engine, catalog, model=model)
    assert found.failures("model") == {"no SQL": 1}
    tasks_ = [request[-1].content for request in model.requests]
    assert len(tasks_) == len(set(tasks_)) <= 6


def test_corrections(engine: Engine, catalog: Catalog) -> None:
    gold = fragments("SELECT name, tons FROM ship WHERE tons > 60", engine)

    def said(sql: str) -> str | None:
        return correction(sql, gold, "sqlite", catalog, set())

    assert said("SELECT name, tons FROM ship WHERE tons > 60") is None
    assert said("SELECT name, tons FROM ship") == "A condition is missing: ship.tons > 60"
    assert said("SELECT DISTINCT name, tons FROM ship WHERE tons > 60") == "Leave out this output: distinct"
    assert said("SELECT tons FROM ship WHERE tons > 60") == (
        "Select these columns in this order: ship.name, ship.tons, from ship"
    )
    assert (said("SELECT (FROM") or "").startswith("It cannot be read as SQL")


def test_literals_stay_from_a_remote_model(engine: Engine, catalog: Catalog) -> None:
    class Remote(FunctionModel):
        remote = True

    with pytest.raises(UsageError, match="mask"):
        reconstruct(tasks(WHOLE[0]), engine, catalog, model=Remote(lambda messages: ""), mask=True)


# ------------------------------------------------------------------ the command


def test_the_command(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clean_environment(monkeypatch, tmp_path)
    scripts = [*WHOLE, *LOSES]
    records = [
        {"question_id": n, "db_id": "fleet", "question": "?", "SQL": sql} for n, sql in enumerate(scripts)
    ]
    (tmp_path / "history.json").write_text(json.dumps(records), encoding="utf-8")
    command = Command(capsys)
    wanted = ["eval", "reconstruction", "--history", "history.json", "--db", "fleet.sqlite"]
    said = command(*wanted, "--json").json
    by_way = {one["way"]: one for one in said["results"]}
    assert by_way["items+outline"]["correct"] == len(WHOLE)
    assert by_way["items+outline"]["accuracy"] == round(len(WHOLE) / len(scripts), 4)
    assert {one["way"] for one in said["scripts"]} == {"items", "items+outline"}
    shown = command(*wanted, "--limit", "3")
    assert "items+outline: " in shown.out
    assert " of 3 scripts" in shown.out


def test_nothing_rebuilt() -> None:
    assert as_json(Reconstruction(), 5) == {"results": [], "not_counted": {}, "scripts": []}
