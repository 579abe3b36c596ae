"""The commands put together, and what happens when one of them fails."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import Annotated, TextIO, cast

import typer

from sqlore import __version__
from sqlore.errors import SqloreError
from sqlore.interfaces.cli import (
    ask,
    bench,
    demo,
    doctor,
    eval,
    explain,
    fragments,
    knowledge,
    learn,
    models,
    refine,
    retrieve,
    serve,
    warm,
)
from sqlore.interfaces.cli.common import neutral
from sqlore.passwords import argument_without_password

__all__ = ["app", "run"]

#: The commands that go on where they were stopped; the others leave nothing behind.
_KEEPING = frozenset({"bench", "demo", "eval", "learn", "models", "warm"})

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
        bool,
        typer.Option("--version", metavar="", is_eager=True, callback=_version, help="Print the version."),
    ] = False,
) -> None:
    """Options of the program itself."""


app.command("learn")(learn.learn)
app.command("warm")(warm.warm)
app.command("ask")(ask.ask)
app.command("refine")(refine.refine)
app.command("explain")(explain.explain)
app.command("retrieve")(retrieve.retrieve)
app.add_typer(knowledge.app, name="knowledge")
app.command("fragments")(fragments.fragments)
app.add_typer(models.app, name="models")
app.add_typer(eval.app, name="eval")
app.add_typer(bench.app, name="bench")
app.command("doctor")(doctor.doctor)
app.command("serve")(serve.serve)
app.command("demo")(demo.demo)


def run(arguments: list[str] | None = None) -> int:
    """Runs one command and gives its exit code: 0 done, 1 failed, 2 the user must act, 130 interrupted.

    A deliberate error is shown as its report; a reader that closed our stdout is no error.
    """
    _prepare_streams()
    given = sys.argv[1:] if arguments is None else arguments
    code = _run([argument_without_password(one) for one in given])  # so that none is kept or shown
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _stop_writing()
    except OSError as error:
        _stop_writing()
        return _refused(error)
    return code


def _run(arguments: list[str]) -> int:
    try:
        app(arguments, prog_name="sqlore", standalone_mode=True)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # typer makes an exit of it
            _stop_writing()
            return 0
        if end.code == 130:
            sys.stderr.write(_interrupted(end, arguments))
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except SqloreError as error:
        sys.stderr.write(f"sqlore: {neutral(error.report())}\n")
        return error.exit_code
    except KeyboardInterrupt as stop:
        sys.stderr.write(_interrupted(stop, arguments))
        return 130
    except BrokenPipeError:
        _stop_writing()
        return 0
    except OSError as error:
        return _refused(error)
    except MemoryError:
        sys.stderr.write("sqlore: out of memory\n  hint: give it less at once, or more memory\n")
        return 1
    except Exception as error:
        return _unexpected(error)
    return 0


def _interrupted(end: BaseException, arguments: list[str]) -> str:
    """What is kept of an interrupted command: what it says itself, else the rule."""
    stop: BaseException | None = end
    while stop is not None and not isinstance(stop, KeyboardInterrupt):
        stop = stop.__context__
    told = str(stop) if stop is not None else ""
    if not told and arguments and arguments[0] in _KEEPING:
        told = "everything finished so far is kept"
    return f"sqlore: interrupted; {neutral(told)}\n" if told else "sqlore: interrupted\n"


def _prepare_streams() -> None:
    """Stands in for streams that the caller closed. Where the terminal's encoding lacks a character, its
    number is shown: no answer is lost for it."""
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere("w")
    sys.stderr = sys.stderr or _nowhere("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="backslashreplace")


def _nowhere(mode: str) -> TextIO:
    return cast(TextIO, open(os.devnull, mode, encoding="utf-8"))


def _stop_writing() -> None:
    """What is left in the buffer of a stdout that takes nothing any more is dropped without a complaint."""
    sys.stdout = _nowhere("w")
    with contextlib.suppress(OSError, ValueError):
        os.dup2(sys.stdout.fileno(), 1)


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
