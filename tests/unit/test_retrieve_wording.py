"""Further examples for words that none shown says: within the budget, without a trace of what is withheld."""

from __future__ import annotations

import numpy as np

from sqlore.model import KnowledgeItem
from sqlore.retrieve.room import Room, length_in_tokens
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import Snapshot, Text, Use, no_vectors
from sqlore.retrieve.wording import saying

ITEMS = tuple(
    KnowledgeItem(n, "condition", "predicate", f"t.{name} = <val>", "", "", "", 1)
    for n, name in enumerate("abcd")
)


def snapshot(*texts: tuple[str, int, int]) -> Snapshot:
    """Texts: their words, the item that each uses, and how many characters its SQL has."""
    rows = [Text(n, n, str(n), words, "x" * size) for n, (words, _, size) in enumerate(texts)]
    uses = [Use(n, item) for n, (_, item, _) in enumerate(texts)]
    return Snapshot(ITEMS, rows, uses, no_vectors(len(ITEMS)), no_vectors(len(rows)))


def said(world: Snapshot, question: str, *, withheld: tuple[str, ...] = (), budget: int = 10**6) -> list[int]:
    asked = Asked(question, world, world.alive(frozenset(withheld)))
    fit = asked.alive * np.full(len(world.texts), 0.5, dtype=np.float32)
    return saying(asked, [], fit, Room(world, budget), most=9)


#: What else is asked there, so that a word of two texts is a rare one.
OTHERS = (("other", 3, 5),) * 12


def test_a_text_too_long_for_the_budget_stands_in_nobody_s_way() -> None:
    """The best text does not fit: the next that says the same is taken, and so is one for another word."""
    world = snapshot(("churn plan", 0, 900), ("churn", 0, 20), ("churn", 0, 20),
                     ("refund", 1, 20), ("refund", 1, 20), *OTHERS)  # fmt: skip
    fit = np.zeros(len(world.texts), dtype=np.float32)
    fit[:5] = (0.9, 0.5, 0.5, 0.5, 0.5)
    asked = Asked("churn and refund", world, world.alive(()))
    room = Room(world, 2 * length_in_tokens(world.texts[1]) + 5)
    taken = saying(asked, [], fit, room, most=9)
    assert sorted(world.texts[row].words for row in taken) == ["churn", "refund"]
    assert room.left >= 0
    assert 0 in saying(asked, [], fit, Room(world, 10**6), most=9)


def test_what_is_withheld_makes_no_word_less_rare() -> None:
    """Withheld or never learned: the same texts in the same order."""
    known = (("churn", 0, 20), ("churn", 0, 20), ("refund", 1, 20), ("refund", 1, 20), *OTHERS)
    more = (("churn", 3, 5),) * 2
    never, whole = snapshot(*known), snapshot(*known, *more)
    out = tuple(str(len(known) + n) for n in range(len(more)))
    assert said(never, "refund and churn") == said(whole, "refund and churn", withheld=out) == [0, 2]


def test_room_is_what_is_left() -> None:
    world = snapshot(("a", 0, 100), ("b", 1, 10))
    long, short = (length_in_tokens(text) for text in world.texts)
    room = Room(world, long + short, [0])
    assert room.left == short
    assert room.fits().tolist() == [False, True]
    assert not room.take(0)
    assert room.take(1)
    assert room.full
