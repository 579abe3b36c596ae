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


def test_how_something_is_asked_stands_for_nothing() -> None:
    asked = (
        "How much did owners pay?", "How much do owners owe?", "What total number of owners is there?",
        "The total number of owners", "The average value of payments of owners", "Average value for owners",
    )  # fmt: skip
    owners = [(words, OWNERS.format(f"COUNT(*) + {n}")) for n, words in enumerate(asked)]
    history = (*owners, *STATEMENTS[5:], ("Name all loans of a town", "SELECT loan_id, town FROM loan"))
    told = _told(history, "How much, which total number, what average value is there for owners?")
    assert told == {"owners": ["disp.type = 'OWNER'"]}


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


def _told(history: tuple[tuple[str, str], ...], question: str) -> dict[str, list[str]]:
    """The conditions told of each phrase of a question, under a history."""
    with Store.create(":memory:") as store:
        learn(store, [Script(sql, question=words) for words, sql in history], dialect="sqlite")
        found = spoken(Retriever(store).snapshot, question)
    return {one.phrase: [item.sql for item in one.items] for one in found}


ISSUED = "SELECT COUNT(*) FROM account WHERE frequency = '{}'"
STATEMENTS = (
    ("How many accounts have a weekly statement?", ISSUED.format("TYDNE")),
    ("Clients who choose a statement each week", ISSUED.format("TYDNE")),
    ("Accounts whose statement comes weekly", ISSUED.format("TYDNE")),
    ("Accounts with a monthly statement", ISSUED.format("MESICNE")),
    ("How many choose issuance after transaction?", ISSUED.format("PO OBRATU")),
    ("Which accounts are there?", "SELECT account_id FROM account"),
    ("How many regions are there?", "SELECT COUNT(DISTINCT region) FROM district"),
    ("How many loans are there?", "SELECT COUNT(*) FROM loan"),
    ("Name all regions", "SELECT region FROM district"),
    ("Name all loans", "SELECT loan_id FROM loan"),
    *((f"Name all {name}s", f"SELECT {name}_id FROM {name}") for name in ("client", "card", "disp", "bank")),
    *((f"How many {name}s?", f"SELECT COUNT({name}_id) FROM {name}") for name in ("trans", "card", "bank")),
)


def test_a_word_beside_it_says_which_value_of_a_pattern_is_meant() -> None:
    told = _told(STATEMENTS, "Accounts of 1993 with statement issued after transaction, by region")
    assert told == {"transaction": ["account.frequency = 'PO OBRATU'"]}


def test_a_word_that_goes_with_several_values_alike_tells_none() -> None:
    assert "statement" not in _told(STATEMENTS, "Accounts of 1993 with a statement")
    weekly = STATEMENTS[:3] + STATEMENTS[4:]
    assert _told(weekly, "Accounts of 1993 with a statement")["statement"] == ["account.frequency = 'TYDNE'"]
