"""The learned ranker: its parts against plain loops, and that nothing of a withheld script reaches it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlore.catalog import catalog_from_schema
from sqlore.embed import Embedder, load_embedder
from sqlore.knowledge import Store, learn
from sqlore.model import Column, Schema, Script, Table
from sqlore.retrieve import Learned, Retriever
from sqlore.retrieve.evidence import best_within, place_within
from sqlore.retrieve.frames import counts, frame, grams
from sqlore.retrieve.fuse import COLUMNS
from sqlore.retrieve.learned import CANDIDATES, MODEL, RankerModel, packaged_model
from sqlore.retrieve.likeness import TEXT_WIDTH
from sqlore.retrieve.shape import Shape
from sqlore.retrieve.tags import tags
from sqlore.retrieve.trees import Trees

SCHEMA = Schema(
    (
        Table("customers", tuple(Column(name, "TEXT") for name in ("id", "name", "country", "is_test"))),
        Table("orders", tuple(Column(name, "TEXT") for name in ("id", "customer_id", "status", "total"))),
    ),
    "shop",
)
HISTORY = (
    ("paid", "SELECT COUNT(*) FROM orders WHERE status = 'P'", "How many paid orders are there?"),
    ("open", "SELECT AVG(total) FROM orders WHERE status = 'O'", "What is the average total of open orders?"),
    ("de", "SELECT COUNT(*) FROM customers WHERE country = 'Germany' AND is_test = 0",
     "How many customers do we have in Germany?"),
    ("fr", "SELECT name FROM customers WHERE country = 'France' AND is_test = 0", "Names of the French"),
    ("big", "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id"
     " GROUP BY c.id, c.name ORDER BY SUM(o.total) DESC LIMIT 5", "Which five customers spent the most?"),
    ("country", "SELECT c.country, SUM(o.total) AS turnover FROM customers c"
     " JOIN orders o ON o.customer_id = c.id WHERE c.is_test = 0 GROUP BY c.country",
     "What is the order total for each country?"),
)  # fmt: skip
QUESTIONS = ("How many customers are there in Spain?", "turnover of countries", "Who ordered most in 2024?")


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder()


def learned(embedder: Embedder | None, *more: tuple[str, str, str]) -> Store:
    store = Store.create(":memory:")
    scripts = (Script(sql, key=key, question=said, dialect="sqlite") for key, sql, said in (*more, *HISTORY))
    learn(store, scripts, catalog=catalog_from_schema(SCHEMA), dialect="sqlite", embedder=embedder)
    return store


def scored(store: Store, embedder: Embedder | None, question: str, *exclude: str) -> Mapping[str, float]:
    found = Retriever(store, embedder).rank(question, limit=1000, exclude=frozenset(exclude))
    return {f"{r.item.kind}: {r.item.skeleton}": r.score for r in found}


# ------------------------------------------------------------------ nothing of a withheld script


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("vectors", [True, False])
def test_a_withheld_script_changes_no_score(embedder: Embedder, question: str, vectors: bool) -> None:
    """Its literals, its names for formulas, its question, its support: as if it had never been learned.

    It comes first, so that descriptions by rule quote its literals.
    """
    secret = (
        "secret",
        "SELECT c.country, SUM(o.total) AS spanish_loot FROM customers c JOIN orders o"
        " ON o.customer_id = c.id WHERE c.country = 'Spain' AND c.is_test = 2024 GROUP BY c.country"
        " ORDER BY COUNT(*) ASC LIMIT 3",
        "Which countries have the least turnover in Spain, ordered by customers?",
    )
    model = embedder if vectors else None
    with learned(model) as without, learned(model, secret) as store:
        plain, held = scored(without, model, question), scored(store, model, question, "secret")
    assert held.keys() == plain.keys()
    for key, score in plain.items():
        assert held[key] == pytest.approx(score, abs=1e-5), key


def test_a_withheld_script_would_have_changed_scores(embedder: Embedder) -> None:
    secret = ("secret", "SELECT COUNT(*) FROM customers WHERE country = 'Spain'", QUESTIONS[0])
    with learned(embedder) as without, learned(embedder, secret) as store:
        plain, told = (scored(s, embedder, QUESTIONS[0]) for s in (without, store))
    key = "condition: customers.country = <val>"
    assert told[key] > plain[key]


def test_what_a_script_calls_its_formula_finds_it_unless_withheld(embedder: Embedder) -> None:
    key = "calculation: sum(orders.total)"
    bare = tuple(replace_alias(row) for row in HISTORY)
    with learned(embedder) as named:
        snapshot = Retriever(named, embedder).look_up("").snapshot
        assert [text.names for text in snapshot.texts if text.names] == ["turnover"]
        with_name = scored(named, embedder, "turnover of shops", "big")
    store = Store.create(":memory:")
    learn(
        store,
        (Script(sql, key=k, question=q, dialect="sqlite") for k, sql, q in bare),
        catalog=catalog_from_schema(SCHEMA),
        dialect="sqlite",
        embedder=embedder,
    )
    assert with_name[key] != scored(store, embedder, "turnover of shops", "big")[key]


def replace_alias(row: tuple[str, str, str]) -> tuple[str, str, str]:
    return row[0], row[1].replace(" AS turnover", ""), row[2]


# ------------------------------------------------------------------ the model


def test_the_model_is_small_and_fits_the_columns(embedder: Embedder) -> None:
    assert len((files("sqlore.retrieve") / MODEL).read_bytes()) < 300_000
    model = packaged_model()
    assert model.fusion.shape == (len(COLUMNS),)
    assert model.text.shape == (TEXT_WIDTH,)
    with learned(embedder) as store:
        asked = Retriever(store, embedder).look_up(QUESTIONS[0])
    evidence = Learned().gather(asked)
    matrix = evidence.matrix()
    assert int(model.trees.column.max()) < matrix.shape[1]
    assert np.isfinite(matrix).all()


def test_shares_add_up_to_the_score(embedder: Embedder) -> None:
    with learned(embedder) as store:
        asked = Retriever(store, embedder).look_up(QUESTIONS[0])
    scores, shares = Learned().rank(asked)
    assert shares.shape == (len(scores), len(Learned().names))
    assert (1 / (1 + np.exp(-shares.sum(axis=1)))).tolist() == pytest.approx(scores.tolist(), abs=1e-4)


def test_items_that_are_no_candidates_come_after_those_that_are(embedder: Embedder) -> None:
    many = [
        (f"n{n}", f"SELECT name FROM customers WHERE is_test > {n} AND c{n} = 1", f"About {n}")
        for n in range(CANDIDATES + 20)
    ]  # fmt: skip
    with learned(embedder, *many) as store:
        asked = Retriever(store, embedder).look_up("How many customers are in Peru?")
    ranker = Learned()
    rows = ranker.gather(asked).rows
    scores, _ = ranker.rank(asked)
    others = np.setdiff1d(np.flatnonzero(asked.offered), rows)
    assert len(rows) == CANDIDATES
    assert len(others)
    assert 0 < scores[others].max() <= scores[rows].min()


def test_a_saved_model_is_the_same(tmp_path: object) -> None:
    model = packaged_model()
    path = f"{tmp_path}/model.npz"
    model.save(path)
    with open(path, "rb") as file:
        again = RankerModel.load(file.read())
    rows = np.random.default_rng(1).normal(size=(9, 200)).astype(np.float32)
    assert again.trees.odds(rows).tolist() == model.trees.odds(rows).tolist()
    said = "How many orders did each customer place?"
    assert np.allclose(again.shape.odds(said), model.shape.odds(said), atol=1e-3)


# ------------------------------------------------------------------ its parts


def walk(trees: Trees, row: np.ndarray) -> float:
    """One tree after the other, node by node."""
    total = 0.0
    for root in trees.roots:
        node = int(root)
        while int(trees.left[node]) != node:
            goes_left = row[trees.column[node]] <= trees.threshold[node]
            node = int(trees.left[node] if goes_left else trees.right[node])
        total += float(trees.value[node])
    return total


def test_trees_are_those_of_a_walk() -> None:
    trees = packaged_model().trees
    rows = np.random.default_rng(2).normal(scale=2, size=(20, 200)).astype(np.float32)
    assert trees.odds(rows).tolist() == pytest.approx([walk(trees, row) for row in rows], abs=1e-4)
    assert trees.odds(rows[:0]).shape == (0,)


def test_wording_calls_for_shapes() -> None:
    shape = packaged_model().shape
    places = {tag: place for place, tag in enumerate(shape.tags)}

    def odds(question: str, tag: str) -> float:
        return float(shape.odds(question)[places[tag]])

    for more, less, tag in (
        ("Which team has the highest score?", "Which team has the lowest score?", "output:descending"),
        ("How many teams are there?", "Name the teams.", "calculation:count"),
        ("What is the percentage of wins?", "What is the name of the team?", "calculation:ratio"),
        ("List the different names.", "What is the id of the team?", "output:distinct"),
    ):
        assert odds(more, tag) > odds(less, tag) + 0.5, tag


def test_the_frame_is_the_same_for_other_values() -> None:
    one = "How many heroes of 'Marvel Comics' born after 1950 have Blue eyes?"
    other = "How many heroes of 'DC' born after 1962-08 have Green eyes?"
    assert frame(one) == frame(other)
    assert frame(one) != frame("How many heroes have eyes?")
    assert counts("In 2012 and 2013, 40 of Bob's") == (2, 1, 1, 0)


@given(st.text(max_size=80))
def test_any_question_has_a_frame(question: str) -> None:
    assert grams(question)[0] == "^"
    assert sum(counts(question)) >= 0


def test_a_shape_survives_its_file() -> None:
    weights = np.asarray([[1.0, -0.5], [0.25, 0.125]], dtype=np.float32)
    shape = Shape(["a", "b"], {"how": 0, "how many": 1}, weights, np.asarray([0.5, -1], dtype=np.float32))
    again = Shape.from_arrays(shape.to_arrays())
    assert (list(again.tags), dict(again.grams)) == (list(shape.tags), dict(shape.grams))
    assert np.allclose(again.odds("how many"), shape.odds("how many"), atol=0.01)


@given(st.lists(st.tuples(st.floats(0, 1, width=16), st.integers(0, 3)), min_size=1, max_size=20))
@settings(max_examples=50)
def test_places_are_those_of_a_count(pairs: list[tuple[float, int]]) -> None:
    scores = np.asarray([score for score, _ in pairs], dtype=np.float32)
    groups = np.asarray([group for _, group in pairs], dtype=np.int32)
    place, best = place_within(scores, groups), best_within(scores, groups)
    for row, (score, group) in enumerate(pairs):
        own = [s for s, g in pairs if g == group]
        ahead = sum(s > score for s in own)
        assert ahead <= place[row] < ahead + own.count(score)
        assert best[row] == pytest.approx(max(own))


@pytest.mark.parametrize(
    ("kind", "skeleton", "tag"),
    [
        ("output", "order by count(t.a) desc limit <val>", "output:by_aggregate"),
        ("output", "order by t.a asc", "output:by_column"),
        ("condition", "t.a = (select max(t.a) from t)", "condition:selects"),
        ("calculation", "count(distinct t.a)", "calculation:count_distinct"),
    ],
)
def test_tags_tell_shapes_apart(kind: str, skeleton: str, tag: str) -> None:
    assert tag in tags(kind, skeleton)
    assert tag not in tags("condition" if kind != "condition" else "output", skeleton)
    assert tag not in tags(kind, "t.b")


def test_a_ranker_of_ones_own_takes_its_place(embedder: Embedder) -> None:
    class Alphabetical:
        names = ("alphabet",)

        def rank(self, asked):  # type: ignore[no-untyped-def]
            order = np.argsort(np.argsort([item.skeleton for item in asked.snapshot.items]))
            scores = (0.9 - order / 100).astype(np.float32) * asked.offered
            return scores, scores[:, None]

    with learned(embedder) as store:
        found = Retriever(store, embedder, ranker=Alphabetical()).rank("anything")
    assert [r.item.skeleton for r in found] == sorted(r.item.skeleton for r in found)
