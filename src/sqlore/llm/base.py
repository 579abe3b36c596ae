"""The one chat interface: messages in, text and its cost out.

A model is anything with a `name` and a `chat` method. The pipeline knows nothing else of it, so a remote
endpoint, a file in process, a Python function and a recording are interchangeable.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol, runtime_checkable

from sqlore.errors import ModelUnavailable
from sqlore.model import Message, Usage

if TYPE_CHECKING:
    from sqlore.config import Settings

Finish = Literal["stop", "length", "repeats", "other"]
OnToken = Callable[[str], None]
ModelPhase = Literal["waits", "loads", "asked", "reads", "writes"]

#: False: every model that would really be asked refuses. Tests set it, so that none reaches a model by
#: accident; the environment variable does the same for the processes they start.
ALLOW_MODEL_REQUESTS = os.environ.get("SQLORE_ALLOW_MODEL_REQUESTS", "1") != "0"


@dataclass(frozen=True, slots=True)
class ModelStep:
    """How far a model is with one answer: told while it is at it, so that nobody waits without knowing why.

    It ``waits`` for its turn, ``loads`` its file, is ``asked`` (a remote one, which says nothing of its
    reading), ``reads`` the prompt (`done` of `total` tokens), ``writes`` (`done` tokens). `limit` is the time
    limit in seconds: of standing still where `still`, else of the whole answer.

    >>> step = ModelStep("reads", 512, 1400, limit=300, still=True)
    >>> step.words
    'the model reads the question with its context: 512 of 1,400 tokens'
    >>> step.limit_words
    'given up after 300 s without progress'
    """

    phase: ModelPhase
    done: int = 0
    total: int | None = None
    limit: float | None = None
    still: bool = False

    @property
    def words(self) -> str:
        """What it does, with its figures."""
        if self.phase == "reads" and self.total:
            return f"{_DOES['reads']}: {self.done:,} of {self.total:,} tokens"
        if self.phase == "writes":
            return f"{_DOES['writes']}: {self.done:,} token{'s' * (self.done != 1)}"
        return _DOES[self.phase]

    @property
    def limit_words(self) -> str:
        """When it is given up; empty where there is no limit."""
        if self.limit is None:
            return ""
        return f"given up after {self.limit:g} s" + (" without progress" if self.still else "")


OnStep = Callable[[ModelStep], None]

_DOES: dict[ModelPhase, str] = {
    "waits": "the model answers another question first",
    "loads": "the model is loaded",
    "asked": "the model was asked and has not begun to write",
    "reads": "the model reads the question with its context",
    "writes": "the model writes",
}


def more_time(limit: float) -> str:
    """The hint of a time limit that was reached: how to give the model more.

    >>> more_time(300)
    'give it more time: SQLORE_MODEL_TIMEOUT=600, or model_timeout = 600 in sqlore.toml'
    """
    more = f"{limit * 2:g}"
    return f"give it more time: SQLORE_MODEL_TIMEOUT={more}, or model_timeout = {more} in sqlore.toml"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said. `finish` is ``length`` where it was cut off at the token limit, ``repeats`` where it
    was stopped because it wrote the same again and again."""

    text: str
    usage: Usage = field(default_factory=Usage)
    finish: Finish = "stop"


#: A model is taken to go in a circle where the end of its text is one stretch, this many times at least and
#: over this many characters; a stretch is looked for in so many characters.
_TIMES: Final = 3
_REPEATED: Final = 140
TAIL: Final = 1200
_MARK: Final = 16


def repeated(text: str) -> str:
    """The stretch that a text ends with again and again; empty where it does not. Cheap: asked at each token.

    >>> repeated("SELECT 1 FROM t WHERE a = 1" + " AND t.kind NOT IN ('classic', 'junior', 'gold')" * 3)
    " AND t.kind NOT IN ('classic', 'junior', 'gold')"
    >>> repeated("SELECT a, b, c" + " " * 500), repeated("VALUES (1), (1), (1), (1)")
    ('', '')
    """
    tail = text[-TAIL:]
    before = tail.rfind(tail[-_MARK:], 0, -1) if len(tail) >= _REPEATED else -1
    if before < 0:
        return ""
    length = len(tail) - _MARK - before
    stretch = tail[-length:]
    times = max(_TIMES, -(-_REPEATED // length))
    return stretch if stretch.strip() and tail.endswith(stretch * times) else ""


def once(text: str) -> str:
    """A text that ends with one stretch again and again, with the first of these alone.

    >>> once("SELECT 1 FROM t WHERE a = 1" + " AND t.kind NOT IN ('classic', 'junior', 'gold')" * 3)
    "SELECT 1 FROM t WHERE a = 1 AND t.kind NOT IN ('classic', 'junior', 'gold')"
    """
    if stretch := repeated(text):
        while text.endswith(stretch * 2):
            text = text[: -len(stretch)]
    return text


@runtime_checkable
class ChatModel(Protocol):
    """A language model. `remote` models see nothing that must stay on this machine; `context` is the
    number of tokens that prompt and answer may have together."""

    @property
    def name(self) -> str: ...

    @property
    def remote(self) -> bool: ...

    @property
    def context(self) -> int: ...

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
        """Ask once. Raises ModelUnavailable, ModelTimeout, ModelRefusal, or ModelError for a prompt that
        is too long. `timeout` is in seconds: of a remote model for the whole call, retries included; of one
        in this process for standing still, however slow it is. `on_step` is told how far it is; an exception
        of it or of `on_token` ends the call."""
        ...


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How models are reached. Prices are per million tokens; None leaves the cost unknown."""

    api_key: str | None = None
    cache_dir: Path | None = None
    download: bool = True
    context: int = 8192
    threads: int | None = None
    timeout: float = 120.0
    retries: int = 3
    price_prompt: float | None = None
    price_cached: float | None = None
    price_completion: float | None = None

    @classmethod
    def of(cls, settings: Settings) -> ModelSettings:
        """The part of the settings that is about language models."""
        return cls(
            api_key=settings.api_key.get_secret_value() if settings.api_key else None,
            timeout=settings.model_timeout,
            price_prompt=settings.price_prompt,
            price_completion=settings.price_completion,
        )


def require_model_requests(name: str) -> None:
    """Refuse where real models are switched off (ModelUnavailable)."""
    if not ALLOW_MODEL_REQUESTS:
        raise ModelUnavailable(
            f"model requests are switched off, {name} was not asked",
            hint="unset SQLORE_ALLOW_MODEL_REQUESTS",
        )
