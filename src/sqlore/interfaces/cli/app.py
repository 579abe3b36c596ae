"""The commands put together, and what happens when one of them fails."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from sqlore import __version__
from sqlore.errors import SqloreError
from sqlore.interfaces.cli import ask, demo, doctor, fragments, knowledge, learn, models, retrieve
from sqlore.interfaces.cli.common import neutral

__all__ = ["app", "run"]

app = typer.Typer(
    name="sqlore",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Learns from the SQL people ran; answers questions with SQL in which every clause is cited.",
    epilog="Start with: sqlore demo · sqlore learn --db FILE --history FOLDER · sqlore ask 'QUESTION'",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sqlore {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Print the version.")
    ] = False,
) -> None:
    """Options of the program itself."""


app.command("learn")(learn.learn)
app.command("ask")(ask.ask)
app.command("retrieve")(retrieve.retrieve)
app.add_typer(knowledge.app, name="knowledge")
app.command("fragments")(fragments.fragments)
app.add_typer(models.app, name="models")
app.command("doctor")(doctor.doctor)
app.command("demo")(demo.demo)


def run(arguments: list[str] | None = None) -> int:
    """Runs one command and gives its exit code: 0 done, 1 failed, 2 the user must act, 130 interrupted.

    A deliberate error is shown as its report; a reader that closed our stdout is no error.
    """
    _never_fail_to_print()
    try:
        app(arguments, standalone_mode=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except SqloreError as error:
        sys.stderr.write(f"sqlore: {neutral(error.report())}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("sqlore: interrupted; everything finished so far is kept\n")
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _refused(error)
    except MemoryError:
        sys.stderr.write("sqlore: out of memory\n  hint: give it less at once, or more memory\n")
        return 1
    except Exception as error:
        return _unexpected(error)
    return 0


def _never_fail_to_print() -> None:
    """Where the terminal's encoding lacks a character, its number is shown; no answer is lost for it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _refused(error: OSError) -> int:
    """What the operating system refused, which is for a person to mend: permissions, a full disk, a path."""
    if os.environ.get("SQLORE_DEBUG"):
        raise error
    where = f"  where: {error.filename}\n" if error.filename else ""
    hint = "  hint: check that it is there, that it may be read and written, and that the disk is not full\n"
    sys.stderr.write(neutral(f"sqlore: {error.strerror or error}\n{where}{hint}"))
    return 2


def _unexpected(error: Exception) -> int:
    """A fault of sqlore itself: said in one line; the traceback only for those who ask for it."""
    if os.environ.get("SQLORE_DEBUG"):
        raise error
    sys.stderr.write(
        f"sqlore: unexpected {type(error).__name__}: {neutral(str(error))}\n"
        "  hint: this is a fault of sqlore; SQLORE_DEBUG=1 shows where it happened\n"
    )
    return 70
