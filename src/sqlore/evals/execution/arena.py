"""One database with all that is asked there: its history learned, and the contestants that answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from sqlore.answer import ask
from sqlore.catalog import Catalog, build_catalog
from sqlore.embed import Embedder
from sqlore.engines import Engine, connect
from sqlore.errors import UsageError
from sqlore.evals.execution.names import WARM, Name, read_name
from sqlore.evals.execution.plugged import Plugged
from sqlore.evals.execution.predictions import Predicted
from sqlore.evals.execution.tasks import Question
from sqlore.evals.execution.warm import warmed
from sqlore.evals.ground import Ground, GroundPlan, Progress, grounds
from sqlore.model import Attempt, Draft, ParsedScript, Usage
from sqlore.prompts import Prepared, load_strategy, prepare_strategy
from sqlore.retrieve import ModelFilter, Retriever
from sqlore.retrieve.baselines.plugged import function_at, theirs

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
    "contestant",
]


@dataclass(frozen=True, slots=True)
class Answered:
    """What a contestant said to one question. `scripts` are the keys of the scripts that it was shown;
    `citations` count its fragments by status. With an `error` the SQL is the last one that was tried."""

    sql: str
    error: str | None = None
    attempts: tuple[Attempt, ...] = ()
    usage: Usage = field(default_factory=Usage)
    scripts: tuple[str, ...] = ()
    citations: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Arena:
    """One database. `ground` is its history, learned; None where there is none or nobody asks for it.

    `embedder` loads the embedding model; `on_progress` is told what takes long.
    """

    database: str
    engine: Engine
    catalog: Catalog
    model: ChatModel
    settings: Settings
    ground: Ground | None = None
    retriever: Retriever | None = None
    embedder: Callable[[], Embedder] | None = None
    on_progress: Progress | None = None

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
        ground = loaded = None
        if history is not None:
            loaded = embedder()
            learned = stack.enter_context(
                closing(grounds(history, loaded, model=model, on_progress=on_progress))
            )
            ground = next(learned, None)
        catalog = ground.pool.catalog if ground else None
        yield Arena(
            database,
            engine,
            catalog or build_catalog(engine, dictionary_files=dictionary),
            model,
            settings,
            ground,
            Retriever(ground.pool.store, loaded, catalog, strict=False) if ground else None,
            embedder if loaded is None else lambda: loaded,
            on_progress,
        )


def contestant(name: str, place: Arena) -> Contestant:
    """A strategy of sqlore by its name, with another retriever after ``@`` and settings of its own after
    ``+``; or ``module:function``, which is given the `Arena`.

    Raises `ConfigError` for a name that is none, `UsageError` for a function or retriever that cannot be had
    or fails, with the place.
    """
    if not read_name(name).foreign:
        return prepared(name, place)
    make = function_at(name, "strategy")
    with theirs(name):
        made = make(place)
    if not callable(made):
        hint = "the function is given the Arena and gives a function of (question, exclude)"
        raise UsageError(f"{name} gave no function: {made!r}", hint=hint)
    return Foreign(name, made)


def prepared(name: str, place: Arena) -> Strategy:
    """A strategy of sqlore, made ready for the database; what that takes is kept on disk between runs."""
    one, told = read_name(name), place.on_progress
    settings = one.settings_over(place.settings)

    def report(stage: str, done: int = 0, total: int | None = None) -> None:
        if told is not None:
            told(f"{place.database} {name}: {stage}", done, total)

    ready = prepare_strategy(
        one.own,
        place.catalog,
        place.model,
        settings,
        engine=place.engine,
        embedder=place.embedder,
        on_progress=report,
    )
    if one.retriever == WARM:
        assert place.embedder is not None  # an arena has one
        made = warmed(place.catalog, place.engine, place.model, place.embedder(), settings, report)
        return Strategy(name, place, ready, settings, made)
    return Strategy(name, place, ready, settings, _retriever(one, place, settings))


def _retriever(one: Name, place: Arena, settings: Settings) -> Retriever | Plugged | None:
    """What finds the knowledge: sqlore's own retriever, with the model's say if that is set, or another."""
    if place.ground is None or not load_strategy(one.own).history:
        return None
    if one.retriever:
        return Plugged(place.ground, one.retriever)
    if not settings.retrieve_filter:
        return place.retriever
    pool = place.ground.pool
    judge = ModelFilter(place.model, mask=settings.mask)
    return Retriever(pool.store, pool.embedder, place.catalog, judge=judge, strict=False)


@dataclass(frozen=True)
class Strategy:
    """A strategy of `sqlore ask`, with its checks, repairs and citations."""

    name: str
    place: Arena
    ready: Prepared
    settings: Settings
    retriever: Retriever | Plugged | None = None

    def answer(self, task: Question) -> Answered:
        """Asks; raises what `ask` raises."""
        place = self.place
        if isinstance(self.retriever, Plugged):
            self.retriever.task = task
        draft = ask(
            task.question,
            engine=place.engine,
            catalog=place.catalog,
            model=place.model,
            retriever=cast("Retriever | None", self.retriever),
            store=place.ground.pool.store if place.ground else None,
            strategy=self.ready,
            settings=self.settings,
            embedder=place.embedder,
            exclude=task.exclude,
        )
        return answered(draft)


@dataclass(frozen=True)
class Foreign:
    """Somebody's own function: ``(question, exclude) -> Draft or SQL``. Its faults are
    raised as `UsageError`."""

    name: str
    function: Callable[[str, Collection[str]], Draft | str]

    def answer(self, task: Question) -> Answered:
        """Asks; what is only SQL cost nothing that is known."""
        with theirs(self.name):
            said = self.function(task.question, task.exclude)
        if isinstance(said, Draft):
            return answered(said)
        if not isinstance(said, str):
            hint = "SQL as text, or a Draft"
            raise UsageError(f"{self.name} answered with {said!r}", hint=hint)
        return Answered(said, None if said.strip() else "no SQL")


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
    said = draft.sql or (draft.attempts[-1].sql if draft.attempts else "")
    return Answered(said, draft.error, draft.attempts, draft.usage, keys, cited)
