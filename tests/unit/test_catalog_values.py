"""The value index: which column holds the words of a question."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlore.catalog import Catalog, ColumnValues, Entry, ValueIndex, build_catalog, catalog_from_schema
from sqlore.catalog.matching import one_letter_apart
from sqlore.catalog.text import dates, fold, quoted
from sqlore.engines import connect
from sqlore.model import Column, Schema, Table
from support import data_dir

HEROES = ValueIndex(
    [
        ColumnValues(
            "publisher",
            "publisher_name",
            ("Marvel Comics", "DC Comics", "Dark Horse Comics", "George Lucas", "NBC - Heroes"),
        ),
        ColumnValues("colour", "colour", ("Blue", "No Colour", "Yellow", "Blond")),
        ColumnValues(
            "superhero",
            "superhero_name",
            ("3-D Man", "Spider-Man", "Blue Beetle", "Power Girl", "May", "The Who"),
        ),
        ColumnValues("race", "race", ("-", "Human", "Cosmic Entity")),
        ColumnValues("district", "A2", ("Jeseník", "Litomerice", "Hl.m. Praha", "CA", "OR")),
        ColumnValues("loan", "date", ("1994-08-25", "1996-01-03 00:00:00")),
        ColumnValues("orders", "status", ("A", "B", "3", "10"), (("refunded", "3"), ("not paid", "10"))),
        ColumnValues("molecule", "label", ("+", "-"), (("carcinogenic", "+"), ("not carcinogenic", "-"))),
    ]
)


def told(question: str, index: ValueIndex = HEROES) -> set[tuple[str, str]]:
    return {(m.column, m.value) for m in index.match(question)}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many heroes are published by Marvel Comics?", {("publisher_name", "Marvel Comics")}),
        ("heroes of MARVEL  comics", {("publisher_name", "Marvel Comics")}),
        ("heroes published by marvel", {("publisher_name", "Marvel Comics")}),
        ("Who is by Marvle Comics", {("publisher_name", "Marvel Comics")}),
        ("Heroes of Dark Horse", {("publisher_name", "Dark Horse Comics")}),
        ("George Lucas's heroes", {("publisher_name", "George Lucas")}),
        ("blue eyes and no colour", {("colour", "Blue"), ("colour", "No Colour")}),
        ("Is Blue Beetle strong?", {("superhero_name", "Blue Beetle")}),
        ("the powers of spiderman", {("superhero_name", "Spider-Man")}),
        ("the powers of Spider Man", {("superhero_name", "Spider-Man")}),
        ("humans", {("race", "Human")}),
        ("clients of Jesenik", {("A2", "Jeseník")}),
        ("clients of Litomerce", {("A2", "Litomerice")}),
        ("loans approved on 1994/8/25", {("date", "1994-08-25")}),
        ("loans approved on August 25th, 1994", {("date", "1994-08-25")}),
        ("loans of 3 January 1996", {("date", "1996-01-03 00:00:00")}),
        ("How many orders were refunded?", {("status", "3")}),
        ("orders not paid", {("status", "10")}),
        ("orders with status A", {("status", "A")}),
        ("orders with status 10", {("status", "10")}),
        ("carcinogenic molecules", {("label", "+")}),
        ("molecules that are not carcinogenic", {("label", "-")}),
        ("non-carcinogenic molecules", {("label", "-")}),
        ("molecules labelled '+'", {("label", "+")}),
        ("schools in CA", {("A2", "CA")}),
    ],
)
def test_finds(question: str, expected: set[tuple[str, str]]) -> None:
    assert told(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?!",
        "Who is the best, this or that?",
        "What may a hero do or not do?",
        "Give me a list of the 10 tallest, over 3 metres",
        "A hero and a villain",
        "Is ca. 5 too many?",
        "a man",
    ],
)
def test_common_words_alone_find_nothing(question: str) -> None:
    assert told(question) == set()


def test_quotes_let_any_value_match() -> None:
    assert told("heroes called 'May' and \"The Who\"") == {
        ("superhero_name", "May"),
        ("superhero_name", "The Who"),
    }
    assert told("race is '-'") == {("race", "-"), ("label", "-")}
    assert told("status '3'") == {("status", "3")}
    assert told("who’s called ‘May’?") == {("superhero_name", "May")}


def test_offsets_are_of_the_question() -> None:
    question = "Do  “Marvel Comics” heroes have blue eyes?"
    matches = HEROES.match(question)
    assert {m.phrase for m in matches} == {"Marvel Comics", "blue"}
    assert all(question[m.start : m.end] == m.phrase for m in matches)


def test_the_better_match_has_the_higher_score() -> None:
    def score(question: str) -> float:
        return HEROES.match(question)[0].score

    quoted_, exact, cased, typo = map(
        score, ("'Marvel Comics'", "Marvel Comics", "marvel comics", "marvle comics")
    )
    assert 1 >= quoted_ >= exact > cased > typo > 0
    index = ValueIndex(
        [ColumnValues(f"t{i}", "c", ("Premium",) if i < 5 else ("Premium", "Gold")) for i in range(6)]
    )
    scores = {m.value: m.score for m in index.match("Premium and Gold")}
    assert scores["Gold"] > scores["Premium"], "a value in one column says more than one in six"


def test_a_name_shared_by_many_values_says_nothing() -> None:
    people = ValueIndex(
        [
            ColumnValues(
                "p", "name", tuple(f"John {surname}" for surname in ("A.", "Bee", "Cey", "Dee", "Eff"))
            )
        ]
    )
    assert people.match("everybody called John") == []
    assert told("what does John Dee do", people) == {("name", "John Dee")}


def test_a_value_in_many_columns_is_told_for_a_few() -> None:
    index = ValueIndex([ColumnValues(f"t{i:02}", "flag", ("Active",)) for i in range(50)])
    assert 1 <= len(index.match("active things")) <= 8


def test_the_order_is_the_same_every_time() -> None:
    question = "blue and yellow Marvel DC George Lucas human May 'May' not paid"
    again = ValueIndex(list(HEROES.columns))
    assert HEROES.match(question) == again.match(question) == HEROES.match(question)


def test_secret_columns_are_left_out() -> None:
    index = ValueIndex(
        [ColumnValues("u", "password", ("hunter2",)), ColumnValues("u", "api_token", ("abcdefgh",))]
    )
    assert index.match("'hunter2' and abcdefgh") == []
    assert "hunter2" not in json.dumps(index.to_json())


def test_it_survives_json() -> None:
    again = ValueIndex.from_json(json.loads(json.dumps(HEROES.to_json())))
    question = "refunded Marvel heroes of Jesenik, carcinogenic, '+'"
    assert again.match(question) == HEROES.match(question) != []
    assert again.to_json() == HEROES.to_json()


def test_scripts_without_spaces() -> None:
    index = ValueIndex([ColumnValues("c", "国", ("日本", "中国", "대한민국"))])
    assert told("日本の人口は?", index) == {("国", "日本")}
    assert told("대한민국의 인구", index) == {("国", "대한민국")}


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=8))
def test_any_text_is_answered_with_true_offsets(question: str, values: list[str]) -> None:
    index = ValueIndex([ColumnValues("t", "c", tuple(dict.fromkeys(values)), (("a meaning", "x"),))])
    for m in index.match(question):
        assert question[m.start : m.end] == m.phrase
        assert 0 < m.score <= 1
        assert m.value in (*values, "x")


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abc", min_size=2, max_size=6), st.text(alphabet="abc", min_size=2, max_size=6))
def test_one_letter_apart_is_the_optimal_string_alignment_distance(a: str, b: str) -> None:
    assert one_letter_apart(a, b) == (_distance(a, b) == 1)


def _distance(a: str, b: str) -> int:
    rows = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            same = a[i - 1] == b[j - 1]
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (not same))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


def test_folding() -> None:
    assert fold("Hl.m.  Praha") == "hl m praha"
    assert fold("Players’ O'Neil's 1,234.50") == "player oneil 1234.50"
    assert [key for _, _, key in dates("99/99/2000, 2000-13-01, 2000-1-32")] == []
    text = "the players' 'A'B' of `x y` and the teams'"
    assert [text[a:b] for a, b in quoted(text)] == ["A'B", "x y"]


# ------------------------------------------------------------------ with a database and a dictionary


def test_codes_of_the_dictionary_are_found_without_a_database() -> None:
    schema = Schema((Table("orders", (Column("status", "INTEGER"),)),))
    catalog = catalog_from_schema(schema)
    assert catalog.values.match("refunded orders") == []
    person = catalog.with_entries([Entry("orders", "status", "4", "refunded", "person")])
    assert [(m.table, m.column, m.value) for m in person.values.match("refunded orders")] == [
        ("orders", "status", "4")
    ]


def test_codes_are_spelled_as_the_database_spells_them(tmp_path: Path) -> None:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("create table orders (id integer primary key, status text, amount integer, year integer)")
        db.executemany(
            "insert into orders values (?, ?, ?, ?)",
            [(i, "ab"[i % 2], 98000 + i, 1990 + i % 5) for i in range(40)],
        )
    with connect(str(path)) as engine:
        catalog = build_catalog(engine, entries=[Entry("orders", "status", "A", "shipped")])
    assert told("shipped orders", catalog.values) == {("status", "a")}
    assert told("the order of 98012", catalog.values) == {("amount", "98012")}
    assert told("over 98000 in 1993 with id 12", catalog.values) == {("year", "1993")}


@pytest.fixture(scope="module")
def superhero() -> Catalog:
    with connect(str(data_dir("bird", "databases", "superhero.sqlite"))) as engine:
        return build_catalog(engine, dictionary_files=[data_dir("bird", "database_description", "superhero")])


def test_questions_of_superhero(superhero: Catalog) -> None:
    questions = {
        "Please list all the superpowers of 3-D Man.": ("superhero_name", "3-D Man"),
        "Who is the publisher of Sauron?": ("superhero_name", "Sauron"),
        "What is Copycat's race?": ("superhero_name", "Copycat"),
        "how many heroes have blue eyes": ("colour", "Blue"),
        "heroes with the power of super strength": ("power_name", "Super Strength"),
        "the bad ones": ("alignment", "Bad"),
    }
    for question, expected in questions.items():
        assert expected in told(question, superhero.values), question


def test_a_catalog_survives_json(superhero: Catalog) -> None:
    again = Catalog.from_json(json.loads(json.dumps(superhero.to_json())))
    assert again.schema == superhero.schema
    assert again.dictionary == superhero.dictionary
    assert again.profile == superhero.profile
    assert again.to_json() == superhero.to_json()
    question = "How many superheroes of Marvel have blue eyes and Agility?"
    assert again.values.match(question) == superhero.values.match(question) != []
