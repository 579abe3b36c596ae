"""Benchmarks made by a model: it is shown dissimilar scripts, makes a task of them, and mends it.

The validator's rules decide; up to three times the model is told what is wrong, then the task is rejected and
the reason kept (BIRD-History, section 3.3.1). Where it repeats itself, it is asked for another task instead.
Every attempt is in the journal, so that a run goes on where it was stopped; which scripts are shown depends
on the seed and the number of the attempt alone.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlore.errors import ModelError, ModelUnavailable, SqlError, SqloreError, UsageError
from sqlore.evals.build.annotate import script_id
from sqlore.evals.build.bench import Bench, Candidate
from sqlore.evals.build.findings import Finding
from sqlore.evals.build.generate import (
    BuildReport,
    Progress,
    digest_of,
    journal_file,
    report_of,
    sameness,
    write_tasks,
)
from sqlore.evals.build.journal import Journal
from sqlore.evals.build.judge import Judge
from sqlore.evals.build.model_prompts import answer_of, beginning_anew, fixing, generating
from sqlore.evals.build.validate import Validator
from sqlore.evals.tasks import scored
from sqlore.model import Message, ParsedScript, Rows

if TYPE_CHECKING:
    from sqlore.llm import ChatModel

__all__ = ["ROUNDS", "Sampler", "build_by_model"]

#: How often a task is mended before it is rejected.
ROUNDS: Final = 3
_FORMAT: Final = 1
_ANSWER: Final = 900  # tokens of an answer at most
_WARMTH: Final = 0.6
_ALIKE: Final = 0.5
_PATIENCE: Final = 4  # attempts for each task wanted, where nobody names a number


class Sampler:
    """Draws scripts that a task could be made of: dissimilar ones, each with a table of another."""

    def __init__(self, bench: Bench) -> None:
        self.scripts = [one for one in bench.history.parsed if one.tables]
        self._pieces = {one.script.key: {f.key for f in scored(one.fragments)} for one in self.scripts}

    def draw(self, rng: random.Random) -> list[ParsedScript]:
        """Two to six scripts; fewer than two where the history has none that fit together."""
        order = rng.sample(self.scripts, len(self.scripts))
        wanted = rng.randint(2, 6)
        found = order[:1]
        for one in order[1:]:
            if len(found) == wanted:
                break
            near = any(set(one.tables) & set(other.tables) for other in found)
            if near and all(self._alike(one, other) <= _ALIKE for other in found):
                found.append(one)
        return found

    def _alike(self, one: ParsedScript, other: ParsedScript) -> float:
        mine, yours = self._pieces[one.script.key], self._pieces[other.script.key]
        return len(mine & yours) / max(1, len(mine | yours))


def build_by_model(
    bench: Bench,
    model: ChatModel,
    count: int,
    out: Path,
    *,
    attempts: int | None = None,
    seed: int = 0,
    rounds: int = ROUNDS,
    judge: Judge | None = None,
    on_progress: Progress | None = None,
) -> BuildReport:
    """Asks for tasks until there are `count`, or so many `attempts` were made, and writes those that pass.

    The files are those of `build`; what a `judge` finds is told to the model like what rules find. Raises
    `UsageError` where the history has no two scripts that fit together or the journal is that of another
    build, `ModelUnavailable` where the model cannot be reached: what was done is kept.
    """
    sampler = Sampler(bench)
    if len(sampler.scripts) < 2:
        raise UsageError("the history has no two scripts about tables", hint="a task is made of two or more")
    most = attempts if attempts is not None else _PATIENCE * count
    maker = _Maker(bench, Validator(bench, judge=judge), model, seed, rounds)
    head = {"format": _FORMAT, "generator": "model", "model": model.name, "database": bench.name}
    head |= {"seed": seed, "rounds": rounds, "history": digest_of(bench)}
    head |= {"judge": judge.name} if judge is not None else {}
    with Journal(journal_file(out), head) as journal:
        seen = {sameness(one) for one in journal.attempts if one["end"] == "kept"}
        while len(seen) < count and len(journal.attempts) < most:
            number = len(journal.attempts)
            if on_progress is not None:
                on_progress("asking for tasks", number, most)
            attempt = maker.attempt(number, sampler.draw(random.Random(f"{seed}:{number}")))
            if attempt["end"] == "kept" and sameness(attempt) in seen:
                attempt["end"] = "repeated"
            if attempt["end"] == "kept":
                seen.add(sameness(attempt))
            journal.add(attempt)
        kept = [one for one in journal.attempts if one["end"] == "kept"][:count]
        write_tasks(maker.validator, kept, out)
        return report_of(journal.attempts, len(kept))


@dataclass(frozen=True)
class _Maker:
    """Makes single attempts."""

    bench: Bench
    validator: Validator
    model: ChatModel
    seed: int
    rounds: int

    def attempt(self, number: int, shown: Sequence[ParsedScript]) -> dict[str, Any]:
        """One attempt as the journal keeps it: every round with its findings, and how it ended."""
        keys = [one.script.key for one in shown]
        record: dict[str, Any] = {"attempt": number, "recipe": "model"}
        record["shown"] = [script_id(key) for key in keys]
        if len(shown) < 2:
            return record | {"end": "nothing"}
        rng = random.Random(f"{self.seed}:{number}:values")
        room = self.model.context - _ANSWER * 2
        first = list(generating(self.bench, shown, rng, self.validator.limits, room=room))
        messages = first
        done: list[dict[str, Any]] = []
        usage = {"calls": 0, "prompt": 0, "completion": 0}
        for turn in range(self.rounds + 1):
            try:
                text = self._asked(messages, 100 * number + turn, usage)
            except ModelUnavailable:
                raise
            except ModelError as error:
                last = done[-1] if done else {}
                return record | last | {"rounds": done, "usage": usage, "end": "failed", "why": error.message}
            said, findings, rows = self._judged(text, number, keys)
            done.append({**said, "findings": [one.to_json() for one in findings]})
            if not any(one.severity == "major" for one in findings):
                return record | done[-1] | {"rounds": done, "usage": usage, "end": "kept"}
            if _stays(done):
                messages = beginning_anew(first, findings)
            else:
                messages = _within([*messages, Message("assistant", text), fixing(findings, rows)], room)
        return record | done[-1] | {"rounds": done, "usage": usage, "end": "rejected"}

    def _asked(self, messages: Sequence[Message], seed: int, usage: dict[str, int]) -> str:
        answer = self.model.chat(
            messages, max_tokens=_ANSWER, temperature=_WARMTH, seed=seed + 10_000 * self.seed
        )
        usage["calls"] += 1
        usage["prompt"] += answer.usage.prompt
        usage["completion"] += answer.usage.completion
        return answer.text

    def _judged(
        self, text: str, number: int, keys: Sequence[str]
    ) -> tuple[dict[str, Any], tuple[Finding, ...], Rows | None]:
        """What an answer says, what is wrong about it, and what its SQL gives."""
        try:
            said = answer_of(text)
        except ValueError as error:
            advice = f"{error}: answer with one JSON object and nothing else"
            return (
                {"question": "", "SQL": "", "answer": text},
                (Finding("answer", "major", "answer", advice),),
                None,
            )
        task = Candidate(str(number), self.bench.name, said["question"], said["sql"], said["evidence"])
        task = replace(task, used=self._used(said, keys))
        record = {"question": task.question, "evidence": task.evidence, "SQL": task.sql}
        record["used"] = [script_id(key) for key in task.used]  # type: ignore[assignment]
        findings = self.validator.check(task).findings
        if len(task.used) < 2:
            advice = "take pieces of at least two of the queries, and say which under used"
            findings = (*findings, Finding("used", "major", "scripts used", advice))
        return record, findings, self._rows(task.sql)

    def _used(self, said: Mapping[str, Any], keys: Sequence[str]) -> tuple[str, ...]:
        """The scripts shown that the task takes from: those that hold a piece of its SQL.

        Where its SQL cannot be read, those that the model names.
        """
        named = [int(one) for one in said["used"] if isinstance(one, int) or str(one).isdecimal()]
        try:
            items = self.validator.annotator.annotate(said["sql"]).items
        except SqlError:
            return tuple(keys[one - 1] for one in dict.fromkeys(named) if 1 <= one <= len(keys))
        holding = {key for item in items for key in item.scripts}
        return tuple(key for key in keys if key in holding)

    def _rows(self, sql: str) -> Rows | None:
        try:
            return self.bench.engine.run(sql, limit=20, timeout=self.validator.limits.seconds)
        except SqloreError:
            return None


def _stays(done: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the last round brought the SQL of the one before: a small model repeats what it sees."""
    last = [" ".join(one["SQL"].split()) for one in done[-2:]]
    return len(last) == 2 and last[0] == last[1]


def _within(messages: list[Message], room: int) -> list[Message]:
    """The messages, without the rounds in the middle where they do not fit: what is asked, the last task and
    what is wrong with it stay."""
    from sqlore.catalog.render import estimate_tokens

    while len(messages) > 4 and sum(estimate_tokens(one.content) for one in messages) > room:
        messages = [*messages[:2], *messages[4:]]
    return messages
