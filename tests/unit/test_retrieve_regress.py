"""The regression over a history's questions: its parts against plain computations, what it is good for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlore.embed import Embedder, load_embedder
from sqlore.knowledge import Store, learn
from sqlore.model import Script
from sqlore.retrieve import Learned, Retriever, regress
from sqlore.retrieve.kernels import BLENDS, Kernels, blended
from sqlore.retrieve.postings import Postings, Rarity
from sqlore.retrieve.regress import RIDGE

bags = st.lists(st.lists(st.sampled_from("abcdefghij"), max_size=8), min_size=2, max_size=40)


def cosines_by_hand(rows: list[list[str]], alive: np.ndarray) -> np.ndarray:
    words = sorted({word for row in rows for word in row})
    held = np.asarray([[word in row for word in words] for row in rows], dtype=float)
    holding = held[alive].sum(axis=0)
    weights = np.where(holding > 0, np.log1p(alive.sum() / np.maximum(holding, 1)), 0)
    vectors = held * weights
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return vectors @ vectors.T


@settings(deadline=None)
@given(bags, st.randoms(use_true_random=False))
def test_rarity_is_the_cosine_of_weighted_bags(rows: list[list[str]], random: object) -> None:
    alive = np.asarray([random.random() < 0.8 for _ in rows])  # type: ignore[attr-defined]
    used = np.flatnonzero(alive).astype(np.int32)
    rarity = Rarity(Postings(rows), alive)
    expected = cosines_by_hand(rows, alive)
    assert rarity.gram(used) == pytest.approx(expected[np.ix_(used, used)], abs=1e-5)
    for row in used[:3].tolist():
        assert rarity.cosines(rows[row])[used] == pytest.approx(expected[row][used], abs=1e-5)


HISTORY = [
    (f"SELECT COUNT(*) FROM {table} WHERE {column} = '{value}'", f"How many {table} are {value}?")
    for table, column, values in (
        ("orders", "status", ("paid", "open", "late", "void")),
        ("customers", "country", ("German", "French", "Danish", "Dutch")),
    )
    for value in values
] + [
    ("SELECT name FROM customers ORDER BY name LIMIT 5", "Which five customers come first by name?"),
    ("SELECT id FROM orders ORDER BY total DESC LIMIT 1", "Which is the largest order?"),
]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder()


@pytest.fixture(scope="module")
def retriever(embedder: Embedder) -> Retriever:
    store = Store.create(":memory:")
    scripts = (
        Script(sql, key=str(n), question=said, dialect="sqlite") for n, (sql, said) in enumerate(HISTORY)
    )
    learn(store, scripts, dialect="sqlite", embedder=embedder)
    return Retriever(store, embedder)


def test_weights_solve_the_ridge_regression(retriever: Retriever) -> None:
    asked = retriever.look_up("How many orders are returned?", {"3"})
    ranker = Learned()
    layout = ranker.layout(asked.snapshot)
    found = ranker.regression(layout).weights(asked)
    kernels = Kernels(layout, asked.alive, ranker.model.shape)
    rows = np.flatnonzero(asked.alive).astype(np.int32)
    own = kernels.of(asked, rows, kernels.to_question(asked))
    among = kernels.among(rows, own)
    for name, blend in BLENDS.items():
        matrix = blended(among, blend) + RIDGE * np.eye(len(rows))
        solved = np.linalg.solve(matrix.astype(float), blended(own, blend).astype(float))
        assert found[name][rows] == pytest.approx(solved + (1 - solved.sum()) / len(rows), abs=1e-4)
        assert found[name].sum() == pytest.approx(1, abs=1e-4)
        assert found[name][~asked.alive].tolist() == [0]


def test_what_is_kept_for_the_whole_history_is_what_is_solved(retriever: Retriever) -> None:
    """The inverse, made once, gives what solving anew does; and again the second time."""
    asked = retriever.look_up("How many customers are Swiss?")
    layout = Learned().layout(asked.snapshot)
    shape = Learned().model.shape
    kept = regress.Regression(layout, shape)
    first, second = kept.weights(asked), kept.weights(asked)
    kernels, everything = Kernels(layout, asked.alive, shape), np.arange(len(HISTORY), dtype=np.int32)
    own = kernels.of(asked, everything, kernels.to_question(asked))
    rows, solved = kept._solved(kernels, own, everything)
    for name in BLENDS:
        assert first[name].tolist() == second[name].tolist()
        found = solved[name]
        assert first[name][rows] == pytest.approx(found + (1 - found.sum()) / len(rows), abs=1e-4)


def test_it_says_what_is_needed(retriever: Retriever) -> None:
    asked = retriever.look_up("How many orders are returned?")
    ranker = Learned()
    weights = ranker.regression(ranker.layout(asked.snapshot)).weights(asked)["mix"]
    said = dict(
        zip((item.skeleton for item in asked.snapshot.items), asked.snapshot.total(weights), strict=True)
    )
    assert said["count(*)"] > 0.6
    assert said["orders.status = <val>"] > 0.4
    assert abs(said["customers.country = <val>"]) < 0.3
    assert said["order by orders.total desc limit <val>"] < 0.3


def test_a_large_history_is_regressed_over_the_nearest(
    retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others speak by their mean: each has the same weight."""
    monkeypatch.setattr(regress, "WHOLE", 5)
    monkeypatch.setattr(regress, "LOCAL", 4)
    asked = retriever.look_up("How many orders are returned?")
    ranker = Learned()
    weights = ranker.regression(ranker.layout(asked.snapshot)).weights(asked)["mix"]
    values, counts = np.unique(weights.round(6), return_counts=True)
    assert counts.max() == len(HISTORY) - 4
    assert weights.sum() == pytest.approx(1, abs=1e-4)
    order_texts = [row for row, (sql, _) in enumerate(HISTORY) if "orders WHERE" in sql]
    common = values[counts.argmax()]
    assert all(weights[row] > common for row in order_texts)


def test_without_texts_or_vectors(retriever: Retriever, embedder: Embedder) -> None:
    nothing = retriever.look_up("anything", {str(n) for n in range(len(HISTORY))})
    ranker = Learned()
    for weights in ranker.regression(ranker.layout(nothing.snapshot)).weights(nothing).values():
        assert not weights.any()
    with Store.create(":memory:") as store:
        learn(
            store, (Script(sql, question=said, dialect="sqlite") for sql, said in HISTORY), dialect="sqlite"
        )
        asked = Retriever(store).look_up("How many orders are returned?")
        weights = ranker.regression(ranker.layout(asked.snapshot)).weights(asked)["mix"]
    assert weights.sum() == pytest.approx(1, abs=1e-4)
