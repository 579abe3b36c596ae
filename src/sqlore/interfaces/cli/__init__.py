"""The command line: `sqlore learn`, `ask`, `retrieve`, `knowledge`, `fragments`, `models`, `doctor`, `demo`.

The program itself is :func:`sqlore.interfaces.cli.app.run`; this module only starts it, so that nothing
is imported before it is needed.
"""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Runs the command line; ends the process with its exit code, whenever Ctrl-C comes."""
    import signal
    import sys

    try:
        from sqlore.interfaces.cli.app import run

        code = run()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: the result stands
    except KeyboardInterrupt:  # before the command began, or just after its end
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.stderr.write("sqlore: interrupted\n")
        code = 130
    raise SystemExit(code)
