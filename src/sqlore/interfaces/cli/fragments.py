"""`sqlore fragments`: a file of scripts taken apart, with no store and no model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.interfaces.cli.common import err, out, plural, print_json
from sqlore.interfaces.cli.learn import columns_option
from sqlore.interfaces.cli.options import DbOption, DialectOption, JsonOption

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlore.model import ParsedScript, Rejected, Schema

__all__ = ["fragments", "script_json"]


def fragments(
    file: Annotated[
        str, typer.Argument(metavar="PATH", help="History file or folder of any format; - for stdin.")
    ],
    db: DbOption = None,
    dialect: DialectOption = None,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", metavar="FILE", help="tables.json in place of a database (BIRD, Spider)."),
    ] = None,
    database: Annotated[
        str | None, typer.Option("--database", metavar="NAME", help="Only the scripts of this database.")
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="Format of the file where not recognised.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="FIELD=COLUMN", help="Which column holds sql, question, author, …"),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Take scripts apart into fragments with their skeletons; with --json one line a script."""
    from sqlore.history import read_and_parse
    from sqlore.sql.tokens import dialect_of

    schemas, own_dialect = _schemas(db, schema)
    if dialect:
        dialect_of(dialect)
    parsed = read_and_parse(
        file,
        format=format_,
        columns=columns_option(column),
        database=database,
        dialect=dialect or own_dialect,
        schema=schemas,
    )
    understood = _print(parsed) if json_ else show(parsed)
    if not understood:
        raise typer.Exit(2)


def _schemas(db: str | None, file: Path | None) -> tuple[Schema | dict[str, Schema] | None, str | None]:
    """The schema, or one a database of the history; and the dialect that goes with it."""
    if db:
        from sqlore.engines import connect

        with connect(db) as engine:
            return engine.schema(), engine.dialect
    if file is not None:
        from sqlore.catalog import load_tables_json

        return load_tables_json(file), "sqlite"
    return None, None


def _print(parsed: Iterable[ParsedScript | Rejected]) -> int:
    """A line of JSON a script; returns how many were understood."""
    understood = 0
    for result in parsed:
        shown = script_json(result)
        understood += "error" not in shown
        print_json(shown)
    sys.stdout.flush()
    return understood


def script_json(result: ParsedScript | Rejected) -> dict[str, Any]:
    """The stable JSON of one script; what was not understood has no fragments and an `error`."""
    from sqlore.model import Rejected

    script = result.script
    shown: dict[str, Any] = {"script": script.sql, "fragments": [], "key": script.key}
    if isinstance(result, Rejected):
        shown["error"] = {"reason": result.reason, "message": result.message, "line": result.line}
        return shown
    shown["fragments"] = [
        {
            "kind": f.kind,
            "sql": f.sql,
            "skeleton": f.skeleton,
            "start": f.start,
            "end": f.end,
            "scope": f.scope,
            "literals": list(f.literals),
        }
        for f in result.fragments
    ]
    return shown


def show(parsed: Iterable[ParsedScript | Rejected]) -> int:
    """The fragments for a person to read, and a count at the end; returns how many were understood."""
    from rich.text import Text

    from sqlore.interfaces.cli.render import KIND_STYLES, cell
    from sqlore.model import Rejected

    console, understood, rejected = out(), 0, 0
    for result in parsed:
        console.print(
            Text(f"\n{result.script.key}  {cell(result.script.text or '', 100)}".rstrip(), style="bold")
        )
        if isinstance(result, Rejected):
            rejected += 1
            console.print(Text(f"  {result.reason.replace('_', ' ')}: {result.message}", style="red"))
            continue
        understood += 1
        for f in result.fragments:
            text = Text(f"  {f.kind:<12}", style=KIND_STYLES[f.kind]).append(cell(f.skeleton, 160), "default")
            console.print(text)
    err().print(f"{plural(understood, 'script')} taken apart, {rejected} not understood", style="dim")
    return understood
