"""A run's folder: what was set up, every prompt and answer, and a line a question and strategy.

    run.json         how the run was set up; the same is needed to go on with it
    gold.jsonl       what is wrong with a task's own SQL, or that nothing is
    prepared.jsonl   what it took to make a strategy ready for a database
    answers.jsonl    a line a call of the model: for whom, the messages, the answer, what it cost
    results.jsonl    a line a question and strategy: SQL, outcome, cost

Lines are only ever added, each at once, so that a run which is killed loses no more than the question it was
at, and of that one not the answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import sqlore
from sqlore.errors import UsageError
from sqlore.llm import Answer, ChatModel
from sqlore.llm.base import OnStep, OnToken
from sqlore.llm.replay import request_key
from sqlore.model import Message, Usage

__all__ = ["Kept", "Lines", "RunFolder", "code_hash", "latest_run"]

_RUN: Final = "run.json"


class Lines:
    """A file of JSON lines that is only added to. A last line that a kill cut off is dropped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._whole = False

    def read(self) -> list[dict[str, Any]]:
        """All lines that are complete."""
        if not self.path.exists():
            return []
        text = self.path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1].decode("utf-8")
        return [json.loads(line) for line in whole.split("\n") if line.strip()]

    def append(self, line: Mapping[str, Any]) -> None:
        """Adds a line; when this returns a kill of the program cannot take it away."""
        with self.path.open("ab") as file:
            if not self._whole:
                self._drop_torn()
                self._whole = True
            file.write(json.dumps(line, ensure_ascii=True, default=str).encode() + b"\n")

    def _drop_torn(self) -> None:
        text = self.path.read_bytes()
        if text and not text.endswith(b"\n"):
            with self.path.open("r+b") as file:
                file.truncate(text.rfind(b"\n") + 1)


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results, self.answers, self.gold, self.prepared = (
            Lines(path / f"{name}.jsonl") for name in ("results", "answers", "gold", "prepared")
        )

    @classmethod
    def start(cls, path: Path, setup: Mapping[str, Any], plan: Mapping[str, Any]) -> RunFolder:
        """A new run. Raises `UsageError` where the folder holds one already."""
        if (path / _RUN).exists():
            raise UsageError(
                f"{path} holds a run already", hint=f"go on with it: --resume {path}; or name another folder"
            )
        path.mkdir(parents=True, exist_ok=True)
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        about = {"started": now, "setup": dict(setup), "plan": dict(plan), "code": code_hash()}
        (path / _RUN).write_text(json.dumps(about, indent=1, default=str) + "\n", encoding="utf-8")
        return cls(path)

    @classmethod
    def resume(cls, path: Path, setup: Mapping[str, Any]) -> tuple[RunFolder, bool]:
        """A run of before, and whether the code is still the same.

        Raises `UsageError` where there is none, or one that was set up otherwise: its results would not
        compare with those to come.
        """
        known = cls.about(path)["setup"]
        new = json.loads(json.dumps(dict(setup), default=str))
        differs = [name for name in new if name in known and known[name] != new[name]]
        if differs:
            told = "; ".join(f"{name} was {known.get(name)!r} and is {new[name]!r}" for name in differs)
            hint = "go on with what it was set up with, or start a new run"
            raise UsageError(f"this run was set up otherwise: {told}", where=str(path), hint=hint)
        return cls(path), cls.about(path).get("code") == code_hash()

    @staticmethod
    def about(path: Path) -> dict[str, Any]:
        """How the run in this folder was set up. Raises `UsageError` where the folder holds none."""
        try:
            found: dict[str, Any] = json.loads((path / _RUN).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise UsageError(f"there is no run in {path}", hint="a run's folder holds run.json") from None
        return found


def latest_run(home: Path, setup: Mapping[str, Any] | None = None) -> Path | None:
    """The newest run in `home`; with `setup` the newest that was set up so."""
    wanted = json.loads(json.dumps(dict(setup), default=str)) if setup is not None else None
    found = [file.parent for file in home.glob(f"*/{_RUN}")]
    fitting = [path for path in found if wanted in (None, RunFolder.about(path).get("setup"))]
    return max(fitting, key=lambda path: str(RunFolder.about(path).get("started")), default=None)


@lru_cache(maxsize=1)
def code_hash() -> str:
    """Differs wherever sqlore's own code does."""
    root = Path(sqlore.__file__).parent
    digest = hashlib.sha256(sqlore.__version__.encode())
    for file in sorted(root.rglob("*.py")):
        if not file.relative_to(root).parts[0].startswith(("interfaces", "evals")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


class Kept:
    """A model whose every answer is kept, for `about` (strategy, database, question).

    The same request is not asked twice in a run: strategies that make the same prompt get the same answer at
    what it cost the first time, and a run that goes on after a kill asks only what is new.
    """

    def __init__(self, model: ChatModel, lines: Lines) -> None:
        self.name, self.remote, self.context = model.name, model.remote, model.context
        self.about: dict[str, str] = {}
        self.given_again = 0.0
        """Seconds that the answers given again took when they were first given."""
        self.spent = Usage()
        """What all answers cost, those given again too."""
        self._model, self._lines = model, lines
        self._known = {line["key"]: _said(line) for line in lines.read() if "text" in line}

    def chat(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 512,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        seed: int = 0,
        timeout: float | None = None,
        on_token: OnToken | None = None,
        on_step: OnStep | None = None,
    ) -> Answer:
        """As the model itself, whatever it raises too."""
        options = {"max_tokens": max_tokens, "temperature": temperature, "stop": list(stop), "seed": seed}
        key = request_key(messages, max_tokens=max_tokens, temperature=temperature, stop=stop, seed=seed)
        line = self._known.get(key)
        if line is not None:
            self.given_again += line["usage"]["seconds"]
            self._lines.append({**self.about, "key": key, "again": True})
            self.spent += Usage(**line["usage"])
            return Answer(line["text"], Usage(**line["usage"]), line["finish"])
        answer = self._model.chat(
            messages,
            max_tokens=max_tokens,
            temperature=temperature,
            stop=stop,
            seed=seed,
            timeout=timeout,
            on_token=on_token,
            on_step=on_step,
        )
        asked = [{"role": one.role, "content": one.content} for one in messages]
        said = {"text": answer.text, "finish": answer.finish, "usage": asdict(answer.usage)}
        self._lines.append({**self.about, "key": key, "messages": asked, "options": options, **said})
        self._known[key] = said
        self.spent += answer.usage
        return answer


def _said(line: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of a line, without the messages, which are many and long."""
    return {name: line[name] for name in ("text", "finish", "usage")}
