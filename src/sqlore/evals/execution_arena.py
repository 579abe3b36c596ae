"""One database with all that is asked there: its history learned, and the contestants that answer."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from sqlore.answer import ask
from sqlore.catalog import Catalog, build_catalog
from sqlore.embed import Embedder
from sqlore.engines import Engine, connect
from sqlore.errors import UsageError
from sqlore.evals.execution_predictions import Predicted
from sqlore.evals.execution_tasks import Question
from sqlore.evals.ground import Ground, GroundPlan, Progress, grounds
from sqlore.model import Attempt, Draft, ParsedScript, Usage
from sqlore.prompts import load_strategy
from sqlore.retrieve import Retriever

if TYPE_CHECKING:
    from sqlore.config import Settings
    from sqlore.llm import ChatModel

__all__ = [
    "Answered",
    "Arena",
    "Contestant",
    "Predictions",
    "Strategy",
    "arena",
    "check_names",
    "contestant",
    "needs_history",
]

#: Strategies that look at nothing but the schema.
_COLD: Final = frozenset({"zero_shot"})


@dataclass(frozen=True, slots=True)
class Answered:
    """What a contestant said to one question. `scripts` are the keys of the scripts that it was shown;
    `citations` count its fragments by status. Without usable SQL there is an `error`."""

    sql: str
    error: str | None = None
    attempts: tuple[Attempt, ...] = ()
    usage: Usage = field(default_factory=Usage)
    scripts: tuple[str, ...] = ()
    citations: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Arena:
    """One database. `ground` is its history, learned; None where there is none or nobody asks for it."""

    database: str
    engine: Engine
    catalog: Catalog
    model: ChatModel
    settings: Settings
    ground: Ground | None = None
    retriever: Retriever | None = None

    @property
    def parsed(self) -> Sequence[ParsedScript]:
        """The scripts of the history."""
        return self.ground.history.parsed if self.ground else ()


class Contestant(Protocol):
    """A way to answer questions on one database."""

    @property
    def name(self) -> str: ...

    def answer(self, task: Question) -> Answered:
        """Answers with SQL; it must not use the scripts in `task.exclude`, nor look at `task.sql`."""
        ...


@contextmanager
def arena(
    database: str,
    url: str,
    history: GroundPlan | None,
    *,
    dictionary: Sequence[Path] = (),
    model: ChatModel,
    settings: Settings,
    embedder: Callable[[], Embedder],
    on_progress: Progress | None = None,
) -> Iterator[Arena]:
    """A database, with `history` (its plan) learned or taken from the cache where one is given."""
    with ExitStack() as stack:
        engine = stack.enter_context(connect(url))
        if history is None:
            catalog = build_catalog(engine, dictionary_files=dictionary)
            yield Arena(database, engine, catalog, model, settings)
            return
        loaded = embedder()
        learned = grounds(history, loaded, model=model, on_progress=on_progress)
        stack.callback(learned.close)  # type: ignore[attr-defined]
        ground = next(learned, None)
        if ground is None or ground.pool.catalog is None:
            catalog = build_catalog(engine, dictionary_files=dictionary)
            yield Arena(database, engine, catalog, model, settings)
            return
        catalog = ground.pool.catalog
        retriever = Retriever(ground.pool.store, loaded, catalog)
        yield Arena(database, engine, catalog, model, settings, ground, retriever)


def needs_history(name: str) -> bool:
    """Whether a strategy looks at the history at all."""
    return name not in _COLD


def check_names(names: Sequence[str]) -> None:
    """Says at once what would fail later: a name that is given twice (`UsageError`)."""
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} is named twice", hint="name predictions otherwise: NAME=FILE")
    if not names:
        raise UsageError("nothing to compare", hint="name --strategies, or give --predictions FILE")


def contestant(name: str, place: Arena) -> Contestant:
    """A strategy of sqlore by its name, or ``module:function``, which is given the `Arena`.

    Raises `ConfigError` for a name that is none, `UsageError` for a function that cannot be had.
    """
    if ":" not in name:
        return Strategy(load_strategy(name).name, place)
    module, _, function = name.partition(":")
    try:
        made = getattr(importlib.import_module(module), function)(place)
    except (ImportError, AttributeError) as error:
        hint = "module:function, to be called with the arena"
        raise UsageError(f"{name} cannot be loaded: {error}", hint=hint) from error
    return Foreign(name, made)


@dataclass(frozen=True)
class Strategy:
    """A strategy of `sqlore ask`, with its checks, repairs and citations."""

    name: str
    place: Arena

    def answer(self, task: Question) -> Answered:
        """Asks; raises what `ask` raises."""
        place = self.place
        draft = ask(
            task.question,
            engine=place.engine,
            catalog=place.catalog,
            model=place.model,
            retriever=place.retriever,
            store=place.ground.pool.store if place.ground else None,
            strategy=self.name,
            settings=place.settings,
            exclude=task.exclude,
        )
        return answered(draft)


@dataclass(frozen=True)
class Foreign:
    """Somebody's own function: ``(question, exclude) -> Draft or SQL``."""

    name: str
    function: Callable[[str, Collection[str]], Draft | str]

    def answer(self, task: Question) -> Answered:
        """Asks; what is only SQL cost nothing that is known."""
        said = self.function(task.question, task.exclude)
        return answered(said) if isinstance(said, Draft) else Answered(said, None if said else "no SQL")


@dataclass(frozen=True)
class Predictions:
    """SQL that was written elsewhere."""

    name: str
    predicted: Predicted

    def answer(self, task: Question) -> Answered:
        """The SQL that was predicted for the task."""
        sql = self.predicted.get((task.database, task.id))
        return Answered(sql, None) if sql else Answered("", "there is no prediction")


def answered(draft: Draft) -> Answered:
    """What of a draft is kept."""
    shown = draft.retrieval.scripts if draft.retrieval else ()
    cited: dict[str, Any] = {}
    for citation in draft.citations:
        cited[citation.status] = cited.get(citation.status, 0) + 1
    keys = tuple(ranked.script.script.key for ranked in shown)
    return Answered(draft.sql, draft.error, draft.attempts, draft.usage, keys, cited)
