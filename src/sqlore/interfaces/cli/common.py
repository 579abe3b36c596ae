"""What all commands share: options, the two consoles, and how an error ends a command.

stdout is data and nothing else, so that it can be piped; progress, notes and errors go to stderr.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from sqlore.workspace import Workspace

__all__ = [
    "DbOption",
    "DialectOption",
    "JsonOption",
    "StoreOption",
    "err",
    "out",
    "print_json",
    "progress",
    "script_keys",
    "workspace",
]

DbOption = Annotated[
    str | None,
    typer.Option("--db", metavar="URL", help="Database: sqlite:///FILE, duckdb:///FILE, or just the file."),
]
StoreOption = Annotated[
    Path | None,
    typer.Option("--store", metavar="FILE", help="Knowledge store; default: one per database in .sqlore/."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, for programs.")]
DialectOption = Annotated[
    str | None,
    typer.Option("--dialect", metavar="NAME", help="SQL dialect of the scripts; default: the database's."),
]


def out() -> Console:
    """The console of stdout."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def err() -> Console:
    """The console of stderr: progress, notes, errors."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_json(value: Any, *, indent: int | None = None) -> None:
    """One JSON document on stdout; values that JSON lacks (dates, decimals, bytes) become text."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=indent, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


@contextmanager
def workspace(db: str | None = None, store: Path | None = None, **settings: Any) -> Iterator[Workspace]:
    """The workspace of a database, closed at the end."""
    from sqlore.config import load_settings
    from sqlore.workspace import Workspace

    opened = Workspace(load_settings(db=db, store=store, **settings))
    try:
        yield opened
    finally:
        opened.close()


def script_keys(lore: Workspace, ids: Iterable[int]) -> dict[int, str]:
    """What the history itself calls each script: BIRD's question id, `file.sql:12`, else its number."""
    if not lore.learned:
        return {}
    return {stored.id: stored.script.key or str(stored.id) for stored in lore.store.scripts(sorted(set(ids)))}


@contextmanager
def progress(quiet: bool = False) -> Iterator[Callable[..., None]]:
    """A progress line on stderr: call it with `(stage, done, total)`; `total` None where not known.

    Where stderr is not a terminal, or `quiet`, nothing is drawn.
    """
    console = err()
    if quiet or not console.is_terminal:
        yield lambda stage, done=0, total=None: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int = 0, total: int | None = None) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield report
