"""What a person sees who waits for a model, on a terminal and in a file; and a demo whose model is slow."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

import sqlore.embed
import sqlore.llm
from cli_helpers import Command, clean_environment, fresh_shop
from sqlore.answer.remarks import NOTHING_LEARNED
from sqlore.errors import ModelTimeout
from sqlore.interfaces.built import STATIC
from sqlore.interfaces.cli import common, demo
from sqlore.interfaces.cli.waiting import Stages
from sqlore.llm import FunctionModel
from sqlore.llm.base import ModelStep, more_time
from sqlore.model import Message
from store_helpers import WordEmbedder
from support import ROOT


@pytest.fixture
def sqlore_(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def test_in_a_file_each_phase_is_a_line_with_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    with Stages() as told:
        told("looking in the history")
        told("writing SQL")
        for done in (0, 128, 300):
            told.model(ModelStep("reads", done, 300, limit=300, still=True))
        for done in (1, 2, 3):
            told.model(ModelStep("writes", done, limit=300))
    assert capsys.readouterr().err.splitlines() == [
        "looking in the history · 0 s",
        "writing SQL · 0 s",
        "writing SQL: the model reads the question with its context: 0 of 300 tokens · 0 s"
        " (given up after 300 s without progress, Ctrl-C stops it)",
        "writing SQL: the model writes: 1 token · 0 s (given up after 300 s, Ctrl-C stops it)",
    ]


def test_in_a_file_learning_says_from_time_to_time_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter((0.0, 10.0, 31.0, 31.0, 40.0, 70.0, 70.0))
    monkeypatch.setattr(common.time, "monotonic", lambda: next(clock))
    with common.progress() as told:
        for read in (5_000, 12_000, 13_000):
            told("learning scripts", read)
        told("reading columns", 3, 4_000)
    assert capsys.readouterr().err.splitlines() == ["learning scripts: 12,000", "reading columns: 3 of 4,000"]
    with common.progress(quiet=True) as told:
        told("learning scripts", 1)
    assert capsys.readouterr().err == ""


def test_in_a_file_a_long_wait_goes_on_speaking(capsys: pytest.CaptureFixture[str]) -> None:
    said = ""
    with Stages(every=0.01) as told:
        told("writing SQL")
        told.model(ModelStep("reads", 128, 300))
        while said.count("128 of 300") < 4:
            said += capsys.readouterr().err


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with Stages(quiet=True, every=0.01) as told:
        told("writing SQL")
        told.model(ModelStep("reads", 128, 300))
        threading.Event().wait(0.1)
    assert capsys.readouterr().err == ""


def test_the_terminals_line_has_the_figures_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Stages()
    told("writing SQL")
    told.model(ModelStep("reads", 128, 1300, limit=300, still=True))
    assert str(told.__rich__()).startswith("writing SQL: the model reads the question")
    told.model(ModelStep("reads", 256, 1300, limit=300, still=True))
    assert "256 of 1,300 tokens · 0 s (given up after 300 s without progress, Ctrl-C stops it)" in told.line
    told("running the query")
    assert told.line == "running the query · 0 s"


@pytest.fixture
def business(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo in a folder of its own, as in a checkout."""
    shutil.copytree(ROOT / "demo", tmp_path / "demo", ignore=shutil.ignore_patterns("*.sqlite"))
    clean_environment(monkeypatch, tmp_path)
    monkeypatch.setattr(demo, "demo_folder", lambda: tmp_path / "demo")
    monkeypatch.setattr(sqlore.embed, "load_embedder", lambda name: WordEmbedder())
    return tmp_path


def test_a_demo_goes_on_after_a_question_that_took_too_long(
    business: Path, monkeypatch: pytest.MonkeyPatch, sqlore_: Command
) -> None:
    answers = iter(["", "SELECT 1", "SELECT 2", "", "SELECT 3", "SELECT 4"])

    def says(messages: Sequence[Message]) -> str:
        if not (answer := next(answers)):
            raise ModelTimeout("the model stood still for 300 seconds", hint=more_time(300))
        return answer

    monkeypatch.setattr(sqlore.llm, "load_model", lambda *args, **options: FunctionModel(says))
    done = sqlore_("demo")
    assert done.code == 0, done.err
    assert done.out.count("no answer in time") == 2
    assert done.out.count("SQLORE_MODEL_TIMEOUT=600") == 2
    assert "Right without the history: 0 of 3 (1 not answered in time); with it: 0 of 3 (1 not" in done.out
    assert next(answers, None) is None, "every question was asked"
    assert "ask 'QUESTION' --db demo/shop.sqlite" in done.out


def test_a_demo_without_one_answer_failed(
    business: Path, monkeypatch: pytest.MonkeyPatch, sqlore_: Command
) -> None:
    def says(messages: Sequence[Message]) -> str:
        raise ModelTimeout("the model stood still for 300 seconds", hint=more_time(300))

    monkeypatch.setattr(sqlore.llm, "load_model", lambda *args, **options: FunctionModel(says))
    assert sqlore_("demo").code == 1


def test_what_comes_after_the_demo_is_said_as_it_works_here(
    business: Path, monkeypatch: pytest.MonkeyPatch, sqlore_: Command
) -> None:
    monkeypatch.setattr("sqlore.interfaces.built.app_is_built", lambda folder=STATIC: False)
    done = sqlore_("demo", "--learn-only", "--model", "none")
    assert done.code == 0, done.err
    assert "make web, once; it needs Node 20 or later" in done.out
    (business / "web").mkdir()
    (business / "web" / "package.json").write_text("{}")
    assert "The app:   make serve" in sqlore_("demo", "--learn-only", "--model", "none").out
    monkeypatch.setattr("sqlore.interfaces.built.app_is_built", lambda folder=STATIC: True)
    monkeypatch.setattr("sys.argv", [str(business / ".venv" / "bin" / "sqlore"), "demo"])
    assert ".venv/bin/sqlore serve --db demo/shop.sqlite" in sqlore_("demo", "--learn-only").out


def test_an_answer_is_told_in_stderr_while_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sqlore_: Command
) -> None:
    fresh_shop(tmp_path, monkeypatch)
    model = FunctionModel(lambda messages: "SELECT COUNT(*) FROM orders")
    monkeypatch.setattr(sqlore.llm, "load_model", lambda *args, **options: model)
    done = sqlore_("ask", "how many orders are there?", "--db", "shop.sqlite")
    assert done.code == 0
    assert "writing SQL · 0 s" in done.err
    quiet = sqlore_("ask", "how many orders are there?", "--db", "shop.sqlite", "--json").err
    assert quiet.splitlines() == [NOTHING_LEARNED]


def test_what_was_asked_before_is_answered_at_once_and_the_model_only_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sqlore_: Command
) -> None:
    fresh_shop(tmp_path, monkeypatch)
    monkeypatch.delenv("SQLORE_REUSE")
    monkeypatch.setattr(sqlore.embed, "load_embedder", lambda name: WordEmbedder())
    model = FunctionModel(lambda messages: "SELECT COUNT(*) FROM orders")
    monkeypatch.setattr(sqlore.llm, "load_model", lambda *args, **options: model)
    assert sqlore_("learn", "--db", "shop.sqlite", "--history", "history").code == 0
    question = "revenue of enterprise customers?"
    done = sqlore_("ask", question, "--db", "shop.sqlite")
    assert "asked before: the SQL is that of script finance.sql:2" in done.err
    assert "--reuse none" in done.err
    reused = sqlore_("ask", question, "--db", "shop.sqlite", "--json").json
    assert reused["reused"]["script"] == "finance.sql:2"
    assert reused["rows"] == [[17.5]]
    assert model.requests == []
    other = sqlore_("ask", question, "--db", "shop.sqlite", "--json", "--reuse", "none").json
    assert (other["reused"], other["rows"], len(model.requests)) == (None, [[4]], 1)
    assert sqlore_("ask", question, "--db", "shop.sqlite", "--reuse", "perhaps").code == 2
