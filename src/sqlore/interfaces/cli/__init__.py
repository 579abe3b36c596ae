"""The command line: `sqlore learn`, `ask`, `retrieve`, `knowledge`, `fragments`, `models`, `doctor`, `demo`.

The program itself is :func:`sqlore.interfaces.cli.app.main`; this module only starts it, so that nothing
is imported before it is needed.
"""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Runs the command line; ends the process with its exit code."""
    from sqlore.interfaces.cli.app import run

    raise SystemExit(run())
