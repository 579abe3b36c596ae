"""What tests share: where the public data sets are, and how a test says that they are absent."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def data_dir(*parts: str) -> Path:
    """The folder of public data sets (`SQLORE_DATA`), or a file in it; skips the test where it is absent."""
    base = Path(os.environ.get("SQLORE_DATA") or ROOT.parent / "shared" / "data")
    path = base.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs the public data sets: {path.name} not found (set SQLORE_DATA to their folder)")
    return path


def one_line(sql: str) -> str:
    """SQL as it was before it was laid out."""
    return " ".join(sql.split())


def heeding_ctrl_c() -> None:
    """For `preexec_fn`: where the tests run in the background of a script Ctrl-C is ignored, by their
    children too; these must not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
