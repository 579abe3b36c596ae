"""`sqlore bench review`: people judge the tasks of a benchmark, each alone, then together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.interfaces.cli.common import err, out, plural, print_json
from sqlore.interfaces.cli.options import DialectOption, DictionariesOption, JsonOption
from sqlore.interfaces.cli.serve import ANNOTATORS, AnnotatorsOption

if TYPE_CHECKING:
    from sqlore.evals.build.annotate import Annotator
    from sqlore.evals.build.review import ReviewFolder

__all__ = ["review"]

_WAYS = "one of --annotator NAME, --discuss, --senior NAME, --report, --web"


def review(
    tasks: Annotated[
        Path, typer.Option("--tasks", metavar="FILE", help="The tasks, in BIRD-History's format.")
    ],
    folder: Annotated[
        Path, typer.Option("--reviews", metavar="DIR", help="Where what is said of them is kept.")
    ],
    db: Annotated[
        str | None, typer.Option("--db", metavar="URL", help="Their database, for the result rows.")
    ] = None,
    annotator: Annotated[
        str | None, typer.Option("--annotator", metavar="NAME", help="Judge every task, blind to the others.")
    ] = None,
    discuss: Annotated[
        bool, typer.Option("--discuss", help="Go through the tasks on which the annotators do not agree.")
    ] = False,
    senior: Annotated[
        str | None, typer.Option("--senior", metavar="NAME", help="Decide what the discussion left open.")
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="What the review comes to, and how well the annotators agree.")
    ] = False,
    web: Annotated[
        bool, typer.Option("--web", help="All of it in the browser, for several people at once.")
    ] = False,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="With --web; 0: any free one.")
    ] = 8642,
    annotators: AnnotatorsOption = ANNOTATORS,
    file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="With --report: write the tasks that stay.")
    ] = None,
    rows: Annotated[
        int, typer.Option("--rows", metavar="N", min=1, max=1000, help="So many result rows are shown.")
    ] = 10,
    history: Annotated[
        list[str] | None,
        typer.Option("--history", metavar="PATH", help="Of the tasks, where SQL is changed; repeatable."),
    ] = None,
    dictionary: DictionariesOption = None,
    database: Annotated[
        str | None,
        typer.Option("--database", metavar="NAME", help="What the tasks call the database."),
    ] = None,
    dialect: DialectOption = None,
    json_: JsonOption = False,
) -> None:
    """Judge tasks: does the SQL answer the question, would a person ask it, is there one right answer?

    Each annotator judges alone; then --discuss, --senior and --report. Stop at any time and go on later.
    """
    from sqlore.errors import UsageError
    from sqlore.evals.build.review import ReviewFolder
    from sqlore.evals.build.validate import read_candidates

    if sum(map(bool, (annotator, discuss, senior, report, web))) != 1:
        raise UsageError("what is to be done?", hint=_WAYS)
    if web:
        _in_browser(tasks, folder, db, port, annotators, history)
        return
    reviewed = ReviewFolder(folder, read_candidates(tasks))
    if report:
        with _annotator(history, db, dictionary, database, dialect) as made:
            _report(reviewed, tasks, file, made, json_=json_)
        return
    if not db:
        raise UsageError("annotators need the result rows", hint="give --db URL")
    _talk(reviewed, db, rows, annotator=annotator, senior=senior)


def _in_browser(
    tasks: Path, folder: Path, db: str | None, port: int, annotators: int, history: list[str] | None
) -> None:
    """Serves the app with the review until Ctrl-C."""
    from sqlore.interfaces.cli.common import workspace
    from sqlore.interfaces.cli.serve import need, say

    need("fastapi", "uvicorn")
    from sqlore.interfaces.http.reviews import Reviewing
    from sqlore.interfaces.http.server import access_of, run

    reviewing = Reviewing(tasks, folder, annotators, tuple(history or ()))
    with workspace(db, None) as lore:
        lore.engine  # noqa: B018 - a database that cannot be opened is told before anything listens
        run(lore, access_of("127.0.0.1", port, None), review=reviewing, told=say)


def _talk(reviewed: ReviewFolder, db: str, rows: int, *, annotator: str | None, senior: str | None) -> None:
    """One of the three rounds, as far as somebody goes."""
    from sqlore.engines import connect
    from sqlore.evals.build.review_merge import open_tasks
    from sqlore.interfaces.cli.review_talk import Talk

    with connect(db) as engine:
        talk = Talk(engine, out(), most=rows)
        if annotator:
            left = talk.judge(reviewed.annotator(annotator))
            name = annotator
        elif senior:
            left = talk.settle(open_tasks(reviewed, "senior"), reviewed.senior, [senior], last=True)
            name = senior
        else:
            names = list(reviewed.annotators())
            left = talk.settle(open_tasks(reviewed, "open"), reviewed.discussion, names, last=False)
            name = "the discussion"
    told = "done" if not left else f"{plural(left, 'task')} left; the same command goes on there"
    err().print(f"{name}: {told}", style="dim")


@contextmanager
def _annotator(
    history: list[str] | None,
    db: str | None,
    dictionary: list[Path] | None,
    database: str | None,
    dialect: str | None,
) -> Iterator[Annotator | None]:
    """What finds the knowledge of SQL that was changed, where a history is given."""
    if not history or not db:
        yield None
        return
    from sqlore.evals.build.annotate import Annotator
    from sqlore.evals.build.bench import open_bench

    with open_bench(history, db, dictionary=dictionary or (), database=database, dialect=dialect) as bench:
        yield Annotator(bench.history, bench.dialect, bench.catalog.schema)


def _report(
    reviewed: ReviewFolder, tasks: Path, file: Path | None, annotator: Annotator | None, *, json_: bool
) -> None:
    from sqlore.evals.build.review_merge import final_records, merge, merged_json, merged_sheets
    from sqlore.evals.report import as_markdown
    from sqlore.evals.tasks import records_of
    from sqlore.interfaces.cli.sheet import show

    merged = merge(reviewed)
    found = merged_json(merged)
    text, data = reviewed.path / "report.md", reviewed.path / "report.json"
    text.write_text("# Review\n\n" + as_markdown(merged_sheets(merged)), encoding="utf-8")
    data.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    written: list[Any] = [text, data]
    if file is not None:
        kept = final_records(merged, records_of(tasks), annotator)
        file.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        written.append(file)
    for one in written:
        err().print(f"written: {one}", style="dim")
    if json_:
        print_json(found)
        return
    for sheet in merged_sheets(merged):
        show(sheet)
