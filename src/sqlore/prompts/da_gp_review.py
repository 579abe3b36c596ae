"""The adapted exemplars as a YAML file that people read, edit, approve and reject, by hand or in the app.

An entry with ``approved: true``, or whose SQL or question a person changed, is the person's: it is used as it
stands and not made again. One with ``rejected: true`` is not used, nor made again. All other entries are
written anew by a preparation.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, Literal

import yaml

from sqlore.errors import SourceError, StoreError, UsageError
from sqlore.files import write_whole
from sqlore.prompts.notebook import fingerprint

__all__ = ["Entry", "EntryState", "Review", "review_file"]

EntryState = Literal["waiting", "approved", "rejected", "missing"]
"""``missing``: there is no SQL or no question yet, nobody has said anything of it."""

_HEAD: Final = """\
# Examples that a model adapted to the database {database}, for `--strategy da_gp`.
# Correct `sql` and `question` where they are wrong and set `approved: true`: what is approved or changed is
# used as it stands and not made again. `rejected: true` takes one out for good; `by` and `at` may say who
# decided and when. Where `sql` is empty no sample would do: the example of the other
# database (`source`, `pattern`) stays, until somebody writes one here. `failed` counts samples that failed.
"""
_TEXTS: Final = ("source", "pattern", "sql", "question", "problem", "made", "by", "at")
#: Held while a file is read and written again: the app and a preparation may both be at it.
_WRITING: Final = threading.RLock()


@dataclass(frozen=True, slots=True)
class Entry:
    """One exemplar: `pattern` is the SQL of the database `source` that it was made after.

    `problem` says why a person's SQL is not used. `made` is a hash of what the model gave. `by` and `at` are
    who said something of it last, and when.
    """

    source: str
    pattern: str
    sql: str = ""
    question: str = ""
    approved: bool = False
    failed: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""
    made: str = ""
    rejected: bool = False
    by: str = ""
    at: str = ""

    @property
    def key(self) -> str:
        """What it is an adaptation of."""
        return fingerprint(self.source, self.pattern)

    @property
    def usable(self) -> bool:
        """There is SQL that the database takes, and a question for it."""
        return self.whole and not self.problem and not self.rejected

    @property
    def whole(self) -> bool:
        """There is SQL and a question."""
        return bool(self.sql and self.question)

    @property
    def changed(self) -> bool:
        """A person wrote its SQL or its question."""
        return self.whole and self.made != fingerprint(self.sql, self.question)

    @property
    def settled(self) -> bool:
        """A person approved it, rejected it, or wrote it."""
        return self.rejected or (self.whole and (self.approved or self.changed))

    @property
    def state(self) -> EntryState:
        """What a person said of it."""
        if self.rejected:
            return "rejected"
        return "missing" if not self.whole else "approved" if self.approved else "waiting"

    @property
    def version(self) -> str:
        """Changes with whatever a person can change."""
        return fingerprint(self.sql, self.question, self.state)


def review_file(folder: Path, database: str, dialect: str, url: str) -> Path:
    """The file of a database's exemplars; it outlives another model and a changed schema."""
    plain = re.sub(r"[^\w-]+", "_", database) or "database"
    return folder / f"da_gp-{plain}-{fingerprint(dialect, url)}.yaml"


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
        with _WRITING:
            entries = self.entries()
            before = entries.get(entry.key)
            if before == entry:
                return
            if before is not None and before.settled and before.version != entry.version:
                return
            self._write({**entries, entry.key: entry})

    def decide(
        self,
        key: str,
        state: EntryState,
        *,
        question: str | None = None,
        sql: str | None = None,
        by: str = "",
    ) -> Entry:
        """Keeps what a person says of an entry: approved, rejected or waiting, and other texts for it.

        Whether SQL runs is for the caller to try. Raises UsageError where there is no such entry, or nothing
        to approve.
        """
        with _WRITING:
            entries = self.entries()
            before = entries.get(key)
            if before is None:
                raise UsageError(f"there is no example {key}", hint="was the file changed meanwhile?")
            after = replace(
                before,
                question=before.question if question is None else " ".join(question.split()),
                sql=before.sql if sql is None else sql.strip(),
                approved=state == "approved",
                rejected=state == "rejected",
                problem="",
                by=by,
                at=datetime.now(UTC).isoformat(timespec="seconds"),
            )
            if after.approved and not after.whole:
                raise UsageError("an example needs a question and SQL", hint="write what is missing")
            if after.version == before.version and not before.problem:
                return before
            self._write({**entries, key: after})
        return after

    def _write(self, entries: Mapping[str, Entry]) -> None:
        assert self.path is not None
        text = _HEAD.format(database=self._database) + yaml.safe_dump(
            {"database": self._database, "exemplars": [_written(one) for one in entries.values()]},
            sort_keys=False,
            allow_unicode=True,
            width=110,
        )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, text)
        except OSError as error:
            raise StoreError(f"cannot write the examples: {error.strerror}", where=str(self.path)) from error


def _written(entry: Entry) -> dict[str, Any]:
    shown: dict[str, Any] = {name: getattr(entry, name) for name in ("source", "pattern", "sql", "question")}
    shown["approved"] = entry.approved
    if entry.rejected:
        shown["rejected"] = True
    shown |= {name: getattr(entry, name) for name in ("by", "at", "problem") if getattr(entry, name)}
    if entry.failed:
        shown["failed"] = dict(entry.failed)
    return shown | {"made": entry.made}


def _entry(data: Any, where: str) -> Entry:
    if not isinstance(data, dict):
        raise SourceError("an exemplar is a mapping", where=where)
    unknown = sorted(str(key) for key in data if key not in Entry.__dataclass_fields__)
    if unknown:
        raise SourceError(f"an exemplar has no {unknown[0]!r}", where=where)
    texts: dict[str, Any] = {name: data.get(name) or "" for name in _TEXTS}
    if isinstance(texts["at"], date):  # YAML reads a moment without quotes as one
        texts["at"] = texts["at"].isoformat()
    for name, value in texts.items():
        if not isinstance(value, str):
            raise SourceError(f"{name!r} is a text", where=where, hint="put it in quotes")
    said = {name: data.get(name, False) for name in ("approved", "rejected")}
    for name, value in said.items():
        if not isinstance(value, bool):
            raise SourceError(f"`{name}` is true or false", where=where)
    if all(said.values()):
        raise SourceError("an exemplar is approved or rejected, not both", where=where)
    failed = data.get("failed") or {}
    if not isinstance(failed, dict):
        raise SourceError("`failed` is a mapping", where=where)
    lines = {
        name: " ".join(value.split()) if name == "question" else value.strip()
        for name, value in texts.items()
    }
    return Entry(**lines, failed=failed, approved=said["approved"], rejected=said["rejected"])
