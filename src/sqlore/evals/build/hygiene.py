"""What must not be in a benchmark: tasks that the history answers outright, and tasks that come twice."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from sqlore.errors import SqlError
from sqlore.evals.build.bench import Candidate
from sqlore.evals.execution.tasks import same_sql
from sqlore.model import ParsedScript, Schema
from sqlore.sql import parse_script

__all__ = ["KINDS", "Leak", "alike", "leaks"]

#: What is looked for, and what it means.
KINDS: Final[Mapping[str, str]] = {
    "same_sql": "a script of the history has the same SQL",
    "same_skeleton": "a script of the history is the same but for its values",
    "near_question": "a script of the history has nearly the same question",
    "repeated_sql": "an earlier task has the same SQL",
    "repeated_skeleton": "an earlier task is the same but for its values",
    "repeated_question": "an earlier task has nearly the same question",
}
_NEAR: Final = 0.8
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Leak:
    """One task, what it has in common with what, and how much (1 where it is the same)."""

    task: str
    kind: str
    other: str
    likeness: float = 1.0

    def to_json(self) -> dict[str, str | float]:
        likeness = round(self.likeness, 3)
        return {"question_id": self.task, "kind": self.kind, "other": self.other, "likeness": likeness}


def leaks(
    tasks: Sequence[Candidate],
    scripts: Iterable[ParsedScript],
    dialect: str,
    schema: Schema | None = None,
    *,
    near: float = _NEAR,
) -> list[Leak]:
    """What tasks have in common with scripts of the history, and with tasks before them.

    Of the same SQL neither skeleton nor question is told besides. Tasks whose SQL cannot be read are looked
    at by their text.

    >>> from sqlore.model import Script
    >>> old = parse_script(Script("SELECT name FROM hero WHERE side = 'Bad'", "7", "Who is bad?"), "sqlite")
    >>> task = Candidate("1", "", "Who is good?", "SELECT name FROM hero WHERE side = 'Good'")
    >>> leaks([task], [old], "sqlite")
    [Leak(task='1', kind='same_skeleton', other='7', likeness=1.0)]
    """
    history, before = _Known(), _Known()
    for one in scripts:
        history.add(one.script.key, one.script.sql, one.skeleton, one.script.text or "")
    found = []
    for task in tasks:
        try:
            skeleton = parse_script(task.sql, dialect, schema).skeleton
        except SqlError:
            skeleton = ""
        names = (("same_sql", "same_skeleton", "near_question"), history)
        again = (("repeated_sql", "repeated_skeleton", "repeated_question"), before)
        for kinds, known in (names, again):
            found += known.of(task, skeleton, kinds, near)
        before.add(task.id, task.sql, skeleton, task.question)
    return found


def alike(one: str, other: str) -> float:
    """How much two questions have in common: their shared words and pairs of words, by all of them.

    >>> alike("How many heroes are bad?", "how many heroes are BAD"), alike("Who is bad?", "List the cities.")
    (1.0, 0.0)
    """
    return _overlap(_parts(one), _parts(other))


def _parts(text: str) -> Counter[str]:
    words = _WORD.findall(text.lower())
    return Counter([*words, *map(" ".join, pairwise(words))])


def _overlap(mine: Counter[str], yours: Counter[str]) -> float:
    return (mine & yours).total() / max(1, (mine | yours).total())


class _Known:
    """Texts, skeletons and questions seen so far, by the first that has each."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._skeletons: dict[str, str] = {}
        self._questions: list[tuple[str, Counter[str]]] = []
        self._by_word: dict[str, set[int]] = defaultdict(set)

    def add(self, key: str, sql: str, skeleton: str, question: str) -> None:
        self._texts.setdefault(same_sql(sql), key)
        if skeleton:
            self._skeletons.setdefault(skeleton, key)
        parts = _parts(question)
        for word in parts:
            self._by_word[word].add(len(self._questions))
        self._questions.append((key, parts))

    def of(self, task: Candidate, skeleton: str, kinds: tuple[str, str, str], near: float) -> list[Leak]:
        same = self._texts.get(same_sql(task.sql))
        if same is not None:
            return [Leak(task.id, kinds[0], same)]
        found = []
        if skeleton in self._skeletons:
            found.append(Leak(task.id, kinds[1], self._skeletons[skeleton]))
        parts = _parts(task.question)
        places = {place for word in parts for place in self._by_word.get(word, ())}
        scored = [(_overlap(parts, self._questions[place][1]), -place) for place in places]
        best, place = max(scored, default=(0.0, 0))
        if best >= near:
            found.append(Leak(task.id, kinds[2], self._questions[-place][0], best))
        return found
