"""What words of a question stand for in a history, beside what was found for the question as a whole.

A ranking weighs the whole question: three scripts that say "eligible" where they mean owners are few among
many about accounts. Said by itself, with the reason, that is knowledge all the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from sqlore.model import VAL, GoesWith, KnowledgeItem, Uncovered, ValueMatch
from sqlore.retrieve.association import Going, conditions, holding
from sqlore.retrieve.snapshot import Snapshot
from sqlore.retrieve.words import STOPWORDS, stem

__all__ = ["in_the_question", "spoken"]


def spoken(snapshot: Snapshot, question: str, known: Collection[int] = ()) -> tuple[Uncovered, ...]:
    """The words of `question` that go with a condition of the history, each with these conditions.

    Items whose ids are `known` were found already and are left out.
    """
    alive = np.ones(len(snapshot.texts), dtype=np.bool_)
    common = snapshot.total(alive.astype(np.float32)) / max(1, len(snapshot.texts))
    found, seen = [], set(known)
    for match in re.finditer(r"[^\W\d_]{3,}", question):
        if match[0].lower() in STOPWORDS:
            continue
        rows = holding(snapshot, [stem(match[0].lower())], snapshot.said)
        going = [one for one in conditions(snapshot, rows, common) if snapshot.items[one.item].id not in seen]
        if going:
            items = tuple(_item(snapshot, one) for one in sorted(going, key=lambda one: -one.share))
            seen |= {item.item for item in items}
            found.append(Uncovered(match[0], *match.span(), items))
    return tuple(found)


def in_the_question(item: KnowledgeItem, values: Iterable[ValueMatch]) -> KnowledgeItem:
    """The item as it is shown for a question: with the value that the question names in its column.

    `values` are those found in the question, the best first. An item of several values stays as it is.
    """
    if item.kind != "condition" or item.skeleton.count(VAL) != 1:
        return item
    shown = next((t[0] for t, _ in item.literals if len(t) == 1 and f"'{t[0]}'" in item.sql), None)
    for value in values:
        if shown is not None and f"{value.table}.{value.column}".lower() in item.columns:
            quoted = value.value.replace("'", "''")
            return replace(item, sql=item.sql.replace(f"'{shown}'", f"'{quoted}'"))
    return item


def _item(snapshot: Snapshot, going: Going) -> GoesWith:
    """The item with the values of its texts in place; numbers and texts as they were written."""
    item = snapshot.items[going.item]
    written = item.skeleton
    for value in going.literals:
        plain = value if re.fullmatch(r"-?\d+(?:\.\d+)?", value) else f"'{value}'"
        written = written.replace(VAL, plain, 1)
    scripts = dict.fromkeys(snapshot.texts[row].script for row in going.texts)
    return GoesWith(item.id, item.kind, written, tuple(scripts))
