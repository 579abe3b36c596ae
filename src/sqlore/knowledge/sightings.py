"""Telling texts apart while they are read: what was seen, how often, where, by whom and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from sqlore.history.comments import leading_comment, read_comment
from sqlore.knowledge.records import Sighting, rejected_hash, script_hash
from sqlore.model import ParsedScript, Rejected, Script

__all__ = ["Seen", "clean", "hash_of"]

_TEXTS: Final = ("sql", "key", "question", "comment", "evidence", "author", "time", "source")


class Seen:
    """How often each text was seen in each source, by whom and when, in this run."""

    def __init__(self) -> None:
        self.stored: set[int] = set()
        self.fresh: set[int] = set()  # texts that the store did not know before this run
        self._counts: dict[tuple[int, str, str], Sighting] = {}
        self._waiting: dict[tuple[int, str, str], None] = {}
        self._hashes: set[int] = set()
        self._rejected: set[tuple[int, str]] = set()
        self._poorer: dict[tuple[int, str, str], tuple[tuple[int, str], ...]] = {}
        self._outdone: set[tuple[int, str, str]] = set()

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
        if key not in self._poorer:
            self._poorer[key] = found = _poorer(number, script)
            self._outdone.update((less, key[1], author) for less, author in found)
        first = number not in self._hashes
        self._hashes.add(number)
        return first

    def take(self) -> list[Sighting]:
        """The counts that changed since they were last taken, of texts that are in the store by now."""
        ready = [key for key in self._waiting if key[0] in self.stored]
        for key in ready:
            del self._waiting[key]
        return [
            self._counts[key]._replace(
                poorer=tuple((*less, self._runs(less[0], key[1], less[1])) for less in self._poorer[key]),
                among=key in self._outdone,
            )
            for key in ready
        ]

    def reject(self, outcomes: Iterable[tuple[int, Script]]) -> None:
        """Notes what was not understood; a script without text has another hash then, that of its place."""
        for number, script in outcomes:
            self.stored.add(number)
            self._rejected.add((number, script.source or ""))

    def by_source(self) -> dict[str, set[int]]:
        """The hashes of the texts that each source holds, by its name."""
        found: dict[str, set[int]] = {}
        for number, source in (*((n, s) for n, s, _ in self._counts), *self._rejected):
            found.setdefault(source, set()).add(number)
        return found

    def _runs(self, number: int, source: str, author: str) -> int:
        known = self._counts.get((number, source, author))
        return known.runs if known else 0


def _poorer(number: int, script: Script) -> tuple[tuple[int, str], ...]:
    """The hash and author of readings of a script that say less of it: no question, no author."""
    if not (script.text or script.evidence or script.author):
        return ()
    note = read_comment(leading_comment(script.sql))
    texts = dict.fromkeys((script.text, script.comment, note.question or note.comment, None))
    backgrounds = dict.fromkeys((script.evidence, note.evidence, None))
    bare = replace(script, question=None)
    hashes = [
        script_hash(replace(bare, comment=text, evidence=more)) for text in texts for more in backgrounds
    ]
    people = dict.fromkeys((script.author or "", ""))
    mine = (number, script.author or "")
    return tuple(
        one for one in dict.fromkeys((h, who) for h in (number, *hashes) for who in people) if one != mine
    )


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
