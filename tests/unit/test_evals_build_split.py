"""Train, dev and test that share no script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli_helpers import Command, clean_environment
from library_bench import GOLDEN, make_library
from sqlore.errors import UsageError
from sqlore.evals.build.bench import Bench, Candidate, open_bench
from sqlore.evals.build.datasheet import datasheet_file
from sqlore.evals.build.generate import build
from sqlore.evals.build.split import PARTS, split_history, split_tasks
from sqlore.evals.build.validate import read_candidates
from sqlore.evals.tasks import History
from sqlore.model import Script
from sqlore.sql import parse_script


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


def made_of(number: int, *used: str) -> Candidate:
    """A task of its own made from these scripts."""
    sql = f"SELECT title FROM book WHERE pages > {number} AND id <> {number} LIMIT {number}"
    words = " ".join(f"w{number}{place}" for place in range(6))
    columns = ", ".join(["title", *[f"pages + {n}" for n in range(number)]])
    return Candidate(str(number), "library", words, sql.replace("title", columns), used=used)


def test_no_script_serves_two_parts(bench: Bench) -> None:
    keys = list(bench.scripts)
    pairs = [(keys[n], keys[n + 1]) for n in range(0, len(keys) - 1, 2)]
    tasks = [made_of(n, *pair) for n, pair in enumerate(pairs, 1)]
    found = split_tasks(bench, tasks, (0.5, 0.25, 0.25))
    for task in tasks:
        parts = {found.scripts[key] for key in task.used}
        assert (found.tasks[task.id] in PARTS) == (len(parts) == 1 and task.id not in found.why)
        assert found.tasks[task.id] is None or parts == {found.tasks[task.id]}
    assert sum(found.counts.values()) == len(tasks)
    assert all(found.counts[part] > 0 for part in PARTS)


def test_tasks_that_need_each_others_scripts_are_not_torn_apart(bench: Bench) -> None:
    """A chain of tasks: of two neighbours in different parts the one between them goes."""
    keys = list(bench.scripts)[:6]
    tasks = [made_of(n, keys[n - 1], keys[n]) for n in range(1, 6)]
    found = split_tasks(bench, tasks, (0.5, 0.0, 0.5))
    left = [task.id for task in tasks if found.tasks[task.id] is None]
    assert found.counts == {"train": 2, "dev": 0, "test": 2, "left_out": 1}
    assert found.why == {left[0]: "its scripts are in several parts"}


def test_a_task_like_one_of_another_part_is_left_out(bench: Bench) -> None:
    groups = split_history(bench, (0.5, 0.0, 0.5))
    one = next(key for key, part in groups.items() if part == "train")
    other = next(key for key, part in groups.items() if part == "test")
    tasks = [made_of(1, one), made_of(2, other)]
    tasks.append(Candidate("3", "library", tasks[0].question, "SELECT id FROM member", used=(other,)))
    found = split_tasks(bench, tasks, (0.5, 0.0, 0.5))
    kept = {part for task, part in found.tasks.items() if task in ("1", "3") and part is not None}
    assert len(kept) == 1


def test_parts_of_a_history_keep_what_is_alike_together(bench: Bench) -> None:
    parts = split_history(bench, (0.6, 0.2, 0.2), seed=3)
    assert parts == split_history(bench, (0.6, 0.2, 0.2), seed=3)
    assert set(parts) == set(bench.scripts)
    skeletons: dict[str, set[str]] = {}
    for one in bench.history.parsed:
        skeletons.setdefault(one.skeleton, set()).add(parts[one.script.key])
    assert all(len(found) == 1 for found in skeletons.values())
    train = list(parts.values()).count("train") / len(parts)
    assert train == pytest.approx(0.6, abs=0.15)


def test_what_is_like_two_groups_makes_one_of_them() -> None:
    """The last script has the skeleton of the first and the question of the second."""
    asked = "How many powers does the strongest hero have?"
    scripts = [
        Script("SELECT name FROM hero WHERE side = 'Bad'", "A", "Which heroes are on the bad side of all?"),
        Script("SELECT COUNT(*) FROM power", "B", asked),
        Script("SELECT id FROM hero", "D", "Which numbers are there?"),
        Script("SELECT name FROM hero WHERE side = 'Good'", "C", asked),
    ]
    parsed = [parse_script(one, "sqlite") for one in scripts]
    bench: Any = SimpleNamespace(history=History("d", parsed))
    for seed in range(20):
        parts = split_history(bench, (0.5, 0.25, 0.25), seed=seed)
        assert parts["A"] == parts["B"] == parts["C"]


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.5, 0.4, 0.4), (1.2, -0.1, -0.1)])
def test_shares_that_are_none(bench: Bench, shares: tuple[float, ...]) -> None:
    with pytest.raises(UsageError, match="100 per cent"):
        split_tasks(bench, [], shares)


def test_a_task_without_scripts_cannot_be_parted(bench: Bench) -> None:
    with pytest.raises(UsageError, match="which scripts"):
        split_tasks(bench, [made_of(1)], (0.6, 0.2, 0.2))


def test_the_command_writes_parts_and_the_datasheet_tells_of_them(
    bench: Bench, library: Path, tmp_path: Path, cli: Command
) -> None:
    tasks = tmp_path / "tasks.json"
    build(bench, 8, tasks)
    source = ["--history", str(GOLDEN / "history.json"), "--db", str(library), "--database", "library"]
    told = json.loads(cli("bench", "split", "--tasks", str(tasks), *source, "--json").out)
    written = {part: read_candidates(tmp_path / f"tasks.{part}.json") for part in PARTS}
    assert {part: len(found) for part, found in written.items()} == {p: told["tasks"][p] for p in PARTS}
    scripts = json.loads((tmp_path / "tasks.splits.json").read_text())["scripts"]
    for part, found in written.items():
        assert all(set(one.used) <= set(map(str, scripts[part])) for one in found)
    cli("bench", "datasheet", "--tasks", str(tasks), *source)
    assert "split by scripts" in datasheet_file(tasks).read_text(encoding="utf-8")


def test_the_command_parts_a_history_that_can_be_read_again(
    library: Path, tmp_path: Path, cli: Command
) -> None:
    source = ["--history", str(GOLDEN / "history.json"), "--db", str(library), "--database", "library"]
    told = json.loads(cli("bench", "split", *source, "--out", str(tmp_path / "parts.jsonl"), "--json").out)
    for part, count in told["scripts"].items():
        with open_bench([tmp_path / f"parts.{part}.jsonl"], str(library), database="library") as opened:
            assert len(opened.history.parsed) == count
    assert cli("bench", "split", *source).code == 2
