"""What of a question nothing in its SQL answers: names, values, numbers, the history's words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqlore.answer import ask
from sqlore.answer.coverage import Coverage
from sqlore.answer.refine.checked import checked_draft
from sqlore.catalog import Catalog, ColumnValues, Dictionary, Entry, ValueIndex
from sqlore.engines import connect
from sqlore.interfaces.cli.render import uncovered_text
from sqlore.knowledge import Store, learn
from sqlore.llm.function import FunctionModel
from sqlore.model import Column, ForeignKey, Schema, Script, Table
from sqlore.retrieve import Retriever

SCHEMA = Schema(
    (
        Table("district", (Column("district_id", primary_key=True), Column("A3"), Column("A11"))),
        Table(
            "account",
            (Column("account_id", primary_key=True), Column("district_id"), Column("opened")),
            foreign_keys=(ForeignKey(("district_id",), "district", ("district_id",)),),
        ),
        Table(
            "disp",
            (Column("disp_id", primary_key=True), Column("account_id"), Column("type")),
            foreign_keys=(ForeignKey(("account_id",), "account", ("account_id",)),),
        ),
        Table("client", (Column("client_id", primary_key=True), Column("gender"), Column("birth_date"))),
    ),
    name="bank",
    dialect="sqlite",
)
ENTRIES = (
    Entry("district", "a3", name="region"),
    Entry("district", "a11", name="average salary"),
    Entry("client", "gender", "F", "female"),
)
CATALOG = Catalog(
    SCHEMA,
    Dictionary(ENTRIES),
    values=ValueIndex(
        [
            ColumnValues("district", "A3", ("Prague", "east Bohemia")),
            ColumnValues("client", "gender", ("F", "M"), (("female", "F"), ("male", "M"))),
        ]
    ),
)
IN_PRAGUE = (
    "SELECT COUNT(a.account_id) FROM district d JOIN account a ON a.district_id = d.district_id"
    " WHERE d.A3 = 'Prague'"
)
OWNERS = "SELECT COUNT(*) FROM account a JOIN disp p ON p.account_id = a.account_id WHERE p.type = 'OWNER'"
HISTORY = (
    ("How many accounts are eligible for loans?", OWNERS),
    ("Accounts opened in 1995 that are eligible for loans?", f"{OWNERS} AND a.opened LIKE '1995%'"),
    ("How many accounts of 1996 are eligible for loans?", f"{OWNERS} AND a.opened LIKE '1996%'"),
    ("How many accounts are in Prague?", IN_PRAGUE),
    ("How many accounts are in east Bohemia?", IN_PRAGUE.replace("Prague", "east Bohemia")),
    ("Which regions are there?", "SELECT DISTINCT A3 FROM district"),
    ("How many clients are there?", "SELECT COUNT(*) FROM client"),
    ("What is the highest average salary?", "SELECT MAX(A11) FROM district"),
    ("When was the oldest client born?", "SELECT MIN(birth_date) FROM client"),
    ("How many accounts were opened in 1997?", "SELECT COUNT(*) FROM account WHERE opened LIKE '1997%'"),
)
ELIGIBLE = "How many accounts who have region in Prague are eligible for loans?"


@pytest.fixture(scope="module")
def retriever() -> Iterator[Retriever]:
    """A history that says "eligible for loans" where it means owners."""
    scripts = [Script(sql, key=f"q{n}", question=words) for n, (words, sql) in enumerate(HISTORY)]
    with Store.create(":memory:") as store:
        learn(store, scripts, catalog=CATALOG, dialect="sqlite")
        yield Retriever(store, catalog=CATALOG)


def phrases(question: str, sql: str, retriever: Retriever | None = None) -> list[str]:
    snapshot = retriever.snapshot if retriever is not None else None
    found = Coverage(CATALOG, snapshot, "sqlite").uncovered(question, sql)
    assert all(question[one.start : one.end] == one.phrase for one in found)
    return [one.phrase for one in found]


def test_a_phrase_that_the_history_knows_is_told_with_what_it_goes_with(retriever: Retriever) -> None:
    (found,) = Coverage(CATALOG, retriever.snapshot, "sqlite").uncovered(ELIGIBLE, IN_PRAGUE)
    assert found.phrase == "eligible for loans"
    (item,) = found.items
    assert (item.kind, item.sql) == ("condition", "disp.type = 'OWNER'")
    said = [script.script.question or "" for script in retriever.store.scripts(list(item.scripts))]
    assert len(said) == 2  # two of the three are one script with other values
    assert all("eligible for loans" in words for words in said)
    stored = retriever.store.item(item.item)
    assert stored is not None
    assert stored.skeleton == "disp.type = <val>"


def test_nothing_is_told_where_the_sql_does_what_the_words_stand_for(retriever: Retriever) -> None:
    whole = IN_PRAGUE.replace(" WHERE", " JOIN disp p ON p.account_id = a.account_id WHERE")
    assert phrases(ELIGIBLE, f"{whole} AND p.type = 'OWNER'", retriever) == []
    for words, sql in HISTORY:
        assert phrases(words, sql, retriever) == []


def test_a_value_of_the_database_is_told_where_the_sql_has_nothing_of_its_column(
    retriever: Retriever,
) -> None:
    assert phrases("Accounts in Prague?", IN_PRAGUE, retriever) == []
    assert phrases("Accounts in Prague?", "SELECT COUNT(*) FROM account", retriever) == ["Prague"]


def test_withheld_scripts_do_not_speak(retriever: Retriever) -> None:
    coverage = Coverage(CATALOG, retriever.snapshot, "sqlite")
    assert coverage.uncovered(ELIGIBLE, IN_PRAGUE, {"q0", "q1"}) == ()


@pytest.mark.parametrize(
    ("question", "sql", "told"),
    [
        ("How many clients born after 1970?", "SELECT COUNT(*) FROM client", ["after 1970"]),
        (
            "How many clients born after 1970?",
            "SELECT COUNT(*) FROM client WHERE birth_date >= '1971-01-01'",
            [],
        ),
        ("How many clients are female?", "SELECT COUNT(*) FROM client", ["female"]),
        ("How many clients are female?", "SELECT COUNT(*) FROM client WHERE gender = 'F'", []),
        ("Which region has the most accounts, and what is its average salary?",
         "SELECT A3 FROM district", ["salary"]),
        ("Which clients are called 'Smith'?", "SELECT client_id FROM client", ["Smith"]),
        ("What share of clients is in the top 20%?", "SELECT COUNT(*) FROM client", []),
        ("How many clients are there in total?", "SELECT COUNT(*) FROM client", []),
        ("Kindly enumerate all wondrous clients.", "SELECT client_id FROM client", []),
        ("How many clients are female?", "SELEC nothing", []),
        ("", "SELECT 1", []),
    ],
)  # fmt: skip
def test_without_a_history_names_values_and_numbers_count(question: str, sql: str, told: list[str]) -> None:
    assert phrases(question, sql) == told


def test_an_answer_carries_what_it_leaves_out(retriever: Retriever, tmp_path: Path) -> None:
    file = tmp_path / "bank.sqlite"
    with sqlite3.connect(file) as made:
        for table in SCHEMA.tables:
            made.execute(f"CREATE TABLE {table.name} ({', '.join(c.name for c in table.columns)})")

    with connect(str(file)) as engine:
        draft = ask(
            ELIGIBLE,
            engine=engine,
            catalog=CATALOG,
            model=FunctionModel(lambda _: f"```sql\n{IN_PRAGUE}\n```"),
            retriever=retriever,
            store=retriever.store,
        )
        assert [one.phrase for one in draft.uncovered] == ["eligible for loans"]
        assert draft.uncovered[0].items[0].sql == "disp.type = 'OWNER'"
        again = checked_draft(
            draft.sql,
            engine=engine,
            catalog=CATALOG,
            store=retriever.store,
            question=ELIGIBLE,
            snapshot=retriever.snapshot,
        )
        assert again.uncovered == draft.uncovered


TOTAL = "SELECT SUM(A11) AS {} FROM district"
REVENUE = (
    ("What is our monthly recurring revenue?", TOTAL.format("mrr")),
    ("Monthly recurring revenue by region", f"{TOTAL.format('mrr')} GROUP BY A3"),
    *((f"Net revenue in 199{n}", f"SELECT MAX(opened) FROM account WHERE district_id = 1 AND opened = {n}")
      for n in range(6)),
    *HISTORY,
)  # fmt: skip


@pytest.mark.parametrize("question", ["How much recurring revenue?", "How much monthly recurring revenue?"])
def test_a_calculation_that_the_history_calls_by_a_word_answers_it(question: str) -> None:
    scripts = [Script(sql, key=f"r{n}", question=words) for n, (words, sql) in enumerate(REVENUE)]
    with Store.create(":memory:") as store:
        learn(store, scripts, catalog=CATALOG, dialect="sqlite")
        retriever = Retriever(store, catalog=CATALOG)
        assert phrases(question, "SELECT SUM(A11) FROM district", retriever) == []
        (other,) = phrases(question, "SELECT COUNT(*) FROM client", retriever)
        assert other.endswith("revenue")


NOT_COUNTED = "birth_date > '1900' AND gender <> 'X'"
PEOPLE = "SELECT COUNT(DISTINCT client_id) FROM client"
LENDINGS = (
    ("Lendings in all", f"{PEOPLE} WHERE {NOT_COUNTED}"),
    ("Lendings by gender", f"{PEOPLE} WHERE {NOT_COUNTED} GROUP BY gender"),
    ("Lendings by birth", f"{PEOPLE} WHERE {NOT_COUNTED} GROUP BY birth_date"),
    ("Readers by gender", f"{PEOPLE} GROUP BY gender"),
    ("Readers by birth", f"{PEOPLE} GROUP BY birth_date"),
    ("Who left?", "SELECT client_id FROM client WHERE gender <> 'X'"),
    *HISTORY,
)


def test_what_stands_beside_it_in_all_scripts_is_told_too_however_common_it_is() -> None:
    scripts = [Script(sql, key=f"l{n}", question=words) for n, (words, sql) in enumerate(LENDINGS)]
    with Store.create(":memory:") as store:
        learn(store, scripts, catalog=CATALOG, dialect="sqlite")
        snapshot = Retriever(store, catalog=CATALOG).snapshot
        (found,) = Coverage(CATALOG, snapshot, "sqlite").uncovered("How many lendings?", PEOPLE)
    assert [one.sql for one in found.items] == ["client.birth_date > '1900'", "client.gender <> 'X'"]
    first, second = (f"{one.sql} (item {one.item}, " for one in found.items)
    assert f"it goes with {first}" in uncovered_text(found)
    assert f" and {second}" in uncovered_text(found)


@pytest.mark.parametrize(
    ("condition", "values", "told"),
    [
        ("gender = '{}'", ("F", "M", "X", "Y"), False),
        ("birth_date > '{}'", ("1950-01-01", "1940-01-01", "1960-01-01", "1930-01-01"), True),
        ("birth_date LIKE '{}%'", ("1950", "1940", "1960", "1930"), True),
        ("STRFTIME('%Y', birth_date) > '{}'", ("1950", "1940", "1960", "1930"), True),
    ],
)
def test_a_number_goes_with_conditions_on_numbers_and_dates_alone(
    condition: str, values: tuple[str, ...], told: bool
) -> None:
    """The word before it is said where these conditions stand."""
    known = [
        (f"Clients aged over {n} please", f"SELECT client_id FROM client WHERE {condition.format(value)}")
        for n, value in zip((30, 40, 50, 60), values, strict=True)
    ]
    scripts = [Script(sql, key=f"n{n}", question=words) for n, (words, sql) in enumerate((*known, *HISTORY))]
    with Store.create(":memory:") as store:
        learn(store, scripts, catalog=CATALOG, dialect="sqlite")
        snapshot = Retriever(store, catalog=CATALOG).snapshot
        found = Coverage(CATALOG, snapshot, "sqlite").uncovered(
            "Number of clients aged over 77?", "SELECT COUNT(*) FROM client"
        )
    assert "77" in found[-1].phrase
    assert bool(found[-1].items) is told
