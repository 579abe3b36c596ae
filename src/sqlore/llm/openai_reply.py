"""An answer of an OpenAI-compatible endpoint as it comes: whole or in pieces, and who listens to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import openai
import openai.types.chat

from sqlore.llm.base import (
    Finish,
    ModelStep,
    OnStep,
    OnToken,
)

if TYPE_CHECKING:
    import httpx

__all__ = ["Heard", "Reply", "cut", "unstreamed"]


def unstreamed(response: httpx.Response, heard: Heard) -> Reply:
    """The answer of an endpoint that gives it whole although a stream was asked for."""
    data = json.loads(response.read())
    facts = data if isinstance(data, dict) else {}
    reply = Reply.whole(openai.types.chat.ChatCompletion.construct(**facts))
    if reply.text:
        heard(reply.text)
    return reply


class Heard:
    """Who listens to an answer: to its pieces, to how far it is, or to both."""

    def __init__(self, on_token: OnToken | None, on_step: OnStep | None, limit: float) -> None:
        self._on_token, self._on_step, self._limit, self._pieces = on_token, on_step, limit, 0

    def begun(self) -> None:
        if self._on_step is not None:
            self._on_step(ModelStep("asked", limit=self._limit))

    def __call__(self, text: str) -> None:
        """A piece of the answer came: one token, as nearly all endpoints send them."""
        self._pieces += 1
        if self._on_step is not None:
            self._on_step(ModelStep("writes", self._pieces, limit=self._limit))
        if self._on_token is not None:
            self._on_token(text)


class Reply:
    """An answer as it comes, whole or in pieces."""

    def __init__(self) -> None:
        self.text = ""
        self.refusal = ""
        self.finish: Finish = "other"
        self.tokens = (0, 0, 0)
        self._came = False

    @classmethod
    def whole(cls, completion: Any) -> Reply:
        reply = cls()
        if completion.choices:
            choice = completion.choices[0]
            reply._came = True
            reply.text = choice.message.content or ""
            reply.refusal = getattr(choice.message, "refusal", None) or ""
            reply._end(choice.finish_reason)
        if fault := getattr(completion, "error", None):
            raise ValueError(f"it says {cut(json.dumps(fault))}")
        reply._count(completion.usage)
        return reply.checked()

    def checked(self) -> Reply:
        """Itself. Raises `ValueError` where no answer came: an empty one is one, nothing is none."""
        if not self._came:
            raise ValueError("it has no choices")
        return self

    def add(self, chunk: Any, heard: Callable[[str], None]) -> None:
        if chunk.choices:
            self._came = True
            delta = chunk.choices[0].delta
            if delta.content:
                self.text += delta.content
                heard(delta.content)
            self.refusal += getattr(delta, "refusal", None) or ""
            self._end(chunk.choices[0].finish_reason)
        self._count(chunk.usage)

    def _end(self, reason: str | None) -> None:
        if reason == "content_filter" and not self.refusal:
            self.refusal = "its content filter stopped the answer"
        if reason == "stop":
            self.finish = "stop"
        elif reason == "length":
            self.finish = "length"

    def _count(self, usage: Any) -> None:
        if usage is not None:
            details = getattr(usage, "prompt_tokens_details", None)
            cached = getattr(details, "cached_tokens", None) or 0
            self.tokens = (usage.prompt_tokens or 0, cached, usage.completion_tokens or 0)


def cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else f"{line[:120]}…"
