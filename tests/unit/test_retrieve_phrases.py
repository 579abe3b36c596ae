"""Phrases, stems and traits of questions: what a reader would underline, without a language model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlore.retrieve import phrases
from sqlore.retrieve.structure import CALLS, SHAPES, called, traits
from sqlore.retrieve.words import stem, stems
from support import data_dir


def texts(question: str) -> list[str]:
    return [phrase.text for phrase in phrases(question)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Show me number of non-carcinogenic molecules with non-bonding element", "non-bonding element"),
        ("What percentage of female superheroes were published by Marvel Comics?", "Marvel Comics"),
        ("For each client, how many accounts were opened after 1995?", "For each client"),
        ("List the names of heroes taller than 200 cm.", "taller than 200 cm"),
        ("Which hero has the power \"Super Strength\" or 'Flight'?", "Flight"),
        ("What is the ratio of orders to refunds?", "ratio of orders to refunds"),
        ("Whose car is the fastest car of 2019?", "fastest car"),
        ("Quel est le chiffre d'affaires net?", "affaires"),
    ],
)
def test_the_part_a_reader_would_underline_is_a_phrase(question: str, expected: str) -> None:
    assert any(expected in text for text in texts(question)), texts(question)


def test_quoted_text_is_never_cut() -> None:
    found = texts('How many films are called "The Good, the Bad and the Ugly"?')
    assert any("The Good, the Bad and the Ugly" in text for text in found)
    found = texts("Heroes of 'Hero's Guild' in Rome")
    assert any("Hero's Guild" in text for text in found)


def test_a_question_of_grammar_words_has_no_phrase() -> None:
    assert texts("What is it?") == []
    assert texts("") == []
    assert texts("?!") == []


def test_long_questions_give_at_most_the_limit() -> None:
    question = ", ".join(f"the size of shop {n} in town {n}" for n in range(40))
    assert len(phrases(question)) == 8
    assert len(phrases(question, limit=3)) == 3


@given(st.text(max_size=200))
def test_any_text_gives_phrases_that_stand_in_it(question: str) -> None:
    for phrase in phrases(question):
        assert 0 <= phrase.start < phrase.end <= len(question)
        assert phrase.text.split()[0] in question[phrase.start : phrase.end]


def test_real_questions_give_one_to_eight_phrases() -> None:
    questions = [task["question"] for task in json.loads(data_dir("bird", "train.json").read_text())][::23]
    counts = [len(phrases(question)) for question in questions]
    assert max(counts) <= 8
    assert sum(1 for count in counts if count >= 1) / len(counts) > 0.99
    assert 2 <= sum(counts) / len(counts) <= 5


@pytest.mark.parametrize(
    ("one", "other"),
    [("superheroes", "superheroe"), ("countries", "country"), ("planned", "plan"), ("buses", "buse")],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["gas", "class", "status", "analysis", "new", "日本語", "1990"])
def test_words_that_only_look_inflected_stay(word: str) -> None:
    assert stem(word) == word


def test_stems_split_names_as_databases_write_them() -> None:
    assert stems("customerBirthDate") == stems("customer_birth_date") == ["customer", "birth", "date"]


def test_every_trait_is_read_on_both_sides() -> None:
    assert set(CALLS) == set(SHAPES)


@pytest.mark.parametrize(
    ("question", "trait"),
    [
        ("How many orders were refunded?", "count"),
        ("Which hero is the tallest?", "top"),
        ("Revenue for each month", "group"),
        ("Heroes whose publisher is unknown", "null"),
        ("Orders between May and June", "between"),
        ("What percentage of plans are paid?", "percent"),
        ("List the different colours", "distinct"),
    ],
)
def test_questions_call_for_traits(question: str, trait: str) -> None:
    assert trait in called(question)
    assert trait not in called("Who wrote Hamlet?")


@pytest.mark.parametrize(
    ("skeleton", "expected"),
    [
        ("limit <val>", {"top"}),
        ("distinct", {"distinct"}),
        ("superhero.full_name is null", {"null"}),
        ("superhero.height_cm >= <val>", {"greater"}),
        ("superhero.height_cm <= <val>", {"less"}),
        ("publisher.publisher_name <> <val>", {"not"}),
        ("publisher.publisher_name = <val>", set()),
        ("publisher.id in (<val>)", {"in"}),
        ("group by district.a2", {"group"}),
    ],
)
def test_skeletons_have_traits(skeleton: str, expected: set[str]) -> None:
    assert traits(skeleton) == expected
