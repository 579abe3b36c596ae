"""What a comment says of the statement below it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sqlore.history.comments import leading_comment, read_comment, to_time


@pytest.mark.parametrize(
    "text",
    [
        "How many customers churned in March?",
        "list the ten plans with most refunds",
        "Show revenue by month",
        "which accounts are test accounts",
        "Top 10 customers by net revenue",
        "Anna asked: what did we refund last year?",
        "Please find the orders without an invoice",
        "are there customers without a subscription",
        "did we win any customers in May",
        "when did the customers of plan 9 leave",
        "For each plan, how many sites are live",
        "in which region is revenue lowest",
        "count distinct users per day",
        "return the five oldest invoices",
        "write a query for the churned customers",
        "we need to know the refunds of May",
        "slide 8: What share of the orders left on time? Two days, without weekends",
        "Don't we have more than that?",
    ],
)
def test_questions_and_requests(text: str) -> None:
    note = read_comment(f"-- {text}")
    assert (note.question, note.comment) == (text, None)


@pytest.mark.parametrize(
    "text",
    [
        "Net revenue without test accounts",
        "fiscal year starts in February",
        "Howto",
        "topology of sites",
        # words that ask elsewhere
        'Report "Net revenue by channel", the tool fills in the dates',
        "Report of May",
        "write off small change",
        "count by status",
        "list of customers, for Tobias",
        "state machine of orders",
        "return rate per month",
        "average order value by month",
        "for the auditor",
        "is the old version of mrr.sql",
        "has one row per order",
        "when customers leave they lose their points",
        "where clause as in the dashboard",
        "How the fiscal year works",
        "get rid of the second join",
        "can be slow (two minutes)",
        "customers by status (new?) and region",
        # warnings
        "DO NOT USE ANY MORE, counts upgrades and the reshuffle as churn. See churn.sql",
        "don't run this on Mondays",
        "does not run",
        "doesn't work?",
        "deprecated: which one is right?",
        "OLD - how many customers?",
        "wrong!! should it be without Z?",
        "TODO which region?",
        "not used any more",
    ],
)
def test_remarks(text: str) -> None:
    note = read_comment(f"-- {text}")
    assert (note.question, note.comment) == (None, text)


@pytest.mark.parametrize(
    ("text", "question", "comment"),
    [
        ("-- DO NOT USE\n-- how many churned?", "how many churned?", "DO NOT USE"),
        ("-- list all churned customers\n-- deprecated, see churn.sql", "list all churned customers",
         "deprecated, see churn.sql"),
        ("-- revenue by plan\n-- deprecated\n-- use b.sql", None, "revenue by plan; deprecated; use b.sql"),
        ("-- DO NOT USE, counts\n-- deleted ones", None, "DO NOT USE, counts deleted ones"),
        ("-- active customers\n-- how many are there?", "how many are there?", "active customers"),
        ("-- show the customers\n-- who left in May?", "show the customers who left in May?", None),
    ],
)  # fmt: skip
def test_a_question_begins_where_it_asks(text: str, question: str, comment: str | None) -> None:
    note = read_comment(text)
    assert (note.question, note.comment) == (question, comment)


def test_definitions_are_not_taken_for_code() -> None:
    words = ["on time = out of the door within 2 days", "ok=1 paid out, ok=0 turned down; always ok=1"]
    assert read_comment("\n".join(f"-- {line}" for line in words)).comment == " ".join(words)
    for code in ("and c.acct_type <> 'Z'", "on o.cust_cd = c.leg_cd", "where x in (1, 2) and y is null",
                 "group by region, month", "set @a = 1;", "order by net desc"):  # fmt: skip
        assert read_comment(f"-- {code}").comment is None, code


def test_a_query_that_was_commented_out_says_nothing() -> None:
    block = "-- select o.ch,\n--   sum(o.gross_c)\n-- from orders o\n-- where o.st <> 7\n-- group by o.ch"
    assert read_comment(block).lines == []
    assert read_comment("/* select customers by hand\n   and send the list to Owen */").lines != []


def test_question_and_remark_together() -> None:
    note = read_comment("-- How many customers\n-- churned last month?\n-- Test accounts are left out.")
    assert note.question == "How many customers churned last month?"
    assert note.comment == "Test accounts are left out."


@pytest.mark.parametrize(
    ("text", "author", "time", "runs"),
    [
        ("-- author: anna\n-- date: 2025-03-01\n-- run 12 times", "anna", "2025-03-01", 12),
        (
            "-- Owner: Ben Ray | Runs: 1,204 | Created: 2025-03-01 10:30",
            "Ben Ray",
            "2025-03-01T10:30:00",
            1204,
        ),
        ("/* @author anna\n * @date 2025-03-01\n * ran 3 times */", "anna", "2025-03-01", 3),
        ("-- anna, 2025-03-01", "anna", "2025-03-01", None),
        ("-- by ben.ray on 2025-03-01 (run 4 times)", "ben.ray", "2025-03-01", 4),
        ("# User: anna@shop.io, executed: 2025/03/01", "anna@shop.io", "2025-03-01", None),
    ],
)
def test_metadata(text: str, author: str | None, time: str | None, runs: int | None) -> None:
    note = read_comment(text)
    assert (note.author, note.time, note.runs) == (author, time, runs)


def test_runs_within_words() -> None:
    note = read_comment("-- weekly report (was run 1,200 times)")
    assert (note.comment, note.runs) == ("weekly report", 1200)


@pytest.mark.parametrize(
    "question",
    [
        "Which coupons were used 10 times or more?",
        "Which coupons have been used 3 times?",
        "What did customers who used 2x or more pay?",
    ],
)
def test_a_count_that_is_asked_for_is_no_count_of_runs(question: str) -> None:
    note = read_comment(f"-- {question}")
    assert (note.question, note.runs) == (question, None)


def test_labels_of_words() -> None:
    note = read_comment("/*\n  Question: revenue by plan\n  Note: gross\n  Evidence: plan 9 is a test\n*/")
    assert (note.question, note.comment, note.evidence) == ("revenue by plan", "gross", "plan 9 is a test")


def test_rulers_and_commented_out_code_say_nothing() -> None:
    note = read_comment(
        "-- =====\n-- select * from old_table where x = 1;\n-- AND plan = 'x'\n-- refunds\n-- ---"
    )
    assert (note.question, note.comment) == (None, "refunds")


def test_a_comment_without_markers() -> None:
    assert read_comment("How many?\nauthor: x").author == "x"
    assert read_comment(None).comment is None


def test_leading_comment() -> None:
    assert leading_comment("/* a */ -- b\n\n SELECT 1 -- c") == "/* a */ -- b"
    assert leading_comment("SELECT 1 -- c") is None
    assert leading_comment("/* never closed") is None
    assert leading_comment("{{ config(a='b') }}\n\n-- one row a day\nselect 1 -- c") == "-- one row a day"
    assert read_comment(leading_comment("{% set a = 1 %}{# how many? #}select 1")).question == "how many?"


def test_many_comments_take_no_time() -> None:
    assert leading_comment("/* a */ " * 5000 + "?") is not None
    assert read_comment("-- " + "x " * 50_000).comment is not None
    assert read_comment("-- " + "a? b. " * 20_000).comment is not None
    assert read_comment("-- for " + "x, " * 20_000).comment is not None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (datetime(2025, 3, 1, 10, tzinfo=UTC), "2025-03-01T10:00:00+00:00"),
        ("1740823200000", "2025-03-01T10:00:00+00:00"),
        ("20230527081500", "2023-05-27T08:15:00"),
        (202305270815, "2023-05-27T08:15:00"),
        ("174082320000", "1975-07-08T20:12:00+00:00"),
        (1740823200.5, "2025-03-01T10:00:00.500000+00:00"),
        ("2025-03-01T10:00:00Z", "2025-03-01T10:00:00+00:00"),
        ("01.03.2025", "2025-03-01"),
        ("20250301", "2025-03-01"),
        ("yesterday", "yesterday"),
        ("", None),
        (None, None),
    ],
)
def test_times(value: object, expected: str | None) -> None:
    assert to_time(value) == expected
