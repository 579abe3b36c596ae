"""Leaks between history and tasks, and the datasheet that tells of them."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from cli_helpers import Command, clean_environment
from sqlore.evals.build.bench import Candidate
from sqlore.evals.build.hygiene import alike, leaks
from sqlore.model import Script
from sqlore.sql import parse_script
from support import ROOT

GOLDEN = ROOT / "tests" / "golden" / "bench"
HISTORY = [
    parse_script(Script(sql, key, question), "sqlite")
    for key, sql, question in (
        ("1", "SELECT COUNT(id) FROM book WHERE genre = 'novel'", "How many books are novels?"),
        ("2", "SELECT title FROM book WHERE pages > 300", "Which books are long?"),
    )
]


def found(*tasks: tuple[str, str]) -> list[tuple[str, str, str]]:
    made = [Candidate(str(number), "", *task) for number, task in enumerate(tasks)]
    return [(one.task, one.kind, one.other) for one in leaks(made, HISTORY, "sqlite")]


def test_what_the_history_answers() -> None:
    assert found(("?", "select count(id) from book where genre='novel';")) == [("0", "same_sql", "1")]
    assert found(("?", "SELECT b.title FROM book AS b WHERE 500 < b.pages")) == [("0", "same_skeleton", "2")]
    assert found(("how many books are novels", "SELECT 1 FROM book")) == [("0", "near_question", "1")]
    assert found(("How many books are novels and long?", "SELECT title FROM book LIMIT 3")) == []


def test_what_is_there_twice() -> None:
    one = ("How many loans were long?", "SELECT COUNT(id) FROM loan WHERE days > 20")
    assert found(one, one) == [("1", "repeated_sql", "0")]
    assert found(one, ("Count those over 5.", "SELECT COUNT(id) FROM loan WHERE days > 5")) == [
        ("1", "repeated_skeleton", "0")
    ]
    assert found(one, ("How many loans were long?", "SELECT SUM(fee) FROM loan")) == [
        ("1", "repeated_question", "0")
    ]


def test_sql_that_cannot_be_read_is_compared_as_text() -> None:
    assert found(("a", "SELEC 1 FORM"), ("b", "selec 1 form"), ("c", "SELEC 2 FORM")) == [
        ("1", "repeated_sql", "0")
    ]


def test_likeness_counts_words_and_their_order() -> None:
    assert alike("a b c d", "a b c d") == 1
    assert alike("a b c d", "d c b a") == 4 / 10
    assert alike("", "") == 0


@pytest.fixture
def sqlore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    clean_environment(monkeypatch, tmp_path)
    with sqlite3.connect(tmp_path / "library.sqlite") as connection:
        connection.executescript((GOLDEN / "library.sql").read_text(encoding="utf-8"))
    connection.close()
    return Command(capsys)


def test_a_datasheet_of_any_tasks(sqlore: Command, tmp_path: Path) -> None:
    history = json.loads((GOLDEN / "history.json").read_text(encoding="utf-8"))
    known = {"question_id": 1, "history_knowledge": {"condition: book.genre = <val>": [1]}}
    tasks = [
        known
        | {"db_id": "library", "question": "Poems?", "SQL": "SELECT title FROM book WHERE genre = 'poems'"},
        {"question_id": 2, "db_id": "elsewhere", "question": "?", "SQL": history[0]["SQL"]},
    ]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks), encoding="utf-8")
    ask = ("bench", "datasheet", "--tasks", "tasks.json", "--db", "library.sqlite")
    ask += ("--history", str(GOLDEN / "history.json"), "--licence", "CC BY-SA 4.0", "--source", "a library")
    done = sqlore(*ask, "--json")
    assert done.code == 0
    assert (done.json["tasks"], done.json["leaks"], done.json["generator"]) == (1, [], "not said")
    sheet = (tmp_path / "tasks.datasheet.md").read_text(encoding="utf-8")
    assert "- licence: CC BY-SA 4.0." in sheet
    assert "- source: a library" in sheet
    assert "1.00 pieces of knowledge a task: 1 condition" in sheet
    assert str(GOLDEN) not in sheet  # files are told by their names

    tasks[0]["SQL"] = history[0]["SQL"]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks), encoding="utf-8")
    done = sqlore(*ask)
    assert done.code == 1
    assert "    1  a script of the history has the same SQL" in done.out
    assert "- 1: same_sql 1 (1.00)" in (tmp_path / "tasks.datasheet.md").read_text(encoding="utf-8")
