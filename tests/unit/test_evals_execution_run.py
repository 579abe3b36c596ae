"""A run: what is asked of whom, what is kept, and how it goes on."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from execution_helpers import TASKS, TIED, gold_answers, heroes, knowing, question_in, started, tasks_file
from sqlore.config import load_settings
from sqlore.engines.sqlite import SqliteEngine
from sqlore.errors import (
    ConfigError,
    ConnectError,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
    UsageError,
)
from sqlore.evals.execution.arena import Arena
from sqlore.evals.execution.folder import Lines, RunFolder, latest_run
from sqlore.evals.execution.plan import ExecutionPlan, plan_of, setup_of
from sqlore.evals.execution.report import execution_json, report_of
from sqlore.evals.execution.run import ExecutionRun
from sqlore.llm import FunctionModel
from sqlore.model import Message
from support import ROOT, data_dir


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def results(run: ExecutionRun) -> list[dict[str, Any]]:
    return execution_json(report_of(run.plan.names, run.lines(), run.gold(), model="m"))["results"]


def outcomes(run: ExecutionRun) -> dict[str, str]:
    return {line["question_id"]: line["why"] for line in run.lines()}


def zero_shot(tmp_path: Path, **more: Any) -> ExecutionPlan:
    db = str(heroes(tmp_path / "hero.sqlite"))
    tasks = (str(tasks_file(tmp_path / "tasks.json")),)
    return ExecutionPlan(**({"db": db, "tasks": tasks, "strategies": ("zero_shot",)} | more))


def test_a_model_that_answers_gold_is_right_and_one_that_does_not_is_not(tmp_path: Path) -> None:
    run = started(tmp_path / "run", zero_shot(tmp_path), knowing(gold_answers()))
    run.run()
    (score,) = results(run)
    assert (score["execution_accuracy"], score["strict_accuracy"], score["skeleton_match"]) == (1, 1, 1)
    assert (score["tasks"], score["with_uncertain"]["tasks"]) == (3, 4)
    assert score["tokens"] == {"prompt": 100.0, "cached": 60.0, "completion": 10.0}
    assert [line["question_id"] for line in run.lines() if not line["counted"]] == [TIED]

    wrong = {
        TASKS[0]["question"]: "SELECT 2",
        TASKS[1]["question"]: "SELECT name FROM hero ORDER BY height",
        TASKS[3]["question"]: "SELECT AVG(weight) FROM hero",
    }
    run = started(tmp_path / "wrong", zero_shot(tmp_path), knowing(wrong))
    run.run()
    (score,) = results(run)
    assert (score["execution_accuracy"], score["strict_accuracy"]) == (round(1 / 3, 5), 0)
    assert outcomes(run) == {"7": "other", "8": "order", "9": "none", "10": "error"}
    assert score["valid"] == round(2 / 3, 5)


def test_every_prompt_and_answer_is_kept(tmp_path: Path) -> None:
    model = knowing(gold_answers())
    run = started(tmp_path / "run", zero_shot(tmp_path), model)
    run.run()
    kept = run.folder.answers.read()
    assert [(one["strategy"], one["database"], one["question_id"]) for one in kept] == [
        ("zero_shot", "hero", task) for task in ("7", "8", "9", "10")
    ]
    for line, request in zip(kept, model.requests, strict=True):
        assert [message["content"] for message in line["messages"]] == [m.content for m in request]
        assert line["text"] in gold_answers().values()


def test_a_run_that_went_on_asks_only_what_is_missing(tmp_path: Path) -> None:
    """The model goes away at the third question; the two answers before it are on the disk."""
    asked: list[str] = []

    def fails(messages: Any) -> str:
        asked.append(question_in(messages))
        if len(asked) == 3:
            raise ModelUnavailable("gone")
        return gold_answers()[asked[-1]]

    plan = zero_shot(tmp_path)
    run = started(tmp_path / "run", plan, FunctionModel(fails))
    with pytest.raises(ModelUnavailable):
        run.run()
    assert len(run.folder.results.read()) == 2
    model = knowing(gold_answers())
    again = started(tmp_path / "run", plan, model)
    again.run()
    assert [question_in(request) for request in model.requests] == [
        TASKS[2]["question"],
        TASKS[3]["question"],
    ]
    assert len(again.lines()) == 4
    more = started(tmp_path / "run", plan, knowing({}))
    more.run()
    assert [line["correct"] for line in more.lines()] == [True] * 4


def test_a_line_that_a_kill_cut_off_is_answered_again_without_the_model(tmp_path: Path) -> None:
    plan = zero_shot(tmp_path)
    run = started(tmp_path / "run", plan, knowing(gold_answers()))
    run.run()
    for file in (run.folder.results.path, run.folder.gold.path):
        file.write_bytes(file.read_bytes()[:-25])
    model = knowing({})
    again = started(tmp_path / "run", plan, model)
    again.run()
    assert model.requests == []
    assert [line["correct"] for line in again.lines()] == [True] * 4
    assert len(again.folder.results.read()) == 4
    assert again.folder.answers.read()[-1]["again"] is True
    assert again.lines()[-1]["usage"]["prompt"] == 100


def test_lines_survive_what_a_kill_leaves(tmp_path: Path) -> None:
    lines = Lines(tmp_path / "l.jsonl")
    assert lines.read() == []
    lines.append({"a": "ü\n"})
    with lines.path.open("ab") as file:
        file.write(b'{"a": "cut of')
    again = Lines(lines.path)
    assert again.read() == [{"a": "ü\n"}]
    again.append({"a": 2})
    assert again.read() == [{"a": "ü\n"}, {"a": 2}]


def test_a_model_that_fails_on_one_question_gives_one_wrong_answer(tmp_path: Path) -> None:
    def fails(messages: Any) -> str:
        if "average" in question_in(messages):
            raise ModelTimeout("no answer within 1 s")
        return gold_answers()[question_in(messages)]

    run = started(tmp_path / "run", zero_shot(tmp_path), FunctionModel(fails))
    run.run()
    assert outcomes(run)["10"] == "none"
    assert run.lines()[-1]["error"] == "no answer within 1 s"
    assert results(run)[0]["execution_accuracy"] == round(2 / 3, 5)


def test_what_the_model_did_not_take_is_told_and_asked_again(tmp_path: Path) -> None:
    def refuses(messages: Any) -> str:
        if "average" in question_in(messages):
            raise ModelError("the model m did not take the request: too long")
        return gold_answers()[question_in(messages)]

    plan, said = zero_shot(tmp_path), list[str]()
    first = started(tmp_path / "run", plan, FunctionModel(refuses), say=said.append)
    first.run()
    assert outcomes(first)["10"] == "untaken"
    assert said[-1] == "  1 of them the model did not take: the model m did not take the request: too long"
    model = knowing(gold_answers())
    again = started(tmp_path / "run", plan, model)
    again.run()
    assert outcomes(again) == {"7": "", "8": "", "9": "", "10": ""}
    assert len(model.requests) == 1
    assert [score["tasks"] for score in results(again)] == [3]


def test_strategies_can_be_added_to_a_run_and_equal_prompts_are_asked_once(tmp_path: Path) -> None:
    """Without a history `history` and `zero_shot` say the same to the model."""
    plan = zero_shot(tmp_path)
    model = knowing(gold_answers())
    started(tmp_path / "run", plan, model).run()
    run = started(tmp_path / "run", zero_shot(tmp_path, strategies=("zero_shot", "history")), model)
    run.run()
    assert len(model.requests) == 4
    assert [score["execution_accuracy"] for score in results(run)] == [1, 1]
    assert run.lines()[-1]["usage"]["prompt"] == 100


def test_gold_that_cannot_be_used_is_told_and_nobody_is_asked(tmp_path: Path) -> None:
    records = [*TASKS[:1], {"question": "broken?", "SQL": "SELECT x FROM hero"}, {"question": "none?"}]
    tasks = (str(tasks_file(tmp_path / "t.json", records=records)),)
    model = knowing(gold_answers())
    run = started(tmp_path / "run", zero_shot(tmp_path, tasks=tasks), model)
    run.run()
    assert [line["status"] for line in run.gold()] == ["ok", "error", "missing"]
    assert len(model.requests) == len(run.lines()) == run.usable() == 1


def test_questions_come_by_database_and_strategy(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "dbs" / name).mkdir(parents=True)
        heroes(tmp_path / "dbs" / name / f"{name}.sqlite")
    mixed = [dict(one, db_id=name) for one in TASKS[:2] for name in ("a", "b", "lost")]
    tasks = tmp_path / "t.json"
    tasks.write_text(json.dumps(mixed), encoding="utf-8")
    plan = ExecutionPlan(str(tmp_path / "dbs"), (str(tasks),), strategies=("zero_shot", "history"))
    said: list[str] = []
    run = started(tmp_path / "run", plan, knowing(gold_answers()), say=said.append)
    run.run()
    order = [(line["database"], line["strategy"]) for line in run.folder.results.read()]
    assert order == [(d, s) for d in "ab" for s in ("zero_shot", "history") for _ in range(2)]
    assert run.places.missing == {"lost": 2}
    told, *said = said
    assert told == "no --history is given: of scripts nothing is shown to history"
    assert said == [f"{d} {s}: 2 of 2 right" for d in "ab" for s in ("zero_shot", "history")]
    assert [one["by_database"]["b"]["tasks"] for one in results(run)] == [2, 2]


HISTORY = (
    "-- How many heroes are good?\nSELECT COUNT(*) FROM hero WHERE side = 'good';\n"
    "-- How many heroes are bad?\nSELECT COUNT(*) FROM hero WHERE side = 'bad';\n"
    "-- Number of good ones\nselect count(*) from hero h where h.side='good';\n"
)


def test_leave_one_out_shows_nobody_the_own_script(tmp_path: Path) -> None:
    history = tmp_path / "h.sql"
    history.write_text(HISTORY, encoding="utf-8")
    db = str(heroes(tmp_path / "hero.sqlite"))
    plan = ExecutionPlan(db, history=(str(history),), strategies=("history", "history@mqs", "history@gold"))
    model = knowing({})
    run = started(tmp_path / "run", plan, model)
    run.run()
    assert len(run.lines()) == 9
    assert {question_in(request) for request in model.requests} == {
        "How many heroes are good?",
        "How many heroes are bad?",
        "Number of good ones",
    }
    for request in model.requests:
        examples = " ".join(message.content for message in request if message.role == "assistant")
        assert ("'bad'" in examples) == ("good" in question_in(request))
        assert ("'good'" in examples) == ("bad" in question_in(request))
    shown = {(line["strategy"], line["question_id"]): line["scripts"] for line in run.lines()}
    assert all(own not in scripts for (_, own), scripts in shown.items())
    assert all(scripts for scripts in shown.values())
    assert [len(line["withheld"]) for line in run.lines()] == [2, 1, 2] * 3


def test_a_database_without_a_history_is_asked_of_examples_made_for_it(tmp_path: Path) -> None:
    """The model adapts the pair of another database once; every question then has it as an example."""
    training = tmp_path / "school.yaml"
    training.write_text(
        "database: school\n"
        "ddl: CREATE TABLE pupil (pupil_id INTEGER PRIMARY KEY, name TEXT, town TEXT);\n"
        "pairs:\n"
        "  - question: How many pupils live in Bree?\n"
        "    sql: SELECT COUNT(*) FROM pupil WHERE town = 'Bree'\n",
        encoding="utf-8",
    )
    adapted, gold = "SELECT COUNT(*) FROM hero WHERE side = 'bad'", gold_answers()

    def said(messages: Sequence[Message]) -> str:
        if "Query: " not in messages[-1].content:
            return gold[question_in(messages)]
        return "Question: How many are bad?" if "Which question" in messages[-1].content else adapted

    model = FunctionModel(said)
    names = ("zero_shot", "history@warm")
    run = started(tmp_path / "run", zero_shot(tmp_path, strategies=names), model)
    run.settings = run.settings.model_copy(update={"training": training})
    run.run()
    assert [line["correct"] for line in run.lines()] == [True] * 8
    warm = [request for request in model.requests if any(one.content == adapted for one in request)]
    assert [question_in(request) for request in warm] == [one["question"] for one in TASKS]
    assert {tuple(line["scripts"]) for line in run.lines() if line["strategy"] == "history@warm"} == {
        ("synthetic:1",)
    }
    (cost,) = run.folder.prepared.read()
    assert cost["strategy"] == "history@warm"


def test_hints_are_told_only_where_they_are_wanted(tmp_path: Path) -> None:
    record = {**TASKS[0], "evidence": "good means side = 'good'"}
    tasks = (str(tasks_file(tmp_path / "t.json", records=[record])),)
    for wanted, question in (
        (False, record["question"]),
        (True, f"{record['question']} ({record['evidence']})"),
    ):
        model = knowing({})
        started(tmp_path / str(wanted), zero_shot(tmp_path, tasks=tasks, evidence=wanted), model).run()
        assert [question_in(request) for request in model.requests] == [question]


def test_a_strategy_with_settings_of_its_own(tmp_path: Path) -> None:
    """The run mends nothing; one of the strategies may, once."""
    said = iter(["SELECT nothing FROM hero", "SELECT 3"])
    tasks = (str(tasks_file(tmp_path / "t.json", records=TASKS[:1])),)
    model = FunctionModel(lambda messages: next(said))
    names = ("zero_shot+scripts=3", "zero_shot+repairs=1+prompt_tokens=2000")
    run = started(tmp_path / "run", zero_shot(tmp_path, tasks=tasks, strategies=names), model)
    run.run()
    assert [(line["strategy"], line["correct"]) for line in run.lines()] == [
        (names[0], False),
        (names[1], True),
    ]


def test_the_models_say_in_what_is_retrieved(tmp_path: Path) -> None:
    history = tmp_path / "h.sql"
    history.write_text(HISTORY, encoding="utf-8")
    db = str(heroes(tmp_path / "hero.sqlite"))
    plan = ExecutionPlan(db, history=(str(history),), strategies=("history", "history+retrieve_filter=true"))
    run = started(tmp_path / "run", plan, knowing({}))
    run.run()
    calls = {(line["strategy"], line["question_id"]): line["usage"]["calls"] for line in run.lines()}
    for (strategy, task), number in calls.items():
        assert number == calls["history", task] + ("+" in strategy)


def test_a_database_without_a_history_is_asked_without_one_and_that_is_said(tmp_path: Path) -> None:
    history = tmp_path / "h.jsonl"
    history.write_text(json.dumps({"db_id": "other", "sql": "SELECT 1"}), encoding="utf-8")
    said: list[str] = []
    plan = zero_shot(tmp_path, history=(str(history),), strategies=("history",))
    run = started(tmp_path / "run", plan, knowing(gold_answers()), say=said.append)
    run.run()
    assert said[0] == "hero: the history has no script of it; it is asked without one"
    assert [line["correct"] for line in run.lines()] == [True] * 4


def test_predictions_need_no_model(tmp_path: Path) -> None:
    predicted = tmp_path / "other.json"
    said = {"7": "SELECT 3\t----- bird -----\thero", "8": "SELECT name FROM hero\t----- bird -----\thero"}
    predicted.write_text(json.dumps(said), encoding="utf-8")
    run = started(
        tmp_path / "run", zero_shot(tmp_path, strategies=(), predictions={"other": str(predicted)}), object()
    )
    run.model = knowing({})
    run.run()
    assert outcomes(run) == {"7": "", "8": "order", "9": "none", "10": "none"}
    assert run.lines()[2]["error"] == "there is no prediction"
    assert run.folder.answers.read() == []


def test_predictions_that_changed_are_scored_again(tmp_path: Path) -> None:
    predicted, said = tmp_path / "other.json", list[str]()
    plan = zero_shot(tmp_path, strategies=(), predictions={"other": str(predicted)})
    for answers in (
        {"7": "SELECT 2", "10": "SELECT AVG(height) FROM hero"},
        {"7": "SELECT 3", "10": "SELECT AVG(height) FROM hero"},
        {"7": "SELECT 3"},
    ):
        predicted.write_text(json.dumps(answers), encoding="utf-8")
        run = started(tmp_path / "run", plan, say=said.append)
        run.run()
    assert outcomes(run) == {"7": "", "8": "none", "9": "none", "10": "none"}
    assert [line for line in said if "others than before" in line] == [
        "other: 1 of its answers are others than before: they are scored again"
    ] * 2
    assert len(run.folder.results.read()) == 6


def test_more_rows_than_are_compared_are_the_answer_as_a_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqlore.evals.execution.lines.ROWS", 3)
    tasks = tasks_file(
        tmp_path / "t.json",
        records=[
            {"question_id": n, "question": f"q{n}", "SQL": "SELECT DISTINCT side FROM hero"} for n in range(4)
        ],
    )
    predicted = tmp_path / "p.json"
    said = [
        "SELECT side FROM hero;",
        "SELECT 'good' FROM hero",
        "SELECT name FROM hero",
        "SELECT side FROM hero UNION ALL SELECT name FROM hero",
    ]
    predicted.write_text(json.dumps(said), encoding="utf-8")
    plan = zero_shot(tmp_path, tasks=(str(tasks),), strategies=(), predictions={"p": str(predicted)})
    run = started(tmp_path / "run", plan)
    run.run()
    assert [(line["correct"], line["strict"], line["why"]) for line in run.lines()] == [
        (True, False, "repetition"),
        *[(False, False, "more")] * 3,
    ]


@pytest.mark.parametrize("by_strategy", [True, False], ids=["while it is asked", "while it is scored"])
def test_a_run_stops_where_the_database_is_lost_and_goes_on_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_strategy: bool
) -> None:
    """Nothing is noted as wrong; the last question, which was answered by then, is asked again."""
    run_query, gone = SqliteEngine.run, [True]

    def lost(engine: SqliteEngine, sql: str, **more: Any) -> Any:
        if gone and sql == "SELECT AVG(hero.height) FROM hero":
            raise ConnectError("the connection was lost")
        return run_query(engine, sql, **more)

    monkeypatch.setattr(SqliteEngine, "run", lost)
    answers = gold_answers() | {TASKS[3]["question"]: "SELECT AVG(hero.height) FROM hero"}
    predicted = tmp_path / "p.json"
    predicted.write_text(json.dumps(list(answers.values())), encoding="utf-8")
    given: dict[str, Any] = {} if by_strategy else {"strategies": (), "predictions": {"p": str(predicted)}}
    plan = zero_shot(tmp_path, **given)
    run = started(tmp_path / "run", plan, knowing(answers))
    with pytest.raises(ConnectError):
        run.run()
    assert [line["question_id"] for line in run.folder.results.read()] == ["7", "8", "9"]
    gone.clear()
    again = started(tmp_path / "run", plan, knowing(answers))
    again.run()
    assert [line["correct"] for line in again.lines()] == [True] * 4
    assert len(again.folder.results.read()) == 4


def test_gold_that_did_not_run_is_looked_at_again(tmp_path: Path) -> None:
    plan = zero_shot(tmp_path)
    folder = started(tmp_path / "run", plan).folder
    for task, status in (("7", "error"), ("8", "timeout"), ("10", "too_large")):
        folder.gold.append({"database": "hero", "question_id": task, "status": status, "message": "lost"})
    run = started(tmp_path / "run", plan, knowing(gold_answers()))
    run.run()
    assert outcomes(run) == {"7": "", "8": "", "9": ""}
    assert [line["status"] for line in run.gold()] == ["ok", "ok", "nondeterministic", "too_large"]
    assert [line["status"] for line in started(tmp_path / "run", plan).folder.gold.read()[-3:]] == [
        "ok",
        "ok",
        "nondeterministic",
    ]


def ask_nothing(place: Arena) -> Callable[[str, Collection[str]], str]:
    """A strategy of somebody else's."""
    assert place.catalog.schema.table("hero")
    return lambda question, exclude: "SELECT 3" if "good" in question else ""


def test_somebody_elses_strategy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    name = f"{Path(__file__).stem}:ask_nothing"
    run = started(tmp_path / "run", zero_shot(tmp_path, strategies=(name,)))
    run.run()
    assert outcomes(run) == {"7": "", "8": "none", "9": "none", "10": "none"}


def test_a_strategy_that_was_written_anew_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "own"))
    plan = zero_shot(tmp_path, strategies=("written_anew:make",))
    for number in (2, 3, 3):
        code = f"def make(place):\n    return lambda question, exclude: 'SELECT {number}'  # {'x' * number}\n"
        (tmp_path / "own" / "written_anew.py").write_text(code, encoding="utf-8")
        monkeypatch.delitem(sys.modules, "written_anew", raising=False)
        importlib.invalidate_caches()
        run = started(tmp_path / "run", plan)
        run.run()
    assert outcomes(run)["7"] == ""
    assert len(run.folder.results.read()) == 8


def test_the_strategy_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")
    (tmp_path / "mine.py").write_text(document.split("```python\n")[1].split("```")[0], encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    model = knowing(gold_answers())
    run = started(tmp_path / "run", zero_shot(tmp_path, strategies=("mine:terse",)), model)
    run.run()
    assert outcomes(run) == {"7": "", "8": "", "9": "", "10": ""}
    assert model.requests[0][0].content.startswith("Answer with one sqlite SELECT statement.")


def fails_when_asked(place: Arena) -> Any:
    return lambda question, exclude: 1 / 0


def fails_when_made(place: Arena) -> Any:
    raise LookupError("no such thing")


def gives_a_number(place: Arena) -> Any:
    return lambda question, exclude: 7


@pytest.mark.parametrize(
    ("function", "says", "place"),
    [
        ("fails_when_asked", "failed: ZeroDivisionError", "in <lambda>"),
        ("fails_when_made", "failed: LookupError: no such thing", "in fails_when_made"),
        ("gives_a_number", "answered with 7", ""),
        ("nothing_here", "has no function 'nothing_here'", ""),
    ],
)
def test_the_faults_of_somebody_elses_strategy_are_told_as_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, says: str, place: str
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    run = started(tmp_path / "run", zero_shot(tmp_path, strategies=(f"{Path(__file__).stem}:{function}",)))
    with pytest.raises(UsageError, match=says) as caught:
        run.run()
    assert place in (caught.value.where or "")


@pytest.mark.parametrize(
    ("strategies", "error", "says"),
    [
        (("zero_shot", "zero_shot"), UsageError, "named twice"),
        ((), UsageError, "nothing to compare"),
        (("nonsense",), ConfigError, "unknown strategy"),
        (("zero_shot@mqs",), UsageError, "retrieves nothing"),
        (("history@nonsense",), UsageError, "no such retriever"),
        (("history+samples",), UsageError, "no setting of a strategy"),
        (("history+model=none",), UsageError, "no setting of a strategy"),
        (("history+nonsense=1",), ConfigError, "nonsense"),
        (("history+samples=x",), ConfigError, "samples"),
    ],
)
def test_names_that_are_none_fail_before_anything_is_asked(
    tmp_path: Path, strategies: tuple[str, ...], error: type[Exception], says: str
) -> None:
    run = started(tmp_path / "run", zero_shot(tmp_path, strategies=strategies))
    with pytest.raises(error, match=says):
        run.run()
    assert not run.folder.results.path.exists()


def test_a_run_goes_on_only_with_what_it_was_set_up_with(tmp_path: Path) -> None:
    tasks = tasks_file(tmp_path / "tasks.json")
    given = {
        "db": str(heroes(tmp_path / "hero.sqlite")),
        "tasks": (str(tasks),),
        "strategies": ("zero_shot",),
    }
    plan = plan_of(given)
    settings = load_settings()
    setup = setup_of(plan, settings, "m")
    assert setup["reuse"] == "none"  # what is measured is the strategy
    assert setup_of(plan, load_settings(reuse="all"), "m")["reuse"] == "all"
    first = RunFolder.start(tmp_path / "runs" / "one", setup, {"db": plan.db})
    with pytest.raises(UsageError, match="holds a run already"):
        RunFolder.start(first.path, setup, {})
    assert RunFolder.resume(first.path, setup)[1]
    assert latest_run(tmp_path / "runs", setup) == first.path
    assert latest_run(tmp_path / "runs", setup | {"seed": 9}) is None
    with pytest.raises(UsageError, match="model was 'm' and is 'other'"):
        RunFolder.resume(first.path, setup_of(plan, settings, "other"))
    tasks.write_text(tasks.read_text().replace("good?", "bad?"), encoding="utf-8")
    with pytest.raises(UsageError, match="tasks was"):
        RunFolder.resume(first.path, setup_of(plan, settings, "m"))
    more = plan_of({"strategies": ("history",), "limit": 2}, json.loads(json.dumps(given)))
    assert (more.strategies, more.limit, more.tasks) == (("history",), 2, (str(tasks),))


@pytest.mark.data
def test_superhero_with_a_model_that_answers_gold(tmp_path: Path) -> None:
    tasks = data_dir("history_tasks", "superhero.json")
    db = data_dir("bird", "databases", "superhero.sqlite")
    known = {" ".join(one["question"].split()): one["SQL"] for one in json.loads(tasks.read_text())}
    plan = ExecutionPlan(str(db), (str(tasks),), strategies=("zero_shot",), limit=8)
    run = started(tmp_path / "run", plan, knowing(known))
    run.run()
    (score,) = results(run)
    assert (score["execution_accuracy"], score["strict_accuracy"], score["tasks"]) == (1, 1, 8)
    assert set(score["by_kind"]) >= {"calculation", "condition", "relation"}
