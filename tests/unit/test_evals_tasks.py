"""Tasks and their gold: BIRD-History's format, others' spelling, leave-one-out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals_helpers import ONLY_IN_6, SCHEMA, history
from sqlore.catalog import load_tables_json
from sqlore.errors import SourceError, UsageError
from sqlore.evals.gold import GoldReader
from sqlore.evals.tasks import History, leave_one_out, read_tasks, tasks_of
from sqlore.evals.withhold import withheld
from sqlore.history import parse_all, read_history
from sqlore.model import ParsedScript, Script
from support import data_dir


def _reader(*sql: str) -> GoldReader:
    parsed = parse_all(
        [Script(one, key=str(n)) for n, one in enumerate(sql)], dialect="sqlite", schema=SCHEMA
    )
    return GoldReader([one for one in parsed if isinstance(one, ParsedScript)], "sqlite", SCHEMA)


READER_SQL = (
    "SELECT COUNT(*) FROM hero h JOIN publisher p ON h.publisher_id = p.id"
    " WHERE p.title IN ('a', 'b', 'c') AND h.height BETWEEN 1 AND 2 GROUP BY p.title",
    "SELECT CAST(SUM(height) AS REAL) * 100 / COUNT(id) FROM hero",
    "SELECT name FROM hero a WHERE EXISTS (SELECT 1 FROM publisher b WHERE b.id = a.publisher_id)",
)


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("condition: publisher.title in (<val>)", "condition: publisher.title in (<val>)"),
        ("Publisher.Title IN (<val>, <val>)", "condition: publisher.title in (<val>)"),
        ("hero.height BETWEEN '<val>' AND '<val>'", "condition: hero.height between <val> and <val>"),
        ("WHERE hero.height between <val> and <val>", "condition: hero.height between <val> and <val>"),
        (
            "FROM hero AS T1 INNER JOIN publisher AS T2 ON T1.publisher_id = T2.id",
            "relation: hero.publisher_id = publisher.id",
        ),
        ("publisher.id = hero.publisher_id", "relation: hero.publisher_id = publisher.id"),
        (
            "calculation: (cast(sum(hero.height) as real) * <val>) / count(hero.id)",
            "calculation: cast(sum(hero.height) as real) * <val> / count(hero.id)",
        ),
        ("COUNT( * )", "calculation: count(*)"),
        ("GROUP BY publisher.title", "dimension: group by publisher.title"),
    ],
)
def test_gold_is_read_in_others_spelling(written: str, key: str) -> None:
    assert _reader(*READER_SQL).keys(written) == {key}


def test_an_alias_nobody_can_resolve_is_settled_by_the_script_that_the_key_names() -> None:
    reader = _reader(*READER_SQL)
    key = "T7.title IN (<val>, <val>)"
    assert reader.keys(key, ["0"]) == {"condition: publisher.title in (<val>)"}
    assert reader.keys(key, ["1"]) == {"condition: t7.title in (<val>)"}


def test_a_whole_query_is_no_gold() -> None:
    assert _reader(*READER_SQL).keys("query: select avg(hero.height) from hero") == set()


def _file(folder: Path, knowledge: object) -> Path:
    file = folder / "tasks.json"
    task = {"question_id": 9, "db_id": "comics", "question": "?", "SQL": "", "history_knowledge": knowledge}
    file.write_text(json.dumps([task, {**task, "db_id": "other"}]), encoding="utf-8")
    return file


def test_gold_that_nobody_has_is_counted_and_stays_gold(tmp_path: Path) -> None:
    raw = read_tasks(_file(tmp_path, {"hero.height>'<val>'": [6, 7], "hero.weight = <val>": [1]}))
    (task,) = tasks_of(raw, history(), GoldReader(history().parsed, "sqlite", SCHEMA))
    assert task.unmatched == ("hero.weight = <val>",)
    assert task.gold == {"condition: hero.height > <val>", "condition: hero.weight = <val>"}
    assert task.question_id == "9"


def test_tasks_as_lines(tmp_path: Path) -> None:
    file = _file(tmp_path, {"hero.height>'<val>'": [6]})
    lines = tmp_path / "tasks.jsonl"
    lines.write_text("\n".join(json.dumps(t) for t in json.loads(file.read_text())) + "\n", encoding="utf-8")
    assert read_tasks(lines) == read_tasks(file)


@pytest.mark.parametrize("text", ["[{}]", "[1]", "{", '[{"question_id": 1, "history_knowledge": 3}]'])
def test_another_format_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "tasks.json").write_text(text, encoding="utf-8")
    with pytest.raises(SourceError):
        read_tasks(tmp_path / "tasks.json")


def test_no_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read_tasks(tmp_path / "none.json")


def test_leave_one_out_wants_what_another_script_has() -> None:
    tasks = {task.question_id: task for task in leave_one_out(history())}
    assert tasks["6"].gold == {
        "relation: hero.publisher_id = publisher.id",
        "condition: hero.height > <val>",
    }
    assert tasks["6"].gold.isdisjoint(ONLY_IN_6)
    assert tasks["6"].exclude == {"6"}
    assert "3" not in tasks, "nothing of it occurs elsewhere"


def test_scripts_that_cannot_be_told_apart_are_withheld_together() -> None:
    twin = Script("SELECT AVG(height) FROM hero", "8", "What is the average height of heroes?")
    again = Script("SELECT AVG(height) FROM hero", "9", "How tall are heroes on average?")
    tasks = {task.question_id: task for task in leave_one_out(history((*history_scripts(), twin, again)))}
    assert tasks["3"].exclude == tasks["8"].exclude == {"3", "8"}
    assert tasks["3"].gold == {"calculation: avg(hero.height)"}
    assert tasks["9"].exclude == {"9"}


def history_scripts() -> tuple[Script, ...]:
    return tuple(one.script for one in history().parsed)


def test_withheld_questions_are_asked_all_the_same() -> None:
    whole = history()
    bare = history(tuple(withheld(one.script) for one in whole.parsed))
    questions = {one.script.key: one.script.question or "" for one in whole.parsed}
    assert leave_one_out(bare) == []
    assert [t.question for t in leave_one_out(bare, questions=questions)] == [
        t.question for t in leave_one_out(whole)
    ]


@pytest.mark.data
@pytest.mark.parametrize(("name", "number", "unmatched"), [("superhero", 36, 2), ("financial", 24, 1)])
def test_the_composed_tasks_are_matched(name: str, number: int, unmatched: int) -> None:
    schema = load_tables_json(data_dir("bird", "dev_tables.json"))[name]
    scripts = read_history(data_dir("bird", "dev.json"), database=name)
    parsed = [
        one for one in parse_all(scripts, dialect="sqlite", schema=schema) if isinstance(one, ParsedScript)
    ]
    raw = read_tasks(data_dir("history_tasks", f"{name}.json"))
    tasks = tasks_of(raw, History(name, parsed), GoldReader(parsed, "sqlite", schema))
    assert len(tasks) == number
    assert sum(len(task.unmatched) for task in tasks) <= unmatched
