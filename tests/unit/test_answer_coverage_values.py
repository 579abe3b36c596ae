"""A word of a question that the history says with another value than the SQL has."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqlore.answer.coverage import Coverage
from sqlore.catalog import Catalog, Dictionary, Entry
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
