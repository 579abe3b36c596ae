"""A retriever of the user's own in the comparison: what it may be, and whose fault it is when it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_helpers import Command, clean_environment
from evals_helpers import write_comics

CODE = """
from sqlore.retrieve.baselines import Handed, make_retriever

number = 3

def none(pool):
    return None

def fails(pool):
    raise RuntimeError("no index here")

class Own:
    name = "own"
    def __init__(self, pool, kind):
        self.pool, self.kind = pool, kind
    def retrieve(self, question, exclude=frozenset(), *, shots=None, budget=None):
        if self.kind == "asked":
            return {}["nothing"]
        if self.kind == "list":
            return ["condition: hero.height > <val>"]
        return Handed()

def asked(pool):
    return Own(pool, "asked")

def lists(pool):
    return Own(pool, "list")

def empty(pool):
    return Own(pool, "empty")

def same(pool):
    return make_retriever("bm25", pool)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    clean_environment(monkeypatch, tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "my_own_retrievers.py").write_text(CODE, encoding="utf-8")
    write_comics(tmp_path)
    return tmp_path


def compared(capsys: pytest.CaptureFixture[str], names: str) -> Command:
    command = Command(capsys)
    history = ("--history", "dev.json", "--schema", "tables.json", "--database", "comics")
    return command("eval", "retrieval", "--leave-one-out", *history, "--retrievers", names, "--json")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("none", "my_own_retrievers:none gave nothing, which has no retrieve"),
        ("lists", "my_own_retrievers:lists handed over a list"),
        ("missing", "has no function 'missing'"),
        ("number", "has no function 'number'"),
        ("fails", "my_own_retrievers:fails failed: RuntimeError: no index here"),
        ("asked", "my_own_retrievers:asked failed: KeyError: 'nothing'"),
    ],
)
def test_what_is_no_retriever_is_not_scored(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, told: str
) -> None:
    done = compared(capsys, f"my_own_retrievers:{name}")
    assert done.code == 2
    assert done.out == ""
    assert told in done.err
    assert "fault of sqlore" not in done.err


def test_the_place_of_a_failure_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = compared(capsys, "my_own_retrievers:asked")
    line = 1 + CODE.splitlines().index('            return {}["nothing"]')
    assert f"my_own_retrievers.py:{line}, in retrieve" in done.err


def test_an_own_retriever_is_scored_by_what_it_hands_over(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = compared(capsys, "my_own_retrievers:empty,my_own_retrievers:same,bm25,gold")
    assert done.code == 0, done.err
    f1 = [result["f1"] for result in done.json["results"]]
    assert f1[0] == 0 < f1[1] == f1[2] < f1[3] == 1
