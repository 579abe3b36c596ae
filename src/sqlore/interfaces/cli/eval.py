"""`sqlore eval`: how good is it, measured."""

from __future__ import annotations

import typer

from sqlore.interfaces.cli import eval_curves, eval_execution, eval_reconstruction, eval_retrieval

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Measure how good sqlore is on a history of yours.")


@app.callback()
def root() -> None:
    """Measure how good sqlore is on a history of yours."""


app.command("retrieval")(eval_retrieval.retrieval)
app.command("execution")(eval_execution.execution)
app.command("reconstruction")(eval_reconstruction.reconstruction)
app.command("curves")(eval_curves.curves)
