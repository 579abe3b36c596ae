"""The one chat interface: messages in, text and its cost out.

A model is anything with a `name` and a `chat` method. The pipeline knows nothing else of it, so a remote
endpoint, a file in process, a Python function and a recording are interchangeable.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from sqlore.errors import ModelUnavailable
from sqlore.model import Message, Usage

if TYPE_CHECKING:
    from sqlore.config import Settings

Finish = Literal["stop", "length", "other"]
OnToken = Callable[[str], None]

#: False: every model that would really be asked refuses. Tests set it, so that none reaches a model by
#: accident; the environment variable does the same for the processes they start.
ALLOW_MODEL_REQUESTS = os.environ.get("SQLORE_ALLOW_MODEL_REQUESTS", "1") != "0"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said. `finish` is ``length`` where it was cut off at the token limit."""

    text: str
    usage: Usage = field(default_factory=Usage)
    finish: Finish = "stop"


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
    ) -> Answer:
        """Ask once. Raises ModelUnavailable, ModelTimeout, ModelRefusal, or ModelError for a prompt that
        is too long. `timeout` is in seconds for the whole call, retries included."""
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
