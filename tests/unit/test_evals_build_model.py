"""Tasks made and mended by a model: what it is shown, what is kept, what is rejected and why."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cli_helpers import Command, clean_environment, serving
from library_bench import GOLDEN, make_library
from sqlore.errors import ModelError, ModelUnavailable, UsageError
from sqlore.evals.build.bench import Bench, open_bench
from sqlore.evals.build.findings import Finding, Limits
from sqlore.evals.build.generate import rich_file
from sqlore.evals.build.model_generate import Sampler, _within, build_by_model
from sqlore.evals.build.model_prompts import answer_of, fixing, generating, other_values
from sqlore.llm import FunctionModel
from sqlore.model import Message, Rows

GOOD = {
    "question": "How many novels are by authors from Norway?",
    "sql": "SELECT COUNT(T1.id) FROM book AS T1 INNER JOIN author AS T2 ON T1.author_id = T2.id "
    "WHERE T2.country = 'Norway' AND T1.genre = 'novel'",
    "evidence": "",
    "used": [1, 2],
}
EMPTY = GOOD | {"sql": GOOD["sql"].replace("'novel'", "'opera'")}  # type: ignore[attr-defined]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    clean_environment(monkeypatch, tmp_path)
    return make_library(tmp_path)


@pytest.fixture
def bench(library: Path) -> Iterator[Bench]:
    with open_bench([GOLDEN / "history.json"], str(library), database="library") as opened:
        yield opened


@pytest.fixture
def two(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench of which the scripts 1 and 2 are always drawn."""
    pair = [bench.scripts["1"], bench.scripts["2"]]
    monkeypatch.setattr(Sampler, "draw", lambda self, rng: pair)
    return bench


def model(*answers: object) -> FunctionModel:
    """Gives these in turn, the last one again and again."""
    left = list(answers)

    def say(messages: Sequence[Message]) -> str:
        said = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, str) else json.dumps(said)

    return FunctionModel(say, name="told")


def attempts(out: Path) -> list[dict[str, object]]:
    lines = out.with_suffix(".attempts.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


def test_scripts_are_dissimilar_and_fit_together(bench: Bench) -> None:
    sampler = Sampler(bench)
    draws = [sampler.draw(random.Random(seed)) for seed in range(40)]
    assert {len(draw) for draw in draws} >= {2, 3, 4}
    assert max(len(draw) for draw in draws) <= 6
    for draw in draws:
        for place, one in enumerate(draw[1:], 1):
            assert any(set(one.tables) & set(other.tables) for other in draw[:place])
            assert all(sampler._alike(one, other) <= 0.5 for other in draw[:place])
    assert draws == [sampler.draw(random.Random(seed)) for seed in range(40)]


def test_what_the_model_is_shown(bench: Bench) -> None:
    scripts = [bench.scripts["1"], bench.scripts["2"]]
    system, user = generating(bench, scripts, random.Random(0), Limits(), room=6000)
    assert "sqlite database library" in system.content
    text = user.content
    assert "## Query 2\nQuestion: How many books are by authors from Norway?" in text
    assert "- condition: author.country = 'Norway'" in text
    assert "CREATE TABLE author" in text
    assert "branch" not in text  # tables of other scripts are left out
    values = other_values(bench, scripts, random.Random(0))
    assert set(values) == {"book.genre", "author.country"}
    assert set(values["author.country"]) == {"Austria", "Spain"}  # those that exist, without the script's own
    wide = [bench.scripts["8"], bench.scripts["4"]]
    whole, small = (generating(bench, wide, random.Random(0), Limits(), room=room)[1] for room in (6000, 900))
    assert "'Astrid Moe'" in whole.content
    assert "'Astrid Moe'" not in small.content  # samples go first where there is little room


def test_what_the_fixer_is_told() -> None:
    text = fixing([Finding("ties", "major", "LIMIT 1", "two are first")], Rows(("a",), ((1,), (2,)))).content
    assert "- ties, LIMIT 1: two are first" in text
    assert "Its SQL gives 2 rows: 1; 2" in text
    assert "gives" not in fixing([], None).content.split("Mend it")[0]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOOD),
        f"Here it is:\n```json\n{json.dumps({'task': GOOD}, indent=1)}\n```\nDone.",
        f"Sure. {json.dumps(GOOD)} I hope that helps.",
        f"question: {GOOD['question']}\nSQL: >-\n  {GOOD['sql']}\nused: [1, 2]",
        json.dumps(GOOD).replace(" WHERE", "\n WHERE"),
    ],
    ids=["json", "fenced", "among words", "yaml", "line break in a string"],
)  # fmt: skip
def test_answers_are_read_as_small_models_write_them(text: str) -> None:
    found = answer_of(text)
    assert found["question"] == GOOD["question"]
    assert " ".join(found["sql"].split()) == GOOD["sql"]
    assert found["used"] == [1, 2]


@pytest.mark.parametrize(
    "text",
    [
        "I take a join.\n\n### New Question\n**Question**: How many?\n\n**Evidence**: \n- a\n- b\n\n"
        "**SQL**:\n```sql\nSELECT 1\n\nFROM t;\n```\n\nThis query counts.",
        "Question: How many?\nEvidence: a b\n\n### SQL Query\nSELECT 1\nFROM t;\n\n### Why\nIt counts.",
    ],
    ids=["fenced", "plain"],
)
def test_parts_under_headings_are_read_too(text: str) -> None:
    found = answer_of(text)
    assert " ".join(found.pop("sql").split()) == "SELECT 1 FROM t"
    assert found == {"question": "How many?", "evidence": "a b", "used": []}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        '{"question": "?"}',
        '{"question": 1, "sql": 2}',
        "{{{",
        "[1]",
        '"question": "?",\n"sql": "SELECT "1""',
    ],
)
def test_answers_that_are_no_task(text: str) -> None:
    with pytest.raises(ValueError, match="no JSON"):
        answer_of(text)


def test_a_task_is_kept_at_once(two: Bench, tmp_path: Path) -> None:
    out = tmp_path / "tasks.json"
    told = GOOD | {"evidence": "novels are of the genre novel"}
    report = build_by_model(two, model(told), 1, out)
    assert (report.kept, dict(report.rounds)) == (1, {0: 1})
    (task,) = json.loads(out.read_text(encoding="utf-8"))
    assert task["SQL"] == GOOD["sql"]
    assert task["evidence"] == "novels are of the genre novel"
    assert task["used"] == [1, 2]
    assert task["history_knowledge"]["condition: author.country = <val>"] == [2, 8]
    assert json.loads(rich_file(out).read_text(encoding="utf-8"))[0]["recipe"] == "model"


def test_a_task_is_mended_with_the_findings(two: Bench, tmp_path: Path) -> None:
    asked = model("I cannot", EMPTY, GOOD)
    report = build_by_model(two, asked, 1, tmp_path / "tasks.json")
    assert dict(report.rounds) == {2: 1}
    assert set(report.found) >= {"answer", "statistic_not_zero"}
    assert report.rules == {}
    assert "statistic_not_zero, column COUNT(T1.id)" in asked.requests[2][-1].content
    (attempt,) = attempts(tmp_path / "tasks.json")
    assert [bool(one["findings"]) for one in attempt["rounds"]] == [True, True, False]  # type: ignore[attr-defined, index]


def test_after_three_rounds_a_task_is_rejected_with_its_reason(two: Bench, tmp_path: Path) -> None:
    asked = model(EMPTY)
    report = build_by_model(two, asked, 5, tmp_path / "tasks.json", attempts=2)
    assert (report.kept, dict(report.ends)) == (0, {"rejected": 2})
    assert report.rules["statistic_not_zero"] == 2
    assert len(asked.requests) == 2 * 4
    assert json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8")) == []


def test_a_model_that_repeats_itself_is_asked_for_another_task(two: Bench, tmp_path: Path) -> None:
    asked = model(EMPTY, EMPTY, GOOD)
    report = build_by_model(two, asked, 1, tmp_path / "tasks.json")
    assert dict(report.rounds) == {2: 1}
    first, mending, anew = asked.requests
    assert [len(first), len(mending), len(anew)] == [2, 4, 2]
    assert anew[0] == first[0]
    assert anew[1].content.startswith(first[1].content)
    assert "statistic_not_zero, column COUNT(T1.id)" in anew[1].content


def test_one_script_alone_is_no_task(two: Bench, tmp_path: Path) -> None:
    alone = {"question": "Who are the authors from Spain?", "used": [1, 2]}
    alone["sql"] = "SELECT name FROM author WHERE country = 'Spain'"
    report = build_by_model(two, model(alone), 1, tmp_path / "tasks.json", attempts=1)
    assert dict(report.rules) == {"used": 1}


def test_the_same_task_twice_is_kept_once(two: Bench, tmp_path: Path) -> None:
    report = build_by_model(two, model(GOOD), 2, tmp_path / "tasks.json", attempts=3)
    assert dict(report.ends) == {"kept": 1, "repeated": 2}


def test_a_build_goes_on_where_it_was_stopped(two: Bench, tmp_path: Path) -> None:
    out = tmp_path / "tasks.json"
    with pytest.raises(ModelUnavailable):
        build_by_model(two, model(EMPTY, GOOD, ModelUnavailable("gone")), 2, out)
    before = attempts(out)
    assert [one["end"] for one in before] == ["kept"]
    asked = model(GOOD)
    report = build_by_model(two, asked, 2, out, attempts=3)
    assert attempts(out)[:1] == before
    assert report.attempts == 3
    assert len(asked.requests) == 2
    with pytest.raises(UsageError, match="another seed"):
        build_by_model(two, asked, 2, out, seed=1)


def test_a_call_that_fails_ends_its_attempt_alone(two: Bench, tmp_path: Path) -> None:
    report = build_by_model(
        two, model(EMPTY, ModelError("too long"), GOOD), 1, tmp_path / "t.json", attempts=2
    )
    assert dict(report.ends) == {"failed": 1, "kept": 1}
    assert attempts(tmp_path / "t.json")[0]["why"] == "too long"


def test_rounds_in_the_middle_go_where_there_is_no_room() -> None:
    said = [Message("system", "s"), Message("user", "task")]
    for number in range(3):
        said += [Message("assistant", f"a{number}" * 200), Message("user", f"f{number}")]
    kept = _within(said, 150)
    assert [one.content[:2] for one in kept] == ["s", "ta", "a2", "f2"]
    assert _within(said, 10_000) == said


def test_the_command(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sqlore = Command(capsys)
    ask = ("bench", "build", "--history", GOLDEN / "history.json", "--db", library, "--out", "made.json")
    with pytest.MonkeyPatch.context() as patch, serving() as endpoint:
        patch.setattr("sqlore.llm.base.ALLOW_MODEL_REQUESTS", True)
        patch.setenv("SQLORE_ALLOW_MODEL_REQUESTS", "1")
        endpoint.replies = [json.dumps(GOOD)]
        done = sqlore(
            *ask, "--generator", "model", "--model", endpoint.spec, "--attempts", "3", "--count", "9"
        )
    assert done.code == 1
    assert "so many attempts gave no more than 1 task" in done.err
    assert "1 task of 3 attempts" in done.out
    assert "kept: 1 after 0 rounds of mending" in done.out
