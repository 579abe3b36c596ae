"""`sqlore bench`: a benchmark out of a history, checked and described."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.interfaces.cli import bench_datasheet, bench_history, bench_review, bench_split
from sqlore.interfaces.cli.bench_datasheet import LicenceOption, SourceOption
from sqlore.interfaces.cli.common import err, neutral, out, plural, print_json, progress, stoppable
from sqlore.interfaces.cli.options import (
    MOST,
    DatabaseOption,
    DialectOption,
    DictionariesOption,
    HistoryOption,
    JsonOption,
    SeedOption,
)

if TYPE_CHECKING:
    from sqlore.evals.build.bench import Bench
    from sqlore.evals.build.findings import Verdict
    from sqlore.evals.build.generate import BuildReport
    from sqlore.evals.build.judge import Judge
    from sqlore.evals.build.stats import Summary
    from sqlore.llm import ChatModel

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Make a benchmark out of a history; check and describe one.")

UrlOption = Annotated[str, typer.Option("--db", metavar="URL", help="The database of the history.")]
_GENERATORS = ("program", "model")


@app.callback()
def root() -> None:
    """Make a benchmark out of a history; check and describe one."""


@app.command("build")
def build(
    history: HistoryOption,
    db: UrlOption,
    file: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the tasks go, as JSON.")],
    generator: Annotated[
        str, typer.Option("--generator", metavar="NAME", help="What makes the tasks: program, model.")
    ] = "program",
    count: Annotated[
        int, typer.Option("--count", metavar="N", min=1, max=MOST, help="How many tasks are wanted.")
    ] = 150,
    model: Annotated[
        str | None, typer.Option("--model", metavar="SPEC", help="The model that makes or judges tasks.")
    ] = None,
    judge: Annotated[
        bool, typer.Option("--judge", help="The model judges what the rules pass, and may reject it.")
    ] = False,
    attempts: Annotated[
        int | None,
        typer.Option("--attempts", metavar="N", min=1, max=MOST, help="Of the generator model: at most."),
    ] = None,
    licence: LicenceOption = "",
    source: SourceOption = "",
    seed: SeedOption = 0,
    dictionary: DictionariesOption = None,
    database: DatabaseOption = None,
    dialect: DialectOption = None,
    json_: JsonOption = False,
) -> None:
    """Make tasks out of a history: each checked, annotated and kept only if it passes.

    Run it again to go on where it was stopped.
    """
    from sqlore.errors import UsageError
    from sqlore.evals.build.bench import open_bench

    if generator not in _GENERATORS:
        raise UsageError(f"no such generator: {generator}", hint=f"one of {', '.join(_GENERATORS)}")
    with (
        open_bench(history, db, dictionary=dictionary or (), database=database, dialect=dialect) as bench,
        progress(quiet=json_) as report,
    ):
        if number := bench.history.rejected:
            told = f"{plural(number, 'script')} left out: not readable, or not about this database"
            err().print(told, style="dim")
        if generator == "program":
            from sqlore.evals.build.generate import build as make

            judged = _judge(model) if judge else None
            with stoppable():
                made = make(bench, count, file, seed=seed, judge=judged, on_progress=report)
        else:
            more = {"attempts": attempts, "seed": seed, "on_progress": report}
            made = _by_model(bench, model, count, file, judges=judge, **more)
        bench_datasheet.write(bench, file, history, licence, source)
    if json_:
        print_json({"file": str(file), **made.to_json()})
    else:
        _show_build(made, file)
    if made.kept < count:
        what = "the history gives" if generator == "program" else "so many attempts gave"
        err().print(f"{what} no more than {plural(made.kept, 'task')}", style="dim")
        raise typer.Exit(1)


def _by_model(
    bench: Bench, spec: str | None, count: int, file: Path, *, judges: bool, **more: Any
) -> BuildReport:
    """Asks a model for tasks; a run that is stopped goes on."""
    from sqlore.evals.build.judge import Judge
    from sqlore.evals.build.model_generate import build_by_model

    model = _model(spec)
    with stoppable():
        return build_by_model(bench, model, count, file, judge=Judge(model) if judges else None, **more)


def _model(spec: str | None) -> ChatModel:
    from sqlore.config import load_settings
    from sqlore.llm import load_model

    settings = load_settings(model=spec)
    return load_model(settings.model, settings)


def _judge(spec: str | None) -> Judge:
    from sqlore.evals.build.judge import Judge

    return Judge(_model(spec))


def _show_build(made: BuildReport, file: Path) -> None:
    console = out()
    console.print(neutral(f"{plural(made.kept, 'task')} of {plural(made.attempts, 'attempt')}: {file}"))
    ends = ", ".join(f"{count} {end}" for end, count in sorted(made.ends.items()))
    console.print(f"attempts: {ends}")
    for rule, count in made.rules.items():
        console.print(f"  rejected by {rule}: {count}")
    if made.rounds:
        told = ", ".join(f"{count} after {plural(number, 'round')}" for number, count in made.rounds.items())
        console.print(f"kept: {told} of mending")


@app.command("validate")
def validate(
    tasks: Annotated[
        list[Path],
        typer.Option("--tasks", metavar="FILE", help="Tasks in BIRD-History's format; repeatable."),
    ],
    history: HistoryOption,
    db: UrlOption,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="SPEC", help="Judges what the rules pass; without it nobody does."),
    ] = None,
    dictionary: DictionariesOption = None,
    database: DatabaseOption = None,
    dialect: DialectOption = None,
    json_: JsonOption = False,
) -> None:
    """Check tasks by every rule, and their annotation against one made anew; a model may judge the rest."""
    from sqlore.evals.build.bench import open_bench
    from sqlore.evals.build.validate import Validator, agreements, read_candidates, summary_of

    candidates = [one for file in tasks for one in read_candidates(file)]
    with (
        open_bench(history, db, dictionary=dictionary or (), database=database, dialect=dialect) as bench,
        progress(quiet=json_) as report,
        stoppable(),
    ):
        validator = Validator(bench, judge=_judge(model) if model else None)
        wanted = [one for one in candidates if one.database.lower() in ("", bench.name.lower())]
        verdicts = []
        for number, one in enumerate(wanted, 1):
            verdicts.append(validator.check(one))
            report("checking tasks", number, len(wanted))
        found = summary_of(verdicts)
        agreed = agreements(validator, wanted)
    if json_:
        verdicts_json = [verdict.to_json() for verdict in verdicts]
        print_json({**found, "annotation": agreed, "verdicts": verdicts_json})
    else:
        _show_verdicts(verdicts, found, agreed)
    if found["passed"] < found["tasks"]:
        raise typer.Exit(1)


def _show_verdicts(verdicts: list[Verdict], found: dict[str, Any], agreed: dict[str, Any]) -> None:
    console = out()
    for verdict in verdicts:
        for one in verdict.findings:
            place = " ".join(one.place.split())
            console.print(neutral(f"{verdict.id}: {one.severity} {one.rule}: {place}: {one.advice}"))
    console.print(
        f"{found['passed']} of {plural(found['tasks'], 'task')} pass, {found['clean']} without a word"
    )
    if agreed["tasks"]:
        console.print(
            f"annotation: {agreed['exact']} of {agreed['tasks']} the same; keys: {agreed['both']} the same,"
            f" {agreed['extra']} more, {agreed['missing']} fewer"
        )


@app.command("stats")
def stats(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Benchmark files, JSON or JSON lines.")
    ],
    dialect: DialectOption = None,
    folder: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write tables as Markdown, JSON, and plots.")
    ] = None,
    no_plots: Annotated[bool, typer.Option("--no-plots", help="With --out: no plots.")] = False,
    json_: JsonOption = False,
) -> None:
    """Describe benchmarks as the BIRD-History paper does: what their SQL is made of, what it reuses."""
    from sqlore.evals.build.stats import summarise
    from sqlore.evals.build.stats_report import stats_json, write_stats

    found = [summarise(file, dialect or "sqlite") for file in files]
    if folder is not None:
        for written in write_stats(folder, found, plots=not no_plots):
            err().print(f"written: {written}", style="dim")
    if json_:
        print_json(stats_json(found))
        return
    _show_stats(found)


def _show_stats(found: list[Summary]) -> None:
    from sqlore.evals.build.stats_sheets import sheets_of
    from sqlore.interfaces.cli.sheet import show

    for sheet in sheets_of(found):
        show(sheet)


app.command("review")(bench_review.review)
app.command("history")(bench_history.history)
app.command("split")(bench_split.split)
app.command("datasheet")(bench_datasheet.datasheet)
