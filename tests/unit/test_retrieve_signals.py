"""Sums over uses are checked against loops; withholding a text must leave no trace of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlore.model import KnowledgeItem, ValueMatch
from sqlore.retrieve import default_ranker
from sqlore.retrieve.fuse import by_trust
from sqlore.retrieve.signals import SIGNALS, Asked, cosines, keep_company, measure
from sqlore.retrieve.snapshot import Postings, Snapshot, Text, Use, no_vectors


def item(number: int, kind: str, skeleton: str, description: str, *columns: str) -> KnowledgeItem:
    tables = tuple(sorted({column.partition(".")[0] for column in columns}))
    return KnowledgeItem(
        number,
        kind,  # type: ignore[arg-type]
        "clause",
        skeleton,
        skeleton,
        "",
        description,
        support=1,
        columns=columns,
        tables=tables,
    )


ITEMS = (
    item(1, "condition", "publisher.name = <val>", "publishers called Marvel", "publisher.name"),
    item(2, "relation", "hero.publisher_id = publisher.id", "heroes and their publishers",
         "hero.publisher_id", "publisher.id"),
    item(3, "condition", "hero.height > <val>", "heroes taller than 180", "hero.height"),
    item(4, "output", "order by hero.weight desc limit <val>", "the heaviest heroes first", "hero.weight"),
    item(5, "output", "distinct", "each result once"),
)  # fmt: skip
TEXTS = (
    Text(1, 1, "a", "How many heroes were published by Marvel Comics?"),
    Text(2, 2, "b", "Which heroes are taller than 180 cm?"),
    Text(3, 3, "c", "Who is the heaviest hero of DC?"),
    Text(4, 4, "d", "List the different heights of heroes published by Image"),
)
USES = (
    Use(0, 0, ("Marvel Comics",)),
    Use(0, 1),
    Use(1, 2, ("180",)),
    Use(2, 0, ("DC",)),
    Use(2, 1),
    Use(2, 3, ("1",)),
    Use(3, 0, ("Image",)),
    Use(3, 1),
    Use(3, 4),
)


@pytest.fixture(scope="module")
def world() -> Snapshot:
    return Snapshot(ITEMS, TEXTS, USES, no_vectors(len(ITEMS)), no_vectors(len(TEXTS)))


def ask(world: Snapshot, question: str, *exclude: int | str, **more: object) -> Asked:
    return Asked(question, world, world.alive(frozenset(exclude)), **more)  # type: ignore[arg-type]


def ranked(asked: Asked) -> list[int]:
    scores, _ = default_ranker().rank(asked)
    return [asked.snapshot.items[row].id for row in np.argsort(-scores, kind="stable") if scores[row] > 0]


pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), max_size=40)
numbers = st.lists(st.floats(0, 1, width=32), min_size=7, max_size=7)


@given(pairs, numbers)
def test_totals_and_bests_are_those_of_a_loop(uses: list[tuple[int, int]], values: list[float]) -> None:
    texts = [Text(n, n) for n in range(7)]
    items = [item(n, "condition", f"t.c{n} = <val>", "") for n in range(10)]
    world = Snapshot(items, texts, [Use(t, i) for t, i in uses], no_vectors(10), no_vectors(7))
    weights = np.asarray(values, dtype=np.float32)
    for number in range(10):
        held = sorted({t for t, i in uses if i == number})
        assert world.texts_of(number).tolist() == held
        assert world.total(weights)[number] == pytest.approx(sum(values[t] for t in held), abs=1e-5)
        assert world.best(weights)[number] == pytest.approx(
            max((values[t] for t in held), default=0), abs=1e-6
        )
    ones = np.ones(10, dtype=np.float32)
    assert world.over_texts(ones).tolist() == [len({i for t, i in uses if t == n}) for n in range(7)]


@pytest.mark.parametrize("vectors", [1, 2, 9])
@pytest.mark.parametrize("rows", [0, 1, 64, 200])
def test_cosines_are_the_product(rows: int, vectors: int) -> None:
    draw = np.random.default_rng(7)
    matrix, others = (draw.normal(size=(n, 16)).astype(np.float32) for n in (rows, vectors))
    assert np.allclose(cosines(matrix, others), matrix @ others.T, atol=1e-5)


def test_bm25_is_the_textbooks() -> None:
    postings = Postings([["net", "revenue", "net"], ["revenue"], ["order", "line", "item", "order"]])
    # idf(revenue) = ln(1 + (3 - 2 + .5) / (2 + .5)); mean length 8/3; row 1 has length 1
    idf = np.log(1 + 1.5 / 2.5)
    length = 1 - 0.75 + 0.75 * 1 / (8 / 3)
    assert postings.bm25(["revenue", "absent"])[1] == pytest.approx(idf * 2.2 / (1 + 1.2 * length), rel=1e-5)
    assert postings.bm25(["revenue"])[2] == 0
    assert Postings([]).bm25(["x"]).shape == (0,)


def test_overlap_counts_both_ways() -> None:
    postings = Postings([["a"], ["a", "b"], ["c"]])
    of_row, of_query = postings.overlap(["a", "b"])
    assert of_row.tolist() == pytest.approx([1, 1, 0])
    assert of_query[1] == pytest.approx(1)
    assert 0 < of_query[0] < 1


def test_the_items_of_the_matching_script_come_first(world: Snapshot) -> None:
    found = ranked(ask(world, "How many heroes were published by Marvel Comics?"))
    assert set(found[:2]) == {1, 2}
    assert ranked(ask(world, "Which heroes are taller than 200 cm?"))[0] == 3


def test_generic_items_come_when_the_words_call_for_them(world: Snapshot) -> None:
    distinct = [item.id for item in world.items].index(5)
    called, _ = default_ranker().rank(ask(world, "List the different weights of heroes"))
    other, _ = default_ranker().rank(ask(world, "What is the weight of the hero Hulk?"))
    assert called[distinct] > 1.5 * other[distinct]


def test_an_item_of_withheld_scripts_alone_is_never_offered(world: Snapshot) -> None:
    question = "Which heroes are taller than 180 cm?"
    for exclude in ({2}, {"b"}):
        asked = ask(world, question, *exclude)
        scores, _ = default_ranker().rank(asked)
        assert scores[2] == 0
        assert 3 not in ranked(asked)
        # Raised odds make nothing of an item that may not be offered.
        assert by_trust(asked, scores)[2] == 0


def test_a_withheld_text_changes_what_a_world_without_it_has_not(world: Snapshot) -> None:
    question = "How many heroes are published by DC?"
    without = Snapshot(ITEMS, TEXTS[:3], [use for use in USES if use.text < 3], no_vectors(5), no_vectors(3))
    held, absent = measure(ask(world, question, "d")), measure(ask(without, question))
    uses_only = [SIGNALS.index(name) for name in ("share", "literal", "value", "called", "uncalled")]
    assert np.allclose(held[:4, uses_only], absent[:4, uses_only])
    company = keep_company(ask(world, question, "d"), np.full(5, 0.5, dtype=np.float32))
    expected = keep_company(ask(without, question), np.full(5, 0.5, dtype=np.float32))
    assert np.allclose(company[:4], expected[:4], atol=1e-6)


def test_a_literal_of_the_item_in_the_question_speaks_for_it(world: Snapshot) -> None:
    literal = SIGNALS.index("literal")
    assert measure(ask(world, "heroes of marvel comics"))[0, literal] == 1
    assert measure(ask(world, "heroes of marvel comics", "a"))[0, literal] == 0
    assert measure(ask(world, "heroes of marvel"))[0, literal] == 0
    assert 0 < measure(ask(world, "heroes of 180 cm"))[2, literal] < 1
    assert measure(ask(world, "the 1 heaviest hero"))[3, literal] == 0


def test_a_value_found_in_a_column_speaks_for_its_conditions(world: Snapshot) -> None:
    match = ValueMatch("Publisher", "Name", "Icon Comics", "Icon Comics", 0, 11, 0.9)
    column = measure(ask(world, "Icon Comics heroes", values=[match]))[:, SIGNALS.index("value")]
    assert column.tolist() == pytest.approx([0.9, 0, 0, 0, 0])


def test_a_join_is_pulled_in_by_the_filter_on_its_table(world: Snapshot) -> None:
    favoured = np.asarray([0.9, 0.1, 0, 0, 0], dtype=np.float32)
    company = keep_company(ask(world, "anything"), favoured)
    assert company[1, 0] == company[0, 0] > company[2, 0]


def test_verified_is_raised_and_made_up_is_lowered(world: Snapshot) -> None:
    items = (replace(ITEMS[0], trust="verified"), *ITEMS[1:])
    texts = (*TEXTS[:1], replace(TEXTS[1], synthetic=True), *TEXTS[2:])
    other = Snapshot(items, texts, USES, no_vectors(5), no_vectors(4))
    scores = np.full(5, 0.5, dtype=np.float32)
    moved = by_trust(ask(other, "?"), scores)
    assert moved[0] > 0.5 > moved[2]
    assert moved[[1, 3, 4]].tolist() == pytest.approx([0.5] * 3)
    assert np.all((moved >= 0) & (moved <= 1))


def test_nothing_learned_and_nothing_asked(world: Snapshot) -> None:
    empty = Snapshot((), (), (), no_vectors(0), no_vectors(0))
    scores, _ = default_ranker().rank(ask(empty, "How many heroes?"))
    assert scores.shape == (0,)
    scores, _ = default_ranker().rank(ask(world, ""))
    assert np.isfinite(scores).all()


@given(st.text(max_size=60))
def test_scores_are_chances_whatever_is_asked(question: str) -> None:
    world = Snapshot(ITEMS, TEXTS, USES, no_vectors(len(ITEMS)), no_vectors(len(TEXTS)))
    scores, shares = default_ranker().rank(ask(world, question))
    assert np.all((scores >= 0) & (scores <= 1))
    assert np.isfinite(shares).all()
