"""Execution accuracy: every strategy asks every question, and what comes of it is run beside gold.

All questions of one strategy on one database come together, so that a model's prefix cache stays warm. What
is done is kept in the run's folder at once, and is not done again when the run goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlore.embed import Embedder
from sqlore.errors import SourceError, UsageError
from sqlore.evals.execution.arena import (
    Arena,
    Contestant,
    Predictions,
    arena,
    contestant,
)
from sqlore.evals.execution.diff import UNTAKEN
from sqlore.evals.execution.folder import Kept, RunFolder
from sqlore.evals.execution.gold import NOT_ASKED, Gold, check_gold
from sqlore.evals.execution.lines import answer_line, gold_line
from sqlore.evals.execution.names import check_names, code_of, needs_history, read_name, uses_history
from sqlore.evals.execution.places import Places, find_places
from sqlore.evals.execution.plan import ExecutionPlan
from sqlore.evals.execution.predictions import Predicted, read_predictions
from sqlore.evals.execution.tasks import (
    Question,
    described,
    difficulties,
    drawn,
    hinted,
    leave_one_out,
    only_these,
    read_questions,
    unique,
)
from sqlore.evals.ground import GroundPlan, scripts_by_database
from sqlore.model import Script, Usage

if TYPE_CHECKING:
    from sqlore.config import Settings
    from sqlore.llm import ChatModel

__all__ = ["ExecutionRun", "Told"]

Told = Callable[[str, int, int | None], None]
_Key = tuple[str, str, str]
"""Strategy, database, question."""


@dataclass
class ExecutionRun:
    """A run over its plan; `run` does what is not done yet.

    `embedder` is called when a history has to be learned. `told` is given the stage and how much of it is
    done, `say` a line for the person who waits.
    """

    plan: ExecutionPlan
    folder: RunFolder
    model: ChatModel
    settings: Settings
    embedder: Callable[[], Embedder]
    told: Told = lambda stage, done, total: None
    say: Callable[[str], None] = lambda line: None
    questions: list[Question] = field(init=False, default_factory=list)
    places: Places = field(init=False, default_factory=lambda: Places({}, {}, {}))
    _predicted: dict[str, Predicted] = field(init=False, default_factory=dict)
    _done: dict[_Key, dict[str, Any]] = field(init=False, default_factory=dict)
    _golds: dict[tuple[str, str], dict[str, Any]] = field(init=False, default_factory=dict)
    _again: set[tuple[str, str]] = field(init=False, default_factory=set)
    """Questions whose gold did not run in an earlier sitting: it may have been the database's fault."""
    _code: dict[str, str] = field(init=False, default_factory=dict)
    """A hash of the file that somebody's own strategy is in."""

    def run(self) -> None:
        """Asks and scores all that is missing.

        Raises `UsageError`, `ConfigError` and `SourceError` for a plan that cannot be carried out, before
        anything is asked; `ModelUnavailable` where the model cannot be reached, and `ConnectError` where the
        database cannot: what was done is kept.
        """
        self.prepare()
        blind = [name for name in self.plan.strategies if uses_history(name)]
        if blind and not self.plan.history:
            self.say(f"no --history is given: of scripts nothing is shown to {', '.join(blind)}")
        kept = Kept(self.model, self.folder.answers)
        for database, url in self.places.urls.items():
            own = [one for one in self.questions if self.places.database_of(one) == database]
            names = {name for name in self.plan.names if any(self._open(name, database, q) for q in own)}
            if names:
                with self._arena(database, url, kept, names) as place:
                    self._on(place, own, kept)

    def prepare(self) -> None:
        """Reads what is asked and what is done. Raises as `run`, but for the model."""
        self.questions = []
        check_names(self.plan.strategies, self.settings, self.plan.predictions)
        every = self._every_question()
        self._predicted = {
            name: read_predictions(file, every) for name, file in self.plan.predictions.items()
        }
        if self.plan.only:
            every = only_these(every, self.plan.only)
        if self.plan.evidence:
            every = [hinted(one) for one in every]
        self.places = find_places(self.plan.db, [one.database for one in every], self.plan.databases)
        for database in self.places.urls:
            own = [one for one in every if self.places.database_of(one) == database]
            self.questions += drawn(own, self.plan.limit, self.plan.seed)
        results, golds = self.folder.results.read(), self.folder.gold.read()
        self._done = {
            (one["strategy"], one["database"], one["question_id"]): one
            for one in results
            if one["why"] != UNTAKEN
        }
        self._golds = {(one["database"], one["question_id"]): one for one in golds}
        self._again = {key for key, one in self._golds.items() if one["status"] in ("error", "timeout")}
        self._code = {name: code_of(name) for name in self.plan.strategies if read_name(name).foreign}
        self._drop_changed()

    def _drop_changed(self) -> None:
        """What was scored of a prediction, or of somebody's own strategy, that has changed is not done."""
        for name in self.plan.names:
            old = [
                key
                for one in self.questions
                if (key := (name, self.places.database_of(one) or "", one.id)) in self._done
                and self._is_changed(self._done[key], one)
            ]
            for key in old:
                del self._done[key]
            if old:
                self.say(f"{name}: {len(old)} of its answers are others than before: they are scored again")

    def _is_changed(self, line: Mapping[str, Any], task: Question) -> bool:
        name = line["strategy"]
        if name in self._predicted:
            return bool(line["sql"] != self._predicted[name].get((task.database, task.id), ""))
        return bool(line.get("code", self._code.get(name)) != self._code.get(name))

    def lines(self) -> list[dict[str, Any]]:
        """The results so far of what the plan asks: by strategy, then in the order of the questions."""
        asked = [(self.places.database_of(one) or "", one.id) for one in self.questions]
        keys = [(name, *key) for name in self.plan.names for key in asked]
        return [self._done[key] for key in keys if key in self._done]

    def gold(self) -> list[dict[str, Any]]:
        """What was found of each question's own SQL, in their order."""
        keys = [(self.places.database_of(one) or "", one.id) for one in self.questions]
        return [self._golds[key] for key in keys if key in self._golds]

    def usable(self) -> int:
        """The questions that are asked: all but those whose own SQL gives nothing to compare with."""
        return len(self.questions) - sum(line["status"] in NOT_ASKED for line in self.gold())

    def _open(self, name: str, database: str, task: Question) -> bool:
        """Whether this is still to be answered."""
        return (name, database, task.id) not in self._done and self._has_gold(database, task)

    def _has_gold(self, database: str, task: Question) -> bool:
        """Whether there may be an answer to compare with."""
        key = (database, task.id)
        return key in self._again or self._golds.get(key, {}).get("status") not in NOT_ASKED

    def _every_question(self) -> list[Question]:
        plan = self.plan
        scripts: dict[str, list[Script]] = {}
        if plan.history:  # read in any case, so that a path that is wrong is said before all else
            scripts = scripts_by_database(GroundPlan(plan.history, plan.db, dialect=plan.dialect))
        if plan.tasks:
            return unique([one for file in plan.tasks for one in read_questions(file, on_bad=self._bad)])
        if not plan.history:
            raise UsageError(
                "there is nothing to ask", hint="give --tasks FILE, or --history to leave one out"
            )
        every = leave_one_out(scripts, difficulties(plan.history))
        if not every:
            raise UsageError("no script of the history has a question", hint="ask --tasks FILE of it")
        return every

    def _bad(self, error: SourceError) -> None:
        self.say(f"left out: {error.message} ({error.where})")

    def _arena(
        self, database: str, url: str, kept: Kept, names: Collection[str]
    ) -> AbstractContextManager[Arena]:
        """The database, with its history where one that is still to answer looks at it."""
        plan, history = self.plan, None
        files = [Path(file) for file in plan.dictionary]
        if plan.history and any(name in names and needs_history(name) for name in plan.strategies):
            named = len(self.places.urls) > 1 or any(one.database for one in self.questions)
            only = (database,) if named or plan.databases else ()
            history = GroundPlan(plan.history, url, None, files, only, plan.dialect, plan.withhold)
            try:
                scripts_by_database(history)
            except SourceError:
                self.say(f"{database}: the history has no script of it; it is asked without one")
                history = None
        return arena(
            database,
            url,
            history,
            dictionary=files,
            model=kept,
            settings=self.settings,
            embedder=self.embedder,
            on_progress=self.told,
        )

    def _on(self, place: Arena, questions: Sequence[Question], kept: Kept) -> None:
        """All that is missing on one database: gold first, then strategy by strategy."""
        runs_as = place.engine.dialect
        dialect, schema = self.plan.dialect or runs_as, place.catalog.schema
        tasks = described(questions, place.parsed, dialect=dialect, schema=schema, run_as=runs_as)
        golds = self._looked_at(place, tasks)
        for name in self.plan.names:
            left = [task for task in tasks if task.id in golds and self._open(name, place.database, task)]
            if not left:
                continue
            who = self._contestant(name, place, kept)
            for number, task in enumerate(left):
                self.told(f"{place.database} {name}", number, len(left))
                kept.about = {"strategy": name, "database": place.database, "question_id": task.id}
                line = answer_line(who, task, golds[task.id], place, kept)
                if name in self._code:
                    line["code"] = self._code[name]
                self.folder.results.append(line)
                self._done[name, place.database, task.id] = line
            self.told(f"{place.database} {name}", len(left), len(left))
            lines = [self._done[name, place.database, task.id] for task in left]
            self.say(f"{place.database} {name}: {sum(one['correct'] for one in lines)} of {len(left)} right")
            untaken = [one for one in lines if one["why"] == UNTAKEN]
            if untaken:
                self.say(f"  {len(untaken)} of them the model did not take: {untaken[-1]['error']}")

    def _contestant(self, name: str, place: Arena, kept: Kept) -> Contestant:
        """Makes it ready, and notes what that took where the model was asked."""
        if name in self._predicted:
            return Predictions(name, self._predicted[name])
        kept.about = {"strategy": name, "database": place.database, "question_id": ""}
        kept.spent, started = Usage(), time.monotonic()
        made = contestant(name, place)
        if kept.spent.calls:
            line = {"strategy": name, "database": place.database, "seconds": time.monotonic() - started}
            self.folder.prepared.append({**line, "usage": asdict(kept.spent)})
        return made

    def _looked_at(self, place: Arena, tasks: Sequence[Question]) -> dict[str, Gold]:
        """Gold by task id, without that which nothing can be compared with."""
        found = {}
        for number, task in enumerate(tasks):
            self.told(f"{place.database} gold", number, len(tasks))
            key = (place.database, task.id)
            if not self._has_gold(place.database, task):
                continue
            seconds = self.settings.query_timeout
            gold = check_gold(place.engine, task.sql, question=task.question, timeout=seconds)
            self._again.discard(key)
            if self._golds.get(key, {}).get("status") in (None, "error", "timeout"):
                self._golds[key] = gold_line(place.database, task, gold)
                self.folder.gold.append(self._golds[key])
            if gold.status not in NOT_ASKED:
                found[task.id] = gold
        return found
