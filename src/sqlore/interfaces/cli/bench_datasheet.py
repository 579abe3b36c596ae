"""`sqlore bench datasheet`: where tasks come from, what leaks into them, and what may be done with them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqlore.interfaces.cli.common import err, out, print_json
from sqlore.interfaces.cli.options import DatabaseOption, DialectOption, DictionariesOption, JsonOption

if TYPE_CHECKING:
    from sqlore.evals.build.bench import Bench

__all__ = ["LicenceOption", "SourceOption", "datasheet", "write"]

LicenceOption = Annotated[
    str, typer.Option("--licence", metavar="TEXT", help="Of the tasks, for their datasheet: CC BY-SA 4.0.")
]
SourceOption = Annotated[
    str, typer.Option("--source", metavar="TEXT", help="Where history and database come from, likewise.")
]


def datasheet(
    tasks: Annotated[
        Path, typer.Option("--tasks", metavar="FILE", help="The tasks, in BIRD-History's format.")
    ],
    history: Annotated[
        list[str], typer.Option("--history", metavar="PATH", help="Their history; repeatable.")
    ],
    db: Annotated[str, typer.Option("--db", metavar="URL", help="Their database.")],
    licence: LicenceOption = "",
    source: SourceOption = "",
    dictionary: DictionariesOption = None,
    database: DatabaseOption = None,
    dialect: DialectOption = None,
    json_: JsonOption = False,
) -> None:
    """Write the datasheet of a benchmark, and look for tasks that its history answers or that are double.

    Exit code 1 where the history has a task's SQL.
    """
    from sqlore.evals.build.bench import open_bench
    from sqlore.evals.build.hygiene import KINDS

    with open_bench(history, db, dictionary=dictionary or (), database=database, dialect=dialect) as bench:
        about = write(bench, tasks, history, licence, source)
    counts = Counter(one["kind"] for one in about["leaks"])
    if json_:
        print_json(about)
    else:
        for kind, text in KINDS.items():
            out().print(f"{counts[kind]:>5}  {text}")
    if counts["same_sql"]:
        raise typer.Exit(1)


def write(
    bench: Bench, tasks: Path, history: list[str], licence: str, source: str
) -> dict[str, list[dict[str, str]]]:
    """Writes both files and says so; what the file about the tasks has."""
    from sqlore.evals.build.datasheet import Provenance, about_file, datasheet_file, write_datasheet

    about = write_datasheet(bench, tasks, Provenance(licence, source), history)
    for file in (datasheet_file(tasks), about_file(tasks)):
        err().print(f"written: {file}", style="dim")
    return about
