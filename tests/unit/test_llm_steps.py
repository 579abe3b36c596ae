"""How far a model is with its answer, and when it is given up: the local one over a server of the library's
form, since its weights are large and slow."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sqlore.llm.base
from sqlore.errors import ModelTimeout
from sqlore.llm.base import ModelStep
from sqlore.llm.local import LocalModel
from sqlore.model import Message

ASK = [Message("user", "How many?")]
Chunk = dict[str, Any]


class Server:
    """Gives chunks as `xllamacpp.Server` does, each after a pause, until it is told to stop."""

    def __init__(self, chunks: list[Chunk], pause: float = 0.0) -> None:
        self.chunks, self.pause, self.given = chunks, pause, 0

    def handle_chat_completions(self, body: dict[str, Any], chunk: Callable[[Chunk], bool]) -> None:
        assert body["stream"]
        assert body["return_progress"]
        for one in self.chunks:
            time.sleep(self.pause)
            self.given += 1
            if chunk(one):
                return


def reading(done: int, total: int, cache: int = 0) -> Chunk:
    return {
        "choices": [],
        "prompt_progress": {"total": total, "cache": cache, "processed": done, "time_ms": 1},
    }


def token(text: str, finish: str | None = None) -> Chunk:
    return {"choices": [{"delta": {"content": text}, "finish_reason": finish}]}


@pytest.fixture(autouse=True)
def requests_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlore.llm.base, "ALLOW_MODEL_REQUESTS", True)


@pytest.fixture
def model() -> Iterator[LocalModel]:
    made = LocalModel(Path("none.gguf"))
    yield made
    made.close()


def served(model: LocalModel, server: Server) -> LocalModel:
    model._server = server
    return model


def test_what_it_reads_and_writes_is_told_with_its_figures(model: LocalModel) -> None:
    chunks = [reading(0, 300), reading(128, 300), reading(300, 300), token("SELECT"), token(" 1", "stop")]
    steps: list[ModelStep] = []
    answer = served(model, Server(chunks)).chat(ASK, timeout=9, on_step=steps.append)
    assert answer.text == "SELECT 1"
    assert [(step.phase, step.done, step.total) for step in steps] == [
        ("reads", 0, 300),
        ("reads", 128, 300),
        ("reads", 300, 300),
        ("writes", 1, None),
        ("writes", 2, None),
    ]
    assert {step.limit_words for step in steps} == {"given up after 9 s without progress"}
    assert steps[1].words == "the model reads the question with its context: 128 of 300 tokens"
    assert steps[3].words == "the model writes: 1 token"


def test_a_slow_answer_is_an_answer(model: LocalModel) -> None:
    """The limit is shorter than the whole, and longer than any piece of it."""
    chunks = [reading(done, 20) for done in range(20)] + [token("x")] * 20
    assert served(model, Server(chunks, 0.03)).chat(ASK, timeout=0.9).text == "x" * 20


def test_what_stands_still_is_given_up_and_says_which_setting_gives_more(model: LocalModel) -> None:
    stuck = threading.Event()

    class Stuck(Server):
        def handle_chat_completions(self, body: dict[str, Any], chunk: Callable[[Chunk], bool]) -> None:
            chunk(reading(128, 300))
            stuck.wait(20)
            assert chunk(token("too late")), "it is told to stop"

    threading.Timer(0.5, stuck.set).start()
    with pytest.raises(ModelTimeout, match=r"stood still for 0.1 seconds \(last: .* 128 of 300") as caught:
        served(model, Stuck([])).chat(ASK, timeout=0.1)
    assert "SQLORE_MODEL_TIMEOUT=0.2" in str(caught.value.hint)
    assert "model_timeout" in str(caught.value.hint)
    assert served(model, Server([token("after it")])).chat(ASK).text == "after it"


def test_it_is_stopped_between_two_batches_of_the_prompt(model: LocalModel) -> None:
    server = Server([reading(done, 900) for done in range(900)])

    def stop(step: ModelStep) -> None:
        if step.done == 2:
            raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        served(model, server).chat(ASK, on_step=stop)
    assert server.given == 3


def test_who_waits_for_another_question_is_told_so_and_waits_as_long_as_that_one_comes_on(
    model: LocalModel,
) -> None:
    served(model, Server([token("x")] * 30, 0.05))
    steps: list[ModelStep] = []
    began = threading.Event()
    first = threading.Thread(target=lambda: model.chat(ASK, on_step=lambda step: began.set()))
    first.start()
    assert began.wait(20)
    assert model.chat(ASK, timeout=1.0, on_step=steps.append).text == "x" * 30
    assert steps[0].words == "the model answers another question first"
    first.join()


def test_a_model_that_repeats_itself_is_stopped(model: LocalModel) -> None:
    again = [token(" AND kind NOT IN ('classic', 'gold')") for _ in range(100)]
    server = Server([reading(1500, 1500, 900), *again])
    answer = served(model, server).chat(ASK, timeout=9)
    assert answer.finish == "repeats"
    assert server.given < 10
    assert answer.usage.completion == server.given - 1
    assert (answer.usage.prompt, answer.usage.cached) == (1500, 900)  # its timings would have come last
