"""Vectors and full text in the store, and an embedding model that is not the store's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sqlore.errors import StoreEmbeddingError
from sqlore.knowledge import Store
from sqlore.knowledge.store.search import pack, unpack
from sqlore.model import Script
from store_helpers import WordEmbedder, content, teach

HISTORY = (
    Script(
        "SELECT count(*) FROM orders WHERE status = 'P'", question="How many orders are paid?", source="a"
    ),
    Script("SELECT avg(price) FROM product", question="What is the average price?", source="a"),
    Script("SELECT name FROM customer ORDER BY age DESC LIMIT 1", source="a"),
)


@pytest.fixture
def store(tmp_path: Path):  # type: ignore[no-untyped-def]
    with Store.create(tmp_path / "a.sqlore") as opened:
        teach(opened, *HISTORY)
        yield opened


def test_packed_vectors_keep_their_direction() -> None:
    rows = np.random.default_rng(1).normal(size=(200, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    blobs = [pack(row) for row in rows]
    assert {len(blob) for blob in blobs} == {388}
    back = unpack(blobs, 384)
    assert (np.sum(rows * back, axis=1) > 0.9999).all()
    assert np.allclose(np.linalg.norm(back, axis=1), 1, atol=1e-5)
    assert np.abs(rows @ rows.T - back @ back.T).max() < 0.01


def test_a_zero_vector_survives() -> None:
    assert unpack([pack(np.zeros(8, dtype=np.float32))], 8).tolist() == [[0.0] * 8]


@pytest.mark.parametrize("level", ["item", "script", "text"])
def test_vectors_are_those_of_the_words(store: Store, level: str) -> None:
    embedder = WordEmbedder()
    ids, matrix = store.vectors(level)  # type: ignore[arg-type]
    assert matrix.shape == (len(ids), 64)
    assert matrix.dtype == np.float32
    if level == "item":
        words = {i.id: i.description for i in store.items() if i.kind != "query"}
    else:
        words = {s.id: s.script.text or s.description for s in store.scripts()}
    assert sorted(ids.tolist()) == sorted(words)
    for number, row in zip(ids.tolist(), matrix, strict=True):
        own = embedder.embed([words[number]])[0]
        best = max(words, key=lambda other: float(row @ embedder.embed([words[other]])[0]))
        assert words[best] == words[number] or float(row @ own) > 0.8


def test_words_are_found_best_first(store: Store) -> None:
    [first, *_] = store.fts_search("how many paid orders", "script")
    assert store.script(first[0]).script.question == "How many orders are paid?"  # type: ignore[union-attr]
    scores = [score for _, score in store.fts_search("orders price average number", "item")]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0
    assert len(store.fts_search("orders price average number", "item", 1)) == 1


def test_other_forms_of_a_word_are_found(store: Store) -> None:
    assert store.fts_search("averaging prices", "script")


@pytest.mark.parametrize(
    "query", ["", "   ", '"', "a OR", "NEAR(", "col: x", "-- ; DROP", "*", "(", "AND NOT", "'", "\x00", "^x"]
)
def test_a_question_is_never_an_operator(store: Store, query: str) -> None:
    for level in ("item", "script"):
        assert isinstance(store.fts_search(query, level), list)  # type: ignore[arg-type]


def test_full_text_follows_a_changed_description(store: Store) -> None:
    [number] = [i.id for i in store.items(kind="condition")]
    assert store.fts_search("zebra") == []
    store.describe(number, name="zebra orders", description="orders that are settled", who="ann")
    assert [n for n, _ in store.fts_search("zebra")] == [number]
    assert [n for n, _ in store.fts_search("settled")] == [number]
    store.describe(number, name="paid orders", who="ann")
    assert store.fts_search("zebra") == []
    assert store.health(WordEmbedder()).ok


def test_a_broken_index_is_found_and_repaired(store: Store) -> None:
    store._db.execute("INSERT INTO item_text (item_text) VALUES ('delete-all')")
    assert any("full-text" in problem for problem in store.health().problems)
    store.repair()
    assert store.health(WordEmbedder()).ok
    assert store.fts_search("orders")


# ------------------------------------------------------------------ embedding models (case 17)


def test_another_model_is_refused_with_what_to_do(store: Store) -> None:
    for other in (WordEmbedder(32), WordEmbedder(64, "letters")):
        with pytest.raises(StoreEmbeddingError) as caught:
            teach(store, "SELECT 2 FROM x", embedder=other)
        assert "words-64" in caught.value.message
        assert "--reembed" in (caught.value.hint or "")
        assert any("--reembed" in problem for problem in store.health(other).problems)
    assert store.stats().scripts == 3


def test_reembedding_makes_all_vectors_anew(store: Store, tmp_path: Path) -> None:
    before = content(tmp_path / "a.sqlore")
    other = WordEmbedder(32)
    assert store.reembed(other) > 0
    assert store.health(other).ok
    assert store.vectors("item")[1].shape[1] == 32
    teach(store, "SELECT 2 FROM x", embedder=other)
    store.reembed(WordEmbedder())
    after = content(tmp_path / "a.sqlore")
    assert set(before["vectors"]) <= set(after["vectors"])


def test_a_store_learned_without_vectors_gets_them_later(tmp_path: Path) -> None:
    with Store.create(tmp_path / "b.sqlore") as store:
        teach(store, *HISTORY, embedder=None)
        assert "no vectors" in store.health().problems[0]
        assert store.vectors("item")[1].shape[0] == 0
        assert store.fts_search("paid orders", "script")
        teach(store, "SELECT 2 FROM x")
        assert store.health(WordEmbedder()).ok


def test_equal_words_share_one_vector(store: Store) -> None:
    teach(store, Script("SELECT 3 FROM y", question="How many orders are paid?", source="b"))
    used = len(store.vectors("item")[0]) + len(store.vectors("text")[0])
    kept = store._db.execute("SELECT count(*) FROM vectors").fetchone()[0]
    assert kept < used


def test_compacting_drops_what_nobody_uses(store: Store) -> None:
    [number] = [i.id for i in store.items(kind="condition")]
    store.describe(number, description="something else altogether", who="ann", embedder=WordEmbedder())
    before = store._db.execute("SELECT count(*) FROM vectors").fetchone()[0]
    store.compact()
    assert store._db.execute("SELECT count(*) FROM vectors").fetchone()[0] == before - 1
    assert store.health(WordEmbedder()).ok
