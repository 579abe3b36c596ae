"""`sqlore eval`: how good is it, measured."""

from __future__ import annotations

from typing import Any

import typer

from sqlore.interfaces.cli import eval_curves, eval_execution, eval_reconstruction, eval_retrieval
from sqlore.interfaces.cli.common import out

__all__ = ["app", "show"]

app = typer.Typer(no_args_is_help=True, help="Measure how good sqlore is on a history of yours.")
_WIDE = 240


@app.callback()
def root() -> None:
    """Measure how good sqlore is on a history of yours."""


def show(sheet: Any) -> None:
    """Prints a table of an evaluation."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=sheet.title, title_justify="left", title_style="bold")
    for number, head in enumerate(sheet.heads):
        table.add_column(head, justify="right" if number > 1 else "left")
    for row in sheet.rows:
        table.add_row(*(Text(cell) for cell in row))
    console = out()
    if not console.is_terminal:
        console.width = _WIDE  # a file or a pipe has no edge to cut a table at
    console.print(table)
    if sheet.note:
        console.print(sheet.note, style="dim")
    console.print()


app.command("retrieval")(eval_retrieval.retrieval)
app.command("execution")(eval_execution.execution)
app.command("reconstruction")(eval_reconstruction.reconstruction)
app.command("curves")(eval_curves.curves)
