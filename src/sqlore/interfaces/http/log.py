"""The event log: what was done in the app, in time, for a study's timelines. Off unless it is switched on.

One JSON object a line in ``.sqlore/events.jsonl``; it never leaves this machine by itself.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

from sqlore.errors import StoreError
from sqlore.interfaces.http.jobs import now
from sqlore.interfaces.http.preferences import Preferences

__all__ = ["EventLog", "Phase"]

Phase = Literal["prompting", "structure", "inspection", "refinement", "knowledge", "other"]
"""What an event belongs to; the first four are those of Cerebra's user study (section 6)."""

MOST: Final = 64 * 1024 * 1024
"""Bytes after which nothing more is logged."""


class EventLog:
    """The log of one server."""

    def __init__(
        self,
        file: Path,
        preferences: Preferences,
        baseline_of: Callable[[str], bool | None] = lambda id: None,
    ) -> None:
        """`baseline_of` says how a draft was asked; the switch may have been turned since."""
        self._file, self._preferences, self._baseline_of = file, preferences, baseline_of
        self._lock = threading.Lock()

    def add(self, phase: Phase, action: str, draft: str | None = None, **detail: Any) -> bool:
        """Logs an event, where logging is on; returns whether it was."""
        if not self._preferences.logging:
            return False
        asked = self._baseline_of(draft) if draft is not None else None
        line = json.dumps(
            {
                "time": now(),
                "phase": phase,
                "action": action,
                "draft": draft,
                "baseline": self._preferences.baseline if asked is None else asked,
                **({"detail": detail} if detail else {}),
            },
            ensure_ascii=False,
            default=str,
        )
        with self._lock:
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                if self._file.is_file() and self._file.stat().st_size > MOST:
                    return False
                with self._file.open("a", encoding="utf-8") as out:
                    out.write(line + "\n")
            except OSError as error:
                raise StoreError(f"the event cannot be logged: {error.strerror}") from error
        return True

    def lines(self, draft: str | None = None) -> list[dict[str, Any]]:
        """All events in time, or those of one draft; a line that a killed server left half is passed over."""
        try:
            text = self._file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return []
        found = []
        for line in text.split("\n"):  # JSON leaves other ends of lines in texts as they are
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if draft is None or event.get("draft") == draft:
                found.append(event)
        return found

    def clear(self) -> None:
        """Deletes everything that was logged."""
        with self._lock:
            self._file.unlink(missing_ok=True)
