"""`sqlore bench split`: a benchmark in train, dev and test, between which nothing leaks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.interfaces.cli.common import err, out, print_json
from sqlore.interfaces.cli.options import (
    DatabaseOption,
    DialectOption,
    DictionariesOption,
    JsonOption,
    SeedOption,
)

if TYPE_CHECKING:
    from sqlore.evals.build.bench import Bench

__all__ = ["split"]


def split(
    history: Annotated[
        list[str], typer.Option("--history", metavar="PATH", help="Past scripts; repeatable.")
    ],
    db: Annotated[str, typer.Option("--db", metavar="URL", help="Their database.")],
    tasks: Annotated[
        Path | None, typer.Option("--tasks", metavar="FILE", help="Tasks made of them that are parted.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Part the history itself, into files like it."),
    ] = None,
    shares: Annotated[
        str, typer.Option("--shares", metavar="A,B,C", help="Per cents of train, dev and test.")
    ] = "60,20,20",
    seed: SeedOption = 0,
    dictionary: DictionariesOption = None,
    database: DatabaseOption = None,
    dialect: DialectOption = None,
    json_: JsonOption = False,
) -> None:
    """Part tasks, or a history to make tasks of, into train, dev and test that share no script."""
    from sqlore.errors import UsageError
    from sqlore.evals.build.bench import open_bench

    if (tasks is None) == (file is None):
        raise UsageError("what is to be parted?", hint="--tasks FILE, or --out FILE for the history itself")
    wanted = _shares(shares)
    with open_bench(history, db, dictionary=dictionary or (), database=database, dialect=dialect) as bench:
        made = _history(bench, file, wanted, seed) if file else _tasks(bench, tasks or Path(), wanted, seed)
    if json_:
        print_json(made)
        return
    for name, count in next(iter(made.values())).items():
        out().print(f"{count:>5}  {name.replace('_', ' ')}")


def _tasks(bench: Bench, tasks: Path, wanted: list[float], seed: int) -> dict[str, dict[str, Any]]:
    from sqlore.evals.build.split import split_tasks, write_split
    from sqlore.evals.build.validate import read_candidates

    own = [one for one in read_candidates(tasks) if one.database.lower() in ("", bench.name.lower())]
    found = split_tasks(bench, own, wanted, seed=seed)
    _told(write_split(tasks, found, wanted, seed))
    return {"tasks": found.counts, "left_out": dict(found.why)}


def _history(bench: Bench, file: Path, wanted: list[float], seed: int) -> dict[str, dict[str, Any]]:
    from sqlore.evals.build.split import PARTS, split_history, write_history_split

    parts = split_history(bench, wanted, seed=seed)
    _told(write_history_split(file, bench, parts))
    return {"scripts": {part: list(parts.values()).count(part) for part in PARTS}}


def _told(written: list[Path]) -> None:
    for one in written:
        err().print(f"written: {one}", style="dim")


def _shares(text: str) -> list[float]:
    """Per cents with commas between, as shares. Raises `UsageError` for what is none.

    >>> _shares("50, 25,25")
    [0.5, 0.25, 0.25]
    """
    from sqlore.errors import UsageError

    try:
        return [int(word) / 100 for word in text.split(",")]
    except ValueError:
        raise UsageError(f"--shares: {text!r} are no per cents", hint="such as 60,20,20") from None
