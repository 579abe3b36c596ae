"""A table of an evaluation, on the terminal or in a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlore.interfaces.cli.common import out

if TYPE_CHECKING:
    from sqlore.evals.sheets import Sheet

__all__ = ["show"]

_WIDE = 240


def show(sheet: Sheet) -> None:
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
