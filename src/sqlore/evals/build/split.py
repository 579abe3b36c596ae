"""Train, dev and test of a benchmark, parted by the scripts that tasks are made from, so that nothing leaks.

Two tasks made from one script share its knowledge. Every script therefore belongs to one part alone, together
with those that are the same but for their values or are asked for in nearly the same words; a task is in a
part when all its scripts are, and is left out when they are not. Which scripts go where is searched for: that
as many tasks as can be stay, in the proportions wanted.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from sqlore.errors import UsageError
from sqlore.evals.build.annotate import script_id
from sqlore.evals.build.bench import Bench, Candidate
from sqlore.evals.build.hygiene import alike, leaks
from sqlore.evals.build.noise import write_history
from sqlore.evals.tasks import records_of

__all__ = [
    "PARTS",
    "Split",
    "part_file",
    "split_history",
    "split_tasks",
    "splits_file",
    "write_history_split",
    "write_split",
]

PARTS: Final = ("train", "dev", "test")
_STEPS: Final = 6000
_NEAR: Final = 0.8


@dataclass(frozen=True)
class Split:
    """The part of every script and of every task; None for a task that is left out, with the reason."""

    scripts: Mapping[str, str]
    tasks: Mapping[str, str | None]
    why: Mapping[str, str]

    @property
    def counts(self) -> dict[str, int]:
        """Tasks by part, and those left out."""
        found = Counter(part or "left_out" for part in self.tasks.values())
        return {name: found[name] for name in (*PARTS, "left_out")}


def split_tasks(bench: Bench, tasks: Sequence[Candidate], shares: Sequence[float], *, seed: int = 0) -> Split:
    """Parts tasks into train, dev and test in these shares, which make 1 together.

    Raises `UsageError` for shares that do not, and where a task says nothing of its scripts.
    """
    _check(shares)
    group_of = _groups(bench)
    made = {task.id: _scripts_of(task, group_of) for task in tasks}
    if any(not groups for groups in made.values()):
        raise UsageError("a task does not say which scripts it was made from", hint="`used` in the tasks")
    place = _search(made, sorted(set(group_of.values())), shares, random.Random(seed))
    parts: dict[str, str | None] = {}
    why: dict[str, str] = {}
    for task in tasks:
        found = {place[group] for group in made[task.id]}
        parts[task.id] = PARTS[found.pop()] if len(found) == 1 else None
        if parts[task.id] is None:
            why[task.id] = "its scripts are in several parts"
    _part_alike(bench, tasks, parts, why)
    return Split({key: PARTS[place[group]] for key, group in group_of.items()}, parts, why)


def split_history(bench: Bench, shares: Sequence[float], *, seed: int = 0) -> dict[str, str]:
    """The part of every script, drawn group by group, for tasks that are then made of each part alone.

    Raises `UsageError` as `split_tasks` does.
    """
    _check(shares)
    group_of = _groups(bench)
    sizes = Counter(group_of.values())
    order = random.Random(seed).sample(sorted(sizes), len(sizes))
    order.sort(key=lambda group: -sizes[group])  # large groups first: small ones even it out
    left = [share * len(group_of) for share in shares]
    place = {}
    for group in order:
        part = max(range(len(PARTS)), key=lambda one: left[one])
        left[part] -= sizes[group]
        place[group] = PARTS[part]
    return {key: place[group] for key, group in group_of.items()}


def write_history_split(file: Path, bench: Bench, parts: Mapping[str, str]) -> list[Path]:
    """Writes the scripts of each part to a history of its own, as JSON lines."""
    written = []
    for part in PARTS:
        own = [one.script for one in bench.history.parsed if parts[one.script.key] == part]
        scripts = [replace(one, database=one.database or bench.name) for one in own]
        written += write_history(file.with_suffix(f".{part}.jsonl"), scripts)
    return written


def _check(shares: Sequence[float]) -> None:
    if len(shares) != len(PARTS) or min(shares) < 0 or abs(sum(shares) - 1) > 1e-6:
        raise UsageError("the shares of train, dev and test make 100 per cent together", hint="60,20,20")


def _groups(bench: Bench) -> dict[str, str]:
    """The group of every script, by the first of it: same skeleton, or nearly the same question.

    A script may be like one group by its skeleton and like another by its question: they are one then.
    """
    group: dict[str, str] = {}
    first: dict[str, str] = {}
    asked: list[tuple[str, str]] = []
    place: dict[str, int] = {}

    def head(key: str) -> str:
        while group[key] != key:
            key = group[key]
        return key

    for one in bench.history.parsed:
        key, text = one.script.key, one.script.text or ""
        group[key], place[key] = key, len(place)
        near = [other for other, said in asked if text and alike(text, said) >= _NEAR]
        heads = {head(other) for other in (key, first.setdefault(one.skeleton, key), *near)}
        earliest = min(heads, key=place.__getitem__)
        group.update(dict.fromkeys(heads, earliest))
        if text:
            asked.append((key, text))
    return {key: head(key) for key in group}


def _scripts_of(task: Candidate, group_of: Mapping[str, str]) -> frozenset[str]:
    """The groups of a task's scripts: those it names, else all that hold a piece of it."""
    named = task.used or [key for keys in task.knowledge.values() for key in keys]
    return frozenset(group_of[key] for key in named if key in group_of)


def _search(
    made: Mapping[str, frozenset[str]], groups: Sequence[str], shares: Sequence[float], rng: random.Random
) -> dict[str, int]:
    """The part of every group: a task's groups are drawn together into a part as long as that is better.

    Better is a larger sum of share times the logarithm of the tasks in a part, which is largest where many
    tasks stay and in the proportions wanted.
    """
    largest = max(range(len(shares)), key=lambda part: shares[part])
    place = dict.fromkeys(groups, largest)
    counts = [0] * len(shares)
    counts[largest] = len(made)
    holding: dict[str, list[str]] = defaultdict(list)
    for task, its in made.items():
        for group in its:
            holding[group].append(task)
    names = sorted(made)

    def inside(task: str) -> int | None:
        parts = {place[group] for group in made[task]}
        return parts.pop() if len(parts) == 1 else None

    def worth(found: Sequence[int]) -> float:
        return sum(share * math.log(0.5 + count) for share, count in zip(shares, found, strict=True) if share)

    wanted = [part for part, share in enumerate(shares) if share]
    for step in range(_STEPS if names else 0):
        chosen, part = rng.choice(names), rng.choice(wanted)
        moved = {group: place[group] for group in made[chosen] if place[group] != part}
        touched = {task for group in moved for task in holding[group]}
        after = list(counts)
        for task in touched:
            if (before := inside(task)) is not None:
                after[before] -= 1
        place.update(dict.fromkeys(moved, part))
        for task in touched:
            if (now := inside(task)) is not None:
                after[now] += 1
        # at first a step back is taken now and then, so that the search does not end at the nearest hilltop
        warmth = 0.05 * (1 - step / _STEPS)
        gain = worth(after) - worth(counts)
        if gain >= 0 or rng.random() < math.exp(gain / max(warmth, 1e-9)):
            counts = after
        else:
            place.update(moved)
    return place


def _part_alike(
    bench: Bench, tasks: Sequence[Candidate], parts: dict[str, str | None], why: dict[str, str]
) -> None:
    """Leaves out tasks that are like one of another part: same but for values, or nearly the same question.

    Those of test are looked at first and stay, then those of dev.
    """
    ordered = [one for part in reversed(PARTS) for one in tasks if parts[one.id] == part]
    for leak in leaks(ordered, (), bench.dialect, bench.catalog.schema):
        mine, other = parts[leak.task], parts[leak.other]
        if mine is not None and other is not None and mine != other:
            parts[leak.task] = None
            why[leak.task] = f"{leak.kind} of task {leak.other}, which is in {other}"


def part_file(tasks: Path, part: str) -> Path:
    """The file of one part of a benchmark file."""
    return tasks.with_suffix(f".{part}.json")


def splits_file(tasks: Path) -> Path:
    """The file that says which script and which task is in which part."""
    return tasks.with_suffix(".splits.json")


def write_split(tasks: Path, split: Split, shares: Sequence[float], seed: int) -> list[Path]:
    """Writes a file a part, in the format of the tasks, and one that says where every script and task is."""
    records = list(records_of(tasks))
    written = []
    for part in PARTS:
        own = [
            record
            for number, record in enumerate(records, 1)
            if split.tasks.get(str(record.get("question_id", number))) == part
        ]
        file = part_file(tasks, part)
        file.write_text(json.dumps(own, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        written.append(file)
    told: dict[str, Any] = {
        "file": tasks.name,
        "seed": seed,
        "shares": dict(zip(PARTS, shares, strict=True)),
        "tasks": split.counts,
        "scripts": {
            part: [script_id(key) for key, its in split.scripts.items() if its == part] for part in PARTS
        },
        "left_out": dict(split.why),
    }
    file = splits_file(tasks)
    file.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return [*written, file]
