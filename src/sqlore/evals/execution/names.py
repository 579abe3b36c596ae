"""The names that strategies stand under: ``history``, ``history@mqs``, ``history+samples=5``."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sqlore.config import Settings, load_settings
from sqlore.errors import ConfigError, UsageError
from sqlore.evals.execution.plugged import GOLD
from sqlore.prompts import load_strategy
from sqlore.retrieve.baselines import NAMES
from sqlore.retrieve.baselines.plugged import function_at

__all__ = [
    "WARM",
    "Name",
    "as_measured",
    "check_names",
    "code_of",
    "needs_history",
    "read_name",
    "uses_history",
]

#: The retriever over examples that were made for the database.
WARM: Final = "warm"
#: Settings that are those of the whole run, whatever the strategy.
_OF_THE_RUN: Final = frozenset(
    {"api_key", "db", "dictionary", "embedder", "home", "model", "store", "strategy"}
)


@dataclass(frozen=True, slots=True)
class Name:
    """A strategy as it was named: its own name, or ``module:function`` as `foreign`; another retriever, and
    settings that differ from those of the run."""

    own: str
    retriever: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    foreign: bool = False

    def settings_over(self, settings: Settings) -> Settings:
        """The settings for this strategy. Raises `ConfigError` for one that is none or has no such value."""
        measured = as_measured(settings)
        given = {name: getattr(measured, name) for name in measured.model_fields_set}
        return load_settings(**{**given, **self.settings})


def as_measured(settings: Settings) -> Settings:
    """The settings of a run: what is measured is a strategy, so nothing is reused unless somebody said so."""
    return settings if "reuse" in settings.model_fields_set else settings.model_copy(update={"reuse": "none"})


def read_name(text: str) -> Name:
    """Takes a name apart. Raises `UsageError` for a setting without a value, or one of the whole run.

    >>> read_name("history@mqs+samples=5")
    Name(own='history', retriever='mqs', settings={'samples': '5'}, foreign=False)
    >>> read_name("my.module:strategy").foreign
    True
    """
    if ":" in text.partition("@")[0].partition("+")[0]:
        return Name(text, foreign=True)
    base, *given = text.split("+")
    settings = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals or name in _OF_THE_RUN:
            hint = "a setting of its own, as in history+samples=5"
            raise UsageError(f"{text}: {pair!r} is no setting of a strategy", hint=hint)
        settings[name] = value
    own, _, retriever = base.partition("@")
    return Name(own, retriever, settings)


def code_of(name: str) -> str:
    """A hash of the file in which somebody's own strategy, ``module:function``, is written; empty where it is
    in none. Raises `UsageError` where there is no such function."""
    file = getattr(sys.modules.get(function_at(name, "strategy").__module__), "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16] if file else ""


def check_names(strategies: Sequence[str], settings: Settings, predictions: Collection[str] = ()) -> None:
    """Says before anything is learned what would fail later.

    Raises `UsageError` for a name given twice, for a retriever that is none or has nothing to retrieve for,
    and for nothing at all; `ConfigError` for a strategy or a setting that is none.
    """
    names = [*strategies, *predictions]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} is named twice", hint="name predictions otherwise: NAME=FILE")
    if not names:
        raise UsageError("nothing to compare", hint="name --strategies, or give --predictions FILE")
    for text in strategies:
        one = read_name(text)
        try:
            one.settings_over(settings)
        except ConfigError as error:
            if one.settings:  # a setting that the strategy's own name has, or one of the run
                raise ConfigError(error.message, where=text, hint=error.hint) from None
            raise
        if one.foreign:
            function_at(one.own, "strategy")
            continue
        uses = load_strategy(one.own).history
        if one.retriever and not uses:
            raise UsageError(f"{one.own} retrieves nothing", hint=f"{one.own} stands without a retriever")
        if one.retriever and one.retriever not in (*NAMES, GOLD, WARM) and ":" not in one.retriever:
            hint = f"one of {', '.join(NAMES)}, {GOLD}, {WARM}, or module:function"
            raise UsageError(f"no such retriever: {one.retriever}", hint=hint)


def needs_history(name: str) -> bool:
    """Whether a strategy may look at the history; a warmed one has examples made for it instead."""
    return read_name(name).foreign or uses_history(name)


def uses_history(name: str) -> bool:
    """Whether a strategy of sqlore shows scripts of the history."""
    one = read_name(name)
    return not one.foreign and load_strategy(one.own).history and one.retriever != WARM
