"""Examples chosen for a question: by its words, by the tree its SQL will have, by the skills it takes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlore.answer import ask
from sqlore.catalog import Catalog, build_catalog
from sqlore.config import Settings
from sqlore.embed import load_embedder
from sqlore.engines import Engine, connect
from sqlore.llm import FunctionModel, NoModel
from sqlore.model import Message
from sqlore.prompts import Prepared, PromptContext, Setup, prepare_strategy
from sqlore.prompts.operators import OPERATIONS
from sqlore.prompts.qp_sk import SKILLS, skills
from sqlore.prompts.qp_te import fitted, similarities
from sqlore.prompts.text import tokens
from sqlore.prompts.training_set import own_training
from sqlore.prompts.tree_distance import SkeletonTree, skeleton_tree, tree_distance

QUESTION = "Which ships have been at sea for more than thirty days?"
NAMES = ["qp_tx", "qp_te", "qp_sk"]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / "fleet.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(
            "CREATE TABLE ship (ship_id INTEGER PRIMARY KEY, name TEXT, days INTEGER);"
            "INSERT INTO ship VALUES (1, 'Gull', 12), (2, 'Tern', 41);"
        )
    db.close()
    with connect(f"sqlite:///{path}") as opened:
        yield opened


@pytest.fixture
def catalog(engine: Engine) -> Catalog:
    return build_catalog(engine)


def ready(name: str, catalog: Catalog, home: Path, budget: int = 3000) -> Prepared:
    return prepare_strategy(name, catalog, NoModel(), Settings(home=home, prompt_tokens=budget))


def asked(prepared: Prepared, question: str, said: str = "") -> tuple[Message, ...]:
    prompt = prepared.prompt(PromptContext(question, "", "sqlite", "fleet"))
    while prompt.then is not None:
        prompt = prompt.then(said)
    return prompt.messages


def questions(messages: Sequence[Message]) -> list[str]:
    users = [m.content for m in messages if m.role == "user"]
    return [content.rsplit("Question: ", 1)[1] for content in users]


@pytest.mark.parametrize("name", NAMES)
def test_a_question_is_answered(name: str, engine: Engine, catalog: Catalog, tmp_path: Path) -> None:
    def answer(messages: Sequence[Message]) -> str:
        skill = messages[0].content.startswith("Say which skills")
        return "more than a value" if skill else "SELECT name FROM ship WHERE days > 30"

    model = FunctionModel(answer)
    draft = ask(
        QUESTION, engine=engine, catalog=catalog, model=model, strategy=name, settings=Settings(home=tmp_path)
    )
    assert draft.error is None
    assert draft.result is not None
    assert draft.result.rows == (("Tern",),)
    assert len(model.requests) == (2 if name == "qp_sk" else 1)
    assert "CREATE TABLE ship (ship_id, name, days, PRIMARY KEY (ship_id));" in model.requests[-1][-1].content


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("budget", [900, 3000])
def test_the_budget_and_the_number_of_examples_are_kept(
    name: str, budget: int, catalog: Catalog, tmp_path: Path
) -> None:
    messages = asked(ready(name, catalog, tmp_path, budget), QUESTION, "count rows")
    assert sum(tokens(m.content) for m in messages) <= budget
    shown = questions(messages)[:-1]
    assert 2 <= len(shown) <= 16
    assert len(set(shown)) == len(shown)
    assert sum(m.content.startswith("Database ") for m in messages[:-1]) == len(
        {m.content.split(":")[0] for m in messages[:-1] if m.content.startswith("Database ")}
    )


def test_qp_tx_has_the_nearest_question_last(catalog: Catalog, tmp_path: Path) -> None:
    prepared = ready("qp_tx", catalog, tmp_path)
    for pair in own_training().pairs[::9]:
        assert questions(asked(prepared, pair.question))[-2] == pair.question


def test_qp_sk_finds_by_skills_and_not_by_words(catalog: Catalog, tmp_path: Path) -> None:
    prepared = ready("qp_sk", catalog, tmp_path)
    pairs = own_training().pairs
    window = next(pair for pair in pairs if "DENSE_RANK" in pair.sql and "RANK() OVER" in pair.sql)
    messages = asked(prepared, "Which ships are at sea?", skills(window))
    last = messages[-2].content
    assert "OVER (" in last
    assert messages[-2].role == "assistant"


def test_qp_sk_shows_what_skills_are_and_goes_on_without_any(catalog: Catalog, tmp_path: Path) -> None:
    first = ready("qp_sk", catalog, tmp_path).prompt(PromptContext(QUESTION, "", "sqlite", "fleet"))
    said = [m.content for m in first.messages if m.role == "assistant"]
    assert len(said) == 8
    assert any("sort, the highest first" in text for text in said)
    assert questions(first.messages)[-1] == QUESTION
    assert first.then is not None
    assert questions(first.then("").messages)[-1] == QUESTION


def test_every_skill_is_of_an_operation() -> None:
    known = {name for names in OPERATIONS.values() for name in names}
    assert set(SKILLS) <= known
    assert known - set(SKILLS) == {"SELECT", "FROM", "WHERE", "PARTITION BY", "=", "AND"}


def test_the_scoring_function_learns_the_trees() -> None:
    """Fitted on half of the pairs, it says of the other half whose trees are near better than words do."""
    pairs = own_training().pairs
    similar = similarities(pairs, Setup())
    vectors = np.asarray(load_embedder().embed([pair.question for pair in pairs]))
    half = np.arange(len(pairs)) % 2 == 0
    form = fitted(vectors[half], similar[np.ix_(half, half)])
    rest = vectors[~half]
    truth, words, learned = (
        similar[np.ix_(~half, half)],
        rest @ vectors[half].T,
        rest @ form @ vectors[half].T,
    )
    best = [float(truth[np.arange(len(rest)), scores.argmax(axis=1)].mean()) for scores in (words, learned)]
    assert best[1] > best[0]
    assert np.corrcoef(truth.ravel(), learned.ravel())[0, 1] > np.corrcoef(truth.ravel(), words.ravel())[0, 1]


def test_what_was_prepared_is_not_made_again(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    for _ in range(2):
        prepare_strategy(
            "qp_te",
            catalog,
            None,
            Settings(home=tmp_path),
            on_progress=lambda stage, done, total: told.append(stage),
        )
    assert told.count("reading examples") == 1
    assert told.count("comparing trees") == len(own_training().pairs)


# ------------------------------------------------------------------ the distance of two trees


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("SELECT a FROM t", "SELECT b AS x FROM u AS y", 0),
        ("SELECT a FROM t WHERE b = 1", "SELECT T1.c FROM u AS T1 WHERE ((T1.d = 'x'))", 0),
        ("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b > 1", 1),
        ("SELECT a FROM t", "SELECT a, b FROM t", 1),
        ("SELECT a FROM t ORDER BY b", "SELECT a FROM t ORDER BY b DESC", 1),
        ("SELECT a FROM t", "SELECT COUNT(a) FROM t", 1),
        ("SELECT a FROM t JOIN u ON t.x = u.x", "SELECT a FROM t LEFT JOIN u ON t.x = u.x", 1),
        ("SELECT a FROM t WHERE b LIKE 'x'", "SELECT a FROM t WHERE b NOT LIKE 'x'", 1),
        ("SELECT a FROM t UNION SELECT a FROM u", "SELECT a FROM t UNION ALL SELECT a FROM u", 1),
        ("SELECT a FROM t", "SELECT a FROM t WHERE b IN (SELECT c FROM u)", 6),
    ],
)
def test_the_distance_of_two_queries(one: str, other: str, distance: int) -> None:
    assert tree_distance(skeleton_tree(one), skeleton_tree(other)) == distance
    assert tree_distance(skeleton_tree(other), skeleton_tree(one)) == distance


Node = tuple[str, tuple["Node", ...]]
TREES = st.recursive(
    st.tuples(st.sampled_from("ab"), st.just(())),
    lambda inner: st.tuples(st.sampled_from("ab"), st.lists(inner, max_size=3).map(tuple)),
    max_leaves=5,
)


def in_postorder(tree: Node) -> SkeletonTree:
    labels: list[str] = []
    leftmost: list[int] = []

    def visit(node: Node) -> None:
        first = len(labels)
        for child in node[1]:
            visit(child)
        labels.append(node[0])
        leftmost.append(first)

    visit(tree)
    return SkeletonTree(tuple(labels), tuple(leftmost))


@cache
def by_definition(one: tuple[Node, ...], other: tuple[Node, ...]) -> int:
    """The distance of two forests as it is defined: the last root is removed, inserted, or matched."""

    def size(forest: tuple[Node, ...]) -> int:
        return sum(1 + size(children) for _, children in forest)

    if not one or not other:
        return size(one) + size(other)
    (a, below_a), (b, below_b) = one[-1], other[-1]
    return min(
        by_definition(one[:-1] + below_a, other) + 1,
        by_definition(one, other[:-1] + below_b) + 1,
        by_definition(below_a, below_b) + by_definition(one[:-1], other[:-1]) + (a != b),
    )


@settings(max_examples=80, deadline=None)
@given(TREES, TREES)
def test_the_distance_is_that_of_the_definition(one: Node, other: Node) -> None:
    assert tree_distance(in_postorder(one), in_postorder(other)) == by_definition((one,), (other,))
