"""The strategies: ways to put a question and its context to a model, one file each."""

from __future__ import annotations

from typing import Final

from sqlore.errors import ConfigError
from sqlore.prompts.base import Prompt, PromptContext, Strategy
from sqlore.prompts.history import History
from sqlore.prompts.zero_shot import ZeroShot

__all__ = ["STRATEGIES", "Prompt", "PromptContext", "Strategy", "load_strategy"]

STRATEGIES: Final[dict[str, Strategy]] = {s.name: s for s in (ZeroShot(), History())}


def load_strategy(name: str) -> Strategy:
    """The strategy of that name; ConfigError with the names there are.

    >>> load_strategy("history").name
    'history'
    """
    try:
        return STRATEGIES[name]
    except KeyError:
        known = ", ".join(sorted(STRATEGIES))
        raise ConfigError(f"unknown strategy {name!r}", hint=f"one of: {known}") from None
