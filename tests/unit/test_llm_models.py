"""Model specs, function models, recordings, and that no test reaches a model by accident."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sqlore.config import Settings
from sqlore.errors import ConfigError, ModelUnavailable
from sqlore.llm import (
    Answer,
    ChatModel,
    FunctionModel,
    ModelSettings,
    RecordingModel,
    ReplayModel,
    load_model,
)
from sqlore.llm.local import LocalModel, physical_cores
from sqlore.llm.openai import OpenAIModel
from sqlore.model import Message, Usage

ASK = [Message("user", "How many?")]


def test_every_kind_of_model_fits_the_interface(tmp_path: Path) -> None:
    function = FunctionModel(lambda messages: "x")
    models = [
        function,
        RecordingModel(function, tmp_path / "r.json"),
        load_model("none"),
        load_model("local"),
    ]
    models.append(load_model("openai:m@http://localhost:1/v1"))
    assert all(isinstance(model, ChatModel) for model in models)
    assert [model.remote for model in models] == [False, False, False, False, True]


@pytest.mark.parametrize("spec", ["gpt", "openai:", "replay:", "none:x", "openai:m@localhost"])
def test_a_spec_that_cannot_be(spec: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_model(spec)
    assert caught.value.hint


def test_the_environment_names_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLORE_MODEL", "none")
    assert load_model().name == "none"
    assert load_model("local").name == "qwen2.5-coder-1.5b-instruct-q4_k_m"


def test_settings_reach_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelUnavailable, match="needs a key"):
        load_model("openai:some-model")
    assert isinstance(load_model("openai:some-model", Settings(api_key="k")), OpenAIModel)
    assert ModelSettings.of(Settings(api_key="k", model_timeout=7)) == ModelSettings(api_key="k", timeout=7)


def test_a_named_file_must_be_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        load_model(f"local:{tmp_path / 'absent.gguf'}")
    other = tmp_path / "notes.gguf"
    other.write_text("not a model")
    with pytest.raises(ModelUnavailable, match="GGUF"):
        load_model(f"local:{other}")


def test_no_test_reaches_a_model_by_accident() -> None:
    for spec in ("local", "openai:m@http://localhost:1/v1"):
        with pytest.raises(ModelUnavailable, match="switched off"):
            load_model(spec).chat(ASK)
    code = "from sqlore.llm import load_model; from sqlore.model import Message as M; "
    code += "load_model('local').chat([M('user', 'hi')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "switched off" in done.stderr


def test_no_model_says_what_to_do() -> None:
    with pytest.raises(ModelUnavailable) as caught:
        load_model("none").chat(ASK)
    assert "--model" in (caught.value.hint or "")


def test_a_function_model_keeps_what_it_was_asked() -> None:
    said: list[str] = []
    model = FunctionModel(lambda messages: Answer("cut", Usage(completion=3), "length"))
    answer = model.chat(ASK, on_token=said.append)
    assert (answer.finish, answer.usage.completion, said) == ("length", 3, ["cut"])
    assert model.requests == [tuple(ASK)]


def test_a_recording_gives_the_same_answer_without_the_model(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "answers.json"
    inner = FunctionModel(
        lambda messages: Answer("SELECT 'é\n'", Usage(5, 2, 3, 0.5, 1), "length"), name="m1"
    )
    recorder = RecordingModel(inner, path)
    first = recorder.chat(ASK, temperature=0.5, stop=["\n\n"], seed=3)
    assert recorder.chat(ASK, temperature=0.5, stop=("\n\n",), seed=3) == first
    assert len(inner.requests) == 1
    said: list[str] = []
    replay = load_model(f"replay:{path}")
    again = replay.chat(ASK, temperature=0.5, stop=["\n\n"], seed=3, timeout=9, on_token=said.append)
    assert again == first
    assert said == [first.text]
    assert "m1" in replay.name


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"temperature": 0.1}, {"max_tokens": 9}, {"stop": [";"]}, {"messages": []}]
)
def test_an_unknown_request_is_never_answered(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "r.json"
    RecordingModel(FunctionModel(lambda messages: "x"), path).chat(ASK)
    request: dict[str, object] = {"messages": ASK, **change}
    with pytest.raises(ModelUnavailable, match="no recorded answer"):
        ReplayModel(path).chat(**request)  # type: ignore[arg-type]


def test_a_file_that_is_no_recording(tmp_path: Path) -> None:
    for name, text in (("a.json", "{"), ("b.json", "[]"), ("c.json", json.dumps({"answers": 1}))):
        (tmp_path / name).write_text(text)
        with pytest.raises(ModelUnavailable, match="not a recording"):
            load_model(f"replay:{tmp_path / name}")
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        load_model(f"replay:{tmp_path / 'absent.json'}")


def test_threads_are_cores() -> None:
    assert physical_cores() >= 1


def test_nothing_is_loaded_before_the_first_question() -> None:
    found: list[int] = []

    def find() -> Path:
        found.append(1)
        return Path("x")

    LocalModel(find)
    assert found == []
