"""The draft that is worked on, kept in a file between two commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from sqlore.errors import UsageError
from sqlore.files import write_whole

if TYPE_CHECKING:
    from sqlore.answer.refine.history import DraftHistory

__all__ = ["read_draft", "write_draft"]


def write_draft(file: Path, history: DraftHistory) -> None:
    """Keeps a draft with its history; the file is replaced as a whole. Without a folder nothing is kept."""
    if file.parent.is_dir():
        write_whole(file, json.dumps(history.to_json(), ensure_ascii=False))


def read_draft(file: Path) -> DraftHistory | None:
    """The draft that is kept; None where there is none. Raises `UsageError` where the file is damaged."""
    from sqlore.answer.refine.history import DraftHistory

    if not file.is_file():
        return None
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UsageError(
            f"the kept draft cannot be read: {error}",
            where=str(file),
            hint="delete the file, or give the SQL",
        ) from None
    return DraftHistory.from_json(data)
