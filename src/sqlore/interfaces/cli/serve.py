"""`sqlore serve`: the web app and its API, for this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sqlore.interfaces.built import BUILD, app_is_built, with_extra
from sqlore.interfaces.cli.common import err, workspace
from sqlore.interfaces.cli.options import DbOption, StoreOption, path_given

if TYPE_CHECKING:
    from sqlore.interfaces.http.reviews import Reviewing
    from sqlore.interfaces.http.security import Access

__all__ = ["ANNOTATORS", "AnnotatorsOption", "need", "say", "serve"]

ANNOTATORS = 2
AnnotatorsOption = Annotated[
    int,
    typer.Option(
        "--annotators", metavar="N", min=2, max=50, help="Of a review: so many judge before anybody may see."
    ),
]


def serve(
    db: DbOption = None,
    store: StoreOption = None,
    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="ADDRESS", help="Where to listen; others than this machine need a token."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="0: any free one.")
    ] = 8642,
    token: Annotated[
        str | None,
        typer.Option("--token", metavar="TEXT", envvar="SQLORE_TOKEN", help="What who comes in must know."),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the app in the browser.")] = False,
    model: Annotated[
        str | None, typer.Option("--model", metavar="SPEC", help="The model that is asked, as in ask.")
    ] = None,
    dictionary: Annotated[
        list[Path] | None,
        typer.Option(
            "--dictionary",
            metavar="PATH",
            help="Data dictionary: YAML, or BIRD's CSV folder.",
            parser=path_given,
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Another name that leads here, as of a proxy."),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option("--allow-origin", metavar="URL", help="Another address whose pages may use the API."),
    ] = None,
    review: Annotated[
        Path | None,
        typer.Option("--review", metavar="FILE", help="Tasks of a benchmark that people review in the app."),
    ] = None,
    reviews: Annotated[
        Path | None,
        typer.Option("--reviews", metavar="DIR", help="With --review: where what they say is kept."),
    ] = None,
    annotators: AnnotatorsOption = ANNOTATORS,
) -> None:
    """Open the authoring app: ask, see how the SQL flows, check each piece on real rows, correct one."""
    need("fastapi", "uvicorn")
    from sqlore.interfaces.http.server import access_of, run

    reviewing = _reviewing(review, reviews, annotators)
    with workspace(db, store, model=model, dictionary=dictionary or None) as lore:
        lore.engine  # noqa: B018 - a database that cannot be opened is told before anything listens
        access = access_of(host, port, token, tuple(allow_host or ()), tuple(allow_origin or ()))
        run(lore, access, opens=open_, review=reviewing, told=say)


def _reviewing(file: Path | None, folder: Path | None, annotators: int) -> Reviewing | None:
    """The review of a file, kept beside it where no folder is named."""
    from sqlore.errors import UsageError

    if file is None:
        if folder is not None:
            raise UsageError("--reviews is of a review", hint="give --review FILE")
        return None
    from sqlore.interfaces.http.reviews import Reviewing

    return Reviewing(file, folder or file.with_suffix(".reviews"), annotators)


def need(*modules: str) -> None:
    """Raises `UsageError` where the server's packages are not installed."""
    from importlib.util import find_spec

    from sqlore.errors import UsageError

    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise UsageError(f"the app needs {' and '.join(missing)}", hint=with_extra("serve"))


def say(address: str, access: Access) -> None:
    """The address on stdout, for a program that starts this one; what else to know on stderr."""
    sys.stdout.write(address + "\n")
    sys.stdout.flush()
    if access.token:
        err().print("others can reach this; whoever has the address above can use it", style="yellow")
    if not app_is_built():
        how = f"the web app is not built here: {BUILD}; this server shows it as soon as it is there"
        err().print(how, style="yellow")
    err().print("Ctrl-C ends the server; drafts are kept", style="dim")
