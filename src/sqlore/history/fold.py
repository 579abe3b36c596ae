"""Exact and near duplicates become one script: those of one skeleton ask the same of the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sqlore.history.placeholders import has_placeholders
from sqlore.model import ParsedScript, Rejected, RejectReason, Script

__all__ = ["Folded", "History", "Variant", "collect", "fold"]


@dataclass(frozen=True, slots=True)
class Variant:
    """One text of a folded script with its literals, as in its `query` fragment.

    `keys` are the keys of all scripts of that very text, question and author, `runs` their runs together.
    """

    script: Script
    literals: tuple[str, ...]
    runs: int
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """One script for all of one skeleton (and one database).

    `parsed` represents them: one with its values before one with placeholders, then one with a question
    before one without, then the newest, then the first.
    `first_seen` and `last_seen` are None where no script says when.
    """

    parsed: ParsedScript
    variants: tuple[Variant, ...]
    runs: int
    authors: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    first_seen: str | None = None
    last_seen: str | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all scripts folded into this one, in their order."""
        return tuple(key for variant in self.variants for key in variant.keys)


@dataclass(frozen=True, slots=True)
class History:
    """A whole history: what was folded, and what was not learned with its reasons."""

    scripts: tuple[Folded, ...]
    rejected: tuple[Rejected, ...] = ()

    @property
    def read(self) -> int:
        """The number of scripts that were read, rejected ones included."""
        return sum(len(folded.keys) for folded in self.scripts) + len(self.rejected)

    @property
    def reasons(self) -> dict[RejectReason, int]:
        """How many were rejected for each reason, most first."""
        return dict(Counter(item.reason for item in self.rejected).most_common())


@dataclass(slots=True)
class _Group:
    best: ParsedScript
    variants: dict[tuple[str | None, ...], Variant] = field(default_factory=dict)
    runs: int = 0
    authors: dict[str, None] = field(default_factory=dict)
    questions: dict[str, None] = field(default_factory=dict)
    times: list[str] = field(default_factory=list)


def fold(parsed: Iterable[ParsedScript | Rejected]) -> list[Folded]:
    """Folds scripts of one skeleton, in the order in which each skeleton is first seen.

    Rejected scripts are passed over; `collect` keeps them.

    >>> one, two = Script("SELECT 1", "a", runs=2), Script("select 2", "b", question="Which?")
    >>> [folded] = fold([ParsedScript(one, (), "select <val>"), ParsedScript(two, (), "select <val>")])
    >>> folded.runs, folded.keys, folded.parsed.script.key
    (3, ('a', 'b'), 'b')
    """
    groups: dict[tuple[str, str], _Group] = {}
    for item in parsed:
        if isinstance(item, ParsedScript):
            key = ((item.script.database or "").lower(), item.skeleton)
            _add(groups.setdefault(key, _Group(item)), item)
    return [_folded(group) for group in groups.values()]


def collect(parsed: Iterable[ParsedScript | Rejected]) -> History:
    """Folds a history and keeps what was rejected."""
    rejected: list[Rejected] = []

    def only_parsed() -> Iterator[ParsedScript]:
        for item in parsed:
            if isinstance(item, Rejected):
                rejected.append(item)
            else:
                yield item

    scripts = fold(only_parsed())
    return History(tuple(scripts), tuple(rejected))


def _add(group: _Group, item: ParsedScript) -> None:
    script = item.script
    if _rank(script) > _rank(group.best.script):
        group.best = item
    group.runs += script.runs
    if script.author:
        group.authors[script.author] = None
    if script.question:
        group.questions[script.question] = None
    if _known_time(script):
        group.times.append(_known_time(script))
    identity = (script.sql, script.question, script.comment, script.author)
    known = group.variants.get(identity)
    if known is None:
        group.variants[identity] = Variant(script, _literals(item), script.runs, (script.key,))
    else:
        newer = script if _rank(script) > _rank(known.script) else known.script
        keys = (*known.keys, script.key)
        group.variants[identity] = Variant(newer, known.literals, known.runs + script.runs, keys)


def _rank(script: Script) -> tuple[bool, bool, str]:
    return not has_placeholders(script.sql), bool(script.question), _known_time(script)


def _known_time(script: Script) -> str:
    """The time where it is ISO 8601: what could not be understood has no order."""
    return script.time if script.time and script.time[:4].isdigit() else ""


def _literals(item: ParsedScript) -> tuple[str, ...]:
    return next((f.literals for f in item.fragments if f.kind == "query"), ())


def _folded(group: _Group) -> Folded:
    return Folded(
        group.best,
        tuple(group.variants.values()),
        group.runs,
        tuple(group.authors),
        tuple(group.questions),
        min(group.times, default=None),
        max(group.times, default=None),
    )
