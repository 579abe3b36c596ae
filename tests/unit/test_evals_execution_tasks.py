"""Tasks, predictions of other systems, and where the databases are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from execution_helpers import TASKS, heroes, tasks_file
from sqlore.errors import ConnectError, SourceError, UsageError
from sqlore.evals.execution.places import find_places
from sqlore.evals.execution.predictions import read_predictions
from sqlore.evals.execution.tasks import (
    Question,
    described,
    difficulties,
    drawn,
    leave_one_out,
    only_these,
    read_questions,
    unique,
)
from sqlore.history import parse_all
from sqlore.model import ParsedScript, Script
from support import data_dir


def written(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_the_formats_of_tasks(tmp_path: Path) -> None:
    bird = read_questions(tasks_file(tmp_path / "bird.json"))
    assert (bird[1].id, bird[1].database, bird[1].difficulty) == ("8", "hero", "moderate")
    spider = [{"db_id": "hero", "question": "How many?", "query": "SELECT 1", "sql": {"from": {}}}] * 2
    found = read_questions(written(tmp_path / "spider.json", spider))
    assert [(one.id, one.sql) for one in found] == [("0", "SELECT 1"), ("1", "SELECT 1")]
    asked = {"question": "which\u2028one, or\x85other?", "sql": "SELECT 2"}
    lines = "\n".join(json.dumps(asked, ensure_ascii=False) for _ in range(2))
    assert [one.database for one in read_questions(written(tmp_path / "l.jsonl", lines))] == ["", ""]


def test_a_record_that_is_no_task_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="record 2"):
        read_questions(written(tmp_path / "t.json", [{"question": "q"}, {"nothing": 1}]))
    with pytest.raises(UsageError, match="no file"):
        read_questions(tmp_path / "missing.json")


def test_a_record_that_is_no_task_does_not_take_the_others_with_it(tmp_path: Path) -> None:
    bad: list[SourceError] = []
    value = [{"question": "q", "SQL": "SELECT 1"}, {"nothing": 1}, 7, {"question": "r", "SQL": "SELECT 2"}]
    found = read_questions(written(tmp_path / "t.json", value), on_bad=bad.append)
    assert [one.id for one in found] == ["0", "3"]
    says = ["record 2 is not a task: it has no question", "record 3 is not a task: it is no object"]
    assert [one.message for one in bad] == says
    with pytest.raises(SourceError, match="record 1 is not a task"):
        read_questions(written(tmp_path / "t.json", value[1:3]), on_bad=bad.append)


def test_ids_are_made_unique_within_a_database() -> None:
    many = unique([Question("1", "a", "q", ""), Question("1", "a", "q", ""), Question("1", "b", "q", "")])
    assert [one.id for one in many] == ["1", "1~2", "1"]


def test_a_larger_limit_takes_the_same_and_more() -> None:
    every = [Question(str(n), "a", "q", "") for n in range(50)]
    few, more = ({one.id for one in drawn(every, n, 3)} for n in (10, 20))
    assert len(few) == 10
    assert few < more
    assert drawn(every, None, 3) == every


@pytest.mark.parametrize(
    "value",
    [
        "2\n3\n",
        [2, "3"],
        {"A": [2], "b": ["3"]},
        {"a": {"supported_question_ids": [2]}, "b": [3, 4], "c": {}},
    ],
)
def test_only_these_are_asked(tmp_path: Path, value: Any) -> None:
    every = [Question("1", "a", "q", ""), Question("2", "a", "q", ""), Question("3", "b", "q", "")]
    kept = only_these(every, written(tmp_path / "ids", value))
    assert [one.id for one in kept] == ["2", "3"]
    with pytest.raises(UsageError, match="none of the tasks"):
        only_these(every[:1], tmp_path / "ids")


def test_the_own_script_and_all_that_say_the_same_are_withheld() -> None:
    """The same text, other aliases and layout, but not other values."""
    scripts = [
        Script("SELECT h.name FROM hero h WHERE h.side = 'good'", "1", "Who is good?"),
        Script("select name\nfrom hero where side='good';", "2", "The good ones"),
        Script("SELECT name FROM hero WHERE side = 'bad'", "3", "Who is bad?"),
        Script("SELECT name FROM hero", "4"),
    ]
    parsed = [one for one in parse_all(scripts, dialect="sqlite") if isinstance(one, ParsedScript)]
    tasks = leave_one_out({"hero": scripts}, {("hero", "3"): "hard"})
    assert [one.id for one in tasks] == ["1", "2", "3"]
    told = described(tasks, parsed, dialect="sqlite")
    assert [sorted(one.exclude) for one in told] == [["1", "2"], ["1", "2"], ["3"]]
    assert [one.difficulty for one in told] == ["1-2 pieces", "1-2 pieces", "hard"]
    assert told[0].kinds == ("condition",)


def test_the_kinds_are_those_of_the_tasks_own_knowledge_where_it_has_one(tmp_path: Path) -> None:
    record = TASKS[0] | {"db_id": "hero", "history_knowledge": {"output: distinct": [1], "a.x = b.y": [2]}}
    record.pop("difficulty")
    (task,) = described(read_questions(written(tmp_path / "t.json", [record])), dialect="sqlite")
    assert task.kinds == ("relation", "output")
    assert task.difficulty == "1-2 pieces"


def test_difficulties_of_a_history(tmp_path: Path) -> None:
    found = difficulties([tasks_file(tmp_path / "t.json"), tmp_path, tmp_path / "none.json"])
    assert found["hero", "8"] == "moderate"


def test_difficulties_of_a_history_that_is_not_all_tasks(tmp_path: Path) -> None:
    """A record without a question, one that is none, and Latin-1 take the others not with them."""
    records = [
        {"id": 1, "db_id": "a", "SQL": "SELECT 1", "difficulty": "hard"},
        7,
        {"id": 2, "db_id": "a", "question": "caf\xe9?", "SQL": "SELECT 2", "difficulty": "simple"},
    ]
    file = tmp_path / "h.json"
    file.write_bytes(json.dumps(records, ensure_ascii=False).encode("latin-1"))
    assert difficulties([file]) == {("a", "1"): "hard", ("a", "2"): "simple"}


def test_the_skeleton_of_gold_is_what_the_database_runs() -> None:
    """In the history's MySQL a text in double quotes is a value, in the database's SQLite a name."""
    task = Question("1", "d", "q", 'SELECT "name" FROM hero')
    skeletons = {
        run_as: described([task], dialect="mysql", run_as=run_as)[0].skeleton
        for run_as in ("mysql", "sqlite")
    }
    assert "<val>" in skeletons["mysql"]
    assert skeletons["sqlite"] == "select hero.name from hero"


# ------------------------------------------------------------- predictions

EVERY = [Question(str(7 + n), "hero", f"q{n}", "SELECT 1") for n in range(3)]


@pytest.mark.parametrize(
    "value",
    [
        {"7": "SELECT a\t----- bird -----\thero", "9": "SELECT c\t----- bird -----\thero"},
        {"0": "SELECT a\t----- bird -----\thero", "2": "SELECT c\t----- bird -----\thero", "1": 0},
        "SELECT a\thero\n\nSELECT c\thero\n",
        "SELECT a\n\nSELECT c\n",
        "SELECT a\n\nSELECT c\n\n\n",
        ["SELECT a", "", "SELECT c"],
        ["SELECT a", None, "SELECT c"],
        [{"question_id": 9, "sql": "SELECT c"}, {"question_id": 7, "predicted_sql": "SELECT a"}],
        '{"question_id": 7, "SQL": "SELECT a"}\n{"question_id": 9, "query": "SELECT c"}\n',
        [{"SQL": "SELECT a"}, {"SQL": ""}, {"SQL": "SELECT c"}],
        [
            {"question_id": n, "predicted_sql": sql, "SQL": "SELECT gold"}
            for n, sql in ((7, "SELECT a"), (8, None), (9, "SELECT c"))
        ],
        [
            {"id": n, "question": "q", "query": "SELECT gold", "generated_sql": sql}
            for n, sql in ((7, "SELECT a"), (9, "SELECT c"))
        ],
        '{"question_id": 7, "why": "a\u2028b", "sql": "SELECT a"}\n{"question_id": 9, "sql": "SELECT c"}\n',
    ],
    ids=[
        "bird",
        "bird by place",
        "spider",
        "spider bare",
        "blank end",
        "list",
        "nulls",
        "records",
        "lines",
        "in turn",
        "beside gold",
        "other name",
        "other breaks",
    ],
)
def test_the_formats_of_predictions(tmp_path: Path, value: Any) -> None:
    found = read_predictions(written(tmp_path / "p", value), EVERY)
    kept = {task: sql for (_, task), sql in found.items() if sql}
    assert kept == {"7": "SELECT a", "9": "SELECT c"}


def test_the_last_tasks_may_have_no_prediction(tmp_path: Path) -> None:
    found = read_predictions(written(tmp_path / "p.sql", "SELECT a\n\n\n"), EVERY)
    assert list(found.values()) == ["SELECT a", "", ""]


def test_ids_that_repeat_are_told_apart_by_their_database(tmp_path: Path) -> None:
    every = [Question("1", "a", "q", ""), Question("1", "b", "q", "")]
    value = [{"id": 1, "db_id": "b", "sql": "SELECT 2"}, {"id": 1, "db_id": "a", "sql": "SELECT 1"}]
    found = read_predictions(written(tmp_path / "p.json", value), every)
    assert found == {("a", "1"): "SELECT 1", ("b", "1"): "SELECT 2"}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("SELECT 1\n", "1 predictions for 3 tasks"),
        ("SELECT 1\thero\nSELECT 1\tother\nSELECT 1\thero\n", "line 2 is for other"),
        ({"100": "SELECT 1"}, "no prediction is for one of the tasks"),
        ([{"id": 100, "sql": "SELECT 1"}], "no prediction is for one of the tasks"),
        ({}, "no prediction is for one of the tasks"),
        ([{"id": 7, "sql": "SELECT 1"}, {"id": 7, "sql": "SELECT 2"}], "task 7 is predicted twice"),
        ([[1], [2], [3]], "neither SQL nor a record"),
        ([{"id": 7, "SQL": "SELECT 1", "output": "SELECT 2"}], "which field is its prediction: SQL, output"),
        ([{"id": 7, "SQL": "SELECT 1", "sql": "SELECT 2"}], "which field is its prediction: SQL, sql"),
        ([{"id": 7, "pred": "SELECT 1", "prediction": "SELECT 2"}], "which field is its prediction"),
        ([{"id": 7, "text": "no SQL"}], "which field is its prediction: id, text"),
        ("{not json", "not JSON"),
    ],
)
def test_predictions_for_other_tasks_are_refused(tmp_path: Path, value: Any, says: str) -> None:
    with pytest.raises(SourceError, match=says):
        read_predictions(written(tmp_path / "p", value), EVERY)


# ------------------------------------------------------------- databases


def test_folders_of_databases(tmp_path: Path) -> None:
    for name in ("a/a.sqlite", "b.db"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        heroes(tmp_path / name)
    places = find_places(str(tmp_path), ["a", "b", "c", "c", "../a"], [])
    assert {name: Path(url).name for name, url in places.urls.items()} == {"a": "a.sqlite", "b": "b.db"}
    assert places.missing == {"c": 2, "../a": 1}
    assert find_places(str(tmp_path), ["a", "b", "b"], ["A"]).others == {"b": 2}
    with pytest.raises(UsageError, match="has no database of the tasks"):
        find_places(str(tmp_path), ["z"], [])
    with pytest.raises(UsageError, match="no task is of these databases"):
        find_places(str(tmp_path), ["a"], ["z"])


def test_one_database_takes_the_tasks_that_name_it(tmp_path: Path) -> None:
    file = str(heroes(tmp_path / "hero.sqlite"))
    places = find_places(file, ["other", "Hero", "Hero"], [])
    assert (list(places.urls), places.others) == (["Hero"], {"other": 1})
    assert places.database_of(Question("1", "HERO", "q", "")) == "Hero"
    assert list(find_places(file, ["elsewhere"], []).urls) == ["elsewhere"]
    unnamed = find_places(file, [""], [])
    assert unnamed.database_of(Question("1", "", "q", "")) == "hero"
    with pytest.raises(UsageError, match="none is called hero"):
        find_places(file, ["one", "two"], [])
    with pytest.raises(ConnectError):
        find_places(str(tmp_path / "none.sqlite"), ["one"], [])


@pytest.mark.data
def test_public_benchmarks_are_read_as_they_are() -> None:
    bird = read_questions(data_dir("bird", "dev.json"))
    assert len(bird) == 1057
    assert bird[0].difficulty == "simple"
    kaggle = read_questions(data_dir("kaggledbqa", "examples", "GeoNuclearData_test.json"))
    assert {one.database for one in kaggle} == {"GeoNuclearData"}
    assert all(one.sql.lower().startswith("select") for one in kaggle)
    spider = read_questions(data_dir("spider", "dev.json"))
    gold = read_predictions(data_dir("spider", "dev_gold.sql"), spider)
    texts = {(one.database, one.id): one.sql for one in spider}
    same = sum("".join(sql.split()) == "".join(texts[key].split()) for key, sql in gold.items())
    assert same / len(spider) > 0.99
