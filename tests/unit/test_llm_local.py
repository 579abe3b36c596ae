"""The real local model in this process. Slow: runs only where its file is in the cache."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sqlore.errors import ModelError, ModelTimeout, ModelUnavailable
from sqlore.llm.local import LocalModel
from sqlore.llm.weights import FILE_NAME, cache_dir
from sqlore.model import Message

RULES = "Table t has the columns a (INTEGER) and b (TEXT). Answer with one SQL query only.\n" * 4


@pytest.fixture(scope="module")
def model() -> LocalModel:
    pytest.importorskip("xllamacpp")
    path = cache_dir() / FILE_NAME
    if not path.exists():
        pytest.skip(f"the local model is not downloaded: {path}")
    return LocalModel(path, context=1024)


def ask(question: str) -> list[Message]:
    return [Message("system", RULES), Message("user", question)]


@pytest.mark.model
def test_the_start_of_the_prompt_is_read_once(model: LocalModel) -> None:
    said: list[str] = []
    first = model.chat(ask("How many rows?"), max_tokens=16, on_token=said.append)
    assert "select count(*)" in first.text.lower()
    assert "".join(said) == first.text
    second = model.chat(ask("What is the largest a?"), max_tokens=16)
    assert "max(" in second.text.lower()
    assert second.usage.cached > 60
    assert second.usage.prompt - second.usage.cached < 40
    assert second.usage.completion > 0
    cut = model.chat(ask("How many rows?"), max_tokens=2)
    assert (cut.finish, cut.usage.completion) == ("length", 2)


@pytest.mark.model
def test_several_beginnings_are_read_once_each(model: LocalModel) -> None:
    beginnings = [f"Database {name}. {RULES}" for name in ("one", "two", "three")]
    for question in ("How many rows?", "What is the largest a?"):
        answers = [
            model.chat([Message("system", one), Message("user", question)], max_tokens=4)
            for one in beginnings
        ]
    assert all(answer.usage.cached > 60 for answer in answers)


@pytest.mark.model
def test_too_long_too_slow_and_usable_after(model: LocalModel) -> None:
    with pytest.raises(ModelError, match="the model reads at most 1024"):
        model.chat(ask("word " * 2000))
    with pytest.raises(ModelTimeout, match="stood still"):
        model.chat(ask("Tell a long story."), max_tokens=500, timeout=0.001)
    assert model.chat(ask("How many rows?"), max_tokens=5).text

    def fail(token: str) -> None:
        raise RuntimeError("the listener broke")

    with pytest.raises(RuntimeError, match="the listener broke"):
        model.chat(ask("How many rows?"), on_token=fail)
    assert model.chat(ask("How many rows?"), max_tokens=5).text


@pytest.mark.model
def test_the_library_writes_nothing_of_its_own(model: LocalModel) -> None:
    model.close()
    code = (
        "from sqlore.llm import load_model; from sqlore.model import Message as M; "
        "print(len(load_model('local').chat([M('user', 'Say yes.')], max_tokens=2).text) > 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


@pytest.mark.model
def test_a_damaged_file(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    broken = tmp_path / "x.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 1000)
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        LocalModel(broken).chat([Message("user", "hi")])
