"""A word of a question that the history says with another value than the SQL has."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from sqlore.answer.coverage import Coverage
from sqlore.catalog import Catalog, Dictionary, Entry, build_catalog
from sqlore.engines import connect
from sqlore.interfaces.cli.ask import uncovered_json
from sqlore.interfaces.cli.render import uncovered_text
from sqlore.interfaces.http.contract import Uncovered as Shown
from sqlore.knowledge import Store, learn
from sqlore.model import Column, Schema, Script, Table, Uncovered
from sqlore.retrieve import Retriever

SCHEMA = Schema(
    (
        Table("member", (Column("member_id", primary_key=True), Column("cat"), Column("st"), Column("sex"))),
        Table(
            "fee", (Column("fee_id", primary_key=True), Column("member_id"), Column("paid"), Column("due"))
        ),
    ),
    name="library",
    dialect="sqlite",
)
CATALOG = Catalog(SCHEMA, Dictionary((Entry("member", "cat", name="category"),)))
FEES = "SELECT SUM(f.due) FROM fee f JOIN member m ON m.member_id = f.member_id WHERE f.paid IS NULL AND "
MEMBERS = "SELECT COUNT(*) FROM member WHERE "
HISTORY = (
    ("How many active members are there?", f"{MEMBERS}st = 0"),
    ("How many titles did children like?", f"{MEMBERS}cat = 2"),
    ("Outstanding fees of seniors", f"{FEES}m.cat = 3"),
    ("Number of staff", f"{MEMBERS}cat = 9"),
    ("Fees of 2015", "SELECT SUM(due) FROM fee WHERE paid = '2015-01-01'"),
    ("Paid at the end of the period", "SELECT SUM(due) FROM fee WHERE paid = '2017-12-31'"),
    ("How many women joined?", f"{MEMBERS}sex = 'F'"),
    *((f"Which women are in state {n}?", f"SELECT member_id FROM member WHERE sex = 'F' AND st = {n}")
      for n in range(2, 6)),
    *((f"Men with category {n}", f"SELECT member_id FROM member WHERE sex = 'M' AND cat = {n}")
      for n in range(5, 8)),
)  # fmt: skip


@pytest.fixture(scope="module")
def retriever() -> Iterator[Retriever]:
    """A history of a library whose members have a category."""
    scripts = [Script(sql, key=f"q{n}", question=words) for n, (words, sql) in enumerate(HISTORY)]
    with Store.create(":memory:") as store:
        learn(store, scripts, catalog=CATALOG, dialect="sqlite")
        yield Retriever(store, catalog=CATALOG)


def told(question: str, sql: str, retriever: Retriever, *withheld: str) -> list[Uncovered]:
    found = Coverage(CATALOG, retriever.snapshot, "sqlite").uncovered(question, sql, withheld)
    return [one for one in found if one.instead]


SENIORS = "How many active seniors are there?"


def test_the_value_that_the_history_has_with_the_word_is_told(retriever: Retriever) -> None:
    (found,) = told(SENIORS, f"{MEMBERS}cat = 2 AND st = 0", retriever)
    assert (found.phrase, found.instead) == ("seniors", "2")
    assert SENIORS[found.start : found.end] == "seniors"
    (item,) = found.items
    assert (item.kind, item.sql, len(item.scripts)) == ("condition", "member.cat = 3", 1)
    said = f"'seniors': in the history it goes with member.cat = 3 (item {item.item}, 1 script), not 2"
    assert uncovered_text(found) == said
    assert uncovered_json(found, {})["instead"] == "2"
    assert Shown.model_validate(found).instead == "2"


def test_of_a_word_that_many_scripts_say_not_all_have_to_use_it_as_others_do(retriever: Retriever) -> None:
    (found,) = told("Which women are called Anna?", f"{MEMBERS}sex = 'M'", retriever)
    assert (found.phrase, found.items[0].sql, found.instead) == ("women", "member.sex = 'F'", "M")


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (SENIORS, f"{MEMBERS}cat = 3 AND st = 0"),
        (SENIORS, f"{MEMBERS}(cat = 2 OR cat = 3) AND st = 0"),
        ("How many children are there?", f"{MEMBERS}cat = 2"),
        ("How many children and seniors are there?", f"{MEMBERS}cat = 2"),
        ("How many seniors of category 2 are there?", f"{MEMBERS}cat = 2"),
        ("How many senior teenagers are there?", f"{MEMBERS}cat = 5"),
        ("Outstanding fees of staff", f"{FEES}m.cat = 9"),
        ("Outstanding fees", f"{FEES}m.cat = 9"),
        ("Fees at the end of 2016", "SELECT SUM(due) FROM fee WHERE paid = '2016-12-31'"),
    ],
    ids=["right", "both", "own", "own too", "named", "unknown", "staff", "about fees", "date"],
)
def test_nothing_is_told_where_the_value_may_be_meant(question: str, sql: str, retriever: Retriever) -> None:
    assert told(question, sql, retriever) == []


def test_withheld_scripts_do_not_speak_of_values(retriever: Retriever) -> None:
    assert told(SENIORS, f"{MEMBERS}cat = 2 AND st = 0", retriever, "q2") == []


CLINIC = """
CREATE TABLE kind (code TEXT PRIMARY KEY, label TEXT);
CREATE TABLE line (id INTEGER PRIMARY KEY, code TEXT REFERENCES kind(code), cents INTEGER);
CREATE TABLE visit (id INTEGER PRIMARY KEY, city TEXT, st INTEGER, day TEXT, del INTEGER, ins TEXT);
CREATE TABLE doctor (id INTEGER PRIMARY KEY, nm TEXT, field TEXT);
INSERT INTO kind VALUES ('B1', 'X-ray'), ('B2', 'MRI'), ('C1', 'Blood count');
INSERT INTO line VALUES (1, 'B1', 10), (2, 'B2', 20), (3, 'C1', 30);
INSERT INTO visit VALUES (1, 'Bonn', 1, '2022-03-01', 0, 'P'), (2, 'Ulm', 2, '2023-03-01', 0, 'G');
INSERT INTO visit VALUES (3, 'Trier', 3, '2024-03-01', 1, 'S');
INSERT INTO doctor VALUES (1, 'Ann', 'CARD'), (2, 'Bob', 'DERM');
"""
VISITS = "SELECT COUNT(*) FROM visit WHERE "
CITIES = "SELECT city FROM visit GROUP BY city"
REVENUE = "SELECT SUM(cents) FROM line WHERE code = '{}'"
CLINICS = (
    ("How many cardiologists do we have?", "SELECT COUNT(*) FROM doctor WHERE field = 'CARD'"),
    ("Revenue with MRI", REVENUE.format("B2")),
    ("How many visits were cancelled in 2023?", f"{VISITS}st = 3 AND day LIKE '2023-%'"),
    ("Which privately insured visitors live in Ulm?", f"{VISITS}ins = 'P' AND city = 'Ulm'"),
    ("Active visitors", f"{VISITS}del = 0"),
    ("Active visitors by city", "SELECT city, COUNT(*) FROM visit WHERE del = 0 GROUP BY city"),
    ("Which doctors are there?", "SELECT nm FROM doctor"),
)


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Coverage]:
    """A clinic with a table of codes, and what few scripts know of it."""
    file = tmp_path_factory.mktemp("clinic") / "clinic.sqlite"
    with sqlite3.connect(file) as made:
        made.executescript(CLINIC)
    scripts = [Script(sql, key=f"q{n}", question=words) for n, (words, sql) in enumerate(CLINICS)]
    with connect(str(file)) as engine, Store.create(":memory:") as store:
        catalog = build_catalog(engine)
        learn(store, scripts, catalog=catalog, dialect="sqlite")
        yield Coverage(catalog, Retriever(store, catalog=catalog).snapshot, "sqlite", engine)


@pytest.mark.parametrize(
    ("question", "sql", "place"),
    [
        ("How many visits in Bonn?", f"{VISITS}city = 'Ulm'", "visit.city = 'Ulm'"),
        ("How many visits in Bonn?", f"{VISITS}city IN ('Ulm', 'Trier')", "visit.city in ('Ulm', 'Trier')"),
        ("How many visits in Bonn and Ulm?", f"{VISITS}city = 'Ulm'", "visit.city = 'Ulm'"),
        ("How many visits in Bonn?", f"{VISITS}city = 'Bonn'", None),
        ("How many visits in Bonn?", f"{VISITS}lower(city) = 'bonn'", None),
        ("How many visits in Bonn?", f"{VISITS}city LIKE 'Bonn%'", None),
        ("How many visits not in Bonn?", f"{VISITS}city <> 'Bonn'", None),
        ("How many visits in Bonn?", f"{VISITS}city < 'C'", None),
        ("In which city, Bonn or others?", "SELECT city FROM visit", None),
        ("Revenue with X-ray", REVENUE.format("B2"), "line.code = 'B2'"),
        ("Revenue with X-ray", REVENUE.format("B1"), None),
        ("Revenue with X-ray", REVENUE.replace("= '{}'", "IN ('B1', 'B2')"), None),
        ("Visits cancelled in 2022?", f"{VISITS}st = 3 AND day LIKE '2023-%'", "visit.day like '2023-%'"),
        ("Visits cancelled in 2022?", f"{VISITS}st = 3 AND substr(day, 1, 4) = '2022'", None),
        ("Visits cancelled in 2022?", f"{VISITS}st = 3 AND day BETWEEN '2022-01-01' AND '2023-01-01'", None),
        ("Visits cancelled after 2022?", f"{VISITS}st = 3 AND day >= '2023-01-01'", None),
        ("Cities with more than 3 visits", f"{CITIES} HAVING COUNT(*) > 5", "count(*) > 5"),
        ("Cities with more than 3 visits", f"{CITIES} HAVING COUNT(*) >= 4", None),
    ],
)  # fmt: skip
def test_another_value_in_the_place_of_one_of_the_question_is_told(
    question: str, sql: str, place: str | None, clinic: Coverage
) -> None:
    found = clinic.uncovered(question, sql)
    assert [one.instead for one in found] == ([place] if place else [])
    assert all(uncovered_text(one) == f"'{one.phrase}' is not in this SQL: it has {place}" for one in found)


@pytest.mark.parametrize(
    ("question", "sql", "said"),
    [
        ("Names of the cardiologists", "SELECT nm FROM doctor", "doctor.field = 'CARD'"),
        ("How many active visitors of 2022?", f"{VISITS}day LIKE '2022-%'", "visit.del = 0"),
        ("Revenue with X-ray", "SELECT SUM(cents) FROM line", "'X-ray': nothing in this SQL answers it"),
    ],
)
def test_what_the_history_has_for_a_word_of_one_question_is_told_with_its_value(
    question: str, sql: str, said: str, clinic: Coverage
) -> None:
    assert said in " ".join(map(uncovered_text, clinic.uncovered(question, sql)))


def test_a_word_is_not_held_for_a_condition_whose_value_its_question_names(clinic: Coverage) -> None:
    """'insured' goes with ``ins = 'P'``; the city stands there because the question has it."""
    found = clinic.uncovered("How many insured visitors live there?", f"{VISITS}city = 'Trier'")
    assert not any("city" in uncovered_text(one) for one in found)


def test_a_question_of_unknown_words_is_known_as_such(clinic: Coverage) -> None:
    known = ("Revenue", "cardiologists", "Which doctors?", "Anything in Bonn?", "Anything of 2020?")
    assert [clinic.knows(one) for one in known] == [True] * len(known)
    assert not clinic.knows("Show me the numbers")
    assert not clinic.knows("Frobnicate quuxes")
