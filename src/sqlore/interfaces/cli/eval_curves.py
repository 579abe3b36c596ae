"""`sqlore eval curves`: retrieval and execution as the history grows, and as noise in it rises."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.interfaces.cli.common import err, neutral, print_json, progress, stoppable
from sqlore.interfaces.cli.options import (
    DatabasesOption,
    DialectOption,
    DictionariesOption,
    HistoryOption,
    JsonOption,
    LeaveOneOutOption,
    LimitOption,
    PlacesOption,
    RetrieversOption,
    SeedOption,
    TablesOption,
    TasksOption,
    WithholdOption,
    require_sources,
    words,
)

if TYPE_CHECKING:
    from sqlore.evals.history_curves import CurvePlan, Point

__all__ = ["curves", "shares"]


def curves(
    history: HistoryOption,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where histories, tables, JSON and plots go.")
    ],
    tasks: TasksOption = None,
    leave_one_out: LeaveOneOutOption = False,
    measure: Annotated[
        str, typer.Option("--measure", metavar="NAME", help="What is measured: retrieval or execution.")
    ] = "retrieval",
    grow: Annotated[
        str, typer.Option("--replay", metavar="NUMBERS", help="Per cent of the history, the oldest first.")
    ] = "10,25,50,75,100",
    noise: Annotated[
        str, typer.Option("--noise", metavar="NUMBERS", help="Per cent of the history that are noise.")
    ] = "0,20,40,60",
    db: PlacesOption = None,
    schema: TablesOption = None,
    dictionary: DictionariesOption = None,
    database: DatabasesOption = None,
    retrievers: RetrieversOption = "learned,published,mqs,bm25",
    strategies: Annotated[
        str, typer.Option("--strategies", metavar="NAMES", help="Of execution: which to compare.")
    ] = "history",
    model: Annotated[
        str | None, typer.Option("--model", metavar="SPEC", help="Of execution: the model that is asked.")
    ] = None,
    withhold_questions: WithholdOption = False,
    dialect: DialectOption = None,
    limit: LimitOption = None,
    seed: SeedOption = 0,
    no_plots: Annotated[bool, typer.Option("--no-plots", help="No plots.")] = False,
    json_: JsonOption = False,
) -> None:
    """Measure with 10 to 100 % of a history, and with 0 to 60 % of it noise that was made of its scripts."""
    from sqlore.errors import UsageError
    from sqlore.evals.history_curves import CurvePlan
    from sqlore.evals.plots.draw import require_plots

    require_sources(tasks, leave_one_out=leave_one_out, db=db, schema=schema)
    if measure not in ("retrieval", "execution"):
        raise UsageError(f"nothing that can be measured: {measure}", hint="retrieval or execution")
    if measure == "execution" and not (tasks and db):
        raise UsageError("execution needs tasks and their database", hint="give --tasks FILE and --db URL")
    if not no_plots:
        require_plots()
    raw = _read(tasks or [], measure)
    plan = CurvePlan(
        tuple(history),
        folder,
        db,
        schema,
        tuple(dictionary or ()),
        tuple(database or dict.fromkeys(task.database for task in raw)),
        dialect,
        withhold_questions,
        shares(grow, "--replay", least=1, most=100),
        shares(noise, "--noise", least=0, most=90),
        seed,
        limit,
    )
    points = _measured(plan, measure, raw if tasks else None, tasks or [], retrievers, strategies, model)
    _tell(points, folder, plots=not no_plots, json_=json_)


def _read(tasks: list[Path], measure: str) -> list[Any]:
    """The tasks of the files. What retrieval has to find their files must say; execution takes their SQL."""
    from sqlore.evals.execution.tasks import read_questions
    from sqlore.evals.tasks import read_tasks

    read: Callable[[Path], Iterable[Any]] = read_tasks if measure == "retrieval" else read_questions
    return [task for file in tasks for task in read(file)]


def _measured(
    plan: CurvePlan,
    measure: str,
    raw: list[Any] | None,
    tasks: list[Path],
    retrievers: str,
    strategies: str,
    spec: str | None,
) -> list[Point]:
    from sqlore.config import load_settings
    from sqlore.embed import load_embedder
    from sqlore.evals.history_curves import retrieval_curve, variants

    settings = load_settings(model=spec)
    with progress() as told, stoppable():
        made = variants(plan)
        if measure == "retrieval":
            from sqlore.evals.setting import settings_for

            embedder = load_embedder(settings.embedder)
            chosen = settings_for(words(retrievers))
            return retrieval_curve(plan, made, chosen, embedder, raw=raw, told=told)
        from sqlore.evals.history_curves_execution import execution_curve
        from sqlore.llm import load_model

        return execution_curve(
            plan,
            made,
            words(strategies),
            [str(file) for file in tasks],
            load_model(settings.model, settings),
            settings,
            lambda: load_embedder(settings.embedder),
            told=told,
            say=lambda line: err().print(neutral(line), style="dim"),
        )


def _tell(points: list[Point], folder: Path, *, plots: bool, json_: bool) -> None:
    from sqlore.evals.history_curves_report import curves_json, curves_sheets, write_curves
    from sqlore.interfaces.cli.sheet import show

    for file in write_curves(folder, points, plots=plots):
        err().print(f"written: {file}", style="dim")
    if json_:
        print_json(curves_json(points))
        return
    for sheet in curves_sheets(points):
        show(sheet)


def shares(text: str, option: str, *, least: int, most: int) -> tuple[float, ...]:
    """Per cents with commas between as shares, in rising order. Raises `UsageError` for what is none.

    >>> shares("50, 10", "--replay", least=1, most=100)
    (0.1, 0.5)
    """
    from sqlore.errors import UsageError

    found = set()
    for word in words(text):
        if not word.isascii() or not word.isdigit() or not least <= int(word) <= most:
            raise UsageError(f"{option}: {word!r} is not a number from {least} to {most}")
        found.add(int(word) / 100)
    return tuple(sorted(found))
