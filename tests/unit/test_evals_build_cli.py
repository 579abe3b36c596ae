"""`sqlore bench` as people run it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
import yaml

from cli_helpers import Command, clean_environment
from support import ROOT, data_dir

GOLDEN = ROOT / "tests" / "golden" / "bench"


@pytest.fixture
def sqlore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    clean_environment(monkeypatch, tmp_path)
    with sqlite3.connect(tmp_path / "library.sqlite") as connection:
        connection.executescript((GOLDEN / "library.sql").read_text(encoding="utf-8"))
    connection.close()
    tasks = [
        {"question_id": number, "db_id": "library", "question": task["question"], "SQL": task["sql"]}
        | ({"used": task["used"]} if task["used"] else {})
        for number, task in enumerate(yaml.safe_load((GOLDEN / "tasks.yaml").read_text(encoding="utf-8")))
        if task["rule"] in (None, "effect", "ties")
    ]
    other = {"question_id": 9, "db_id": "elsewhere", "question": "?", "SQL": "SELECT 1"}
    (tmp_path / "tasks.json").write_text(json.dumps([*tasks, other]), encoding="utf-8")
    return Command(capsys)


HISTORY = ("--history", str(GOLDEN / "history.json"), "--db", "library.sqlite")


def test_validate_tells_what_is_wrong_where(sqlore: Command) -> None:
    done = sqlore("bench", "validate", "--tasks", "tasks.json", *HISTORY)
    assert done.code == 1
    assert "major effect: WHERE pages > 10: the result is the same without it" in done.out
    assert "3 of 5 tasks pass, 3 without a word" in done.out


def test_validate_as_json(sqlore: Command) -> None:
    done = sqlore("bench", "validate", "--tasks", "tasks.json", *HISTORY, "--json")
    found = json.loads(done.out)
    assert (found["tasks"], found["passed"]) == (5, 3)
    assert found["rules"] == {"effect": {"major": 1, "minor": 0}, "ties": {"major": 1, "minor": 0}}
    assert [verdict["passed"] for verdict in found["verdicts"]] == [False, False, True, True, True]


def test_stats(sqlore: Command) -> None:
    done = sqlore("bench", "stats", "tasks.json", "--json")
    (found,) = json.loads(done.out)["files"]
    assert (found["tasks"], found["unread"], found["nest_depth"]) == (6, 0, round(7 / 6, 4))
    assert "knowledge" not in found
    shown = sqlore("bench", "stats", "tasks.json")
    assert "paper: BIRD-History" in shown.out
    assert "Table 8" not in shown.out


def test_stats_as_files(sqlore: Command, tmp_path: Path) -> None:
    tasks = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    for task in tasks:
        task["history_knowledge"] = {"condition: book.genre = <val>": [1], "output: limit <val>": [9]}
    (tmp_path / "known.json").write_text(json.dumps(tasks), encoding="utf-8")
    done = sqlore("bench", "stats", "known.json", "tasks.json", "--out", "report")
    assert done.code == 0
    assert sorted(file.name for file in (tmp_path / "report" / "plots").glob("*.svg")) == [
        "table_1.svg",
        "table_10.svg",
        "table_8.svg",
        "table_9.svg",
    ]
    text = (tmp_path / "report" / "stats.md").read_text(encoding="utf-8")
    assert "| known.json | condition | 6 | 50.0 | 1.000 |" in text
    assert "![Table 10: pieces by kind](plots/table_10.svg)" in text
    assert json.loads((tmp_path / "report" / "stats.json").read_text(encoding="utf-8"))["files"]


def test_build_of_a_history_that_gives_little(
    sqlore: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqlore.evals.build.generate._PATIENCE", 1)
    done = sqlore("bench", "build", *HISTORY, "--count", "12", "--out", "new.json")
    assert done.code == 1
    assert "the history gives no more than" in done.err
    assert 0 < len(json.loads((tmp_path / "new.json").read_text(encoding="utf-8"))) < 12
    unknown = sqlore("bench", "build", *HISTORY, "--out", "new.json", "--generator", "magic")
    assert unknown.code == 2
    assert "no such generator" in unknown.err


def test_a_build_leaves_out_statements_of_another_database(
    sqlore: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqlore.evals.build.generate._PATIENCE", 1)
    other = "-- Paid orders\nSELECT COUNT(*) FROM orders WHERE status = 'paid';\n"
    (tmp_path / "other.sql").write_text(other, encoding="utf-8")
    clean = sqlore("bench", "build", *HISTORY, "--count", "12", "--out", "clean.json")
    mixed = sqlore(
        "bench", "build", *HISTORY, "--history", "other.sql", "--count", "12", "--out", "mixed.json"
    )
    assert "1 script left out" in mixed.err
    assert mixed.out.splitlines()[1:] == clean.out.splitlines()[1:]
    alone = sqlore("bench", "build", "--history", "other.sql", *HISTORY[2:], "--out", "alone.json")
    assert alone.code == 2
    assert "no script of the history is about the database library" in alone.err


def test_build(sqlore: Command, tmp_path: Path) -> None:
    history, db = data_dir("bird", "dev.json"), data_dir("bird", "databases", "superhero.sqlite")
    command = ("bench", "build", "--history", str(history), "--db", str(db), "--out", "tasks5.json")
    done = sqlore(*command, "--count", "5", "--json")
    found = json.loads(done.out)
    assert done.code == 0
    assert found["kept"] == found["ends"]["kept"] == 5
    assert sum(found["ends"].values()) == found["attempts"]
    again = sqlore(*command, "--count", "5", "--json")
    assert json.loads(again.out) == found
    checked = sqlore(
        "bench", "validate", "--tasks", "tasks5.json", "--history", str(history), "--db", str(db)
    )
    assert checked.code == 0
    assert "5 of 5 tasks pass" in checked.out
    assert "annotation: 5 of 5 the same" in checked.out
    sheet = (tmp_path / "tasks5.datasheet.md").read_text(encoding="utf-8")
    assert "Every task passes the rules of the validator: parses, runs" in sheet
    assert "made by program" in sheet
    assert sorted(file.name for file in tmp_path.glob("tasks5.*")) == [
        "tasks5.about.json",
        "tasks5.attempts.jsonl",
        "tasks5.datasheet.md",
        "tasks5.json",
        "tasks5.rich.json",
    ]
