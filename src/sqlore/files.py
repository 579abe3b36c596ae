"""Files that are written as a whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(file: Path, text: str) -> None:
    """Writes a file in its folder, which is there: whoever is killed meanwhile leaves the one of before.

    Raises `OSError`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "a.txt", "whole")
    ...     [(one.name, one.read_text()) for one in Path(folder).iterdir()]
    [('a.txt', 'whole')]
    """
    fresh = file.with_name(f"{file.name}.{os.getpid()}.new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(file)
