"""The journal of a build: every attempt, kept or not, a line each, so that a killed build goes on.

The first line says what the attempts were made with; a build with other settings does not go on with them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from sqlore.errors import SourceError, UsageError

__all__ = ["Journal"]


class Journal:
    """The attempts of one build; use it as a context manager.

    Raises `UsageError` where the file is the journal of another build, `SourceError` where it is none.
    """

    def __init__(self, file: Path, head: Mapping[str, Any]) -> None:
        self.file = file
        self.attempts: list[dict[str, Any]] = []
        self._head = dict(head)
        self._lines: IO[str] | None = None

    def __enter__(self) -> Self:
        whole = self._read() if self.file.exists() else 0
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self._lines = self.file.open("r+" if whole else "w", encoding="utf-8")
        if whole:
            self._lines.seek(whole)
            self._lines.truncate()  # half a line of an attempt that was cut off
        else:
            self._write(self._head)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lines is not None:
            self._lines.close()

    def add(self, attempt: Mapping[str, Any]) -> None:
        """Keeps an attempt; it is on disk when this returns."""
        self.attempts.append(dict(attempt))
        self._write(attempt)

    def _write(self, record: Mapping[str, Any]) -> None:
        assert self._lines is not None
        self._lines.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._lines.flush()

    def _read(self) -> int:
        """Reads the attempts of before; the number of bytes of whole lines."""
        raw = self.file.read_bytes()
        whole = raw.rfind(b"\n") + 1
        try:
            lines = raw[:whole].decode("utf-8").split("\n")  # a text may hold other breaks, such as U+2028
            records = [json.loads(line) for line in lines if line.strip()]
        except ValueError as error:
            raise SourceError(f"not a journal of attempts: {error}", where=str(self.file)) from error
        if not records:
            return 0
        if records[0] != self._head:
            changed = sorted(name for name in self._head if records[0].get(name) != self._head[name])
            raise UsageError(
                f"this file was begun with another {', '.join(changed) or 'build'}",
                where=str(self.file),
                hint="give another --out, or remove it to begin anew",
            )
        self.attempts = records[1:]
        return whole
