"""Execution accuracy along the same curves: a run of `sqlore eval execution` for every history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from sqlore.embed import Embedder
from sqlore.evals.execution.folder import RunFolder
from sqlore.evals.execution.plan import as_json, plan_of, setup_of
from sqlore.evals.execution.run import ExecutionRun
from sqlore.evals.execution.scores import MEASURES, scores_of
from sqlore.evals.history_curves import CurvePlan, Point, Told, Variant

if TYPE_CHECKING:
    from sqlore.config import Settings
    from sqlore.llm import ChatModel

__all__ = ["execution_curve"]

_RUNS: Final = "runs"


def execution_curve(
    plan: CurvePlan,
    made: Sequence[Variant],
    strategies: Sequence[str],
    tasks: Sequence[str],
    model: ChatModel,
    settings: Settings,
    embedder: Callable[[], Embedder],
    *,
    told: Told | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> list[Point]:
    """Every strategy on the tasks with every history; a run that was stopped goes on.

    Raises what `ExecutionRun.run` raises.
    """
    points = []
    for number, variant in enumerate(made):
        if told is not None:
            told(variant.axis, number, len(made))
        run = _run(plan, variant, strategies, tasks, model, settings, embedder)
        run.say = lambda line, name=variant.name: say(f"{name}: {line}")  # type: ignore[misc]
        run.run()
        for score in scores_of(strategies, run.lines()):
            rates = {measure: score.rate(measure, seed=plan.seed) for measure in MEASURES}
            points.append(Point(variant, score.strategy, score.tasks, rates))
    return points


def _run(
    plan: CurvePlan,
    variant: Variant,
    strategies: Sequence[str],
    tasks: Sequence[str],
    model: ChatModel,
    settings: Settings,
    embedder: Callable[[], Embedder],
) -> ExecutionRun:
    """The run over one history, in a folder of its own; begun, or gone on with."""
    given = {
        "tasks": tuple(tasks),
        "history": (str(variant.file),),
        "db": plan.db,
        "strategies": tuple(strategies),
        "dictionary": tuple(map(str, plan.dictionary)),
        "databases": plan.databases,
        "dialect": plan.dialect,
        "withhold": plan.withhold,
        "limit": plan.limit,
        "seed": plan.seed,
    }
    whole = plan_of(given)
    setup = setup_of(whole, settings, model.name)
    path = plan.folder / _RUNS / variant.name
    if (path / "run.json").exists():
        folder, _ = RunFolder.resume(path, setup)
    else:
        folder = RunFolder.start(path, setup, as_json(whole))
    return ExecutionRun(whole, folder, model, settings, embedder)
