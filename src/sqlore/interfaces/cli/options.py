"""The options that several commands have, and how what they are given is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "MOST",
    "DatabaseOption",
    "DatabasesOption",
    "DbOption",
    "DialectOption",
    "DictionariesOption",
    "FilterOption",
    "HistoryOption",
    "JsonOption",
    "LeaveOneOutOption",
    "LimitOption",
    "PlacesOption",
    "RetrieversOption",
    "SeedOption",
    "StoreOption",
    "TablesOption",
    "TasksOption",
    "WithholdOption",
    "path_given",
    "require_sources",
    "words",
]

#: The largest number that an option which counts something takes.
MOST = 1_000_000


def path_given(text: str) -> Path:
    """The path that an option is given; an empty one, of a variable that is not set, is not the folder here.

    >>> path_given("terms.yml").name
    'terms.yml'
    """
    if not str(text).strip():
        raise typer.BadParameter("the path is empty; is a variable of the shell not set?")
    return Path(text)


DbOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL",
        help="Database: a SQLite or DuckDB file, postgresql://USER@HOST/DB, mysql://USER@HOST/DB.",
    ),
]
StoreOption = Annotated[
    Path | None,
    typer.Option("--store", metavar="FILE", help="Knowledge store; default: one per database in .sqlore/."),
]
JsonOption = Annotated[bool, typer.Option("--json", metavar="", help="Print JSON on stdout, for programs.")]
DialectOption = Annotated[
    str | None,
    typer.Option("--dialect", metavar="NAME", help="SQL dialect of the scripts; default: the database's."),
]
HistoryOption = Annotated[
    list[str], typer.Option("--history", metavar="PATH", help="Past scripts; a folder or file; repeatable.")
]
#: What the one database of a history is called there.
DatabaseOption = Annotated[
    str | None,
    typer.Option("--database", metavar="NAME", help="What the history calls it; default: as its file."),
]

#: Of the measurements.
TasksOption = Annotated[
    list[Path] | None,
    typer.Option("--tasks", metavar="FILE", help="Tasks in BIRD-History's format; repeatable."),
]
PlacesOption = Annotated[
    str | None,
    typer.Option("--db", metavar="URL", help="The database, or a folder of databases by db_id."),
]
TablesOption = Annotated[
    Path | None, typer.Option("--schema", metavar="FILE", help="A tables.json in place of a database.")
]
RetrieversOption = Annotated[
    str, typer.Option("--retrievers", metavar="NAMES", help="Which to compare, with commas between.")
]
LeaveOneOutOption = Annotated[
    bool, typer.Option("--leave-one-out", help="Ask each script's question of the other scripts.")
]
DictionariesOption = Annotated[
    list[Path] | None,
    typer.Option("--dictionary", metavar="PATH", help="A data dictionary; repeatable.", parser=path_given),
]
DatabasesOption = Annotated[
    list[str] | None,
    typer.Option("--database", metavar="NAME", help="Of several databases only this; repeatable."),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, max=MOST, help="So many tasks a database.")
]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, max=MOST, help="For everything drawn at random.")
]
WithholdOption = Annotated[bool, typer.Option("--withhold-questions", help="Learn bare SQL, as from a log.")]

FilterOption = Annotated[
    bool | None,
    typer.Option(
        "--filter/--no-filter",
        help="Ask the model once which of what was retrieved is needed.",
        show_default=False,
    ),
]


def words(text: str) -> list[str]:
    """What a list with commas names.

    >>> words("history, dail@mqs,")
    ['history', 'dail@mqs']
    """
    return [word.strip() for word in text.split(",") if word.strip()]


def require_sources(
    tasks: list[Path] | None, *, leave_one_out: bool, db: str | None, schema: Path | None
) -> None:
    """Raises `UsageError` where it is not clear what is asked, or of which database."""
    from sqlore.errors import UsageError

    if bool(tasks) == leave_one_out:
        raise UsageError("what is to be asked?", hint="give either --tasks FILE or --leave-one-out")
    if db and schema:
        raise UsageError("--db and --schema exclude each other", hint="give the one that you have")
