"""`sqlore models`: the local model's file."""

from __future__ import annotations

from typing import Annotated

import typer

from sqlore.interfaces.cli.common import out, print_json, progress
from sqlore.interfaces.cli.options import JsonOption

__all__ = ["app"]

app = typer.Typer(help="The local model: where its file is; fetch it.", no_args_is_help=True)


@app.command("list")
def list_(json_: JsonOption = False) -> None:
    """Say which model files are here."""
    from sqlore.errors import ModelUnavailable
    from sqlore.llm.weights import MODEL_NAME, find_model

    try:
        file = str(find_model(download=False))
    except ModelUnavailable:
        file = None
    if json_:
        print_json({"model": MODEL_NAME, "file": file})
    else:
        out().print(f"{MODEL_NAME}: {file or 'not here; sqlore models fetch'}")


@app.command("fetch")
def fetch(
    force: Annotated[
        bool, typer.Option("--force", metavar="", help="Fetch it again even if it is here.")
    ] = False,
) -> None:
    """Fetch the default model's file (1.1 GB, once) and verify it; goes on where it was interrupted."""
    from sqlore.llm.weights import FILE_NAME, cache_dir, find_model

    if force:
        (cache_dir() / FILE_NAME).unlink(missing_ok=True)
    with progress() as report:
        file = find_model(progress=lambda done, total: report("fetching, MB", done >> 20, total >> 20))
    out().print(f"model ready: {file}")
