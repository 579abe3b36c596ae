"""`sqlore explain`: how a query flows, what each part of it means, and what it does to the rows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.interfaces.cli.common import out, print_json, progress, workspace
from sqlore.interfaces.cli.options import DbOption, DialectOption, JsonOption, StoreOption

if TYPE_CHECKING:
    from sqlore.answer.explain.facts import Figure
    from sqlore.answer.explain.model import Explanation
    from sqlore.engines import Engine
    from sqlore.workspace import Workspace

__all__ = ["explain"]


def explain(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="SQL, a file of it, or - for stdin.")],
    db: DbOption = None,
    store: StoreOption = None,
    dialect: DialectOption = None,
    no_figures: Annotated[
        bool, typer.Option("--no-figures", help="Only what the SQL says: nothing is asked of the database.")
    ] = False,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="How long each figure may take.")
    ] = 10.0,
    json_: JsonOption = False,
) -> None:
    """Explain a query part by part: what it reads, what it means, where it is known from, its figures."""
    from sqlore.answer.explain.explanation import explain as explained

    text = _text(sql)
    if dialect and not db and not store:
        _show(explained(text, dialect=dialect), [], json_)
        return
    with workspace(db, store) as lore:
        store_ = lore.store if lore.learned else None
        found = explained(text, lore.engine, _catalog(lore), store_, dialect=dialect)
        figures = [] if no_figures else _figures(found, lore.engine, timeout, quiet=json_)
    _show(found, figures, json_)


def _text(given: str) -> str:
    """The SQL that is meant. Raises `UsageError` where there is none."""
    from sqlore.errors import UsageError

    text = sys.stdin.read() if given == "-" else given
    try:
        if given != "-" and Path(given).is_file():
            text = Path(given).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):  # a query is too long to be the name of a file
        text = given
    if not text.strip():
        raise UsageError("there is no SQL to explain")
    return text


def _catalog(lore: Workspace) -> Any:
    """What was learned of the database, with the tables that it has now; else its schema alone, without a
    look at its values."""
    from sqlore.catalog import catalog_from_schema

    if lore.learned:
        lore.look_again()
        return lore.catalog
    return catalog_from_schema(lore.engine.schema(), dictionary_files=lore.settings.dictionary)


def _figures(found: Explanation, engine: Engine, timeout: float, *, quiet: bool) -> list[Figure]:
    """All figures, the slow ones at the end; what came as slow is told by what came after it."""
    from sqlore.answer.explain.run import figures

    total = len(found.nodes) + len(found.items)
    ready: list[Figure] = []
    with progress(quiet) as report:
        for figure in figures(found, engine, seconds=timeout):
            if figure.status != "slow":
                ready.append(figure)
                report("figures", len(ready), total)
    return ready


def _show(found: Explanation, figures: list[Figure], as_json: bool) -> None:
    if as_json:
        from sqlore.answer.explain.as_json import explanation_json, figure_json

        print_json({**explanation_json(found), "figures": [figure_json(figure) for figure in figures]})
        return
    from sqlore.interfaces.cli.explain_view import show_explanation

    show_explanation(out(), found, figures)
