"""`sqlore eval`: how good is it, measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.interfaces.cli import eval_execution, eval_reconstruction
from sqlore.interfaces.cli.common import (
    MOST,
    DatabasesOption,
    DialectOption,
    DictionariesOption,
    JsonOption,
    LeaveOneOutOption,
    LimitOption,
    SeedOption,
    WithholdOption,
    err,
    out,
    print_json,
    progress,
)

if TYPE_CHECKING:
    from sqlore.config import Settings
    from sqlore.evals.setting import Setting
    from sqlore.llm import ChatModel
    from sqlore.retrieve.baselines import Granularity

__all__ = ["app", "retrieval", "show"]

app = typer.Typer(no_args_is_help=True, help="Measure how good sqlore is on a history of yours.")

_RETRIEVERS = "learned,learned_scripts,published,mqs,mqs_qs,mqs_filter,dail,bm25,frequent,random,gold"


@app.callback()
def root() -> None:
    """Measure how good sqlore is on a history of yours."""


@app.command("retrieval")
def retrieval(
    history: Annotated[
        list[str],
        typer.Option("--history", metavar="PATH", help="Past scripts; a folder or file; repeatable."),
    ],
    tasks: Annotated[
        list[Path] | None,
        typer.Option("--tasks", metavar="FILE", help="Tasks in BIRD-History's format; repeatable."),
    ] = None,
    leave_one_out: LeaveOneOutOption = False,
    db: Annotated[str | None, typer.Option("--db", metavar="URL", help="The history's database.")] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", metavar="FILE", help="A tables.json in place of a database.")
    ] = None,
    dictionary: DictionariesOption = None,
    database: DatabasesOption = None,
    retrievers: Annotated[
        str, typer.Option("--retrievers", metavar="NAMES", help="Which to compare, with commas between.")
    ] = _RETRIEVERS,
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
    from sqlore.embed import load_embedder
    from sqlore.errors import UsageError
    from sqlore.evals.ground import GroundPlan, grounds
    from sqlore.evals.plots import require_plots
    from sqlore.evals.report import as_json, write_reports
    from sqlore.evals.retrieval import compare
    from sqlore.evals.sheets import sheets
    from sqlore.evals.tasks import read_tasks

    if bool(tasks) == leave_one_out:
        raise UsageError("what is to be asked?", hint="give either --tasks FILE or --leave-one-out")
    if db and schema:
        raise UsageError("--db and --schema exclude each other", hint="give the one that you have")
    if folder is not None and not no_plots:
        require_plots()  # said now and not when all is computed
    settings = load_settings(model=model)
    plans = _settings(retrievers, granularity, shots, threshold, budget)
    raw = [task for file in tasks for task in read_tasks(file)] if tasks else None
    plan = GroundPlan(
        tuple(history),
        db,
        schema,
        tuple(dictionary or settings.dictionary),
        _databases(database, raw),
        dialect,
        withhold_questions,
    )
    _check_names(plans)
    with progress() as report, _written(predictions) as sink:
        learned = grounds(
            plan,
            load_embedder(settings.embedder),
            model=_model(plans, settings),
            seed=seed,
            on_progress=report,
        )
        found = compare(
            learned,
            plans,
            raw=raw,
            limit=limit,
            seed=seed,
            relearn=relearn,
            sink=sink,
            on_progress=report,
        )
    if not sum(found.tasks.values()):
        raise UsageError("there is no task", hint=_NO_TASKS)
    if folder is not None:
        for file in write_reports(folder, found, plots=not no_plots):
            err().print(f"written: {file}", style="dim")
    if json_:
        print_json(as_json(found))
        return
    for sheet in sheets(found):
        show(sheet)


_WIDE = 240
_NO_TASKS = "the scripts have no questions, share nothing, or are of another database than the tasks"


def _databases(named: list[str] | None, raw: Any) -> tuple[str, ...]:
    """The databases named; without names those of the tasks; all where there are none of those either."""
    if named:
        return tuple(named)
    return tuple(dict.fromkeys(task.database for task in raw or ()))


def _settings(retrievers: str, granularity: str, shots: str, threshold: str, budget: str) -> list[Setting]:
    from sqlore.errors import UsageError
    from sqlore.evals.setting import settings_for

    levels: list[Granularity] = []
    for word in _words(granularity):
        if word not in ("q", "c", "qc"):
            raise UsageError(f"no such level of retrieval: {word}", hint="q, c or qc")
        levels.append(word)  # type: ignore[arg-type]
    numbers: list[int | None] = [None if w == "dynamic" else _whole(w, "--shots") for w in _words(shots)]
    names = _words(retrievers)
    if not names or not levels or not numbers:
        raise UsageError("nothing to compare", hint="--retrievers, --granularity and --shots need a value")
    thresholds = [_cosine(word) for word in _words(threshold)]
    budgets = [_whole(word, "--budget") for word in _words(budget)]
    return settings_for(names, shots=numbers, thresholds=thresholds, granularities=levels, budgets=budgets)


def _check_names(plans: list[Setting]) -> None:
    """A name that is none fails before anything is learned."""
    from sqlore.errors import UsageError
    from sqlore.retrieve.baselines import NAMES

    for plan in plans:
        if plan.retriever not in (*NAMES, "gold") and ":" not in plan.retriever:
            hint = f"one of {', '.join(NAMES)}, gold, or module:function"
            raise UsageError(f"no such retriever: {plan.retriever}", hint=hint)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


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


@contextmanager
def _written(file: Path | None) -> Iterator[Callable[[Mapping[str, Any]], None] | None]:
    """Takes records, a line each; None where no file is wanted."""
    if file is None:
        yield None
        return
    with file.open("w", encoding="utf-8") as lines:
        yield lambda record: print(json.dumps(record, ensure_ascii=False), file=lines)


def show(sheet: Any) -> None:
    """Prints a table of an evaluation."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=sheet.title, title_justify="left", title_style="bold")
    for number, head in enumerate(sheet.heads):
        table.add_column(head, justify="right" if number > 1 else "left")
    for row in sheet.rows:
        table.add_row(*(Text(cell) for cell in row))
    console = out()
    if not console.is_terminal:
        console.width = _WIDE  # a file or a pipe has no edge to cut a table at
    console.print(table)
    if sheet.note:
        console.print(sheet.note, style="dim")
    console.print()


app.command("execution")(eval_execution.execution)
app.command("reconstruction")(eval_reconstruction.reconstruction)
