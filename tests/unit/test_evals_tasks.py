"""Tasks and their gold: BIRD-History's format, others' spelling, leave-one-out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals_helpers import ONLY_IN_6, SCHEMA, history
from sqlore.catalog import load_tables_json
from sqlore.errors import SourceError, UsageError
from sqlore.evals.gold import GoldReader
from sqlore.evals.tasks import Dropped, History, RawTask, leave_one_out, read_tasks, tasks_of
from sqlore.evals.withhold import withheld
from sqlore.history import parse_all, read_history
from sqlore.model import ParsedScript, Script
from sqlore.sql import parse_script
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


GOOD = {
    "question_id": 9,
    "db_id": "comics",
    "question": "Which?",
    "SQL": "",
    "history_knowledge": {"a.b>1": [6]},
}


@pytest.mark.parametrize(
    "wrong",
    [
        {"question": None},
        {"question": 17},
        {"question": " "},
        {"question": "half \ud800"},
        {"db_id": 3},
        {"db_id": ""},
        {"question_id": None},
        {"question_id": True},
        {"question_id": [1]},
        {"SQL": 5},
        {"history_knowledge": {"a.b > \udfff": [6]}},
        {"history_knowledge": {"a.b > 1": [None]}},
        {"history_knowledge": {"a.b > 1": {"id": 6}}},
        {"history_knowledge": [1]},
    ],
)
def test_a_record_that_is_no_task_takes_no_other_with_it(tmp_path: Path, wrong: dict[str, object]) -> None:
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps([GOOD, {**GOOD, "question_id": 10, **wrong}, GOOD]), encoding="utf-8")
    bad: list[SourceError] = []
    assert [task.question_id for task in read_tasks(file, on_bad=bad.append)] == ["9", "9"]
    (error,) = bad
    assert str(error).startswith("task 2 (")
    with pytest.raises(SourceError, match="task 2"):
        read_tasks(file)
    file.write_text(json.dumps([{**GOOD, **wrong}]), encoding="utf-8")
    with pytest.raises(SourceError, match="task 1"):
        read_tasks(file, on_bad=bad.append)


def test_a_line_that_is_no_json_takes_no_other_with_it(tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text(f"{json.dumps(GOOD)}\n{{\n{json.dumps(GOOD)}\n", encoding="utf-8")
    bad: list[SourceError] = []
    assert len(read_tasks(file, on_bad=bad.append)) == 2
    assert (bad[0].where or "").endswith("tasks.jsonl:2")
    with pytest.raises(SourceError):
        read_tasks(file)


def test_what_makes_no_task_is_told_with_its_reason() -> None:
    dropped: list[Dropped] = []
    silent = Script("SELECT name FROM hero WHERE height > 3", "8")
    tasks = leave_one_out(history((*history_scripts(), silent)), on_dropped=dropped.append)
    assert len(tasks) + len(dropped) == len(history().parsed) + 1
    told = {one.question_id: one.reason for one in dropped}
    assert "no question" in told["8"]
    assert "no other script" in told["3"]
    raw = [RawTask(name, "comics", "Which?", "", knowledge) for name, knowledge in
           (("1", {}), ("2", {"query: select 1 from hero": ("1",)}), ("3", {"hero.height > <val>": ("6",)}),
            ("3", {"hero.height > <val>": ("6",)}))]  # fmt: skip
    dropped.clear()
    found = tasks_of(
        raw, history(), GoldReader(history().parsed, "sqlite", SCHEMA), on_dropped=dropped.append
    )
    assert [task.question_id for task in found] == ["3", "3~2"]
    assert [(one.question_id, "whole queries" in one.reason) for one in dropped] == [
        ("1", False),
        ("2", True),
    ]


def test_sides_and_joins_differ_by_an_alias_nobody_can_resolve() -> None:
    """Skeletons sort the sides of a comparison by qualified names; an unknown alias sorts otherwise."""
    sql = (
        "SELECT name FROM hero AS T1 WHERE EXISTS (SELECT 1 FROM hero AS T2 INNER JOIN publisher AS T3"
        " ON T2.publisher_id = T3.id WHERE T3.title = 'a' AND T1.id = T2.id AND T1.height < T2.publisher_id)"
    )
    reader, parsed = _reader(sql), parse_script(sql, "sqlite", SCHEMA)
    (whole,) = (f.key for f in parsed.fragments if f.kind == "condition" and "exists" in f.key)
    written = (
        "exists(select <val> from hero INNER JOIN publisher on t2.publisher_id = t3.id"
        " where t3.title = <val> and hero.id = t2.id and t2.publisher_id > hero.height)"
    )
    assert reader.keys(f"condition: {written}", ["0"]) == {whole}


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
@pytest.mark.parametrize(("name", "number", "unmatched"), [("superhero", 36, 0), ("financial", 24, 1)])
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
