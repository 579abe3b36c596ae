"""How a run is set up, and what has to be the same for it to go on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlore.engines import is_server, place_of
from sqlore.errors import UsageError
from sqlore.evals.execution.names import as_measured

if TYPE_CHECKING:
    from sqlore.config import Settings

__all__ = ["ExecutionPlan", "as_json", "plan_of", "setup_of"]

#: Settings that say where things are and how the model is reached; all others change what is answered.
_ELSEWHERE: Final = frozenset(
    {
        "api_key",
        "db",
        "dictionary",
        "home",
        "model",
        "model_timeout",
        "price_completion",
        "price_prompt",
        "store",
        "strategy",
    }
)


@dataclass(frozen=True)
class ExecutionPlan:
    """What is asked, where, and of whom. Without `tasks` the history's own questions are asked, each of the
    other scripts. `predictions` are files by the name they stand under. `evidence` tells the tasks' hints
    with their questions; `only` is a file of question ids, and no others are asked.
    """

    db: str
    tasks: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    predictions: Mapping[str, str] = field(default_factory=dict)
    dictionary: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    dialect: str | None = None
    withhold: bool = False
    evidence: bool = False
    only: str | None = None
    limit: int | None = None
    seed: int = 0
    model: str | None = None
    samples: int | None = None
    timeout: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All that is compared, in the order of the report."""
        return (*self.strategies, *self.predictions)


def plan_of(given: Mapping[str, Any], stored: Mapping[str, Any] | None = None) -> ExecutionPlan:
    """The plan that these options make; what is not given (None, empty) is as in `stored`, a run's plan.

    Files are named by their whole paths, so that a run can go on from another folder. Raises `UsageError`
    where no database is given, or the history is standard input, which can be read only once.
    """
    merged: dict[str, Any] = {"db": ""}
    for values in (stored or {}, given):
        known = {one.name: values[one.name] for one in fields(ExecutionPlan) if values.get(one.name)}
        merged |= {n: tuple(v) if isinstance(v, list) else v for n, v in known.items()}
    plan = ExecutionPlan(**merged)
    if not plan.db:
        raise UsageError("no database given", hint="name one, or a folder of them by db_id, with --db")
    if "-" in plan.history:
        raise UsageError("a history to measure on cannot be standard input", hint="save it to a file")
    return replace(
        plan,
        db=_place(plan.db),
        tasks=_whole(plan.tasks),
        history=_whole(plan.history),
        dictionary=_whole(plan.dictionary),
        only=str(Path(plan.only).expanduser().resolve()) if plan.only else None,
        predictions={name: str(Path(file).resolve()) for name, file in plan.predictions.items()},
    )


def _place(db: str) -> str:
    folder = Path(db).expanduser()
    return str(folder.resolve()) if folder.is_dir() else place_of(db)


def _whole(files: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        place_of(file) if is_server(file) else str(Path(file).expanduser().resolve()) for file in files
    )


def setup_of(plan: ExecutionPlan, settings: Settings, model: str) -> dict[str, Any]:
    """What two sittings of one run must have in common: questions, history, database, model, settings.

    Strategies, predictions and the limit may differ: they only add to what is asked.
    """
    return {
        "db": plan.db,
        "tasks": _digest(plan.tasks) if plan.tasks else "leave one out",
        "history": _digest(plan.history),
        "dictionary": _digest(plan.dictionary),
        "dialect": plan.dialect,
        "withhold_questions": plan.withhold,
        "evidence": plan.evidence,
        "seed": plan.seed,
        "model": model,
        **as_measured(settings).model_dump(mode="json", exclude=set(_ELSEWHERE)),
    }


def as_json(plan: ExecutionPlan) -> dict[str, Any]:
    """The plan as `run.json` keeps it."""
    return asdict(plan)


def _digest(sources: Iterable[str]) -> str:
    """A hash of the contents of these files, and of all files in these folders."""
    digest = hashlib.sha256()
    for given in sources:
        source = Path(given)
        if is_server(given):
            digest.update(given.encode())
        files = sorted(source.rglob("*")) if source.is_dir() else [source]
        for file in files:
            if file.is_file():
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
