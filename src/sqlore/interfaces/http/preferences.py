"""What is set in the app and kept between runs: ``.sqlore/serve.json``.

Only settings that are harmless to change from a page are taken. What decides where data goes (model, key,
database, files) is set where the server is started, and only there.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from sqlore.config import Settings
from sqlore.errors import StoreError, UsageError
from sqlore.files import write_whole

__all__ = ["CHANGEABLE", "Preferences"]

CHANGEABLE: Final = frozenset(
    {
        "row_limit",
        "query_timeout",
        "model_timeout",
        "prompt_tokens",
        "scripts",
        "repairs",
        "samples",
        "second_look",
        "mend_joins",
        "link_values",
        "join_path",
        "narrow_schema",
        "retrieve_filter",
        "reuse",
    }
)
"""Settings that the app may change."""


class Preferences:
    """The file of what was set in the app. Safe to share between threads."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.RLock()
        self._data = self._read()

    def _read(self) -> dict[str, Any]:
        try:
            data = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}  # what cannot be read was never set
        return data if isinstance(data, dict) else {}

    # -------------------------------------------------------------- the app's own switches

    @property
    def baseline(self) -> bool:
        """Whether new questions are answered without knowledge."""
        return bool(self._data.get("baseline", False))

    @property
    def logging(self) -> bool:
        """Whether events are logged; nobody's are unless it was asked for."""
        return bool(self._data.get("logging", False))

    @property
    def user(self) -> str:
        """Who uses the app, where that was said."""
        return str(self._data.get("user", ""))

    def set(self, **facts: bool | str) -> None:
        """Keeps switches of the app."""
        with self._lock:
            self._data |= facts
            self._write()

    # -------------------------------------------------------------- settings of sqlore

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that were changed in the app."""
        given = self._data.get("settings", {})
        return {name: given[name] for name in CHANGEABLE & given.keys()} if isinstance(given, dict) else {}

    def applied(self, settings: Settings) -> Settings:
        """The settings with those of the app; those that cannot be used any more are passed over."""
        for name, value in self.settings.items():
            try:
                settings = _with(settings, {name: value})
            except UsageError:
                continue
        return settings

    def change(self, settings: Settings, changes: dict[str, Any]) -> Settings:
        """The settings with these changes, which are kept. Raises `UsageError` where one cannot be."""
        refused = sorted(set(changes) - CHANGEABLE)
        if refused:
            raise UsageError(
                f"{', '.join(refused)} cannot be changed from here",
                hint="set it where the server is started: an option, SQLORE_… or sqlore.toml",
            )
        changed = _with(settings, changes)
        with self._lock:
            self._data["settings"] = {**self.settings, **changes}
            self._write()
        return changed

    def _write(self) -> None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._file, json.dumps(self._data, indent=1))
        except OSError as error:
            raise StoreError(f"this cannot be kept: {error.strerror}", where=str(self._file)) from error


def _with(settings: Settings, changes: dict[str, Any]) -> Settings:
    """The settings with these changes, checked one by one.

    >>> _with(Settings(), {"row_limit": 5}).row_limit
    5
    """
    probe: dict[str, Any] = {}
    for name, value in changes.items():
        try:
            probe[name] = getattr(Settings(**{name: value}), name)
        except ValidationError as error:
            raise UsageError(f"setting {name!r}: {error.errors()[0]['msg']}") from None
    return settings.model_copy(update=probe)
