"""`sqlore models`: the local model's file."""

from __future__ import annotations

from typing import Annotated

import typer

from sqlore.interfaces.cli.common import JsonOption, out, print_json, progress

__all__ = ["app"]

app = typer.Typer(help="The local model: where its file is; fetch it.", no_args_is_help=True)


@app.command("list")
def list_(json_: JsonOption = False) -> None:
    """Say which model files are here."""
    from sqlore.llm.weights import DEFAULT_FILE, model_file

    file = model_file()
    if json_:
        print_json({"model": DEFAULT_FILE, "file": str(file) if file else None})
    elif file:
        out().print(f"{DEFAULT_FILE}: {file}")
    else:
        out().print(f"{DEFAULT_FILE}: not here; sqlore models fetch")


@app.command("fetch")
def fetch(
    force: Annotated[bool, typer.Option("--force", help="Fetch it again even if it is here.")] = False,
) -> None:
    """Fetch the default model's file (1.1 GB, once) and verify it; goes on where it was interrupted."""
    from sqlore.llm.weights import fetch_weights

    with progress() as report:
        file = fetch_weights(force=force, on_progress=report)
    out().print(f"model ready: {file}")
