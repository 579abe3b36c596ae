"""A review of a benchmark as the server holds it: who may see what, and what is kept.

Judgements are blind: until as many annotators as are wanted have judged every task, the server gives nobody
anything that another one said, and from then on it takes no judgement any more (BIRD-History, section 3.3.2).
Names are names and no passwords: who can open the app can say that they are somebody else.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlore.errors import UsageError
from sqlore.evals.build.review import (
    CRITERIA,
    Edit,
    Judgement,
    Notes,
    Outcome,
    ReviewFolder,
    digest_of,
)
from sqlore.evals.build.review_merge import Merged, final_records, merge
from sqlore.evals.build.validate import read_candidates
from sqlore.evals.tasks import records_of
from sqlore.interfaces.http.problems import Conflict, NotFound

if TYPE_CHECKING:
    from sqlore.evals.build.bench import Candidate
    from sqlore.interfaces.http.contract_review import NewDecision, NewJudgement, NewProposal
    from sqlore.interfaces.http.state import Served

__all__ = ["FEWEST", "Reviewing"]

FEWEST: Final = 2
"""Annotators that a review needs at least."""


@dataclass
class Reviewing:
    """The review of one file of tasks, kept in one folder; `history` is for SQL that people change.

    Raises what `read_candidates` raises, and `UsageError` for tasks whose ids repeat.
    """

    file: Path
    reviews: Path
    wanted: int = FEWEST
    history: Sequence[str] = ()
    folder: ReviewFolder = field(init=False)
    lock: threading.RLock = field(init=False, default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.folder = ReviewFolder(self.reviews, read_candidates(self.file))

    # -------------------------------------------------------------- tasks and annotators

    def task(self, number: int) -> Candidate:
        """The task of that number, from 1. Raises `NotFound` where there is none."""
        if not 1 <= number <= len(self.folder.tasks):
            raise NotFound(f"there is no task {number}", hint=f"they go from 1 to {len(self.folder.tasks)}")
        return self.folder.tasks[number - 1]

    def done(self) -> dict[str, int]:
        """How many tasks each annotator has judged."""
        total = len(self.folder.tasks)
        return {name: total - len(notes.missing) for name, notes in self.folder.annotators().items()}

    @property
    def blind(self) -> bool:
        """Whether somebody still judges, so that nobody may see what the others said."""
        done = self.done()
        return len(done) < self.wanted or any(count < len(self.folder.tasks) for count in done.values())

    def need_open(self) -> None:
        """Raises `Conflict` while judgements are blind."""
        if self.blind:
            raise Conflict(
                "the annotators are not done yet",
                hint=f"judgements stay blind until {self.wanted} annotators or more have judged every task",
            )

    def notes(self, name: str) -> Notes[Judgement]:
        """An annotator's own judgements. Raises `NotFound` for a name that has not begun."""
        if name not in self.folder.annotators():
            raise NotFound(f"no annotator is called {name}", hint="POST /api/review/annotators")
        return self.folder.annotator(name)

    def join(self, name: str) -> Notes[Judgement]:
        """Lets somebody begin, or go on. Raises `Conflict` for somebody new where all others are done."""
        with self.lock:
            notes = self.folder.annotator(name)
            if not notes.file.exists():
                if not self.blind:
                    raise Conflict("the annotators are done", hint="what is left is to discuss and to decide")
                notes.begin()
            return notes

    # -------------------------------------------------------------- what people say

    def judge(self, state: Served, name: str, number: int, said: NewJudgement) -> None:
        """Keeps a judgement. Raises `Conflict` where all are done, or the task is another one by now."""
        task = self._current(number, said.digest)
        if set(said.answers) != set(CRITERIA):
            raise UsageError("every criterion wants an answer", hint=", ".join(CRITERIA))
        edit = edit_of(state, task, said.edit)
        with self.lock:
            if not self.blind:
                raise Conflict("the annotators are done", hint="change it in the discussion")
            notes = self.notes(name)
            notes.set(Judgement(task.id, said.digest, said.answers, said.comment, edit, _now()))

    def settle(self, state: Served, notes: str, number: int, said: NewDecision) -> None:
        """Keeps what a ``discussion`` or a ``senior`` makes of a task.

        Raises `Conflict` where it is not their turn: of a discussion where the annotators agree, of a senior
        where no discussion ended without agreement.
        """
        task = self._current(number, said.digest)
        edit = edit_of(state, task, said.edit)
        if notes == "senior" and (said.keep is None or not said.by):
            raise UsageError("a senior decides", hint="keep: true or false; by: your name")
        with self.lock:
            self.need_open()
            one = merge(self.folder, resamples=0).tasks[number - 1]
            talked = self.folder.discussion.get(task.id)
            if one.by == "annotators":
                raise Conflict("the annotators agree on this task")
            if notes == "senior" and (talked is None or talked.keep is not None):
                raise Conflict("a discussion has not left this task open", hint="discuss it first")
            by = tuple(said.by) or tuple(self.folder.annotators())
            made = Outcome(task.id, said.digest, said.keep, said.comment, edit, _now(), by)
            (self.folder.senior if notes == "senior" else self.folder.discussion).set(made)

    def _current(self, number: int, digest: str) -> Candidate:
        task = self.task(number)
        if digest_of(task) != digest:
            raise Conflict("this task is another one by now", hint="look at it again")
        return task

    # -------------------------------------------------------------- what comes of it

    def merged(self) -> Merged:
        """All judgements together. Raises `Conflict` while they are blind."""
        with self.lock:
            self.need_open()
            return merge(self.folder, resamples=0)

    def final(self, state: Served) -> list[dict[str, Any]]:
        """The tasks that stay, with their edits, as `sqlore bench review --report --out` writes them."""
        merged = self.merged()
        records: list[Mapping[str, Any]] = list(records_of(self.file))
        if not self.history or not any(one.state == "kept" and one.edit.sql for one in merged.tasks):
            return final_records(merged, records)
        from sqlore.evals.build.annotate import Annotator
        from sqlore.evals.build.bench import open_bench

        name = next((task.database for task in self.folder.tasks if task.database), None)
        with state.engine() as engine:
            url = engine.url
        with open_bench(self.history, url, database=name) as bench:
            annotator = Annotator(bench.history, bench.dialect, bench.catalog.schema)
            return final_records(merged, records, annotator)


def edit_of(state: Served, task: Candidate, asked: NewProposal) -> Edit:
    """What is proposed, as far as it differs. Raises what a query raises where the SQL does not run."""
    question = asked.question.strip() if asked.question is not None else None
    sql = asked.sql.strip().rstrip(";").rstrip() if asked.sql is not None else None
    if question == "" or sql == "":
        raise UsageError("a task needs a question and SQL", hint="give it up instead: it does not stay")
    if sql is not None and sql != task.sql:
        with state.engine() as engine:
            engine.run(sql, limit=1)
    return Edit(question if question != task.question else None, sql if sql != task.sql else None)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
