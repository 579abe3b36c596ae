"""Telling texts apart while they are read: what was seen, how often, where, by whom and when."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlore.knowledge.records import Sighting, rejected_hash, script_hash
from sqlore.model import ParsedScript, Rejected, Script

__all__ = ["Seen", "clean", "hash_of"]

_TEXTS: Final = ("sql", "key", "question", "comment", "evidence", "author", "time", "source")


class Seen:
    """How often each text was seen in each source, by whom and when, in this run."""

    def __init__(self) -> None:
        self.stored: set[int] = set()
        self._counts: dict[tuple[int, str, str], Sighting] = {}
        self._waiting: dict[tuple[int, str, str], None] = {}
        self._hashes: set[int] = set()

    def add(self, number: int, script: Script) -> bool:
        """Counts one script; returns whether its text is seen for the first time in this run."""
        key = (number, script.source or "", script.author or "")
        # A time that could not be understood has no order.
        time = script.time if script.time and script.time[:4].isdigit() else None
        known = self._counts.get(key) or Sighting(*key, 0)
        self._counts[key] = known._replace(
            runs=known.runs + max(1, script.runs),
            first=min(filter(None, (known.first, time)), default=None),
            last=max(filter(None, (known.last, time)), default=None),
        )
        self._waiting[key] = None
        first = number not in self._hashes
        self._hashes.add(number)
        return first

    def take(self) -> list[Sighting]:
        """The counts that changed since they were last taken, of texts that are in the store by now."""
        ready = [key for key in self._waiting if key[0] in self.stored]
        for key in ready:
            del self._waiting[key]
        return [self._counts[key] for key in ready]


def clean(one: Script | Rejected) -> Script | Rejected:
    """The script without lone surrogates (a JSON escape may hold one), which no file can keep."""
    script = one.script if isinstance(one, Rejected) else one
    texts = {name: getattr(script, name) for name in _TEXTS}
    try:
        "".join(filter(None, texts.values())).encode()
    except UnicodeEncodeError:
        mended = {name: text and text.encode("utf-8", "replace").decode() for name, text in texts.items()}
        script = replace(script, **mended)
        return replace(one, script=script) if isinstance(one, Rejected) else script
    return one


def hash_of(one: Script | ParsedScript | Rejected) -> int:
    if isinstance(one, Rejected):
        return rejected_hash(one)
    return script_hash(one.script if isinstance(one, ParsedScript) else one)
