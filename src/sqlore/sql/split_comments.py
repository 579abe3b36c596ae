"""The words of SQL comments without what marks them as comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

__all__ = ["comment_text"]

_RULER: Final = re.compile(r"[-=*#_~+/\s]*")


def comment_text(comments: Iterable[str]) -> str | None:
    """The lines of some comments in a row, markers and rulers stripped; None where nothing is left.

    >>> comment_text(["-- Paid bills", "/* of this\\n * year */"])
    'Paid bills\\nof this\\nyear'
    """
    lines = [line for comment in comments for line in _lines(comment.strip())]
    return "\n".join(lines) or None


def _lines(comment: str) -> Iterator[str]:
    if comment.startswith(("/*", "{#")):
        inside = comment[2:].removesuffix("*/").removesuffix("#}")
        lines = [line.strip().lstrip("*!").strip() for line in inside.split("\n")]
    elif comment.startswith("#"):
        lines = [comment.lstrip("#").strip()]
    else:
        lines = [comment.lstrip("-").strip()]
    for line in lines:
        if not _RULER.fullmatch(line):
            yield line.rstrip("*").rstrip() if comment.startswith("/*") else line
