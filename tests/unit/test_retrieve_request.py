"""What is asked of the retriever is checked: above all that what is withheld is withheld."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from evals_helpers import SCHEMA, SCRIPTS, pool
from sqlore.catalog import catalog_from_schema
from sqlore.errors import UsageError
from sqlore.knowledge import Store
from sqlore.model import Script
from sqlore.retrieve import Retriever
from sqlore.retrieve.baselines import make_retriever
from sqlore.retrieve.request import WORDS
from store_helpers import WordEmbedder, teach

QUESTION = "How many heroes taller than 190 are published by Marvel?"
#: As in BIRD the history's keys are numbers, and sqlore's ids are others.
NUMBERED = (
    *(Script(one.sql, str(100 + n), one.question) for n, one in enumerate(SCRIPTS)),
    Script("SELECT title FROM publisher WHERE id = 4", "1", "What is publisher 4 called?"),
    Script("SELECT title FROM publisher ORDER BY id LIMIT 1", None, "Which publisher is the first?"),
    Script("SELEKT", "broken", "Which?"),
)


@pytest.fixture
def retriever() -> Iterator[Retriever]:
    with Store.create(":memory:") as store:
        teach(store, *NUMBERED, catalog=catalog_from_schema(SCHEMA), embedder=WordEmbedder())
        yield Retriever(store, WordEmbedder())


def keys(retriever: Retriever, exclude: Any) -> set[str]:
    found = retriever.retrieve(QUESTION, shots=20, exclude=exclude)
    return {ranked.script.script.key for ranked in found.scripts}


def test_keys_and_ids_withhold(retriever: Retriever) -> None:
    everything = keys(retriever, ())
    number = next(s.id for s in retriever.store.scripts() if s.script.key == "101")
    assert keys(retriever, {"100"}) == everything - {"100"}
    assert keys(retriever, [number, "100"]) == everything - {"100", "101"}
    assert keys(retriever, [np.int64(number)]) == everything - {"101"}


@pytest.mark.parametrize(
    ("exclude", "told"),
    [
        ({100}, "the history's own keys are text: '100'"),
        ({np.int64(100)}, "the history's own keys are text: '100'"),
        ({1}, "1 is sqlore's id of one script and the history's key of another"),
        ({"100", "nosuch"}, "no script is called 'nosuch'"),
        ({"3"}, "sqlore's ids are numbers: 3"),
        ({4711}, "no script is called 4711"),
        ({None}, "None is neither"),
        ({True}, "bool True is neither"),
        ({1.0}, "float 1.0 is neither"),
        (None, "not None"),
        ("100", "exclude={'100'}"),
        (100, "not int 100"),
    ],
)
def test_a_name_that_withholds_nothing_is_an_error(retriever: Retriever, exclude: Any, told: str) -> None:
    for call in (retriever.retrieve, retriever.rank):
        with pytest.raises(UsageError) as caught:
            call(QUESTION, exclude=exclude)
        assert told in caught.value.report()


def test_scripts_that_nobody_is_offered_may_be_named(retriever: Retriever) -> None:
    """Whoever scores a pipeline on the history itself names every script, also what could not be read."""
    item = next(item for item in retriever.store.items() if item.kind == "query" and "avg" in item.skeleton)
    retriever.store.set_trust(item.id, "deprecated", "someone")
    left = keys(retriever, {"broken", "102"})
    assert "102" not in left
    assert "100" in left


def test_a_measurement_names_twins_of_which_one_is_learned() -> None:
    twin = Script(SCRIPTS[2].sql, "8", SCRIPTS[2].question)
    own = pool((*SCRIPTS, twin))
    assert "8" not in own.snapshot.scripts_of_key
    handed = make_retriever("learned", own).retrieve(QUESTION, frozenset({"3", "8"}))
    assert handed.scripts
    with pytest.raises(UsageError):
        Retriever(own.store, own.embedder, own.catalog).retrieve(QUESTION, exclude={"3", "8"})


@pytest.mark.parametrize("name", ["shots", "items", "scripts", "budget"])
@pytest.mark.parametrize("value", [-1, 2.5, True, "4", float("nan")])
def test_numbers_are_whole_and_not_negative(retriever: Retriever, name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=name):
        retriever.retrieve(QUESTION, **{name: value})


def test_numbers_of_other_libraries_are_numbers(retriever: Retriever) -> None:
    found = retriever.retrieve(QUESTION, shots=np.int64(2), items=np.int32(1))
    assert (len(found.scripts), len(found.items)) == (2, 1)
    assert retriever.retrieve(QUESTION, items=0, scripts=0).items == ()


@pytest.mark.parametrize("question", [None, 17, b"how many?"])
def test_a_question_is_a_text(retriever: Retriever, question: Any) -> None:
    with pytest.raises(UsageError, match="a question is a text"):
        retriever.retrieve(question)


def test_half_a_character_is_no_obstacle(retriever: Retriever) -> None:
    assert retriever.retrieve("heroes \ud800 of Marvel").scripts


@pytest.mark.parametrize("question", ["height " * 40_000, "x" * 100_000, "hero," * 40_000])
def test_of_a_book_the_beginning_is_looked_at(retriever: Retriever, question: str) -> None:
    asked = retriever.look_up(question)
    assert len(asked.question) <= 8000
    assert len(asked.question.split()) <= WORDS
    assert question.startswith(asked.question)
    (note,) = retriever.retrieve(question).notes
    assert note.startswith("only the first ")
    assert retriever.retrieve(" ".join(["height"] * WORDS) + " \n").notes == ()


def test_a_withheld_text_makes_no_word_common_for_bm25() -> None:
    """Both texts have one word of the question; only a withheld one would make the first's less rare."""
    one = Script("SELECT name FROM hero", "a", "zebra alpha")
    two = Script("SELECT height FROM hero", "b", "yodel gamma")
    out = Script("SELECT id FROM hero", "c", "zebra zebra zebra delta delta delta")
    shown = make_retriever("bm25", pool((one, two, out))).retrieve("zebra yodel", frozenset({"c"}))
    assert [script.key for script in shown.scripts] == ["a", "b"]
