"""Benchmarks made by program: recipe after recipe over one history, every task checked before it is kept.

An attempt is decided by the seed and its number alone, so that a build that was killed and goes on gives the
same tasks as one that was not.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlore.errors import UsageError
from sqlore.evals.build.annotate import script_id
from sqlore.evals.build.bench import Bench, Candidate
from sqlore.evals.build.cook import Cook
from sqlore.evals.build.findings import JUDGED, Verdict
from sqlore.evals.build.frame import text_of
from sqlore.evals.build.journal import Journal
from sqlore.evals.build.judge import Judge
from sqlore.evals.build.material import Kit, materials
from sqlore.evals.build.recipes import RECIPES
from sqlore.evals.build.validate import Validator

__all__ = [
    "BuildReport",
    "Progress",
    "build",
    "digest_of",
    "journal_file",
    "report_of",
    "rich_file",
    "sameness",
    "write_tasks",
]

FIRST_ID: Final = 100_000
_PATIENCE: Final = 40  # attempts for each task wanted, after which a history is taken to be exhausted
_FORMAT: Final = 1
#: Findings with which a task that a program made is kept: a program can do better than the others.
_FORGIVEN: Final = frozenset({"length", *JUDGED})

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class BuildReport:
    """What a build gave: tasks kept, attempts by their end, rules that attempts failed, both by recipe.

    Of a model `rounds` are the tasks kept by how often they were mended, `found` the rules that anything it
    wrote failed, mended later or not.
    """

    kept: int
    attempts: int
    ends: Mapping[str, int]
    rules: Mapping[str, int]
    recipes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rounds: Mapping[int, int] = field(default_factory=dict)
    found: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "kept": self.kept,
            "attempts": self.attempts,
            "ends": dict(self.ends),
            "rejected_by_rule": dict(self.rules),
            "recipes": {name: dict(ends) for name, ends in self.recipes.items()},
            **({"kept_by_rounds": dict(self.rounds)} if self.rounds else {}),
            **({"found_by_rule": dict(self.found)} if self.found else {}),
        }


def build(
    bench: Bench,
    count: int,
    out: Path,
    *,
    seed: int = 0,
    judge: Judge | None = None,
    on_progress: Progress | None = None,
) -> BuildReport:
    """Makes tasks until there are `count`, or the history gives no more, and writes them.

    `out` gets BIRD-History's JSON, the file beside it (`rich_file`) the richer annotation, and the journal
    (``.attempts.jsonl``) every attempt with the reason why it was not kept. `judge` is asked of every task
    that the rules pass, and may reject it too. Raises `UsageError` where the
    history has nothing to make tasks of, or the journal is that of another build.
    """
    kit = materials(bench)
    if not kit.materials:
        raise UsageError(
            "the history has too few plain scripts about one table to make tasks of",
            hint="a table needs a primary key, a script that measures its rows, and three that narrow them",
        )
    validator = Validator(bench, judge=judge)
    head = {"format": _FORMAT, "generator": "program", "database": bench.name, "seed": seed}
    head |= {"judge": judge.name} if judge is not None else {}
    with Journal(journal_file(out), {**head, "history": digest_of(bench)}) as journal:
        seen = {sameness(one) for one in journal.attempts if one["end"] == "kept"}
        while len(seen) < count and len(journal.attempts) < _PATIENCE * count:
            attempt = _attempt(kit, validator, seed, len(journal.attempts), seen)
            if attempt["end"] == "kept":
                seen.add(sameness(attempt))
            journal.add(attempt)
            if on_progress is not None:
                on_progress("making tasks", len(seen), count)
        kept = [one for one in journal.attempts if one["end"] == "kept"][:count]
        write_tasks(validator, kept, out)
        return report_of(journal.attempts, len(kept))


def _attempt(kit: Kit, validator: Validator, seed: int, number: int, seen: set[str]) -> dict[str, Any]:
    """One attempt as the journal keeps it: kept, rejected with its findings, repeated, or nothing."""
    names = list(RECIPES)
    recipe = names[number % len(names)]
    rng = random.Random(f"{seed}:{number}")
    material = rng.choices(kit.materials, [one.size for one in kit.materials])[0]
    dish = RECIPES[recipe](Cook(kit, material, rng))
    record: dict[str, Any] = {"attempt": number, "recipe": recipe}
    if dish is None or not 2 <= len(dish.used) <= 6:
        return record | {"end": "nothing"}
    sql = text_of(dish.query, kit.bench.dialect, pretty=True)
    record |= {"question": dish.question, "SQL": sql, "used": [script_id(key) for key in dish.used]}
    if sameness(record) in seen:
        return record | {"end": "repeated"}
    task = Candidate(str(number), kit.bench.name, dish.question, sql, "", dish.used)
    verdict = validator.check(task)
    end = "kept" if _good(verdict) else "rejected"
    return record | {"end": end, "findings": [finding.to_json() for finding in verdict.findings]}


def _good(verdict: Verdict) -> bool:
    return verdict.passed and all(finding.rule in _FORGIVEN for finding in verdict.findings)


def sameness(record: Mapping[str, Any]) -> str:
    """What two attempts at one task have in common, whatever order their conditions stand in."""
    return " ".join(sorted(str(record["SQL"]).lower().split()))


def digest_of(bench: Bench) -> str:
    """Differs wherever the history or the database's content does."""
    texts = "\n".join(f"{one.script.key}\t{one.script.sql}" for one in bench.history.parsed)
    return hashlib.sha256(f"{texts}\n{bench.engine.fingerprint()}".encode()).hexdigest()[:16]


def rich_file(out: Path) -> Path:
    """The file with the richer annotation that belongs to a benchmark file."""
    return out.with_suffix(".rich.json")


def journal_file(out: Path) -> Path:
    """The file with all attempts of a build that belongs to a benchmark file."""
    return out.with_suffix(".attempts.jsonl")


def write_tasks(validator: Validator, kept: Iterable[Mapping[str, Any]], out: Path) -> None:
    """Writes the attempts that were kept: in BIRD-History's form, and with the richer annotation."""
    plain, rich = [], []
    for number, one in enumerate(kept):
        evidence = {"evidence": one["evidence"]} if one.get("evidence") else {}
        annotation = validator.annotator.annotate(one["SQL"])
        task = {
            "question_id": FIRST_ID + number,
            "db_id": validator.bench.name,
            "question": one["question"],
            **evidence,
            "SQL": one["SQL"],
        }
        plain.append({**task, "history_knowledge": annotation.knowledge(), "used": one["used"]})
        rich.append(
            {
                **task,
                "recipe": one["recipe"],
                "attempt": one["attempt"],
                "used": one["used"],
                "knowledge": annotation.rich(),
                "novel": list(annotation.novel),
            }
        )
    for file, records in ((out, plain), (rich_file(out), rich)):
        file.write_text(json.dumps(records, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def report_of(attempts: list[dict[str, Any]], kept: int) -> BuildReport:
    """What the attempts gave."""
    rules: Counter[str] = Counter()
    recipes: dict[str, Counter[str]] = {}
    for one in attempts:
        recipes.setdefault(one["recipe"], Counter())[one["end"]] += 1
        if one["end"] == "rejected":
            rules.update({finding["rule"] for finding in one["findings"]})
    ends = Counter(one["end"] for one in attempts)
    mended = Counter(len(one["rounds"]) - 1 for one in attempts if one["end"] == "kept" and "rounds" in one)
    found = Counter(
        rule
        for one in attempts
        for each in one.get("rounds", ())
        for rule in {finding["rule"] for finding in each["findings"] if finding["severity"] == "major"}
    )
    return BuildReport(
        kept,
        len(attempts),
        ends,
        dict(rules.most_common()),
        recipes,
        dict(sorted(mended.items())),
        dict(found.most_common()),
    )
