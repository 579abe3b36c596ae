"""From a question to a draft, with models that answer well, badly, and not at all."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import sqlore.sql.check.query
from cli_helpers import make_duckdb
from sqlore.answer import ask
from sqlore.catalog import Catalog, build_catalog
from sqlore.config import Settings
from sqlore.engines import Engine, connect
from sqlore.errors import (
    ConfigError,
    ConnectError,
    ModelRefusal,
    ModelTimeout,
    ModelUnavailable,
    UsageError,
)
from sqlore.knowledge import Store
from sqlore.llm import Answer, FunctionModel
from sqlore.model import Draft, Message, Usage

QUESTION = "How many heroes are there?"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "heroes.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(
            "CREATE TABLE publisher (id INTEGER PRIMARY KEY, name TEXT);"
            "CREATE TABLE hero (id INTEGER PRIMARY KEY, name TEXT, height INTEGER,"
            " publisher_id INTEGER REFERENCES publisher(id));"
            "INSERT INTO publisher VALUES (1, 'Marvel Comics'), (2, 'DC Comics');"
            "INSERT INTO hero VALUES (1, 'Hulk', 244, 1), (2, 'Flash', 183, 2), (3, 'Storm', 180, 1);"
        )
    db.close()
    return path


@pytest.fixture
def engine(database: Path) -> Iterator[Engine]:
    with connect(f"sqlite:///{database}") as opened:
        yield opened


@pytest.fixture
def catalog(engine: Engine) -> Catalog:
    return build_catalog(engine)


Answers = Callable[..., tuple[Draft, FunctionModel]]


@pytest.fixture
def answered(engine: Engine, catalog: Catalog) -> Answers:
    """Asks with a model that gives these answers in turn, the last one again and again."""

    def run(*answers: str | Answer | Exception, **settings: object) -> tuple[Draft, FunctionModel]:
        left = list(answers)

        def reply(messages: Sequence[Message]) -> str | Answer:
            answer = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(answer, Exception):
                raise answer
            return answer

        model = FunctionModel(reply)
        draft = ask(
            QUESTION,
            engine=engine,
            catalog=catalog,
            model=model,
            strategy="zero_shot",
            settings=Settings(**settings),  # type: ignore[arg-type]
        )
        return draft, model

    return run


@pytest.mark.parametrize("mend_joins", [True, False])
def test_an_answer_is_checked_once(
    answered: Answers, monkeypatch: pytest.MonkeyPatch, mend_joins: bool
) -> None:
    looked = []
    check = sqlore.sql.check.query.check_names
    monkeypatch.setattr(
        sqlore.sql.check.query, "check_names", lambda *given: looked.append(given[-1]) or check(*given)
    )
    right, wrong = "SELECT COUNT(*) FROM hero", "SELECT COUNT(*) FROM heroes"
    answered(right, mend_joins=mend_joins)
    assert looked == [right]
    draft, _ = answered(wrong, right, mend_joins=mend_joins)
    assert looked == [right, wrong, right]
    assert draft.attempts[0].error == "there is no table heroes (did you mean hero?)"


def test_a_good_answer(answered: Answers) -> None:
    draft, model = answered(Answer("```sql\nSELECT COUNT(*) FROM hero;\n```", Usage(9, 3, 4, 0.1, 1)))
    assert draft.sql == "SELECT COUNT(*) FROM hero"
    assert draft.result is not None
    assert draft.result.rows == ((3,),)
    assert draft.error is None
    assert [a.error for a in draft.attempts] == [None]
    assert draft.usage == Usage(9, 3, 4, 0.1, 1)
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("", "SQL"),
        ("I am sorry, but with this data I cannot do that.", "SQL"),
        ("DELETE FROM hero", "DELETE"),
        ("SELECT 1; DROP TABLE hero", "one"),
        ("DROP TABLE hero", "DROP"),
        ("WITH x AS (SELECT 1) DELETE FROM hero", ""),
        ("ATTACH 'other.db' AS o", ""),
        ("PRAGMA writable_schema = 1", ""),
        ("SELECT load_extension('x')", ""),
        ("SELECT", ""),
        ("SELECT nam FROM hero", "nam"),
        ("SELECT name FROM heros", "heros"),
    ],
)
def test_a_bad_answer_is_a_draft_with_the_reason(
    answered: Answers, database: Path, answer: str, says: str
) -> None:
    before = database.read_bytes()
    draft, _ = answered(answer)
    assert draft.sql == ""
    assert draft.result is None
    assert draft.error
    assert says.lower() in draft.error.lower()
    assert draft.attempts
    assert all(attempt.error for attempt in draft.attempts)
    assert draft.attempts[0].text == answer
    assert database.read_bytes() == before


def test_the_error_leads_to_a_better_answer(answered: Answers) -> None:
    draft, model = answered(
        "SELECT nam FROM hero", "SELECT count(name, id) FROM hero", "SELECT name FROM hero"
    )
    assert draft.error is None
    assert draft.sql == "SELECT name FROM hero"
    assert [bool(a.error) for a in draft.attempts] == [True, True, False]
    assert len(model.requests) == 3
    told = model.requests[1]
    assert told[-2].content == "SELECT nam FROM hero"
    assert "nam" in told[-1].content
    assert "name" in told[-1].content, "the hint names the column that was meant"
    assert model.requests[2][: len(told)] == told


def test_what_only_the_database_refuses_is_a_draft_with_its_sql(
    engine: Engine, catalog: Catalog, tmp_path: Path
) -> None:
    """The parser is more lenient than what takes a query apart for its citations."""
    sql = "SELECT name, FROM hero ORDER"
    model = FunctionModel(lambda messages: sql)
    with contextlib.closing(Store.create(tmp_path / "s.sqlore")) as store:
        draft = ask("Heroes?", engine=engine, catalog=catalog, model=model, store=store)
    assert draft.error
    assert (draft.sql, draft.citations, draft.result) == (sql, (), None)


def test_repair_ends_after_two(answered: Answers) -> None:
    draft, model = answered("SELECT a FROM hero", "SELECT b FROM hero", "SELECT c FROM hero", "SELECT 1")
    assert draft.error
    assert len(model.requests) == 3
    assert [a.sql[7] for a in draft.attempts] == ["a", "b", "c"]


def test_no_repair_where_none_is_wanted(answered: Answers) -> None:
    _, model = answered("SELECT nam FROM hero", repairs=0)
    assert len(model.requests) == 1


def test_a_query_that_runs_too_long(answered: Answers) -> None:
    endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
    draft, _ = answered(endless, query_timeout=0.2, repairs=0)
    assert " ".join(draft.sql.split()) == endless
    assert draft.result is None
    assert draft.error


def test_rows_are_limited(answered: Answers) -> None:
    draft, _ = answered("SELECT name FROM hero", row_limit=2)
    assert draft.result is not None
    assert len(draft.result.rows) == 2
    assert draft.result.truncated


def test_an_answer_that_was_cut_off(answered: Answers) -> None:
    draft, _ = answered(Answer("SELECT name FROM hero WHERE name IN ('a', 'b", finish="length"), repairs=0)
    assert "cut off" in (draft.error or "")


def test_samples_vote_by_result(answered: Answers) -> None:
    draft, model = answered(
        "SELECT max(height) FROM hero",
        "SELECT count(*) FROM hero",
        "SELECT nam FROM hero",
        "SELECT count(id) FROM hero",
        samples=4,
    )
    assert draft.sql == "SELECT count(*) FROM hero"
    assert len(draft.attempts) == len(model.requests) == 4


def test_samples_with_rows_beat_samples_without(answered: Answers) -> None:
    none = "SELECT name FROM hero WHERE name = 'nobody'"
    draft, _ = answered(none, none, "SELECT name FROM hero WHERE id = 1", samples=3)
    assert draft.sql == "SELECT name FROM hero WHERE id = 1"


def test_a_model_that_is_not_there(answered: Answers) -> None:
    with pytest.raises(ModelUnavailable):
        answered(ModelUnavailable("gone"))
    with pytest.raises(ModelTimeout):
        answered(ModelTimeout("slow"))


def test_a_model_lost_on_the_way_leaves_the_first_answer(answered: Answers) -> None:
    draft, _ = answered("SELECT count(name, id) FROM hero", ModelTimeout("slow"))
    assert draft.sql == "SELECT count(name, id) FROM hero"
    assert draft.error
    assert len(draft.attempts) == 1


def test_a_refusal_is_a_draft(answered: Answers) -> None:
    draft, _ = answered(ModelRefusal("m refused to answer: no"))
    assert draft.sql == ""
    assert "refused" in (draft.error or "")


def test_the_prompt_knows_schema_and_values(engine: Engine, catalog: Catalog) -> None:
    model = FunctionModel(lambda messages: "SELECT 1")
    for question in ("How many heroes are from Marvel Comics?", "How tall is Storm?"):
        ask(question, engine=engine, catalog=catalog, model=model, strategy="zero_shot", settings=Settings())
    first, second = model.requests
    assert first[0] == second[0]
    assert "publisher_id" in first[0].content
    assert "publisher.name = 'Marvel Comics'" in first[1].content


def test_a_remote_model_sees_no_values_where_they_are_masked(engine: Engine, catalog: Catalog) -> None:
    model = FunctionModel(lambda messages: "SELECT 1")
    settings = Settings(mask=True)
    for remote in (False, True):
        model.remote = remote
        ask("How tall is storm?", engine=engine, catalog=catalog, model=model, settings=settings)
    local, masked = (" ".join(m.content for m in request) for request in model.requests)
    for value in ("Storm", "Marvel", "Hulk"):
        assert value in local
        assert value not in masked
    assert "publisher_id" in masked


def test_what_the_database_says_of_an_error_is_masked_too(tmp_path: Path) -> None:
    path = make_duckdb(
        tmp_path / "h.duckdb", ("CREATE TABLE hero (name TEXT)", "INSERT INTO hero VALUES ('Hulk')")
    )
    with connect(str(path)) as engine:
        for mask in (False, True):
            model = FunctionModel(lambda messages: "SELECT CAST(name AS INT) FROM hero")
            model.remote = True
            settings = Settings(mask=mask, repairs=1)
            draft = ask(
                QUESTION, engine=engine, catalog=build_catalog(engine), model=model, settings=settings
            )
            told = model.requests[-1][-1].content
            assert "Could not convert string" in told
            assert ("Hulk" in told) == (not mask)
            assert "Hulk" in (draft.error or "")  # the person may see it


def test_a_lost_connection_is_no_fault_of_the_sql(
    engine: Engine, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*given: object, **more: object) -> None:
        raise ConnectError("the connection was lost")

    model = FunctionModel(lambda messages: "SELECT COUNT(*) FROM hero")
    monkeypatch.setattr(engine, "run", lost)
    with pytest.raises(ConnectError):
        ask(QUESTION, engine=engine, catalog=catalog, model=model, settings=Settings(repairs=2))
    assert len(model.requests) == 1


def test_stages_and_tokens_are_told(engine: Engine, catalog: Catalog) -> None:
    stages: list[str] = []
    said: list[str] = []
    ask(
        QUESTION,
        engine=engine,
        catalog=catalog,
        model=FunctionModel(lambda messages: "SELECT 1"),
        settings=Settings(),
        on_progress=stages.append,
        on_token=said.append,
    )
    assert stages == ["writing SQL", "running the query"]
    assert said == ["SELECT 1"]


def test_what_cannot_be_asked(engine: Engine, catalog: Catalog) -> None:
    model = FunctionModel(lambda messages: "SELECT 1")
    with pytest.raises(UsageError, match="empty"):
        ask(" \n", engine=engine, catalog=catalog, model=model)
    with pytest.raises(ConfigError, match="unknown strategy"):
        ask(QUESTION, engine=engine, catalog=catalog, model=model, strategy="magic")
    assert model.requests == []


def test_a_long_answer_is_laid_out_before_it_is_cited(answered: Answers) -> None:
    """What the model writes on one line has lines in the draft, and gives the rows that it gave."""
    sql = (
        "SELECT hero.name, publisher.name FROM hero JOIN publisher ON hero.publisher_id = publisher.id "
        "WHERE hero.height > 181 ORDER BY hero.height"
    )
    draft, _ = answered(sql)
    assert draft.sql.splitlines() == [
        "SELECT hero.name, publisher.name",
        "FROM hero",
        "JOIN publisher ON hero.publisher_id = publisher.id",
        "WHERE hero.height > 181",
        "ORDER BY hero.height",
    ]
    assert draft.result is not None
    assert draft.result.rows == (("Flash", "DC Comics"), ("Hulk", "Marvel Comics"))
    assert draft.attempts[-1].sql == sql


def test_a_model_that_goes_in_a_circle_is_told_so_in_plain_words(answered: Answers) -> None:
    stretch = " AND name NOT IN ('classic', 'junior', 'gold')"
    draft, _ = answered(
        Answer(f"SELECT name FROM hero WHERE id > 0{stretch * 9}"[:-3], finish="repeats"), repairs=0
    )
    assert "again and again" in (draft.error or "")
    assert "'classic'" in (draft.error or "")
    assert draft.attempts[-1].sql.count("NOT IN") <= 2


def test_what_is_missing_is_said_without_the_names_of_the_parser(answered: Answers) -> None:
    draft, _ = answered("SELECT name FROM hero WHERE id = 1 AND", repairs=0)
    assert "missing" in (draft.error or "")
    assert "class" not in (draft.error or "")
    assert "keyword" not in (draft.error or "")
