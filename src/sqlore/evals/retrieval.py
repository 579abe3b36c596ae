"""The comparison: every retriever on every task, counted."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlore.embed import Remembering
from sqlore.errors import UsageError
from sqlore.evals.gold import GoldReader
from sqlore.evals.ground import Ground
from sqlore.evals.metrics import Counts, Scores, count
from sqlore.evals.setting import Setting
from sqlore.evals.tasks import RawTask, Task, leave_one_out, tasks_of
from sqlore.retrieve.baselines import Handed, Piece, Pool, make_retriever
from sqlore.retrieve.room import length_in_tokens
from sqlore.retrieve.select import Candidate, cover

__all__ = ["GOLD", "Comparison", "Result", "compare", "oracle"]

_REMEMBERED: Final = 200_000
Progress = Callable[[str, int, int | None], None]
Sink = Callable[[Mapping[str, Any]], None]
Ask = Callable[[Task, Setting], Handed]
#: The name of the upper bound: what the task needs.
GOLD: Final = "gold"


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
    """(question id, gold key) of the gold that no fragment of the history has."""
    cost: dict[str, float] = field(default_factory=dict)
    """Milliseconds by stage and bytes that learning a script took, on average."""

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
    limit: int | None = None,
    seed: int = 0,
    relearn: bool = False,
    sink: Sink | None = None,
    on_progress: Progress | None = None,
) -> Comparison:
    """Runs every setting on every task: those of `raw`, or leave-one-out where it is None.

    `limit` draws so many tasks a database (seeded). With `relearn` the history is learned anew for each
    task without the scripts withheld, in place of leaving them out at retrieval; latency means nothing then.
    `sink` is given a record a task and setting, as `--predictions` writes it. Raises what the retrievers do.
    """
    comparison = Comparison([Result(setting) for setting in settings])
    wanted = {task.database.lower() for task in raw} if raw is not None else None
    costs: list[tuple[int, Mapping[str, float]]] = []
    for ground in grounds:
        if wanted is not None and ground.database.lower() not in wanted:
            continue
        tasks = _drawn(_tasks(ground, raw), limit, seed)
        comparison.tasks[ground.database] = len(tasks)
        comparison.scripts[ground.database] = len(ground.history.parsed)
        comparison.gold += sum(len(task.gold) for task in tasks)
        comparison.unmatched += [(task.question_id, key) for task in tasks for key in task.unmatched]
        costs.append((len(ground.history.parsed), ground.cost))
        run = _run_relearned if relearn else _run
        for record in run(ground, tasks, comparison.results, on_progress):
            if sink is not None:
                sink(record)
    comparison.cost = _mean(costs)
    return comparison


def _tasks(ground: Ground, raw: Sequence[RawTask] | None) -> list[Task]:
    if raw is None:
        return leave_one_out(ground.history, questions=ground.questions)
    catalog = ground.pool.catalog
    reader = GoldReader(ground.history.parsed, ground.dialect, catalog.schema if catalog else None)
    return tasks_of(raw, ground.history, reader)


def _drawn(tasks: list[Task], limit: int | None, seed: int) -> list[Task]:
    if limit is None or limit >= len(tasks):
        return tasks
    chosen = set(random.Random(seed).sample(range(len(tasks)), limit))
    return [task for number, task in enumerate(tasks) if number in chosen]


def _run(
    ground: Ground, tasks: Sequence[Task], results: Sequence[Result], on_progress: Progress | None
) -> Iterator[dict[str, Any]]:
    """Runs all settings on one database, counts, and yields the record of each task."""
    texts = _Texts(ground)
    groups = _groups(results)
    for number, group in enumerate(groups):
        if on_progress is not None:
            on_progress(ground.database, number, len(groups))
        ask = _asker(group[0].setting, ground.pool)
        if tasks:  # what is read and computed once is not the first question's latency
            ask(replace(tasks[0], question="?"), group[0].setting)
        for task in tasks:
            for result in group:
                handed = ask(task, result.setting)
                _add(result, ground.database, task, handed)
                yield _record(task, result.setting, handed, texts)


def _groups(results: Sequence[Result]) -> list[list[Result]]:
    """Results that one retriever object gives, asked in turn: the first alone pays for the embedding."""
    found: dict[tuple[Any, ...], list[Result]] = {}
    for result in results:
        setting = result.setting
        same = (setting.retriever, setting.threshold, setting.granularity)
        found.setdefault(same, []).append(result)
    return list(found.values())


def _run_relearned(
    ground: Ground, tasks: Sequence[Task], results: Sequence[Result], on_progress: Progress | None
) -> Iterator[dict[str, Any]]:
    """As `_run`, with a history learned anew for each task."""
    texts = _Texts(ground)
    if ground.pool.embedder is None:
        raise UsageError("learning anew needs an embedding model")
    memory = Remembering(ground.pool.embedder, size=_REMEMBERED)
    for number, task in enumerate(tasks):
        if on_progress is not None:
            on_progress(ground.database, number, len(tasks))
        with ground.without(task.exclude, memory) as pool:
            for result in results:
                handed = _asker(result.setting, pool)(task, result.setting)
                _add(result, ground.database, task, handed)
                yield _record(task, result.setting, handed, texts)


def _add(result: Result, database: str, task: Task, handed: Handed) -> None:
    """Counts what was handed over for a task."""
    counts = count(
        task.gold,
        [piece.key for piece in handed.fragments],
        ranking=handed.ranking,
        scores=handed.scores,
        probable=handed.probabilities,
        scripts=[script.fragments for script in handed.scripts],
        tokens=handed.tokens,
        milliseconds=sum(handed.milliseconds.values()),
    )
    result.by_database[database].append(counts)
    for stage, milliseconds in handed.milliseconds.items():
        result.stages[stage] += milliseconds


def _asker(setting: Setting, pool: Pool) -> Ask:
    """What asks a task in a way like `setting`: the retriever of that name, or gold, which sees the task."""
    if setting.retriever == GOLD:
        return lambda task, own: oracle(pool, task, shots=own.shots, budget=own.budget)
    retriever = make_retriever(
        setting.retriever, pool, threshold=setting.threshold, granularity=setting.granularity
    )
    return lambda task, own: retriever.retrieve(
        task.question, task.exclude, shots=own.shots, budget=own.budget
    )


def oracle(pool: Pool, task: Task, *, shots: int | None = None, budget: int | None = None) -> Handed:
    """`gold`: exactly what the task needs; with shots or a budget, as much of it as so many scripts hold."""
    snapshot = pool.snapshot
    alive = snapshot.alive(task.exclude)
    rows = {pool.keys[item]: item for item in range(len(pool.keys)) if pool.keys[item] in task.gold}
    candidates = [
        Candidate(row, frozenset(snapshot.items_of_text[row]), length_in_tokens(text))
        for row, text in enumerate(snapshot.texts)
        if alive[row] and not set(snapshot.items_of_text[row]).isdisjoint(rows.values())
    ]
    worth = dict.fromkeys(rows.values(), 1.0)
    most, room = len(rows) if shots is None else shots, 10**9 if budget is None else budget
    taken = [candidate.id for candidate in cover(worth, candidates, most=most, budget=room)]
    scripts = tuple(pool.shown(row) for row in taken)
    held = {key: script.key for script in reversed(scripts) for key in script.fragments if key in rows}
    pieces = tuple(Piece(key, key.partition(": ")[2], script) for key, script in held.items())
    return Handed(pieces, scripts, tuple(held), tokens=sum(script.tokens for script in scripts))


class _Texts:
    """The text of a fragment as a script has it, aliases resolved, values in place."""

    def __init__(self, ground: Ground) -> None:
        self._of = {
            (one.script.key, fragment.key): fragment.canonical
            for one in ground.history.parsed
            for fragment in reversed(one.fragments)
        }

    def sql(self, piece: Piece) -> str:
        return self._of.get((piece.script, piece.key), piece.sql)


def _record(task: Task, setting: Setting, handed: Handed, texts: _Texts) -> dict[str, Any]:
    """A line of the predictions file."""
    return {
        "question_id": task.question_id,
        "retriever": setting.retriever,
        "fragments": [
            {"kind": piece.key.partition(": ")[0], "sql": texts.sql(piece), "script_id": piece.script}
            for piece in handed.fragments
        ],
        "scripts": [script.key for script in handed.scripts],
        "ms": round(sum(handed.milliseconds.values()), 3),
        "db_id": task.database,
        "shots": setting.shots if setting.shots is not None else "dynamic",
        "threshold": setting.threshold,
        "granularity": setting.granularity,
        "budget": setting.budget,
    }


def _mean(costs: Sequence[tuple[int, Mapping[str, float]]]) -> dict[str, float]:
    """The mean over all scripts."""
    whole = max(1, sum(number for number, _ in costs))
    stages = {stage for _, cost in costs for stage in cost}
    return {s: sum(n * cost.get(s, 0.0) for n, cost in costs) / whole for s in sorted(stages)}
