"""What words of a question stand for in a history, beside what was found for the question as a whole.

A ranking weighs the whole question: three scripts that say "eligible" where they mean owners are few among
many about accounts. Said by itself, with the reason, that is knowledge all the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from sqlore.model import VAL, GoesWith, KnowledgeItem, Uncovered, ValueMatch
from sqlore.retrieve.association import Going, conditions, holding, settled
from sqlore.retrieve.plain_words import QUANTITIES, SAYS_NOTHING
from sqlore.retrieve.snapshot import Snapshot
from sqlore.retrieve.words import STOPWORDS, stem
from sqlore.sql.literals import quote_text
from sqlore.sql.placeholders import is_placeholder

__all__ = ["in_the_question", "near_by", "spoken"]

_CLAUSE: Final = re.compile(r"[,;:?!]|\.(?!\d)")
#: "How much" goes with whatever the few questions that said it were about.
_EMPTY: Final = SAYS_NOTHING | QUANTITIES
#: Words to each side of one that may say which value it means.
_NEAR: Final = 3


def spoken(snapshot: Snapshot, question: str, known: Collection[int] = ()) -> tuple[Uncovered, ...]:
    """The words of `question` that go with a condition of the history, each with these conditions.

    Items whose ids are `known` were found already and are left out.
    """
    alive = np.ones(len(snapshot.texts), dtype=np.bool_)
    common = snapshot.total(alive.astype(np.float32)) / max(1, len(snapshot.texts))
    found, seen = [], set(known)
    places = {stem(match[0].lower()): match for match in reversed(list(_words(question)))}
    for match in _words(question):
        word = stem(match[0].lower())
        if not _EMPTY.isdisjoint((word, match[0].lower())):
            continue
        rows = holding(snapshot, [word], snapshot.said)
        near = near_by(question, match.start())
        by_word: dict[str, list[Going]] = {}
        for one in conditions(snapshot, rows, common):
            meant = settled(snapshot, word, one, near, snapshot.said)
            if snapshot.items[one.item].id not in seen and meant.going.literals and meant.word not in _EMPTY:
                by_word.setdefault(meant.word, []).append(meant.going)
        for said, going in by_word.items():
            items = tuple(_item(snapshot, one) for one in sorted(going, key=lambda one: -one.share))
            seen |= {item.item for item in items}
            place = places.get(said, match)
            found.append(Uncovered(place[0], *place.span(), items))
    return tuple(sorted(found, key=lambda one: one.start))


def near_by(question: str, start: int) -> tuple[str, ...]:
    """The stems of the telling words in the clause of a question around `start`, a few to each side.

    >>> near_by("Accounts of 1993 with a statement issued after transaction, by region", 24)
    ('account', 'issu', 'after', 'transaction')
    """
    first = max((m.end() for m in _CLAUSE.finditer(question[:start])), default=0)
    end = _CLAUSE.search(question, start)
    words = list(_words(question[first : end.start() if end else len(question)]))
    at = next((n for n, match in enumerate(words) if first + match.end() > start), 0)
    around = words[max(0, at - _NEAR) : at] + words[at + 1 : at + 1 + _NEAR]
    return tuple(dict.fromkeys(stem(match[0].lower()) for match in around))


def _words(question: str) -> Iterator[re.Match[str]]:
    """The words of a question that may say something."""
    found = re.finditer(r"[^\W\d_]{3,}", question)
    return (match for match in found if match[0].lower() not in STOPWORDS)


def in_the_question(item: KnowledgeItem, values: Iterable[ValueMatch]) -> KnowledgeItem:
    """The item as it is shown for a question: with the value that the question names in its column.

    `values` are those found in the question, the best first. An item of several values stays as it is.
    """
    if item.kind != "condition" or item.skeleton.count(VAL) != 1:
        return item
    shown = next((t[0] for t, _ in item.literals if len(t) == 1 and quote_text(t[0]) in item.sql), None)
    for value in values:
        if shown is not None and f"{value.table}.{value.column}".lower() in item.columns:
            return replace(item, sql=item.sql.replace(quote_text(shown), quote_text(value.value)))
    return item


def _item(snapshot: Snapshot, going: Going) -> GoesWith:
    """The item with the values of its texts in place; numbers and texts as they were written."""
    item = snapshot.items[going.item]
    written = item.skeleton
    for value in going.literals:
        bare = is_placeholder(value) or re.fullmatch(r"-?\d+(?:\.\d+)?", value)
        plain = value if bare else quote_text(value)
        written = written.replace(VAL, plain, 1)
    scripts = dict.fromkeys(snapshot.texts[row].script for row in going.texts)
    return GoesWith(item.id, item.kind, written, tuple(scripts))
