"""What is said to a language model, and what its answer costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Message",
    "Usage",
]


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call cost. Tokens are the model's own; `cached` of `prompt` came from its cache."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    seconds: float = 0.0
    calls: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        cost = None
        if self.cost is not None or other.cost is not None:
            cost = (self.cost or 0.0) + (other.cost or 0.0)
        return Usage(
            self.prompt + other.prompt,
            self.cached + other.cached,
            self.completion + other.completion,
            self.seconds + other.seconds,
            self.calls + other.calls,
            cost,
        )
