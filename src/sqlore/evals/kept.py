"""Results of a comparison on disk as they come, so that a run that was stopped is taken up again.

They stand in ``FILE.partial`` beside the file of predictions, a JSON line each with its counts. The file of
predictions itself is written when all is done, from these lines, and put in place at once: until then what
stood there before stays.

A line is used again where nothing that its result depends on has changed: history, schema, dictionary,
embedding model, language model, seed, the task with its gold, and the code. Results of a function of the
user's own are computed again, for nobody can tell whether its code has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from sqlore.errors import UsageError
from sqlore.evals.metrics import Counts

if TYPE_CHECKING:
    from sqlore.evals.setting import Setting
    from sqlore.evals.tasks import Task

__all__ = ["Done", "Kept"]

#: What of a record says which result it is.
_NAMES: Final = ("db_id", "question_id", "retriever", "shots", "threshold", "granularity", "budget")


@dataclass(frozen=True, slots=True)
class Done:
    """One task asked of one retriever: the line of the predictions, its counts, milliseconds by stage."""

    record: Mapping[str, Any]
    counts: Counts
    stages: Mapping[str, float]


class Kept:
    """The results of a run, kept for `file`. `taken` counts those of before, `number` all of this run.

    Raises `UsageError` where nothing could be written there.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.partial = file.with_name(f"{file.name}.partial")
        self.taken = 0
        self._lines: dict[tuple[Any, ...], tuple[str, int]] = {}
        self._order: dict[tuple[Any, ...], int] = {}
        self._open: BinaryIO | None = None
        if file.is_dir() or not file.parent.is_dir() or not os.access(file.parent, os.W_OK):
            raise UsageError(f"{file} cannot be written", hint="give a file in a folder that is there")
        if self.partial.exists():
            self._read()

    @property
    def number(self) -> int:
        """How many results this run has so far."""
        return len(self._order)

    def _read(self) -> None:
        """What a run of before has left; a last line that was cut off is taken away."""
        with self.partial.open("rb+") as lines:
            place = 0
            for line in lines:
                try:
                    found = json.loads(line)
                    self._lines[_key(found["record"])] = (found["mark"], place)
                except (ValueError, KeyError, TypeError):
                    break
                place += len(line)
            lines.truncate(place)

    def get(self, task: Task, setting: Setting, mark: str) -> Done | None:
        """The result of before, if it was computed from the same."""
        key = _key(names_of(task, setting))
        known, place = self._lines.get(key, ("", 0))
        if known != _mark(task, mark) or ":" in setting.retriever:
            return None
        found = json.loads(self._at(place))
        self._order[key] = place
        self.taken += 1
        return Done(found["record"], _counts(found["counts"]), found["stages"])

    def add(self, task: Task, done: Done, mark: str) -> None:
        """Writes a result down."""
        line = {
            "record": done.record,
            "mark": _mark(task, mark),
            "counts": _plain(done.counts),
            "stages": dict(done.stages),
        }
        lines = self._file()
        place = lines.seek(0, os.SEEK_END)
        lines.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        lines.flush()
        self._order[_key(done.record)] = place

    def finish(self) -> None:
        """Puts the file of predictions in place and removes the other."""
        whole = self.file.with_name(f"{self.file.name}.{os.getpid()}.tmp")
        with whole.open("w", encoding="utf-8") as out:
            for place in self._order.values():
                print(json.dumps(json.loads(self._at(place))["record"], ensure_ascii=False), file=out)
        whole.replace(self.file)
        self.close()
        self.partial.unlink(missing_ok=True)

    def close(self) -> None:
        """Closes what is open; nothing is lost."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _at(self, place: int) -> bytes:
        lines = self._file()
        lines.seek(place)
        return lines.readline()

    def _file(self) -> BinaryIO:
        if self._open is None:
            self.partial.touch()
            self._open = self.partial.open("rb+")
        return self._open


def names_of(task: Task, setting: Setting) -> dict[str, Any]:
    """What a line of the predictions says about which result it is."""
    return {
        "question_id": task.question_id,
        "retriever": setting.retriever,
        "db_id": task.database,
        "shots": setting.shots if setting.shots is not None else "dynamic",
        "threshold": setting.threshold,
        "granularity": setting.granularity,
        "budget": setting.budget,
    }


def _key(record: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(record[name] for name in _NAMES)


def _mark(task: Task, mark: str) -> str:
    """Differs wherever the task does, or what it is asked of (`mark`)."""
    told = (mark, task.question, sorted(task.gold), sorted(task.exclude))
    return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _plain(counts: Counts) -> dict[str, Any]:
    """The counts as JSON: the scores of a ranking exactly, and as bytes, for there are hundreds."""
    found = {name: value for name, value in asdict(counts).items() if name not in ("said", "was")}
    found["said"] = b64encode(counts.said.astype("<f4").tobytes()).decode()
    found["was"] = b64encode(counts.was.astype(np.uint8).tobytes()).decode()
    return found


def _counts(found: Mapping[str, Any]) -> Counts:
    said = np.frombuffer(b64decode(found["said"]), dtype="<f4").astype(np.float32)
    was = np.frombuffer(b64decode(found["was"]), dtype=np.uint8).astype(np.bool_)
    within = {int(n): number for n, number in found["within"].items()}
    return Counts(**{**found, "within": within, "said": said, "was": was})
