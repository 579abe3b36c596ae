"""The retrievers asked: one database's tasks in every setting, what was handed over, counted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Final

from sqlore.embed import Remembering
from sqlore.errors import UsageError
from sqlore.evals.ground import Ground, Progress, code_of
from sqlore.evals.kept import Done, Kept, names_of
from sqlore.evals.metrics import count
from sqlore.evals.setting import Setting
from sqlore.evals.tasks import Task
from sqlore.retrieve.baselines import Handed, Piece, Pool, make_retriever
from sqlore.retrieve.baselines.base import kind_of_key, skeleton_of_key
from sqlore.retrieve.room import length_in_tokens
from sqlore.retrieve.select import Candidate, cover

__all__ = ["GOLD", "Progress", "oracle", "run"]

_REMEMBERED: Final = 200_000
#: The rooms whose code decides what is retrieved and how it is counted, beside those that learn.
_RETRIEVING: Final = ("retrieve", "evals")
Ask = Callable[[Task, Setting], Handed]
#: The name of the upper bound: what the task needs.
GOLD: Final = "gold"


def run(
    ground: Ground,
    tasks: Sequence[Task],
    settings: Sequence[Setting],
    *,
    relearn: bool = False,
    kept: Kept | None = None,
    on_progress: Progress | None = None,
) -> Iterator[tuple[Setting, Done]]:
    """Runs all settings on one database and yields each task's result.

    With `relearn` the history is learned anew for each task. What `kept` has is not computed again, and what
    is computed is put there. Raises what the retrievers do.
    """
    way = _relearned if relearn else _withheld
    yield from way(ground, tasks, settings, kept, on_progress)


def _withheld(
    ground: Ground,
    tasks: Sequence[Task],
    settings: Sequence[Setting],
    kept: Kept | None,
    on_progress: Progress | None,
) -> Iterator[tuple[Setting, Done]]:
    """Every group of settings on every task, one group after the other."""
    texts = _Texts(ground)
    mark = _mark(ground, relearn=False)
    groups = _groups(settings)
    for number, group in enumerate(groups):
        if on_progress is not None:
            on_progress(ground.database, number, len(groups))
        ask: Ask | None = None
        for task in tasks:
            for setting in group:
                done = kept.get(task, setting, mark) if kept is not None else None
                if done is None:
                    ask = ask or _ready(group[0], ground.pool, task)
                    done = _done(task, setting, ask(task, setting), texts)
                    if kept is not None:
                        kept.add(task, done, mark)
                yield setting, done


def _ready(setting: Setting, pool: Pool, task: Task) -> Ask:
    """What asks in this way, when all that is read and computed once is: that is no question's latency."""
    ask = _asker(setting, pool)
    ask(replace(task, question="?"), setting)
    return ask


def _groups(settings: Sequence[Setting]) -> list[list[Setting]]:
    """Settings that one retriever object gives, asked in turn: the first alone pays for the embedding."""
    found: dict[tuple[Any, ...], list[Setting]] = {}
    for setting in settings:
        same = (setting.retriever, setting.threshold, setting.granularity)
        found.setdefault(same, []).append(setting)
    return list(found.values())


def _relearned(
    ground: Ground,
    tasks: Sequence[Task],
    settings: Sequence[Setting],
    kept: Kept | None,
    on_progress: Progress | None,
) -> Iterator[tuple[Setting, Done]]:
    """Every task with all settings, over a history learned anew without what it withholds."""
    texts = _Texts(ground)
    mark = _mark(ground, relearn=True)
    if ground.pool.embedder is None:
        raise UsageError("learning anew needs an embedding model")
    memory = Remembering(ground.pool.embedder, size=_REMEMBERED)
    for number, task in enumerate(tasks):
        if on_progress is not None:
            on_progress(ground.database, number, len(tasks))
        with ExitStack() as stack:
            pool: Pool | None = None
            for setting in settings:
                done = kept.get(task, setting, mark) if kept is not None else None
                if done is None:
                    pool = pool or stack.enter_context(ground.without(task.exclude, memory))
                    handed = _asker(setting, pool)(task, setting)
                    done = _done(task, setting, handed, texts)
                    if kept is not None:
                        kept.add(task, done, mark)
                yield setting, done


def _mark(ground: Ground, *, relearn: bool) -> str:
    """Differs wherever the results on a database would, for the same task."""
    pool = ground.pool
    model = pool.model.name if pool.model is not None else None
    told = (ground.fingerprint, code_of(_RETRIEVING), model, pool.seed, relearn)
    return hashlib.sha256(repr(told).encode()).hexdigest()


def _done(task: Task, setting: Setting, handed: Handed, texts: _Texts) -> Done:
    """What was handed over for a task, counted."""
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
    return Done(_record(task, setting, handed, texts), counts, handed.milliseconds)


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
    pieces = tuple(Piece(key, skeleton_of_key(key), script) for key, script in held.items())
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
            {"kind": kind_of_key(piece.key), "sql": texts.sql(piece), "script_id": piece.script}
            for piece in handed.fragments
        ],
        "scripts": [script.key for script in handed.scripts],
        "ms": round(sum(handed.milliseconds.values()), 3),
        **names_of(task, setting),
    }
