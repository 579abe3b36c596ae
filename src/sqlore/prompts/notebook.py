"""What a preparation found, on disk: one JSON line a finding, written at once.

A preparation that is stopped anywhere goes on from its last whole line. The name of the file holds a hash of
everything the findings depend on, so other examples, another schema or another model start a new one.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from sqlore.errors import StoreError

__all__ = ["Notebook", "fingerprint"]


def fingerprint(*parts: object) -> str:
    """A short hash of what a preparation depends on.

    >>> fingerprint("gp", 3000) == fingerprint("gp", 3000), fingerprint("gp", 3000) == fingerprint("gp", 30)
    (True, False)
    """
    return hashlib.sha256(json.dumps(parts, default=repr).encode()).hexdigest()[:16]


class Notebook:
    """Findings by key. Without a folder they are kept in memory alone."""

    def __init__(self, folder: Path | None, name: str, *depends: object) -> None:
        self.path = None if folder is None else folder / f"{name}-{fingerprint(*depends)}.jsonl"
        self._found: dict[str, Any] = {}
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def _read(self, path: Path) -> None:
        raw = path.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        for line in whole.splitlines():
            try:
                key, value = json.loads(line)
            except ValueError:  # a line damaged on disk is a finding to be made again
                continue
            self._found[key] = value
        if len(whole) < len(raw):  # the line that was being written when it was stopped
            with path.open("r+b") as file:
                file.truncate(len(whole))

    def __contains__(self, key: str) -> bool:
        return key in self._found

    def __getitem__(self, key: str) -> Any:
        return self._found[key]

    def __len__(self) -> int:
        return len(self._found)

    def put(self, key: str, value: Any) -> Any:
        """Keeps a finding, a JSON value, and gives it back. Raises StoreError where it cannot be written."""
        self._found[key] = value
        if self.path is not None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([key, value], ensure_ascii=True) + "\n")
            except OSError as error:
                raise StoreError(
                    f"cannot keep what was prepared: {error.strerror}", where=str(self.path)
                ) from error
        return value
