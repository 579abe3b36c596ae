"""`sqlore eval execution` as people run it: output, reports, interruption, going on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cli_helpers import Command, clean_environment
from execution_helpers import TASKS, gold_answers, heroes, tasks_file
from sqlore.llm import base
from support import heeding_ctrl_c


@pytest.fixture
def sqlore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    clean_environment(monkeypatch, tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    heroes(tmp_path / "hero.sqlite")
    tasks_file(tmp_path / "tasks.json")
    return Command(capsys)


class Oracle:
    """An endpoint that answers with gold; from the question numbered `stop` on it waits for ever."""

    def __init__(self, stop: int | None = None) -> None:
        self.asked: list[str] = []
        self.stop, oracle = stop, self
        self.waiting, self.left = threading.Event(), threading.Event()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                question = body["messages"][-1]["content"].rpartition("Question: ")[2].strip()
                oracle.asked.append(question)
                if oracle.stop is not None and len(oracle.asked) > oracle.stop:
                    oracle.waiting.set()
                    oracle.left.wait(60)
                    self.close_connection = True
                    return
                message = {"role": "assistant", "content": gold_answers().get(question, "")}
                usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
                usage["prompt_tokens_details"] = {"cached_tokens": 40}  # type: ignore[assignment]
                choice = {"index": 0, "finish_reason": "stop", "message": message}
                said = {"id": "1", "object": "chat.completion", "created": 1, "model": "small"}
                text = json.dumps({**said, "choices": [choice], "usage": usage}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(
            target=self.server.serve_forever, daemon=True, kwargs={"poll_interval": 0.02}
        ).start()

    @property
    def spec(self) -> str:
        return f"openai:small@http://127.0.0.1:{self.server.server_address[1]}/v1"


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch) -> Iterator[Oracle]:
    monkeypatch.setattr(base, "ALLOW_MODEL_REQUESTS", True)
    made = Oracle()
    yield made
    made.server.shutdown()


def test_json_on_stdout_and_reports_in_the_folder(sqlore: Command, oracle: Oracle, tmp_path: Path) -> None:
    said = sqlore(
        *("eval", "execution", "--tasks", "tasks.json", "--db", "hero.sqlite", "--strategies", "zero_shot"),
        *("--model", oracle.spec, "--out", "run", "--json"),
    )
    assert said.code == 0
    (result,) = said.json["results"]
    assert (result["strategy"], result["execution_accuracy"], result["tasks"]) == ("zero_shot", 1.0, 3)
    assert result["tokens"] == {"prompt": 100.0, "cached": 40.0, "completion": 10.0}
    assert "hero zero_shot: 4 of 4 right" in said.err
    run = tmp_path / "run"
    report = json.loads((run / "report.json").read_text(encoding="utf-8"))
    assert report["results"] == said.json["results"]
    assert len(report["questions"]) == 4
    markdown = (run / "report.md").read_text(encoding="utf-8")
    for file in ("plots/accuracy.svg", "questions.md"):
        assert f"]({file})" in markdown
        assert (run / file).exists()
    assert "<svg" in (run / "report.html").read_text(encoding="utf-8")


def test_tables_on_stdout(sqlore: Command, tmp_path: Path) -> None:
    (tmp_path / "p.sql").write_text("SELECT 3\n\n\nSELECT 0\n", encoding="utf-8")
    said = sqlore(
        *("eval", "execution", "--tasks", "tasks.json", "--db", "hero.sqlite"),
        *("--predictions", "p.sql", "--predictions", "same=p.sql", "--no-plots"),
    )
    assert said.code == 0
    for text in ("Strategies", "Side by side", "33.3", "rows are tied where LIMIT cuts", "same"):
        assert text in said.out
    (run,) = (tmp_path / ".sqlore" / "runs").iterdir()
    assert not (run / "plots").exists()


def test_resume_takes_the_last_run_that_was_set_up_so(
    sqlore: Command, oracle: Oracle, tmp_path: Path
) -> None:
    common = ("eval", "execution", "--no-plots", "--json")
    plan = ("--tasks", "tasks.json", "--db", "hero.sqlite", "--model", oracle.spec)
    first = sqlore(*common, *plan, "--strategies", "zero_shot", "--limit", 2)
    assert (first.json["done"], len(oracle.asked)) == (2, 2)
    run = first.json["run"]
    for more in (("--resume", *plan, "--strategies", "zero_shot"), ("--resume", run), ("--resume",)):
        said = sqlore(*common, *more, "--limit", 4)
        assert (said.code, said.json["run"], said.json["done"]) == (0, run, 4)
        assert len(oracle.asked) == 4
    wrong = sqlore(*common, "--resume", run, "--samples", 3)
    assert wrong.code == 2
    assert "samples was 1 and is 3" in wrong.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "what is to be asked?"),
        (("--tasks", "tasks.json", "--leave-one-out"), "exclude each other"),
        (("--leave-one-out",), "no history to leave one out of"),
        (("--tasks", "tasks.json"), "no database given"),
        (("--tasks", "tasks.json", "--db", "none.sqlite"), "does not exist"),
        (("--tasks", "none.json", "--db", "hero.sqlite"), "no file"),
        (("--tasks", "tasks.json", "--db", "hero.sqlite", "--strategies", "x"), "unknown strategy"),
        (("--tasks", "tasks.json", "--db", "hero.sqlite", "--strategies", " ,"), "names none"),
        (("--tasks", "tasks.json", "--db", "hero.sqlite", "--predictions", "none"), "cannot be read"),
        (("--tasks", "tasks.json", "--db", "hero.sqlite", "RUN"), "too many"),
        (("--resume", "nowhere"), "no run in nowhere"),
        (("--resume",), "no run to go on with"),
        (("--tasks", "tasks.json", "--db", "hero.sqlite", "--history", "lost.sql"), "no such file"),
        (("--leave-one-out", "--history", "-", "--db", "hero.sqlite"), "standard input"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_nothing(
    sqlore: Command, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    said = sqlore("eval", "execution", "--model", "none", *arguments)
    assert said.code == 2
    assert says in said.err
    assert said.out == ""
    assert not (tmp_path / ".sqlore").exists()


def test_a_model_that_is_none_stops_the_run_and_says_how_to_go_on(sqlore: Command) -> None:
    said = sqlore(
        *("eval", "execution", "--tasks", "tasks.json", "--db", "hero.sqlite", "--model", "none"),
        *("--strategies", "zero_shot", "--out", "run"),
    )
    assert said.code == 2
    assert "go on with: sqlore eval execution --resume run" in said.err


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_what_is_done_survives_an_interruption_and_a_kill(
    sqlore: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: signal.Signals, code: int
) -> None:
    """A process is stopped while the model thinks about the third question; another one goes on."""
    monkeypatch.setattr(base, "ALLOW_MODEL_REQUESTS", True)
    oracle = Oracle(stop=2)
    command = [sys.executable, "-c", "from sqlore.interfaces.cli import main; main()", "eval", "execution"]
    command += ["--tasks", "tasks.json"]
    command += ["--db", "hero.sqlite", "--strategies", "zero_shot", "--model", oracle.spec, "--out", "run"]
    process = subprocess.Popen(
        command,
        env={**os.environ, "SQLORE_ALLOW_MODEL_REQUESTS": "1"},
        preexec_fn=heeding_ctrl_c,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not oracle.waiting.wait(0.1):
        assert process.poll() is None, process.communicate()
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (code, "")
    if how == signal.SIGINT:
        assert "go on with: sqlore eval execution --resume run" in err
        assert json.loads((tmp_path / "run" / "report.json").read_text())["done"] == 2
    oracle.left.set()
    oracle.stop = None
    oracle.asked.clear()
    said = sqlore("eval", "execution", "--resume", "run", "--json", "--no-plots")
    assert (said.code, said.json["done"], said.json["results"][0]["execution_accuracy"]) == (0, 4, 1.0)
    assert oracle.asked == [TASKS[2]["question"], TASKS[3]["question"]]
    oracle.server.shutdown()
