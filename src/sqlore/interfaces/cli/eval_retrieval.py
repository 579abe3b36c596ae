"""`sqlore eval retrieval`: retrievers side by side, by the knowledge that they find."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.interfaces.cli.common import err, neutral, plural, print_json, progress, stoppable
from sqlore.interfaces.cli.options import (
    MOST,
    DatabasesOption,
    DialectOption,
    DictionariesOption,
    HistoryOption,
    JsonOption,
    LeaveOneOutOption,
    LimitOption,
    RetrieversOption,
    SeedOption,
    TablesOption,
    TasksOption,
    WithholdOption,
    require_sources,
    words,
)

if TYPE_CHECKING:
    from sqlore.config import Settings
    from sqlore.errors import SourceError
    from sqlore.evals.ground import GroundPlan
    from sqlore.evals.kept import Kept
    from sqlore.evals.retrieval import Comparison
    from sqlore.evals.setting import Setting
    from sqlore.evals.tasks import RawTask
    from sqlore.llm import ChatModel
    from sqlore.retrieve.baselines import Granularity

__all__ = ["retrieval"]

_RETRIEVERS = "learned,learned_scripts,published,mqs,mqs_qs,mqs_filter,dail,bm25,frequent,random,gold"
_NO_TASKS = "the scripts have no questions, share nothing, or are of another database than the tasks"
_LOST = "nothing is kept; with --predictions FILE a run that was stopped is taken up again"


def retrieval(
    history: HistoryOption,
    tasks: TasksOption = None,
    leave_one_out: LeaveOneOutOption = False,
    db: Annotated[str | None, typer.Option("--db", metavar="URL", help="The history's database.")] = None,
    schema: TablesOption = None,
    dictionary: DictionariesOption = None,
    database: DatabasesOption = None,
    retrievers: RetrieversOption = _RETRIEVERS,
    granularity: Annotated[
        str, typer.Option("--granularity", metavar="LEVELS", help="Of the published retriever: q, c, qc.")
    ] = "qc",
    shots: Annotated[
        str, typer.Option("--shots", metavar="NUMBERS", help="Whole scripts at most: 1,2,3,4,5,dynamic.")
    ] = "dynamic",
    threshold: Annotated[
        str, typer.Option("--threshold", metavar="NUMBERS", help="Cosine from which something is taken.")
    ] = "",
    budget: Annotated[
        str, typer.Option("--budget", metavar="NUMBERS", help="Also compared at so many prompt tokens.")
    ] = "",
    withhold_questions: WithholdOption = False,
    relearn: Annotated[
        bool, typer.Option("--relearn", help="Learn anew without the script for each task; slow, exact.")
    ] = False,
    model: Annotated[
        str | None, typer.Option("--model", metavar="SPEC", help="For the retrievers that end in _llm.")
    ] = None,
    dialect: DialectOption = None,
    limit: LimitOption = None,
    seed: SeedOption = 0,
    predictions: Annotated[
        Path | None,
        typer.Option("--predictions", metavar="FILE", help="Write what was retrieved, a line a task."),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write tables as Markdown, JSON, and plots.")
    ] = None,
    no_plots: Annotated[bool, typer.Option("--no-plots", help="With --out: no plots.")] = False,
    json_: JsonOption = False,
) -> None:
    """Compare retrievers on a history: what of the knowledge that a question needs do they find?"""
    from sqlore.config import load_settings
    from sqlore.evals.ground import GroundPlan

    _check(tasks, leave_one_out=leave_one_out, db=db, schema=schema, folder=folder, plots=not no_plots)
    settings = load_settings(model=model)
    plans = _plans(retrievers, granularity, shots, threshold, budget)
    _check_names(plans)
    bad: list[str] = []
    raw = _read(tasks, bad) if tasks else None
    plan = GroundPlan(
        tuple(history),
        db,
        schema,
        tuple(dictionary or settings.dictionary),
        _databases(database, raw),
        dialect,
        withhold_questions,
    )
    ask = {"raw": raw, "databases": tuple(database or ()), "limit": limit, "seed": seed, "relearn": relearn}
    found = _compared(plan, plans, settings, predictions, ask)
    found.bad += bad
    _tell(found, folder, plots=not no_plots, json_=json_)


def _check(
    tasks: list[Path] | None,
    *,
    leave_one_out: bool,
    db: str | None,
    schema: Path | None,
    folder: Path | None,
    plots: bool,
) -> None:
    """What cannot be is said before anything is computed."""
    from sqlore.errors import UsageError
    from sqlore.evals.plots.draw import require_plots

    require_sources(tasks, leave_one_out=leave_one_out, db=db, schema=schema)
    if folder is None:
        return
    if plots:
        require_plots()
    above = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise UsageError(f"--out: {above} is no folder that can be written to", hint="give another folder")


def _read(tasks: list[Path], bad: list[str]) -> list[RawTask]:
    """The tasks of the files; a record that is none goes to `bad` and is told."""
    from sqlore.evals.tasks import read_tasks

    def told(error: SourceError) -> None:
        bad.append(f"{error.where}: {error.message}")
        err().print(neutral(f"left out: {bad[-1]}"), style="dim")

    return [task for file in tasks for task in read_tasks(file, on_bad=told)]


def _compared(
    plan: GroundPlan,
    plans: list[Setting],
    settings: Settings,
    predictions: Path | None,
    ask: dict[str, Any],
) -> Comparison:
    """The comparison. What was done before an end that nobody wanted is kept beside the predictions."""
    from sqlore.embed import load_embedder
    from sqlore.evals.ground import grounds
    from sqlore.evals.retrieval import compare

    with progress() as report, stoppable(), _kept(predictions) as (kept, sink):
        learned = grounds(
            plan,
            load_embedder(settings.embedder),
            model=_model(plans, settings),
            seed=ask["seed"],
            on_progress=report,
        )
        return compare(learned, plans, kept=kept, sink=sink, on_progress=report, **ask)


@contextmanager
def _kept(file: Path | None) -> Iterator[tuple[Kept | None, Callable[[Mapping[str, Any]], None] | None]]:
    """Where results are kept as they come; what is no file, such as a pipe, takes their records at once."""
    if file is None:
        try:
            yield None, None
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_LOST) from None
        return
    if file.exists() and not file.is_file() and not file.is_dir():  # a pipe, or stdout by its name
        with file.open("w", encoding="utf-8") as lines:
            yield None, lambda record: print(json.dumps(record, ensure_ascii=False), file=lines)
        return
    from sqlore.evals.kept import Kept

    kept = Kept(file)
    try:
        yield kept, None
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_said_of(kept)) from None
    except Exception:
        err().print(neutral(_said_of(kept)), style="dim")
        raise
    else:
        if kept.taken:
            err().print(f"taken up from a run of before: {plural(kept.taken, 'result')}", style="dim")
        if kept.number:
            kept.finish()
    finally:
        kept.close()


def _said_of(kept: Kept) -> str:
    if not kept.number:
        return "nothing was computed yet"
    return f"{plural(kept.number, 'result')} are kept in {kept.partial}; the same command goes on from there"


def _tell(found: Comparison, folder: Path | None, *, plots: bool, json_: bool) -> None:
    """The tables or the JSON, and the files that are wanted."""
    from sqlore.errors import UsageError
    from sqlore.evals.report import as_json, write_reports
    from sqlore.evals.retrieval import left_out
    from sqlore.evals.sheets import sheets
    from sqlore.interfaces.cli.sheet import show

    if not sum(found.tasks.values()):
        raise UsageError("there is no task", hint=" ".join((_NO_TASKS, *left_out(found))))
    if folder is not None:
        for file in write_reports(folder, found, plots=plots):
            err().print(f"written: {file}", style="dim")
    if json_:
        print_json(as_json(found))
        return
    for sheet in sheets(found):
        show(sheet)


def _databases(named: list[str] | None, raw: Any) -> tuple[str, ...]:
    """The databases named; without names those of the tasks; all where there are none of those either."""
    if named:
        return tuple(named)
    return tuple(dict.fromkeys(task.database for task in raw or ()))


def _plans(retrievers: str, granularity: str, shots: str, threshold: str, budget: str) -> list[Setting]:
    from sqlore.errors import UsageError
    from sqlore.evals.setting import settings_for

    levels: list[Granularity] = []
    for word in words(granularity):
        if word not in ("q", "c", "qc"):
            raise UsageError(f"no such level of retrieval: {word}", hint="q, c or qc")
        levels.append(word)  # type: ignore[arg-type]
    numbers: list[int | None] = [None if w == "dynamic" else _whole(w, "--shots") for w in words(shots)]
    names = words(retrievers)
    if not names or not levels or not numbers:
        raise UsageError("nothing to compare", hint="--retrievers, --granularity and --shots need a value")
    thresholds = [_cosine(word) for word in words(threshold)]
    budgets = [_whole(word, "--budget") for word in words(budget)]
    return settings_for(names, shots=numbers, thresholds=thresholds, granularities=levels, budgets=budgets)


def _check_names(plans: list[Setting]) -> None:
    """A name that is none fails before anything is learned."""
    from sqlore.errors import UsageError
    from sqlore.retrieve.baselines import NAMES

    for plan in plans:
        if plan.retriever not in (*NAMES, "gold") and ":" not in plan.retriever:
            hint = f"one of {', '.join(NAMES)}, gold, or module:function"
            raise UsageError(f"no such retriever: {plan.retriever}", hint=hint)


def _whole(word: str, option: str) -> int:
    from sqlore.errors import UsageError

    if not word.isascii() or not word.isdigit() or not 1 <= int(word) <= MOST:
        raise UsageError(f"{option}: {word!r} is not a number from 1 up")
    return int(word)


def _cosine(word: str) -> float:
    from sqlore.errors import UsageError

    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(f"--threshold: {word!r} is not a number from 0 to 1")
    return value


def _model(plans: list[Setting], settings: Settings) -> ChatModel | None:
    """The language model, where a retriever needs one."""
    if not any(plan.retriever.endswith("_llm") for plan in plans):
        return None
    from sqlore.llm import load_model

    return load_model(settings.model, settings)
