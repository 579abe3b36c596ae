"""A model's judgement after the rules: what it is shown, what becomes of its answer, replayed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cli_helpers import Command, clean_environment
from library_bench import GOLDEN, make_library
from sqlore.errors import ModelTimeout, ModelUnavailable
from sqlore.evals.build.bench import Bench, Candidate, open_bench
from sqlore.evals.build.findings import JUDGED
from sqlore.evals.build.generate import build, journal_file
from sqlore.evals.build.judge import Judge
from sqlore.evals.build.review import CRITERIA
from sqlore.evals.build.validate import Validator, summary_of
from sqlore.llm import FunctionModel, RecordingModel, ReplayModel
from sqlore.model import Message

SQL = (
    "SELECT COUNT(T1.id) FROM book AS T1 INNER JOIN author AS T2 ON T1.author_id = T2.id "
    "WHERE T2.country = 'Norway' AND T1.genre = 'novel'"
)
GOOD = Candidate("1", "library", "How many novels are by authors from Norway?", SQL, used=("1", "2"))
VAGUE = Candidate("2", "library", "How many good books are by authors from Norway?", SQL, used=("1", "2"))
EMPTY = Candidate("3", "library", GOOD.question, SQL.replace("'novel'", "'opera'"), used=("1", "2"))
ALL_WELL = {name: {"ok": True} for name in JUDGED}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    clean_environment(monkeypatch, tmp_path)
    return make_library(tmp_path)


@pytest.fixture
def bench(library: Path) -> Iterator[Bench]:
    with open_bench([GOLDEN / "history.json"], str(library), database="library") as opened:
        yield opened


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def strict(messages: Sequence[Message]) -> str:
    """Finds fault with a question that says "good", and with no other."""
    if "good books" not in messages[-1].content:
        return json.dumps(ALL_WELL)
    bad = {"ok": False, "severity": "major", "place": "good books", "advice": "name the genre"}
    natural = {"ok": False, "place": "good"}
    return f"Here it is:\n```json\n{json.dumps(ALL_WELL | {'unique': bad, 'natural': natural})}\n```"


def test_people_and_models_judge_the_same_things() -> None:
    assert list(JUDGED) == list(CRITERIA)


def test_findings_have_rule_severity_place_and_advice(bench: Bench) -> None:
    validator = Validator(bench, judge=Judge(FunctionModel(strict)))
    assert validator.check(GOOD).findings == ()
    verdict = validator.check(VAGUE)
    assert not verdict.passed
    assert [one.to_json() for one in verdict.findings] == [
        {"rule": "natural", "severity": "minor", "place": "good", "advice": JUDGED["natural"]},
        {"rule": "unique", "severity": "major", "place": "good books", "advice": "name the genre"},
    ]
    assert summary_of([verdict])["rules"] == {
        "natural": {"major": 0, "minor": 1},
        "unique": {"major": 1, "minor": 0},
    }


def test_it_is_off_without_a_model(bench: Bench) -> None:
    assert Validator(bench).check(VAGUE).findings == ()


def test_a_model_is_not_asked_about_what_rules_reject(bench: Bench) -> None:
    def never(messages: Sequence[Message]) -> str:
        raise AssertionError("asked")

    assert Validator(bench, judge=Judge(FunctionModel(never))).check(EMPTY).rules == (
        "statistic_not_zero",
        "effect",
    )


def test_it_sees_task_rows_and_the_scripts_the_task_was_made_from(bench: Bench) -> None:
    seen: list[str] = []

    def look(messages: Sequence[Message]) -> str:
        seen.append(messages[-1].content)
        return json.dumps(ALL_WELL)

    Validator(bench, judge=Judge(FunctionModel(look))).check(GOOD)
    (text,) = seen
    assert GOOD.question in text
    assert "T1.genre = 'novel'" in text
    assert "It gives 1 rows" in text
    assert text.count("## Query") == 2
    assert (bench.scripts["1"].script.question or "-") in text


@pytest.mark.parametrize("answer", ["I cannot say.", "{}", '{"natural": "fine", "unique": {"ok": "yes"}}'])
def test_an_answer_without_judgement_is_told_and_rejects_nothing(bench: Bench, answer: str) -> None:
    verdict = Validator(bench, judge=Judge(FunctionModel(lambda _: answer))).check(GOOD)
    assert verdict.passed
    assert [(one.rule, one.severity, one.place) for one in verdict.findings] == [
        (rule, "minor", "model") for rule in JUDGED
    ]


def test_a_model_that_fails_is_told_and_one_that_is_not_there_ends_it(bench: Bench) -> None:
    def slow(messages: Sequence[Message]) -> str:
        raise ModelTimeout("too slow")

    def gone(messages: Sequence[Message]) -> str:
        raise ModelUnavailable("no such model")

    verdict = Validator(bench, judge=Judge(FunctionModel(slow))).check(GOOD)
    assert {one.advice for one in verdict.findings} == {"not judged: too slow"}
    with pytest.raises(ModelUnavailable):
        Validator(bench, judge=Judge(FunctionModel(gone))).check(GOOD)


def test_a_recorded_judgement_is_replayed(bench: Bench, library: Path, tmp_path: Path, cli: Command) -> None:
    recording = tmp_path / "judge.json"
    recorded = Validator(bench, judge=Judge(RecordingModel(FunctionModel(strict), recording)))
    told = [recorded.check(task) for task in (GOOD, VAGUE)]
    replayed = Validator(bench, judge=Judge(ReplayModel(recording)))
    assert [replayed.check(task) for task in (GOOD, VAGUE)] == told

    tasks = tmp_path / "tasks.json"
    records = [
        {
            "question_id": one.id,
            "db_id": one.database,
            "question": one.question,
            "SQL": one.sql,
            "used": [1, 2],
        }
        for one in (GOOD, VAGUE)
    ]
    tasks.write_text(json.dumps(records), encoding="utf-8")
    args = ["bench", "validate", "--tasks", str(tasks), "--history", str(GOLDEN / "history.json")]
    args += ["--db", str(library), "--database", "library", "--json"]
    assert json.loads(cli(*args).out)["passed"] == 2
    judged = cli(*args, "--model", f"replay:{recording}")
    assert judged.code == 1
    assert json.loads(judged.out)["verdicts"] == [one.to_json() for one in told]


def test_a_build_keeps_what_the_judge_lets_pass(bench: Bench, tmp_path: Path) -> None:
    def half(messages: Sequence[Message]) -> str:
        bad = "How many" in messages[-1].content.rpartition("# Task")[2]
        return json.dumps(ALL_WELL | {"consistent": {"ok": not bad, "place": "How many", "advice": "no"}})

    free = build(bench, 6, tmp_path / "free.json")
    strict_ = build(bench, 6, tmp_path / "strict.json", judge=Judge(FunctionModel(half, name="half")))
    assert any("How many" in one["question"] for one in json.loads((tmp_path / "free.json").read_text()))
    assert not any(
        "How many" in one["question"] for one in json.loads((tmp_path / "strict.json").read_text())
    )
    assert strict_.rules["consistent"] > 0
    assert "consistent" not in free.rules
    head = json.loads(journal_file(tmp_path / "strict.json").read_text().splitlines()[0])
    assert head["judge"] == "half"
