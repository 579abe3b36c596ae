"""Review by people: several annotators, blind to each other, then a discussion, then a senior's decision.

A review is a folder: a file for every annotator, one for what discussions gave, one for what seniors decided
(BIRD-History, section 3.3.2). Who judges opens their own file alone; the others are only read when all of
them are done. Whatever shows a review to people, a terminal or a page, works on these classes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, Self, TypeVar

from sqlore.errors import SourceError, UsageError
from sqlore.evals.build.bench import Candidate
from sqlore.files import write_whole

__all__ = ["CRITERIA", "Edit", "Judgement", "Notes", "Outcome", "ReviewFolder", "digest_of"]

#: What is judged of a task, and the question that an annotator answers.
CRITERIA: Final[Mapping[str, str]] = {
    "consistent": "does the SQL answer exactly this question?",
    "natural": "would a person ask it so?",
    "unique": "is there one right answer only?",
}
_FORMAT: Final = 1
_NAME: Final = re.compile(r"[\w-][\w.-]{0,39}\Z")


@dataclass(frozen=True, slots=True)
class Edit:
    """Another wording or other SQL for a task; None where it stays."""

    question: str | None = None
    sql: str | None = None

    def __bool__(self) -> bool:
        return self.question is not None or self.sql is not None

    def to_json(self) -> dict[str, str]:
        told = {"question": self.question, "SQL": self.sql}
        return {name: text for name, text in told.items() if text is not None}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        return cls(record.get("question"), record.get("SQL"))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one annotator says of one task as it stands; `edit` is what they would make of it."""

    task: str
    digest: str
    answers: Mapping[str, bool]
    comment: str = ""
    edit: Edit = field(default_factory=Edit)
    at: str = ""

    @property
    def valid(self) -> bool:
        """Whether the task can stay as it stands."""
        return all(self.answers[name] for name in CRITERIA)

    def to_json(self) -> dict[str, Any]:
        return _record(self, dict(self.answers))

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        answers = {name: bool(record[name]) for name in CRITERIA}
        return cls(*_named(record), answers, **_rest(record))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a discussion or a senior makes of a task: it stays, it goes, or (None) nobody could agree."""

    task: str
    digest: str
    keep: bool | None
    comment: str = ""
    edit: Edit = field(default_factory=Edit)
    at: str = ""
    by: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return _record(self, {"keep": self.keep}) | {"by": list(self.by)}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        return cls(*_named(record), record["keep"], by=tuple(record.get("by") or ()), **_rest(record))


Note = TypeVar("Note", Judgement, Outcome)


def _record(one: Judgement | Outcome, said: Mapping[str, Any]) -> dict[str, Any]:
    told = {"comment": one.comment, "edit": one.edit.to_json(), "at": one.at}
    return {"question_id": one.task, "digest": one.digest, **said} | {k: v for k, v in told.items() if v}


def _named(record: Mapping[str, Any]) -> tuple[str, str]:
    return str(record["question_id"]), str(record["digest"])


def _rest(record: Mapping[str, Any]) -> dict[str, Any]:
    edit = Edit.of(record.get("edit") or {})
    return {"comment": str(record.get("comment", "")), "edit": edit, "at": str(record.get("at", ""))}


def digest_of(task: Candidate) -> str:
    """Differs wherever a task's question or SQL does: what was said of another one does not count."""
    return hashlib.sha256(f"{task.question}\n{task.sql}".encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _fault(error: Exception) -> str:
    """What is wrong with a file of a review, in plain words."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} in line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "not text in UTF-8"
    if isinstance(error, KeyError):
        return f"an entry, or the file, has no {error.args[0]}"
    return "its tasks are not a list of entries as sqlore writes them"


class Notes(Generic[Note]):
    """A file with what is said of tasks, one entry a task; on disk as soon as it is said."""

    def __init__(self, file: Path, kind: type[Note], tasks: Sequence[Candidate], head: Mapping[str, Any]):
        self.file, self._head = file, dict(head)
        self._kind: type[Note] = kind
        self._tasks = tasks
        self._digests = {task.id: digest_of(task) for task in tasks}
        self._all: dict[str, Note] = self._read() if file.exists() else {}

    def __getitem__(self, task: str) -> Note:
        found = self.get(task)
        if found is None:
            raise KeyError(task)
        return found

    def get(self, task: str) -> Note | None:
        """What is said of a task as it is now; None where nothing is."""
        found = self._all.get(task)
        return found if found is not None and found.digest == self._digests.get(task) else None

    @property
    def missing(self) -> list[Candidate]:
        """The tasks of which nothing is said yet, in their order."""
        return [task for task in self._tasks if self.get(task.id) is None]

    def set(self, note: Note) -> None:
        """Says this of its task, in place of what was said before. Raises `KeyError` for no such task."""
        if self._digests[note.task] != note.digest:
            raise KeyError(note.task)
        self._all[note.task] = note
        self._write()

    def begin(self) -> None:
        """Makes the file, so that others see that somebody is at work."""
        if not self.file.exists():
            self._write()

    def _read(self) -> dict[str, Note]:
        try:
            data = json.loads(self.file.read_text(encoding="utf-8"))
            found = [self._kind.of(record) for record in data["tasks"]]
        except OSError as error:
            raise SourceError(f"cannot be read: {error.strerror}", where=str(self.file)) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SourceError(
                f"not a file of a review: {_fault(error)}",
                where=str(self.file),
                hint="mend it by hand, restore a copy, or move it away: what it says is then asked anew",
            ) from error
        return {one.task: one for one in found}

    def _write(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        data = {"format": _FORMAT, **self._head, "tasks": [one.to_json() for one in self._all.values()]}
        write_whole(self.file, json.dumps(data, ensure_ascii=False, indent=1) + "\n")


class ReviewFolder:
    """The review of some tasks.

    Raises `UsageError` for an annotator's name that is none, `SourceError` for a file that is of no review.
    """

    def __init__(self, path: Path, tasks: Iterable[Candidate]) -> None:
        self.path = path
        self.tasks = list(tasks)
        if len({task.id for task in self.tasks}) < len(self.tasks):
            raise UsageError("the tasks have ids that repeat", hint="give each a question_id of its own")

    def annotator(self, name: str) -> Notes[Judgement]:
        """One annotator's own file; nothing of the others is read."""
        if not _NAME.match(name):
            raise UsageError(f"{name!r} is no name for a file", hint="letters, digits, - and _")
        return Notes(self._folder / f"{name}.json", Judgement, self.tasks, {"annotator": name})

    def annotators(self) -> dict[str, Notes[Judgement]]:
        """The files of all annotators, by name."""
        return {file.stem: self.annotator(file.stem) for file in sorted(self._folder.glob("*.json"))}

    @property
    def discussion(self) -> Notes[Outcome]:
        """What discussions of tasks gave."""
        return Notes(self.path / "discussion.json", Outcome, self.tasks, {})

    @property
    def senior(self) -> Notes[Outcome]:
        """What seniors decided."""
        return Notes(self.path / "senior.json", Outcome, self.tasks, {})

    @property
    def _folder(self) -> Path:
        return self.path / "annotators"
