"""`sqlore eval retrieval` that is stopped, fails or is asked wrongly: what there was before is not lost."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from cli_helpers import Command, Outcome, clean_environment
from evals_helpers import write_comics
from sqlore.errors import UsageError
from sqlore.evals.kept import Done, Kept, names_of
from sqlore.evals.metrics import count
from sqlore.evals.setting import Setting
from sqlore.evals.tasks import Task

CODE = """
import os, signal, time
from sqlore.retrieve.baselines import Handed

class Own:
    name = "own"
    def __init__(self, end):
        self.end = end
    def retrieve(self, question, exclude=frozenset(), *, shots=None, budget=None):
        if question.startswith("How many heroes are taller"):
            self.end()
        return Handed()

def interrupt():
    raise KeyboardInterrupt

def terminate():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(20)

def fail():
    raise OverflowError("too much")

def interrupts(pool): return Own(interrupt)
def terminates(pool): return Own(terminate)
def fails(pool): return Own(fail)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    clean_environment(monkeypatch, tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "ends_early.py").write_text(CODE, encoding="utf-8")
    write_comics(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], retrievers: str, *more: str, database: str = "comics") -> Outcome:
    history = ("--history", "dev.json", "--schema", "tables.json", "--database", database)
    command = Command(capsys)
    return command(
        "eval", "retrieval", "--leave-one-out", *history, "--retrievers", retrievers, *more, "--json"
    )


PREDICTIONS = ("--predictions", "p.jsonl")


@pytest.mark.parametrize(("end", "code"), [("interrupts", 130), ("terminates", 130), ("fails", 2)])
def test_what_was_done_is_taken_up_again(
    folder: Path, capsys: pytest.CaptureFixture[str], end: str, code: int
) -> None:
    (folder / "p.jsonl").write_text("of before\n", encoding="utf-8")
    stopped = run(capsys, f"mqs,learned,ends_early:{end}", *PREDICTIONS)
    assert stopped.code == code
    assert "are kept in p.jsonl.partial; the same command goes on" in stopped.err
    assert "fault of sqlore" not in stopped.err
    assert (folder / "p.jsonl").read_text(encoding="utf-8") == "of before\n"
    partial = [json.loads(line) for line in (folder / "p.jsonl.partial").read_text("utf-8").splitlines()]
    done = run(capsys, "mqs,learned,bm25", *PREDICTIONS)
    assert done.code == 0, done.err
    assert "taken up from a run of before: 12 results" in done.err
    lines = [json.loads(line) for line in (folder / "p.jsonl").read_text("utf-8").splitlines()]
    assert [one["retriever"] for one in lines] == ["mqs"] * 6 + ["learned"] * 6 + ["bm25"] * 6
    assert lines[:12] == [one["record"] for one in partial[:12]], "to the millisecond"
    assert not list(folder.glob("p.jsonl.*"))
    assert without_times(done) == without_times(run(capsys, "mqs,learned,bm25"))


def without_times(done: Outcome) -> object:
    found = done.json
    for one in found["results"]:
        del one["median_ms"], one["stages_ms"]
    return found["results"]


def test_results_of_another_history_or_seed_are_computed_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "random,ends_early:interrupts", *PREDICTIONS)
    records = json.loads((folder / "dev.json").read_text(encoding="utf-8"))
    first = (folder / "p.jsonl.partial").read_bytes()
    assert "taken up" not in run(capsys, "random", *PREDICTIONS, "--seed", "3").err
    (folder / "p.jsonl.partial").write_bytes(first)
    assert "taken up" not in run(capsys, "random", *PREDICTIONS, database="films").err
    (folder / "p.jsonl.partial").write_bytes(first)
    (folder / "dev.json").write_text(json.dumps(records[1:]), encoding="utf-8")
    assert "taken up" not in run(capsys, "random", *PREDICTIONS).err


def test_nothing_is_kept_where_nobody_says_where(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stopped = run(capsys, "bm25,ends_early:interrupts")
    assert stopped.code == 130
    assert "nothing is kept; with --predictions FILE" in stopped.err
    assert "finished so far is kept" not in stopped.err


def test_the_results_of_before_survive_a_wrong_command(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "keep.jsonl").write_text("of before\n", encoding="utf-8")
    wrong = ("--retrievers", "bm25", "--predictions", "keep.jsonl")
    for history in ("nofile", "keep.jsonl"):
        done = Command(capsys)("eval", "retrieval", "--leave-one-out", "--history", history, *wrong)
        assert done.code == 2
        assert (folder / "keep.jsonl").read_text(encoding="utf-8") == "of before\n"
    assert not list(folder.glob("keep.jsonl.*"))


@pytest.mark.parametrize(
    "options",
    [
        ("--out", "dev.json"),
        ("--out", "dev.json/results"),
        ("--predictions", "cache"),
        ("--predictions", "nowhere/p.jsonl"),
    ],
)
def test_where_nothing_can_be_written_is_said_first(
    folder: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, str]
) -> None:
    (folder / "cache").mkdir()
    done = run(capsys, "bm25", "--no-plots", *options)
    assert done.code == 2
    assert done.out == ""
    assert "fault of sqlore" not in done.err
    assert not list((folder / "cache").iterdir()), "nothing was learned"


def test_predictions_go_into_a_pipe_as_they_come(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(folder / "pipe")
    reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    done = run(capsys, "bm25", "--limit", "1", "--predictions", "pipe")
    assert done.code == 0, done.err
    assert json.loads(os.read(reader, 100_000))["retriever"] == "bm25"
    os.close(reader)


TASK = Task("1", "comics", "Which?", "", frozenset({"output: distinct"}))


def test_a_result_comes_back_as_it_was(tmp_path: Path) -> None:
    keys = ["output: distinct", "condition: a.b = <val>"]
    counts = count(
        TASK.gold, keys, ranking=keys, scores=[0.1, 1 / 3], probable=True, scripts=[keys], tokens=7
    )
    setting = Setting("learned_llm", shots=3)
    done = Done({**names_of(TASK, setting), "fragments": ["ü"]}, counts, {"rank": 1.25})
    kept = Kept(tmp_path / "p.jsonl")
    kept.add(TASK, done, "mark")
    kept.close()
    with kept.partial.open("ab") as lines:
        lines.write(b'{"record": {"cut')  # killed while it wrote
    again = Kept(tmp_path / "p.jsonl")
    found = again.get(TASK, setting, "mark")
    assert found == done
    assert found is not None
    assert np.array_equal(found.counts.said, counts.said)
    assert np.array_equal(found.counts.was, counts.was)
    other = Task("1", "comics", "Which?", "", frozenset({"output: limit <val>"}))
    for wrong in ((TASK, setting, "other"), (other, setting, "mark"), (TASK, Setting("learned_llm"), "mark")):
        assert again.get(*wrong) is None
    again.add(other, Done({**done.record, "question_id": "2"}, counts, {}), "mark")
    again.finish()
    assert len((tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_a_place_that_is_none_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        Kept(tmp_path)
