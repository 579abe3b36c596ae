"""A part of a snapshot answers as a store with those texts alone; large stores are asked through one."""

from __future__ import annotations

import numpy as np
import pytest
from tests.evals_helpers import SCRIPTS, pool

from sqlore.model import ValueMatch
from sqlore.retrieve import Retriever, default_ranker, near
from sqlore.retrieve.near import neighbourhood
from sqlore.retrieve.part import Part
from sqlore.retrieve.signals import Asked, measure
from sqlore.retrieve.snapshot import Snapshot, Use
from sqlore.retrieve.words import stems

QUESTIONS = [str(script.question) for script in SCRIPTS if script.question]


@pytest.fixture(scope="module")
def whole() -> Snapshot:
    return pool().snapshot


def alone(whole: Snapshot, rows: list[int]) -> Snapshot:
    """A snapshot of these texts, made as if from a store that has no others."""
    items = sorted({use.item for use in whole.uses if use.text in rows})
    uses = [
        Use(rows.index(use.text), items.index(use.item), use.literals)
        for use in whole.uses
        if use.text in rows
    ]
    return Snapshot(
        [whole.items[item] for item in items],
        [whole.texts[row] for row in rows],
        uses,
        whole.item_vectors[items],
        whole.text_vectors[rows],
        frozenset(place for place, row in enumerate(rows) if row in whole.undeliverable),
    )


def part_of(whole: Snapshot, rows: list[int]) -> Part:
    return Part(whole, np.asarray(rows, dtype=np.int32), np.ones(len(whole.texts), dtype=np.bool_))


def everything(snapshot: Snapshot) -> np.ndarray:
    return np.ones(len(snapshot.texts), dtype=np.bool_)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_part_scores_as_a_store_of_its_texts_alone(whole: Snapshot, step: int) -> None:
    rows = list(range(0, len(whole.texts), step))
    part, apart = part_of(whole, rows), alone(whole, rows)
    assert [item.id for item in part.items] == [item.id for item in apart.items]
    assert len(part.items) < len(whole.items) or step == 1
    ranker = default_ranker()
    for question in QUESTIONS:
        vector = whole.text_vectors[QUESTIONS.index(question) % len(whole.texts)]
        asked, expected = (Asked(question, one, everything(one), vector=vector) for one in (part, apart))
        assert np.allclose(measure(asked), measure(expected), atol=1e-6)
        for got, wanted in zip(ranker.rank(asked), ranker.rank(expected), strict=True):
            assert np.allclose(got, wanted, atol=1e-5)


def test_a_part_knows_its_texts_and_uses(whole: Snapshot) -> None:
    rows = list(range(1, len(whole.texts), 2))
    part, apart = part_of(whole, rows), alone(whole, rows)
    assert sorted(part.uses, key=repr) == sorted(apart.uses, key=repr)
    assert part.undeliverable == apart.undeliverable
    assert part.literals_of == apart.literals_of
    assert np.array_equal(part.item_vectors, apart.item_vectors)
    assert [part.items_of_text[row] for row in range(len(rows))] == [
        apart.items_of_text[row] for row in range(len(rows))
    ]
    for question in QUESTIONS:
        assert part.literal_uses(question) == apart.literal_uses(question)
        words = frozenset(stems(question))
        assert part.asking(words).tolist() == apart.asking(words).tolist()


def test_small_stores_are_looked_at_whole(whole: Snapshot) -> None:
    found, _ = neighbourhood(whole, QUESTIONS[0], everything(whole), nearest=2)
    assert found is whole


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "ENOUGH", 3)


@pytest.mark.usefixtures("limited")
def test_the_same_question_and_a_value_of_it_are_near(whole: Snapshot) -> None:
    for row, text in enumerate(whole.texts):
        found, _ = neighbourhood(whole, text.words, everything(whole), nearest=1)
        assert isinstance(found, Part)
        assert found.texts[0].words == text.words
        column = next((name for item in whole.items_of_text[row] for name in whole.items[item].columns), None)
        if column:
            table, _, name = column.rpartition(".")
            match = ValueMatch(table, name, "x", "x", 0, 1, 0.9)
            found, _ = neighbourhood(whole, "zzz", everything(whole), values=[match], nearest=1)
            assert any(column in item.columns for item in found.items)


@pytest.mark.usefixtures("limited")
def test_withheld_texts_are_in_no_neighbourhood(whole: Snapshot) -> None:
    alive = everything(whole)
    alive[::2] = False
    found, usable = neighbourhood(whole, QUESTIONS[0], alive, nearest=len(whole.texts) - 1)
    assert isinstance(found, Part)
    assert found.text_rows.tolist() == np.flatnonzero(alive).tolist()
    assert usable.all()


@pytest.mark.parametrize("exclude", [frozenset(), frozenset({1, 2})])
def test_items_are_handed_over_as_the_whole_store_knows_them(
    monkeypatch: pytest.MonkeyPatch, exclude: frozenset[int]
) -> None:
    history = pool()
    retriever = Retriever(history.store, history.embedder, history.catalog)
    expected = {one.item.id: one.item for one in retriever.rank(QUESTIONS[0], limit=400, exclude=exclude)}
    monkeypatch.setattr(near, "ENOUGH", 3)
    monkeypatch.setattr(near, "NEAREST", 3)
    found = retriever.rank(QUESTIONS[0], limit=400, exclude=exclude)
    assert 0 < len(found) < len(expected)
    for one in found:
        assert one.item == expected[one.item.id]
