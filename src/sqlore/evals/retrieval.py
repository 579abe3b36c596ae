"""The comparison: every retriever on every task, counted."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlore.evals.gold import GoldReader
from sqlore.evals.ground import Ground
from sqlore.evals.kept import Done, Kept
from sqlore.evals.metrics import Counts, Scores
from sqlore.evals.retrieval_run import Progress, run
from sqlore.evals.setting import Setting
from sqlore.evals.tasks import Dropped, RawTask, Task, leave_one_out, tasks_of

__all__ = ["Comparison", "Result", "compare", "left_out"]

Sink = Callable[[Mapping[str, Any]], None]


@dataclass
class Result:
    """What one setting did: counts by database, and milliseconds by stage, added up."""

    setting: Setting
    by_database: dict[str, list[Counts]] = field(default_factory=lambda: defaultdict(list))
    stages: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    _scores: Scores = field(default_factory=lambda: Scores([]), init=False, repr=False)

    @property
    def scores(self) -> Scores:
        """The scores over all tasks so far; the same object, with what it has added up, until one more."""
        if len(self._scores.tasks) != sum(map(len, self.by_database.values())):
            self._scores = Scores([counts for tasks in self.by_database.values() for counts in tasks])
        return self._scores

    def of(self, database: str) -> Scores:
        """The scores on one database alone."""
        return Scores(self.by_database.get(database, []))


@dataclass
class Comparison:
    """All results over all tasks, and what the tasks were."""

    results: list[Result]
    tasks: dict[str, int] = field(default_factory=dict)
    scripts: dict[str, int] = field(default_factory=dict)
    gold: int = 0
    unmatched: list[tuple[str, str]] = field(default_factory=list)
    """(question id, gold key) of the gold that could be matched with no fragment of the history."""
    rejected: dict[str, int] = field(default_factory=dict)
    """Scripts by database that could not be read."""
    dropped: list[Dropped] = field(default_factory=list)
    """Scripts or records that make no task."""
    bad: list[str] = field(default_factory=list)
    """Records of the files of tasks that are none, as their errors tell it."""
    without_history: dict[str, int] = field(default_factory=dict)
    """Databases that were wanted and that no script is of, with the number of their tasks."""
    other_databases: dict[str, int] = field(default_factory=dict)
    """Databases of tasks that were not wanted, with the number of their tasks."""
    cost: dict[str, float] = field(default_factory=dict)
    """Milliseconds by stage and bytes that learning a script took, on average."""

    def add(self, setting: Setting, database: str, done: Done) -> None:
        """Counts one task of a database in the result of its setting."""
        result = next(one for one in self.results if one.setting == setting)
        result.by_database[database].append(done.counts)
        for stage, milliseconds in done.stages.items():
            result.stages[stage] += milliseconds

    def result(self, **wanted: Any) -> Result | None:
        """The first result whose setting has these values."""
        for one in self.results:
            if all(getattr(one.setting, name) == value for name, value in wanted.items()):
                return one
        return None


def compare(
    grounds: Iterable[Ground],
    settings: Sequence[Setting],
    *,
    raw: Sequence[RawTask] | None = None,
    databases: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
    relearn: bool = False,
    kept: Kept | None = None,
    sink: Sink | None = None,
    on_progress: Progress | None = None,
) -> Comparison:
    """Runs every setting on every task: those of `raw`, or leave-one-out where it is None.

    `databases` are those that somebody named; without names all are taken, or those of the tasks. `limit`
    draws so many tasks a database (seeded). With `relearn` the history is learned anew for each task without
    the scripts withheld, in place of leaving them out at retrieval; latency means nothing then. What `kept`
    has from before is taken up, and the rest put there. `sink` is given a record a task and setting, as
    `--predictions` writes it. Raises what the retrievers do.
    """
    comparison = Comparison([Result(setting) for setting in settings])
    number = Counter(task.database.lower() for task in raw or ())
    spelled = {name.lower(): name for name in (*(task.database for task in raw or ()), *databases)}
    wanted = {name.lower() for name in databases} or (set(number) if raw is not None else None)
    costs: list[tuple[int, Mapping[str, float]]] = []
    met = set()
    for ground in grounds:
        name = ground.database.lower()
        if wanted is not None and name not in wanted:
            continue
        met.add(name)
        tasks = _drawn(_tasks(ground, raw, comparison), limit, seed)
        _note(comparison, ground, tasks)
        costs.append((len(ground.history.parsed), ground.cost))
        for setting, done in run(
            ground, tasks, settings, relearn=relearn, kept=kept, on_progress=on_progress
        ):
            comparison.add(setting, ground.database, done)
            if sink is not None:
                sink(done.record)
    asked = set(number) | (wanted or set())
    comparison.without_history = {spelled[n]: number[n] for n in sorted((wanted or set()) - met)}
    comparison.other_databases = {spelled[n]: number[n] for n in sorted(asked - (wanted or asked))}
    comparison.cost = _mean(costs)
    return comparison


def _note(comparison: Comparison, ground: Ground, tasks: Sequence[Task]) -> None:
    """Adds what there is to ask on one database."""
    comparison.tasks[ground.database] = len(tasks)
    comparison.scripts[ground.database] = len(ground.history.parsed)
    comparison.rejected[ground.database] = ground.history.rejected
    comparison.gold += sum(len(task.gold) for task in tasks)
    comparison.unmatched += [(task.question_id, key) for task in tasks for key in task.unmatched]


def _tasks(ground: Ground, raw: Sequence[RawTask] | None, comparison: Comparison) -> list[Task]:
    dropped = comparison.dropped.append
    if raw is None:
        return leave_one_out(ground.history, questions=ground.questions, on_dropped=dropped)
    catalog = ground.pool.catalog
    reader = GoldReader(ground.history.parsed, ground.dialect, catalog.schema if catalog else None)
    return tasks_of(raw, ground.history, reader, on_dropped=dropped)


def _drawn(tasks: list[Task], limit: int | None, seed: int) -> list[Task]:
    if limit is None or limit >= len(tasks):
        return tasks
    chosen = set(random.Random(seed).sample(range(len(tasks)), limit))
    return [task for number, task in enumerate(tasks) if number in chosen]


def _mean(costs: Sequence[tuple[int, Mapping[str, float]]]) -> dict[str, float]:
    """The mean over all scripts."""
    whole = max(1, sum(number for number, _ in costs))
    stages = {stage for _, cost in costs for stage in cost}
    return {s: sum(n * cost.get(s, 0.0) for n, cost in costs) / whole for s in sorted(stages)}


def left_out(comparison: Comparison) -> list[str]:
    """What was given and is not asked or not known, a sentence each; empty where nothing is."""
    said = []
    if comparison.dropped:
        reasons = Counter(one.reason for one in comparison.dropped)
        told = "; ".join(f"{number:,}: {reason}" for reason, number in reasons.most_common())
        said.append(f"{len(comparison.dropped):,} make no task ({told}).")
    rejected = sum(comparison.rejected.values())
    if rejected:
        said.append(f"{rejected:,} scripts could not be read.")
    if comparison.bad:
        said.append(f"{len(comparison.bad):,} records of the tasks are none: {comparison.bad[0]}.")
    for name, number in comparison.without_history.items():
        said.append(f"{name}: no script that can be read, {number} tasks not asked.")
    for name, number in comparison.other_databases.items():
        said.append(f"{name}: not named with --database, {number} tasks not asked.")
    return said
