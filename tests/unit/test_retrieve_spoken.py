"""Words that go with conditions in a history, and items shown with the values of the question."""

from __future__ import annotations

from sqlore.knowledge import Store, learn
from sqlore.model import KnowledgeItem, Script, ValueMatch
from sqlore.retrieve import Retriever
from sqlore.retrieve.spoken import in_the_question, spoken

OWNERS = "SELECT {} FROM disp p WHERE p.type = 'OWNER'"
HISTORY = (
    ("How many accounts are eligible for loans?", OWNERS.format("COUNT(*)")),
    ("List the accounts that are eligible for loans.", OWNERS.format("p.account_id")),
    ("How many accounts are there?", "SELECT COUNT(*) FROM account"),
    ("Which accounts are old?", "SELECT account_id FROM account WHERE opened < 1990"),
    ("How many regions are there?", "SELECT COUNT(DISTINCT region) FROM district"),
    ("Name all regions.", "SELECT region FROM district"),
    ("How many loans are there?", "SELECT COUNT(*) FROM loan"),
)


def test_a_word_that_goes_with_a_condition_is_told_with_its_value_and_its_scripts() -> None:
    with Store.create(":memory:") as store:
        learn(store, [Script(sql, question=words) for words, sql in HISTORY], dialect="sqlite")
        snapshot = Retriever(store).snapshot
        question = "Which accounts in Prague are eligible?"
        (found,) = spoken(snapshot, question)
        assert question[found.start : found.end] == found.phrase == "eligible"
        (item,) = found.items
        assert item.sql == "disp.type = 'OWNER'"
        assert len(item.scripts) == 2
        assert spoken(snapshot, question, {item.item}) == ()
        assert spoken(snapshot, "How many accounts are there?") == ()


def test_an_item_is_shown_with_the_value_that_the_question_names() -> None:
    item = KnowledgeItem(
        1, "condition", "predicate", "district.a3 = <val>", "d.A3 = 'north Bohemia'", "", "", 3,
        literals=((("north Bohemia",), 2), (("Prague",), 1)), columns=("district.a3",),
    )  # fmt: skip
    east = ValueMatch("district", "A3", "east Bohemia", "east Bohemia", 0, 12)
    other = ValueMatch("district", "A2", "east Bohemia", "east Bohemia", 0, 12)
    assert in_the_question(item, [other, east]).sql == "d.A3 = 'east Bohemia'"
    assert in_the_question(item, [other]) == item
    assert in_the_question(item, []) == item
