"""What is said where a question names its subject, and what that makes of the candidates that group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlore.catalog import catalog_from_schema
from sqlore.knowledge import Store, learn
from sqlore.model import Column, Schema, Script, Table
from sqlore.retrieve import Learned, Retriever
from sqlore.retrieve.evidence import Evidence
from sqlore.retrieve.focus import focus, is_key, is_title, share_said, thing
from sqlore.retrieve.grouping import GROUPING, groupings, looked_up, second_look, standing
from sqlore.retrieve.learned import packaged_model

TABLES = {
    "customer": ("customer_id", "name", "city"),
    "film": ("film_id", "title", "rating"),
    "rental": ("rental_id", "customer_id", "film_id", "day"),
}
SCHEMA = Schema(
    tuple(Table(name, tuple(Column(c, "TEXT") for c in columns)) for name, columns in TABLES.items()), "shop"
)
JOINED = "FROM rental r JOIN customer c ON c.customer_id = r.customer_id JOIN film f ON f.film_id = r.film_id"
HISTORY = (
    (f"SELECT c.name {JOINED} GROUP BY c.name ORDER BY COUNT(*) DESC LIMIT 1", "Who is our best client?"),
    (f"SELECT c.name, COUNT(*) {JOINED} GROUP BY c.name", "Rentals of all clients"),
    (f"SELECT f.title {JOINED} GROUP BY f.title ORDER BY COUNT(*) DESC LIMIT 1", "What do people like best?"),
    (f"SELECT f.title, COUNT(*) {JOINED} GROUP BY f.title", "Rentals of all titles"),
    ("SELECT city FROM customer WHERE name = 'Ann'", "Where does Ann live?"),
    ("SELECT rating FROM film WHERE title = 'Up'", "How is Up rated?"),
)
MOST = "Which {} has the most rentals?"


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.create(":memory:") as store:
        scripts = (Script(sql, key=str(n), question=said) for n, (sql, said) in enumerate(HISTORY))
        learn(store, scripts, catalog=catalog_from_schema(SCHEMA), dialect="sqlite")
        yield store


def gathered(store: Store, question: str, *withheld: str) -> Evidence:
    return Learned().gather(Retriever(store).look_up(question, exclude=frozenset(withheld)))


def test_words_are_told_by_where_they_stand() -> None:
    assert focus("What is the city of the customers?").asked == {"city", "customer"}
    assert focus("Count the rentals for each city and film.").apart == {"city"}
    assert focus("Give the age of the man who has scored the most goals").owner == {"man"}
    assert focus("Show the store with the highest sales, please.").owner == {"store"}
    assert focus("Films of 1999").asked == frozenset()


@given(st.text(max_size=80))
def test_any_question_can_be_read(question: str) -> None:
    found = focus(question)
    assert not any(word.isspace() or not word for words in found for word in words)


@pytest.mark.parametrize(
    ("column", "about"),
    [
        ("customer.customer_id", {"customer"}),
        ("rental.filmid", {"film"}),
        ("film.title", {"film"}),
        ("customer.home_city", {"home", "city"}),
        ("film.id", {"film"}),
        ("name", {"name"}),
    ],
)
def test_a_column_is_about_what_its_name_or_its_table_says(column: str, about: set[str]) -> None:
    assert thing(column) == about


def test_keys_and_titles() -> None:
    assert [is_key(name) for name in ("a.customer_id", "a.code", "a.city")] == [True, True, False]
    assert [is_title(name) for name in ("name_list.city", "a.full_name", "a.title")] == [False, True, True]


def test_a_short_stem_is_not_the_beginning_of_a_word() -> None:
    assert share_said(frozenset({"cat", "position"}), frozenset({"catalog", "posit"})) == 0.5
    assert share_said(frozenset(), frozenset({"cat"})) == 0


def test_the_second_look_is_at_groupings_alone(store: Store) -> None:
    e = gathered(store, MOST.format("customer"))
    own = groupings(e)
    kinds = {e.asked.snapshot.items[row].kind for row in e.rows[own].tolist()}
    assert kinds == {"dimension"}
    odds = np.linspace(2, -2, len(e.rows)).astype(np.float32)
    looks = second_look(e, odds)
    assert looks.shape == (len(own), standing(odds, e.layout.kinds[e.rows]).shape[1] + looked_up(e).shape[1])
    assert int(packaged_model().second.column.max()) < looks.shape[1]
    assert np.isfinite(looks).all()
    assert looks[:, 0].tolist() == odds[own].tolist()
    first, second = packaged_model().trees.odds(e.matrix()), packaged_model().odds(e)
    changed = np.flatnonzero(first != second)
    assert len(changed)
    assert set(changed.tolist()) <= set(own.tolist())


def test_the_first_look_is_summed_by_kind() -> None:
    odds = np.asarray([0, 2, -1, 0], dtype=np.float32)
    kinds = np.asarray([GROUPING, GROUPING, 0, 0], dtype=np.int32)
    found = standing(odds, kinds)
    assert found[:, :3].tolist() == [[0, 1, -2], [2, 0, 0]]
    assert found[0, 3 + GROUPING] == pytest.approx(0.5 + 1 / (1 + np.exp(-2)))
    assert found[1, 3] == pytest.approx(0.5 + 1 / (1 + np.exp(1)))


@pytest.mark.parametrize(("said", "grouped"), [("customer", "customer.name"), ("film", "film.title")])
def test_the_grouping_is_by_the_thing_that_is_asked_about(store: Store, said: str, grouped: str) -> None:
    found = Retriever(store).rank(MOST.format(said), limit=100)
    first = next(ranked.item for ranked in found if ranked.item.kind == "dimension")
    assert first.skeleton == f"group by {grouped}"


def test_a_withheld_script_is_not_looked_at(store: Store) -> None:
    question = MOST.format("film")
    with Store.create(":memory:") as less:
        scripts = (Script(sql, key=str(n), question=said) for n, (sql, said) in enumerate(HISTORY) if n != 2)
        learn(less, scripts, catalog=catalog_from_schema(SCHEMA), dialect="sqlite")
        without, never = gathered(store, question, "2"), gathered(less, question)

        def found(e: Evidence) -> dict[str, list[float]]:
            names = (e.asked.snapshot.items[row].skeleton for row in e.rows[groupings(e)].tolist())
            return dict(zip(names, looked_up(e).tolist(), strict=True))

        assert found(without) == {name: pytest.approx(row, abs=1e-4) for name, row in found(never).items()}
        assert found(without) != found(gathered(store, question))
