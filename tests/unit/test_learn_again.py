"""Learning the same history again, with something said that was not said before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqlore.history import parse_all
from sqlore.knowledge import Store
from sqlore.model import ParsedScript, Rejected, Script
from store_helpers import WordEmbedder, teach

T_SQL = """SELECT TOP 10 r.[res_id], t.[title], DATEDIFF(day, r.placed, GETDATE()) AS days_waiting
FROM [reservation] r INNER JOIN [title] t ON t.title_id = r.title_id
WHERE r.state = 'P' ORDER BY r.placed DESC"""
XML = "SELECT a FROM t FOR XML RAW"
"""T-SQL that bears no sure mark of it."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create(tmp_path / "a.sqlore") as opened:
        yield opened


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mysql", "snowflake"])
@pytest.mark.parametrize(
    "sql",
    [
        T_SQL,
        "SELECT DISTINCT TOP 5 PERCENT a FROM t",
        "SELECT CONVERT(varchar(10), d, 120) FROM t",
        "SELECT TOP 3 `a` FROM t WHERE b = 'SELECT `a`'",
    ],
)
def test_a_script_with_the_marks_of_another_dialect_is_read_in_it(sql: str, dialect: str) -> None:
    (outcome,) = parse_all([Script(sql, "7")], dialect=dialect)
    backticks = "`a` FROM" in sql
    assert isinstance(outcome, Rejected if backticks else ParsedScript)


def test_backticks_are_read_where_the_database_has_none() -> None:
    (outcome,) = parse_all([Script("SELECT `a` FROM `t` USE INDEX (i)", "7")], dialect="postgres")
    assert isinstance(outcome, ParsedScript)
    assert outcome.skeleton == "select t.a from t"


def test_marks_in_quotes_and_comments_are_none() -> None:
    sql = "SELECT 'TOP 5' FROM t -- CONVERT(varchar(10), [x])\nFOR XML RAW"
    assert isinstance(next(parse_all([Script(sql, "7")], dialect="sqlite")), Rejected)


def test_a_rejection_names_the_place_and_the_dialect_that_helps() -> None:
    (outcome,) = parse_all([Script(f"-- why\n{XML}", "7", line=3)], dialect="sqlite")
    assert isinstance(outcome, Rejected)
    assert outcome.line == 4
    assert "at 'FOR' (column 17)" in outcome.message
    assert outcome.message.endswith("it can be read with --dialect tsql")
    (hopeless,) = parse_all([Script("SELEKT a FRM t", "7", line=3)], dialect="sqlite")
    assert isinstance(hopeless, Rejected)
    assert hopeless.message == "no statement begins with 'SELEKT' (column 1)"


def test_what_was_rejected_is_read_again_in_another_dialect(store: Store) -> None:
    assert teach(store, XML).rejected == {"unparsable": 1}
    again = teach(store, XML)
    assert (again.known, dict(again.rejected)) == (1, {})
    report = teach(store, XML, dialect="tsql")
    assert (report.new, report.known) == (1, 0)
    assert store.rejected() == []


def test_what_no_dialect_can_read_tells_what_the_last_one_said(store: Store) -> None:
    teach(store, "SELEKT a FRM t")
    store.dismiss()
    report = teach(store, "SELEKT a FRM t", dialect="tsql")
    assert dict(report.rejected) == {"unparsable": 1}
    assert store.rejected() == []  # who dismissed it is not told again
    assert [one.script.dialect for _, one in store.rejections(dismissed=True)] == ["tsql"]
    assert teach(store, "SELEKT a FRM t", dialect="tsql").known == 1


def test_a_statement_that_ends_sooner_in_the_right_dialect_is_the_rejected_one(store: Store) -> None:
    sql = "DECLARE @n INT = 3\nSELECT a FROM t WHERE b = @n"
    teach(store, Script(f"{sql}\nGO", source="a.sql", line=1), Script("DROP TABLE t", source="a.sql", line=9))
    assert len(store.rejected()) == 2
    teach(store, Script(sql, source="a.sql", line=1), dialect="tsql")
    assert [one.script.sql for one in store.rejected()] == ["DROP TABLE t"]


def test_what_was_corrected_in_its_source_is_listed_no_longer(store: Store) -> None:
    other = Script("SELEKT b FRM t", source="b.sql", line=1)
    teach(store, Script("SELEKT a FRM t", source="a.sql", line=3), other)
    corrected = Script("SELECT a FROM t", source="a.sql", line=4)
    teach(store, corrected)
    assert len(store.rejected()) == 2  # these may be a part of the source
    teach(store, corrected, whole=True)
    assert [one.script.source for one in store.rejected()] == ["b.sql"]
    teach(store, other, whole=True)
    assert len(store.rejected()) == 1


SQL = "SELECT m.full_name FROM member m WHERE m.cat = 4"


def row(line: int, **said: str) -> Script:
    """A row of a log."""
    return Script(SQL, key=f"log.csv:{line}", source="log.csv", line=line, **said)  # type: ignore[arg-type]


SAID = {"question": "Which members are schools?", "author": "ines", "time": "2025-03-20"}


@pytest.mark.parametrize("first", [{}, {"comment": "schools"}, {"author": "ines"}, {"time": "2025-03-20"}])
def test_a_row_read_again_with_more_said_of_it_is_the_same_run(store: Store, first: dict[str, str]) -> None:
    teach(store, row(2, **first))
    report = teach(store, row(2, **{**first, **SAID}))
    assert (report.new, report.folded, report.completed) == (0, 0, 1)
    for _ in range(2):
        (script,) = store.scripts()
        read = script.script
        assert (read.question, read.author, read.time) == tuple(SAID.values())
        assert (read.runs, script.variants, store.stats().texts) == (1, 1, 1)
        assert store.health(WordEmbedder()).ok
        again = teach(store, row(2, **first))  # the poorer reading once more takes nothing back
        assert (again.known, again.completed) == (1, 0)


def test_an_author_alone_makes_no_further_run(store: Store) -> None:
    teach(store, row(2))
    report = teach(store, row(2, author="ines"))
    assert (report.known, report.completed) == (1, 1)
    (script,) = store.scripts()
    assert (script.script.runs, script.script.author) == (1, "ines")


def test_the_words_of_a_completed_script_are_found(store: Store) -> None:
    teach(store, row(2))
    teach(store, row(2, **SAID))
    assert [text.words for text in store.texts()] == [SAID["question"]]
    assert store.fts_search(["schools"], level="script")
    assert store.health(WordEmbedder()).ok


@pytest.mark.parametrize("batch", [1, 200])
def test_rows_of_one_query_with_and_without_a_question_are_all_counted(store: Store, batch: int) -> None:
    """One run sees both: neither takes over the other's runs."""
    rows = [row(2), row(3, **SAID), row(4, question="Who are the schools?", author="bernd"), row(5)]
    for given in (rows, rows, rows[::-1]):
        teach(store, *given, batch=batch)
        assert store.scripts()[0].script.runs == 4
    teach(store, *rows, row(6, author="ines"))
    assert store.scripts()[0].script.runs == 5


def test_rows_of_one_query_get_their_questions_one_by_one(store: Store) -> None:
    teach(store, row(2), row(3), row(4))
    teach(store, row(2, **SAID), row(3, question="Who are the schools?"), row(4))
    (script,) = store.scripts()
    assert script.script.runs == 3
    assert {text.words for text in store.texts()} == {SAID["question"], "Who are the schools?"}


def test_the_same_query_of_another_source_is_a_further_run(store: Store) -> None:
    teach(store, Script(SQL, key="a.sql:1", source="a.sql", line=1))
    report = teach(store, row(2, **SAID))
    assert (report.folded, report.completed) == (1, 0)
    assert store.scripts()[0].script.runs == 2


def test_other_words_over_the_same_sql_are_no_further_runs(store: Store) -> None:
    def said(question: str, source: str = "a.sql", runs: int = 12) -> Script:
        return Script(SQL, source=source, line=3, question=question, runs=runs)

    teach(store, said("How many?"), Script("SELECT a FROM t", source="a.sql", line=9), whole=True)
    for question in ("Which members?", "Which members are schools?"):
        teach(store, said(question), whole=True)
        assert [script.script.runs for script in store.scripts()] == [12, 1]  # the other keeps its run
        assert store.health(WordEmbedder()).ok
    teach(store, said("Which schools?", "b.sql"), whole=True)  # of another file: a further run
    teach(store, said("Which are schools?", runs=5))  # these may be a part of the source
    assert store.scripts()[0].script.runs == 29


def test_what_a_script_calls_things_is_counted_once(store: Store) -> None:
    sql = "SELECT status AS order_state FROM orders"
    teach(store, Script(sql, source="a.sql", line=1))
    teach(store, Script(sql, source="a.sql", line=1, comment="the state of orders"))
    teach(store, Script(f"{sql} ", source="b.sql", line=1))
    assert len(store.namings()) == 1
