"""How good retrieval and execution are as a history grows, and as noise in it rises.

Tasks, and what they need, are those of the whole clean history at every point, so that what a small history
does not have yet counts as missed. Noise that was made of a script which a task withholds is withheld too.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from sqlore.catalog import load_tables_json
from sqlore.embed import Embedder
from sqlore.engines import Engine, connect
from sqlore.errors import UsageError
from sqlore.evals.build.noise import Noise, Spoiler, noisy, replayed, write_history
from sqlore.evals.execution.places import find_places
from sqlore.evals.gold import GoldReader
from sqlore.evals.ground import Ground, GroundPlan, grounds, scripts_by_database
from sqlore.evals.metrics import Counts, Scores
from sqlore.evals.rates import Rate, ratio
from sqlore.evals.retrieval_run import run
from sqlore.evals.setting import Setting
from sqlore.evals.tasks import RawTask, Task, leave_one_out, tasks_of
from sqlore.model import Schema, Script

__all__ = ["AXES", "Axis", "CurvePlan", "Point", "Variant", "retrieval_curve", "variants"]

Axis = Literal["growth", "noise"]
#: What is varied, and what its shares are of.
AXES: Final[Mapping[Axis, str]] = {
    "growth": "share of the history that is there",
    "noise": "share of the history that is noise",
}
Told = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class CurvePlan:
    """What is measured on: scripts, their database (or a folder of databases, or a `tables.json`), shares."""

    history: tuple[str, ...]
    folder: Path
    db: str | None = None
    schema: Path | None = None
    dictionary: tuple[Path, ...] = ()
    databases: tuple[str, ...] = ()
    dialect: str | None = None
    withhold: bool = False
    growth: tuple[float, ...] = ()
    noise: tuple[float, ...] = ()
    seed: int = 0
    limit: int | None = None

    def on(self, database: str, history: Sequence[str | Path]) -> GroundPlan:
        """One database with this history."""
        url = find_places(self.db, [database]).urls[database] if self.db else None
        return GroundPlan(
            history, url, self.schema, self.dictionary, (database,), self.dialect, self.withhold
        )


@dataclass(frozen=True)
class Variant:
    """One history: its file, how many scripts of each database it has, and which of them are noise."""

    axis: Axis
    share: float
    file: Path
    scripts: Mapping[str, int]
    noise: tuple[Noise, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.axis}-{round(100 * self.share):03}"


@dataclass(frozen=True)
class Point:
    """What one retriever or strategy reaches with one history.

    `rates` by measure; `reachable` is the share of what the tasks need that the history has at all, None
    where nobody has said what they need; `misled` the share of the scripts handed over that are noise.
    """

    variant: Variant
    name: str
    tasks: int
    rates: Mapping[str, Rate]
    reachable: float | None = None
    misled: float | None = None


def variants(plan: CurvePlan) -> list[Variant]:
    """Writes the histories of all shares, with what is noise in them, into the folder of the plan.

    Raises what `scripts_by_database` and `noisy` raise.
    """
    clean = {name: [replace(one, database=name) for one in scripts] for name, scripts in _clean(plan).items()}
    found = [_grown(plan, clean, share) for share in plan.growth]
    if plan.noise:
        spoilers = {}
        for name, scripts in clean.items():
            with _asked(plan, name) as (engine, schema):
                spoiler = Spoiler(scripts, dialect=plan.dialect, schema=schema, engine=engine, seed=plan.seed)
                spoilers[name] = [(share, *noisy(spoiler, share)) for share in plan.noise]
        found += [
            _spoiled(plan, share, {name: made[number][1:] for name, made in spoilers.items()})
            for number, share in enumerate(plan.noise)
        ]
    return found


def _clean(plan: CurvePlan) -> dict[str, list[Script]]:
    wanted = GroundPlan(plan.history, plan.db, plan.schema, databases=plan.databases, dialect=plan.dialect)
    return scripts_by_database(wanted)


def _grown(plan: CurvePlan, clean: Mapping[str, list[Script]], share: float) -> Variant:
    scripts = {name: replayed(own, share) for name, own in clean.items()}
    return _written(plan, "growth", share, scripts, ())


def _spoiled(plan: CurvePlan, share: float, made: Mapping[str, tuple[list[Script], list[Noise]]]) -> Variant:
    scripts = {name: own for name, (own, _) in made.items()}
    return _written(plan, "noise", share, scripts, tuple(n for _, noise in made.values() for n in noise))


def _written(
    plan: CurvePlan, axis: Axis, share: float, scripts: Mapping[str, list[Script]], noise: tuple[Noise, ...]
) -> Variant:
    counts = {name: len(own) for name, own in scripts.items()}
    bare = Variant(axis, share, Path(), counts, noise)
    file = plan.folder / "histories" / f"{bare.name}.jsonl"
    write_history(file, [one for own in scripts.values() for one in own], noise if axis == "noise" else None)
    return replace(bare, file=file)


@contextmanager
def _asked(plan: CurvePlan, database: str) -> Iterator[tuple[Engine | None, Schema | None]]:
    """The database that can say what fails, or its schema alone."""
    place = plan.on(database, ())
    if place.db:
        with connect(place.db) as engine:
            yield engine, engine.schema()
        return
    yield None, load_tables_json(plan.schema).get(database) if plan.schema else None


def retrieval_curve(
    plan: CurvePlan,
    made: Sequence[Variant],
    settings: Sequence[Setting],
    embedder: Embedder,
    *,
    raw: Sequence[RawTask] | None = None,
    told: Told | None = None,
) -> list[Point]:
    """Every setting on the tasks with every history; the tasks are those of `raw`, or leave-one-out.

    Raises what `grounds` and the retrievers raise, `UsageError` where there is no task.
    """
    tasks = {name: _tasks(plan, name, embedder, raw) for name in _clean(plan)}
    if not any(tasks.values()):
        raise UsageError("there is no task", hint="the scripts have no questions, or share nothing")
    points = []
    for number, variant in enumerate(made):
        if told is not None:
            told(variant.axis, number, len(made))
        counts: dict[Setting, list[Counts]] = {setting: [] for setting in settings}
        handed: dict[Setting, list[str]] = {setting: [] for setting in settings}
        there, needed = 0, 0
        for name, own in tasks.items():
            for ground in grounds(plan.on(name, [variant.file]), embedder, seed=plan.seed):
                for setting, done in run(ground, _withholding(own, variant), settings):
                    counts[setting].append(done.counts)
                    handed[setting] += done.record["scripts"]
                there += sum(len(task.gold & ground.history.scripts_of.keys()) for task in own)
                needed += sum(len(task.gold) for task in own)
        for setting, found in counts.items():
            rates = dict(zip(("precision", "recall", "f1"), Scores(found).intervals(), strict=True))
            noise = {one.key for one in variant.noise}
            misled = ratio(sum(key in noise for key in handed[setting]), len(handed[setting]))
            reachable = ratio(there, needed)
            points.append(Point(variant, setting.label, len(found), rates, reachable, misled))
    return points


def _tasks(plan: CurvePlan, database: str, embedder: Embedder, raw: Sequence[RawTask] | None) -> list[Task]:
    """The tasks of one database over its whole clean history."""
    for ground in grounds(plan.on(database, plan.history), embedder, seed=plan.seed):
        tasks = _asked_of(ground, raw)
        if plan.limit is None or plan.limit >= len(tasks):
            return tasks
        chosen = set(random.Random(plan.seed).sample(range(len(tasks)), plan.limit))
        return [task for number, task in enumerate(tasks) if number in chosen]
    return []


def _asked_of(ground: Ground, raw: Sequence[RawTask] | None) -> list[Task]:
    if raw is None:
        return leave_one_out(ground.history, questions=ground.questions)
    catalog = ground.pool.catalog
    reader = GoldReader(ground.history.parsed, ground.dialect, catalog.schema if catalog else None)
    return tasks_of(raw, ground.history, reader)


def _withholding(tasks: Sequence[Task], variant: Variant) -> list[Task]:
    """The tasks, which withhold what was made of the scripts that they withhold."""
    made: dict[str, set[str]] = {}
    for noise in variant.noise:
        made.setdefault(noise.of, set()).add(noise.key)
    return [
        replace(task, exclude=task.exclude.union(*(made.get(key, ()) for key in task.exclude)))
        for task in tasks
    ]
