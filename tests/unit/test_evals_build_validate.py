"""The validator: a broken task for every rule, caught by it and by no other; sound ones pass."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from sqlglot import parse_one

from library_bench import GOLDEN, make_library
from sqlore.evals.build.bench import Bench, Candidate, open_bench
from sqlore.evals.build.effects import variants
from sqlore.evals.build.facts import facts_of
from sqlore.evals.build.findings import RULES, Limits
from sqlore.evals.build.validate import Validator, agreements, read_candidates, summary_of
from support import data_dir

TASKS = yaml.safe_load((GOLDEN / "tasks.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    file = make_library(tmp_path_factory.mktemp("bench"))
    with open_bench([GOLDEN / "history.json"], str(file)) as bench:
        yield bench


def candidate(number: int) -> Candidate:
    task = TASKS[number]
    return Candidate(str(number), "library", task["question"], task["sql"], "", tuple(map(str, task["used"])))


def test_every_rule_has_a_broken_task() -> None:
    assert sorted(task["rule"] for task in TASKS if task["rule"]) == sorted(RULES)


@pytest.mark.parametrize("number", range(len(TASKS)), ids=lambda n: f"{n}-{TASKS[n]['rule']}")
def test_a_task_is_caught_by_its_rule_and_by_no_other(library: Bench, number: int) -> None:
    verdict = Validator(library).check(candidate(number))
    rule = TASKS[number]["rule"]
    assert verdict.rules == ((rule,) if rule else ()), verdict.findings
    assert verdict.passed is (rule is None)
    for finding in verdict.findings:
        assert finding.place
        assert finding.advice


def test_without_used_the_scripts_are_those_that_hold_a_piece(library: Bench) -> None:
    sql = "SELECT UPPER(title) FROM book WHERE genre = 'novel' AND pages > 300"
    named = Candidate("1", "library", "List the long novels in capitals.", sql, "", (), {"x": ("7",)})
    assert Validator(library).check(named).rules == ("functions",)
    nobody = Candidate("1", "library", "List the long novels in capitals.", sql)
    assert Validator(library).check(nobody).rules == ("functions",)


def test_a_slow_query_does_not_run(library: Bench) -> None:
    sql = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n, book "
        "WHERE genre = 'novel'"
    )
    verdict = Validator(library, Limits(seconds=0.2)).check(Candidate("1", "library", "?", sql))
    assert verdict.rules == ("runs",)
    assert "stopped" in verdict.findings[0].advice


def test_a_wrong_name_is_told_with_what_may_be_meant(library: Bench) -> None:
    verdict = Validator(library).check(Candidate("1", "library", "?", "SELECT COUNT(*) FROM books"))
    assert verdict.rules == ("runs",)
    assert "books" in verdict.findings[0].advice
    assert "did you mean book?" in verdict.findings[0].advice


@pytest.mark.parametrize(
    ("sql", "unlinked"),
    [
        ("SELECT COUNT(*) FROM book AS a INNER JOIN author AS b", {"author"}),
        ("SELECT COUNT(*) FROM book AS a JOIN author AS b ON b.id = b.id", {"author"}),
        (
            "SELECT COUNT(*) FROM book AS a, author AS b, loan AS c WHERE a.author_id = b.id AND c.days > 3",
            {"loan"},
        ),
        ("SELECT COUNT(*) FROM book AS a, author AS b WHERE b.id = a.author_id AND a.pages > 3", set()),
        ("SELECT COUNT(*) FROM book AS a, author AS b WHERE author_id = b.id", set()),
        ("SELECT COUNT(*) FROM book AS a JOIN (SELECT 1 AS n) AS b", set()),
    ],
)
def test_tables_that_nothing_joins(library: Bench, sql: str, unlinked: set[str]) -> None:
    assert facts_of(sql, "sqlite", library.catalog.schema).unlinked == unlinked
    findings = Validator(library).check(Candidate("1", "library", "?", sql)).findings
    assert {one.place for one in findings if one.rule == "join_mode"} >= unlinked


def test_too_long_is_minor_then_major(library: Bench) -> None:
    task = candidate(len(TASKS) - 1)
    for limits, severity in ((Limits(target=5), "minor"), (Limits(target=5, longest=6), "major")):
        (finding,) = Validator(library, limits).check(task).findings
        assert (finding.rule, finding.severity) == ("length", severity)


def test_the_parts_of_a_query_that_are_tried() -> None:
    sql = """WITH old AS (SELECT id FROM book WHERE pages > 1), unused AS (SELECT 1)
    SELECT DISTINCT a.name FROM author a JOIN book b ON a.id = b.author_id JOIN old o ON o.id = b.id
    JOIN loan l ON l.book_id = b.id WHERE (b.genre = 'x' OR b.genre = 'y') AND a.id = b.author_id
    GROUP BY a.name HAVING COUNT(b.id) > 1 ORDER BY a.name LIMIT 3"""
    places = [variant.place for variant in variants(parse_one(sql, read="sqlite"), "sqlite")]
    assert sorted(places) == sorted(
        [
            "WHERE pages > 1",
            "WHERE b.genre = 'x'",
            "WHERE b.genre = 'y'",
            "HAVING COUNT(b.id) > 1",
            "DISTINCT",
            "LIMIT 3",
            "GROUP BY a.name",
            "JOIN old AS o ON o.id = b.id",
            "JOIN loan AS l ON l.book_id = b.id",
            "WITH unused",
        ]
    )


def test_facts_do_not_depend_on_aliases_and_ctes() -> None:
    plain = facts_of("SELECT COUNT(b.id) FROM book b LEFT JOIN loan l ON l.book_id = b.id", "sqlite")
    named = facts_of(
        "WITH x AS (SELECT id AS i FROM book) SELECT COUNT(x.i) FROM x LEFT JOIN loan ON x.i = loan.book_id",
        "sqlite",
    )
    assert plain.counts == named.counts
    assert plain.modes == named.modes
    assert (plain.tables, named.tables) == (2, 1)


def test_categories_of_functions() -> None:
    sql = """SELECT COUNT(*), SUBSTR(a, 1, 2), STRFTIME('%Y', b), ROUND(c), a || b, IIF(a = 1, 2, 3),
    RANK() OVER (ORDER BY c), CAST(c AS REAL) FROM t WHERE a = 1 AND b = 2"""
    found = facts_of(sql, "sqlite").functions
    assert set(found) == {"aggregate", "text", "date", "numeric", "conditional", "window"} | (
        set(found) & {"rank"}
    )


@pytest.mark.parametrize("name", ["superhero", "financial"])
def test_the_given_tasks(name: str) -> None:
    """Every finding that is major was looked at: more tables than a script, a clause without effect."""
    database = data_dir("bird", "databases", f"{name}.sqlite")
    tasks = read_candidates(data_dir("history_tasks", f"{name}.json"))
    with open_bench([data_dir("bird", "dev.json")], str(database)) as bench:
        validator = Validator(bench)
        agreed = agreements(validator, tasks)
        verdicts = [validator.check(task) for task in tasks[:6]]
    assert agreed["exact"] >= 0.85 * agreed["tasks"]
    assert agreed["both"] > 20 * (agreed["extra"] + agreed["missing"])
    found = summary_of(verdicts)
    assert found["tasks"] == 6
    assert set(found["rules"]) <= {"tables", "effect", "length"}


def test_a_file_of_something_else(tmp_path: Path) -> None:
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps([{"question": "How many?", "SQL": "SELECT 1", "used": [3]}, "no"]))
    from sqlore.errors import SourceError

    with pytest.raises(SourceError, match="record 2"):
        read_candidates(file)


def test_a_clock_that_makes_no_difference_is_no_fault(library: Bench) -> None:
    """The gap of two ages is the same on every day; an age is not."""
    age = "STRFTIME('%Y', CURRENT_TIMESTAMP) - pages"
    gap = f"SELECT MAX({age}) - MIN({age}) FROM book"
    told = {
        sql: "stable" in Validator(library).check(Candidate("1", "library", "How old?", sql)).rules
        for sql in (gap, f"SELECT MAX({age}) FROM book", "SELECT JULIANDAY('now') - MIN(pages) FROM book")
    }
    assert list(told.values()) == [False, True, True]
