"""`sqlore eval reconstruction`: what does taking scripts apart lose?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqlore.interfaces.cli.common import err, out, print_json, progress
from sqlore.interfaces.cli.options import (
    DatabasesOption,
    DialectOption,
    DictionariesOption,
    JsonOption,
    LimitOption,
    SeedOption,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlore.evals.execution.tasks import Question
    from sqlore.evals.reconstruct_run import Reconstruction

__all__ = ["reconstruction"]


def reconstruction(
    history: Annotated[
        list[str], typer.Option("--history", metavar="PATH", help="Scripts to rebuild; repeatable.")
    ],
    db: Annotated[
        str, typer.Option("--db", metavar="URL", help="The database, or a folder of databases by db_id.")
    ],
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="SPEC", help="Let this model rebuild from descriptions as well."),
    ] = None,
    steps: Annotated[
        int, typer.Option("--steps", metavar="N", min=0, max=50, help="Corrections of the model at most.")
    ] = 5,
    dictionary: DictionariesOption = None,
    database: DatabasesOption = None,
    dialect: DialectOption = None,
    only: Annotated[
        Path | None, typer.Option("--only", metavar="FILE", help="Keys of scripts; no others are rebuilt.")
    ] = None,
    limit: LimitOption = None,
    seed: SeedOption = 0,
    json_: JsonOption = False,
) -> None:
    """Rebuild scripts from their knowledge items alone, run them, and compare the rows."""
    from sqlore.catalog import build_catalog
    from sqlore.config import load_settings
    from sqlore.engines import connect
    from sqlore.evals.reconstruct_run import Reconstruction, as_json, reconstruct
    from sqlore.llm import load_model

    settings = load_settings(model=model)
    asked = load_model(settings.model, settings) if model else None
    found = Reconstruction()
    with progress(quiet=json_) as report:
        for url, tasks in _tasks(history, db, database or [], dialect, only, limit, seed):
            with connect(url) as engine:
                catalog = build_catalog(engine, dictionary_files=dictionary or ())
                reconstruct(
                    tasks,
                    engine,
                    catalog,
                    model=asked,
                    steps=steps,
                    timeout=settings.query_timeout,
                    mask=settings.mask,
                    into=found,
                    told=report,
                )
    if json_:
        print_json(as_json(found, steps))
    else:
        _show(found, steps)


def _tasks(
    history: list[str],
    db: str,
    databases: list[str],
    dialect: str | None,
    only: Path | None,
    limit: int | None,
    seed: int,
) -> Iterator[tuple[str, list[Question]]]:
    """The URL of each database with the scripts of it that are rebuilt."""
    from sqlore.evals.execution.places import find_places
    from sqlore.evals.execution.tasks import Question, drawn, only_these
    from sqlore.evals.ground import GroundPlan, scripts_by_database

    scripts = scripts_by_database(GroundPlan(history, db, databases=databases, dialect=dialect))
    every = [Question(one.key, name, one.text or "", one.sql) for name, own in scripts.items() for one in own]
    if only is not None:
        every = only_these(every, only)
    places = find_places(db, [one.database for one in every], databases)
    for name, url in places.urls.items():
        yield url, drawn([one for one in every if places.database_of(one) == name], limit, seed)


def _show(found: Reconstruction, steps: int) -> None:
    from sqlore.evals.reconstruct_run import WAYS

    console = out()
    for way in WAYS:
        own = found.of(way)
        if not own:
            continue
        good = sum(one.correct for one in own)
        console.print(f"{way}: {good} of {len(own)} scripts rebuilt ({found.accuracy(way):.1%})")
        for why, count in found.failures(way).items():
            console.print(f"    {count:>4}  {why}")
        if way == WAYS[2]:
            shares = ", ".join(f"{found.accuracy(way, n):.3f}" for n in range(steps + 1))
            console.print(f"    after 0 to {steps} corrections: {shares}")
    if found.not_counted:
        counts = ", ".join(f"{count} ({why})" for why, count in found.not_counted.most_common())
        err().print(f"not counted, for their own SQL tells nothing: {counts}", style="dim")
