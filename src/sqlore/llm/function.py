"""A model that is a Python function, and the model that is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlore.errors import ModelUnavailable
from sqlore.llm.base import Answer, OnStep, OnToken
from sqlore.model import Message, Usage


class FunctionModel:
    """Answers with what `function` makes of the messages; keeps what it was asked in `requests`.

    >>> model = FunctionModel(lambda messages: messages[-1].content.upper())
    >>> model.chat([Message("user", "select 1")]).text
    'SELECT 1'
    """

    remote = False
    context = 1_000_000

    def __init__(self, function: Callable[[Sequence[Message]], str | Answer], name: str = "function") -> None:
        self._function = function
        self.name = name
        self.requests: list[tuple[Message, ...]] = []

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
        """The function's answer; whatever it raises comes through."""
        self.requests.append(tuple(messages))
        answer = self._function(messages)
        if isinstance(answer, str):
            answer = Answer(answer, Usage(calls=1))
        if on_token is not None:
            on_token(answer.text)
        return answer


class NoModel:
    """Stands where no model is wanted: everything but asking works."""

    name = "none"
    remote = False
    context = 8192

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
        """Always raises ModelUnavailable."""
        raise ModelUnavailable("no model is set", hint="choose one with --model, for example --model local")
