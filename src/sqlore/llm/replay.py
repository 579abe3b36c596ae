"""Record a model's answers in a JSON file and give them again without the model.

An answer is found by a hash of the whole request, so a changed prompt is a missing recording and never
a wrong one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlore.errors import ModelUnavailable
from sqlore.files import write_whole
from sqlore.llm.base import Answer, ChatModel, OnStep, OnToken
from sqlore.model import Message, Usage


def request_key(
    messages: Sequence[Message], *, max_tokens: int, temperature: float, stop: Sequence[str], seed: int
) -> str:
    """The hash that a recording is kept under: 32 hexadecimal digits.

    >>> ask = [Message("user", "hi")]
    >>> a = request_key(ask, max_tokens=9, temperature=0, stop=(), seed=0)
    >>> a == request_key(ask, max_tokens=9, temperature=0.0, stop=[], seed=0), len(a)
    (True, 32)
    """
    request = [[[m.role, m.content] for m in messages], max_tokens, float(temperature), list(stop), seed]
    return hashlib.sha256(json.dumps(request, ensure_ascii=True).encode()).hexdigest()[:32]


class ReplayModel:
    """Gives the recorded answers of `path`; an unknown request raises ModelUnavailable."""

    remote = False

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        recording = _read(self._path)
        self.name = f"replay of {recording.get('model', 'a model')}"
        self.context = int(recording.get("context", 8192))
        self._answers: dict[str, dict[str, Any]] = recording["answers"]

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
        """The answer recorded for exactly this request."""
        key = request_key(messages, max_tokens=max_tokens, temperature=temperature, stop=stop, seed=seed)
        found = self._answers.get(key)
        if found is None:
            raise ModelUnavailable(
                f"no recorded answer for this request ({key})",
                where=str(self._path),
                hint="the prompt has changed since the recording: record it again",
            )
        if on_token is not None:
            on_token(found["text"])
        return Answer(found["text"], Usage(**found["usage"]), found["finish"])


class RecordingModel:
    """Passes every request to `inner` and keeps the answer in `path`; known requests are not asked again."""

    def __init__(self, inner: ChatModel, path: str | Path) -> None:
        self._inner = inner
        self._path = Path(path)
        self.name = inner.name
        self.remote = inner.remote
        self.context = inner.context
        known = _read(self._path) if self._path.exists() else {}
        self._answers: dict[str, dict[str, Any]] = known.get("answers", {})

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
        """Ask the inner model and record what it said."""
        key = request_key(messages, max_tokens=max_tokens, temperature=temperature, stop=stop, seed=seed)
        if key not in self._answers:
            answer = self._inner.chat(
                messages,
                max_tokens=max_tokens,
                temperature=temperature,
                stop=stop,
                seed=seed,
                timeout=timeout,
                on_token=on_token,
                on_step=on_step,
            )
            entry = {"text": answer.text, "finish": answer.finish, "usage": asdict(answer.usage)}
            self._answers[key] = entry
            self._write()
            return answer
        found = self._answers[key]
        return Answer(found["text"], Usage(**found["usage"]), found["finish"])

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        recording = {"model": self.name, "context": self.context, "answers": self._answers}
        write_whole(self._path, json.dumps(recording, indent=1, ensure_ascii=False) + "\n")


def _read(path: Path) -> dict[str, Any]:
    try:
        recording = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(recording["answers"], dict):
            raise TypeError("answers")
    except OSError as error:
        raise ModelUnavailable(
            f"the recording cannot be read: {error.strerror}", where=str(path), hint="check its path"
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(
            "the file is not a recording of model answers", where=str(path), hint="record it again"
        ) from error
    return dict(recording)
