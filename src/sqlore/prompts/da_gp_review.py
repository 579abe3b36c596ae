"""The adapted exemplars as a YAML file that a person reads, edits and approves.

An entry with ``approved: true``, or whose SQL or question a person changed, is the person's: it is used as it
stands and not made again. All other entries are written anew by a preparation.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from sqlore.errors import SourceError, StoreError
from sqlore.prompts.notebook import fingerprint

__all__ = ["Entry", "Review"]

_HEAD: Final = """\
# Examples that a model adapted to the database {database}, for `--strategy da_gp`.
# Correct `sql` and `question` where they are wrong and set `approved: true`: what is approved or changed is
# used as it stands and not made again. Where `sql` is empty no sample would do: the example of the other
# database (`source`, `pattern`) stays, until somebody writes one here. `failed` counts samples that failed.
"""
_TEXTS: Final = ("source", "pattern", "sql", "question", "problem", "made")


@dataclass(frozen=True, slots=True)
class Entry:
    """One exemplar: `pattern` is the SQL of the database `source` that it was made after.

    `problem` says why a person's SQL is not used. `made` is a hash of what the model gave.
    """

    source: str
    pattern: str
    sql: str = ""
    question: str = ""
    approved: bool = False
    failed: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""
    made: str = ""

    @property
    def key(self) -> str:
        """What it is an adaptation of."""
        return fingerprint(self.source, self.pattern)

    @property
    def usable(self) -> bool:
        """There is SQL that the database takes, and a question for it."""
        return bool(self.sql and self.question) and not self.problem

    @property
    def settled(self) -> bool:
        """A person approved it, or wrote it."""
        whole = bool(self.sql and self.question)
        return whole and (self.approved or self.made != fingerprint(self.sql, self.question))


class Review:
    """The file of one database; without a path nothing is read or written."""

    def __init__(self, path: Path | None, database: str) -> None:
        self.path, self._database = path, database

    def entries(self) -> dict[str, Entry]:
        """The entries by key, in their order. Raises SourceError where the file is not of the form."""
        if self.path is None or not self.path.exists():
            return {}
        where = str(self.path)
        try:
            data = yaml.safe_load(self.path.read_bytes())
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            mark = getattr(error, "problem_mark", None)
            place = f"{where}:{mark.line + 1}" if mark else where
            problem = getattr(error, "problem", None) or str(error)
            raise SourceError(f"not YAML: {problem}", where=place) from error
        listed = data.get("exemplars") if isinstance(data, dict) else None
        if not isinstance(listed, list):
            raise SourceError("it needs `exemplars`, a list", where=where)
        found = [_entry(one, f"{where}: exemplar {number}") for number, one in enumerate(listed, start=1)]
        return {entry.key: entry for entry in found}

    def put(self, entry: Entry) -> None:
        """Writes an entry at once; what a person settled meanwhile stays. Raises StoreError, SourceError."""
        if self.path is None:
            return
        entries = self.entries()
        before = entries.get(entry.key)
        if before == entry:
            return
        if before is not None and before.settled and not _same(before, entry):
            return
        entries[entry.key] = entry
        text = _HEAD.format(database=self._database) + yaml.safe_dump(
            {"database": self._database, "exemplars": [_written(one) for one in entries.values()]},
            sort_keys=False,
            allow_unicode=True,
            width=110,
        )
        part = self.path.with_suffix(".part")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(text, encoding="utf-8")
            os.replace(part, self.path)
        except OSError as error:
            raise StoreError(f"cannot write the examples: {error.strerror}", where=str(self.path)) from error


def _same(one: Entry, other: Entry) -> bool:
    return (one.sql, one.question) == (other.sql, other.question)


def _written(entry: Entry) -> dict[str, Any]:
    shown: dict[str, Any] = {name: getattr(entry, name) for name in ("source", "pattern", "sql", "question")}
    shown["approved"] = entry.approved
    if entry.problem:
        shown["problem"] = entry.problem
    if entry.failed:
        shown["failed"] = dict(entry.failed)
    return shown | {"made": entry.made}


def _entry(data: Any, where: str) -> Entry:
    if not isinstance(data, dict):
        raise SourceError("an exemplar is a mapping", where=where)
    unknown = sorted(str(key) for key in data if key not in Entry.__dataclass_fields__)
    if unknown:
        raise SourceError(f"an exemplar has no {unknown[0]!r}", where=where)
    texts = {name: data.get(name) or "" for name in _TEXTS}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise SourceError(f"{name!r} is a text", where=where, hint="put it in quotes")
    approved, failed = data.get("approved", False), data.get("failed") or {}
    if not isinstance(approved, bool):
        raise SourceError("`approved` is true or false", where=where)
    if not isinstance(failed, dict):
        raise SourceError("`failed` is a mapping", where=where)
    lines = {
        name: " ".join(value.split()) if name == "question" else value.strip()
        for name, value in texts.items()
    }
    return Entry(**lines, approved=approved, failed=failed)
