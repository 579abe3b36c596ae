"""`sqlore eval execution`: strategies side by side, by what their SQL gives."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.errors import UsageError
from sqlore.interfaces.cli.common import err, neutral, print_json, progress, stoppable
from sqlore.interfaces.cli.options import (
    DatabasesOption,
    DialectOption,
    DictionariesOption,
    JsonOption,
    LeaveOneOutOption,
    LimitOption,
    PlacesOption,
    SeedOption,
    WithholdOption,
    words,
)

if TYPE_CHECKING:
    from sqlore.config import Settings
    from sqlore.evals.execution.plan import ExecutionPlan
    from sqlore.evals.execution.report import Report
    from sqlore.evals.execution.run import ExecutionRun
    from sqlore.llm import ChatModel

__all__ = ["execution"]

_STRATEGIES = "zero_shot,history"


def execution(
    tasks: Annotated[
        list[Path] | None,
        typer.Option("--tasks", metavar="FILE", help="Questions with their SQL: BIRD, Spider; repeatable."),
    ] = None,
    leave_one_out: LeaveOneOutOption = False,
    history: Annotated[
        list[str] | None,
        typer.Option("--history", metavar="PATH", help="Past scripts; a folder or file; repeatable."),
    ] = None,
    db: PlacesOption = None,
    strategies: Annotated[
        str | None,
        typer.Option("--strategies", metavar="NAMES", help="Which to compare, with commas between."),
    ] = None,
    predictions: Annotated[
        list[str] | None,
        typer.Option("--predictions", metavar="[NAME=]FILE", help="SQL of another system; repeatable."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="SPEC", help="local, local:FILE.gguf, openai:MODEL@BASE_URL, …"),
    ] = None,
    dictionary: DictionariesOption = None,
    database: DatabasesOption = None,
    dialect: DialectOption = None,
    withhold_questions: WithholdOption = False,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Tell the tasks' hints with their questions.")
    ] = False,
    only: Annotated[
        Path | None, typer.Option("--only", metavar="FILE", help="Question ids; no others are asked.")
    ] = None,
    limit: LimitOption = None,
    seed: SeedOption = 0,
    samples: Annotated[
        int | None, typer.Option("--samples", metavar="N", help="Answers sampled; the best is voted for.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", help="How long a query may run.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="The run's folder; default: one in .sqlore/runs/."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run: RUN, --out, or the last one set up so.")
    ] = False,
    run: Annotated[
        Path | None, typer.Argument(metavar="[RUN]", help="With --resume: the run's folder.")
    ] = None,
    no_plots: Annotated[bool, typer.Option("--no-plots", help="Reports without plots.")] = False,
    json_: JsonOption = False,
) -> None:
    """Compare strategies by what their SQL gives: every question, every strategy, run beside gold."""
    _check(tasks, history, run, leave_one_out=leave_one_out, resume=resume)
    if strategies is not None and not words(strategies):
        raise UsageError("--strategies names none", hint=f"as in --strategies {_STRATEGIES}")
    given = {
        "tasks": tuple(map(str, tasks or ())),
        "history": tuple(history or ()),
        "db": db,
        "strategies": words(strategies or ""),
        "predictions": _named(predictions or ()),
        "dictionary": tuple(map(str, dictionary or ())),
        "databases": tuple(database or ()),
        "dialect": dialect,
        "withhold": withhold_questions,
        "evidence": evidence,
        "only": str(only) if only else None,
        "limit": limit,
        "seed": seed,
        "model": model,
        "samples": samples,
        "timeout": timeout,
    }
    execute = _resumed(given, run or folder) if resume else _started(given, folder)
    _carry_out(execute, plots=not no_plots, json_=json_)


def _check(
    tasks: list[Path] | None,
    history: list[str] | None,
    run: Path | None,
    *,
    leave_one_out: bool,
    resume: bool,
) -> None:
    """What cannot be asked for together is said before anything is read."""

    if tasks and leave_one_out:
        raise UsageError("--tasks and --leave-one-out exclude each other", hint="give one of them")
    if not (tasks or leave_one_out or resume):
        raise UsageError("what is to be asked?", hint="give either --tasks FILE or --leave-one-out")
    if run is not None and not resume:
        raise UsageError(f"{run} is one argument too many", hint="--resume RUN goes on with a run")
    if leave_one_out and not history and not resume:
        raise UsageError("there is no history to leave one out of", hint="name it with --history")


def _started(given: dict[str, Any], folder: Path | None) -> ExecutionRun:
    """A new run."""
    from sqlore.evals.execution.folder import RunFolder
    from sqlore.evals.execution.plan import as_json, plan_of, setup_of

    if not given["strategies"] and not given["predictions"]:
        given["strategies"] = words(_STRATEGIES)
    plan = _completed(plan_of(given | {"db": given["db"] or _defaults().db}))
    settings = _settings(plan)
    execute = _execution(plan, settings)
    setup = setup_of(plan, settings, execute.model.name)
    execute.prepare()  # a plan that cannot be carried out leaves no folder behind
    name = f"{datetime.now():%Y%m%d-%H%M%S}-{hashlib.sha256(repr(setup).encode()).hexdigest()[:6]}"
    path = folder or _free(settings.home / "runs" / name)
    execute.folder = RunFolder.start(path, setup, as_json(plan))
    return execute


def _free(path: Path) -> Path:
    """The path, or with a number behind it where a run that began in the same second has it."""
    number, found = 1, path
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        try:
            found.mkdir()
        except FileExistsError:
            number += 1
            found = path.with_name(f"{path.name}-{number}")
        else:
            return found


def _resumed(given: dict[str, Any], path: Path | None) -> ExecutionRun:
    """A run of before: the one named, else the last one that was set up so, else the last one of all."""
    from sqlore.evals.execution.folder import RunFolder, latest_run
    from sqlore.evals.execution.plan import plan_of, setup_of

    if path is None:
        home = _defaults().home / "runs"
        if given["db"]:
            plan = _completed(plan_of(given))
            settings = _settings(plan)
            path = latest_run(home, setup_of(plan, settings, _model(plan, settings).name))
        else:
            path = latest_run(home)
    if path is None:
        raise UsageError("there is no run to go on with", hint="name its folder: --resume RUN")
    before = RunFolder.about(path)["plan"]
    plan = plan_of(given, before)
    settings = _settings(plan)
    execute = _execution(plan, settings)
    execute.folder, same = RunFolder.resume(path, setup_of(plan, settings, execute.model.name))
    if not same:
        execute.say("sqlore has changed since this run began: its results are of several versions")
    if before.get("model") and plan.model != before["model"]:
        execute.say(f"the model is {plan.model} now; this run began with {before['model']}")
    return execute


def _carry_out(execute: ExecutionRun, *, plots: bool, json_: bool) -> None:
    """Runs, and writes the reports of what is done, also where it ends before its time."""
    from sqlore.errors import ConnectError, ModelUnavailable
    from sqlore.evals.execution.report import execution_json, execution_sheets
    from sqlore.interfaces.cli.sheet import show

    path = execute.folder.path
    execute.say(f"run: {path}")
    say, later = execute.say, list[str]()
    if err().is_terminal:  # a line would tear the bars that are drawn
        execute.say = later.append
    try:
        with progress() as told, stoppable():
            execute.told = told
            execute.run()
    except (KeyboardInterrupt, ConnectError, ModelUnavailable):
        execute.say = say
        _written(execute, plots=False)
        execute.say(f"what is done is kept; go on with: sqlore eval execution --resume {path}")
        raise
    execute.say = say
    for line in later:
        say(line)
    report = _written(execute, plots=plots)
    if json_:
        print_json(execution_json(report))
        return
    for sheet in execution_sheets(report):
        show(sheet)


def _written(execute: ExecutionRun, *, plots: bool) -> Report:
    """The report, and its files in the run's folder."""
    from sqlore.evals.execution.files import write_execution
    from sqlore.evals.execution.report import report_of

    lines = execute.lines()
    report = report_of(
        execute.plan.names,
        lines,
        execute.gold(),
        model=execute.model.name,
        missing=execute.places.missing,
        others=execute.places.others,
        expected=len(execute.plan.names) * execute.usable(),
        run=str(execute.folder.path),
        prepared=execute.folder.prepared.read(),
    )
    for file in write_execution(execute.folder.path, report, lines, plots=plots):
        execute.say(f"written: {file}")
    return report


def _execution(plan: ExecutionPlan, settings: Settings) -> ExecutionRun:
    from sqlore.embed import load_embedder
    from sqlore.evals.execution.folder import RunFolder
    from sqlore.evals.execution.run import ExecutionRun

    return ExecutionRun(
        plan,
        RunFolder(Path()),
        _model(plan, settings),
        settings,
        lambda: load_embedder(settings.embedder),
        say=lambda line: err().print(neutral(line), style="dim"),
    )


def _settings(plan: ExecutionPlan) -> Settings:
    from sqlore.config import load_settings

    return load_settings(
        model=plan.model,
        samples=plan.samples,
        query_timeout=plan.timeout,
    )


def _defaults() -> Settings:
    """The settings in force without any option of this command."""
    from sqlore.config import load_settings

    return load_settings()


def _completed(plan: ExecutionPlan) -> ExecutionPlan:
    """The plan with the dictionaries of the settings, where none is named."""
    if plan.dictionary:
        return plan
    return replace(plan, dictionary=tuple(str(file.resolve()) for file in _defaults().dictionary))


def _model(plan: ExecutionPlan, settings: Settings) -> ChatModel:
    """The language model; none where only predictions are scored."""
    from sqlore.llm import load_model

    return load_model(settings.model if plan.strategies else "none", settings)


def _named(files: Sequence[str]) -> dict[str, str]:
    """Files of predictions by the name that they stand under: given with ``NAME=``, else the file's own."""
    found: dict[str, str] = {}
    for text in files:
        name, equals, file = text.partition("=")
        if not equals or "/" in name:
            name, file = Path(text).stem, text
        while name in found:
            name += "'"
        found[name] = file
    return found
