"""Results that look wrong: what is said of them, and that the model is asked once more."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sqlore.answer import ask
from sqlore.answer.doubts import Doubts
from sqlore.catalog import Catalog, build_catalog
from sqlore.config import Settings
from sqlore.engines import Engine, connect
from sqlore.llm import FunctionModel
from sqlore.model import Draft
from support import one_line


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / "heroes.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(
            "CREATE TABLE publisher (id INTEGER PRIMARY KEY, publisher_name TEXT);"
            "CREATE TABLE hero (id INTEGER PRIMARY KEY, name TEXT, side TEXT, height INTEGER,"
            " publisher_id INTEGER REFERENCES publisher(id));"
            "INSERT INTO publisher VALUES (1, 'Marvel Comics'), (2, 'DC Comics');"
            "INSERT INTO hero VALUES (1, 'Storm', 'Good', 180, 1), (2, 'Loki', 'Bad', NULL, 1);"
        )
    db.close()
    with connect(f"sqlite:///{path}") as opened:
        yield opened


@pytest.fixture
def catalog(engine: Engine) -> Catalog:
    return build_catalog(engine)


@pytest.fixture
def doubts(engine: Engine, catalog: Catalog) -> Callable[[str], str | None]:
    judge = Doubts(catalog, lambda sql: engine.run(sql))
    return lambda sql: judge(sql, engine.run(sql))


JOINED = "FROM hero h JOIN publisher p ON h.publisher_id = p.id"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            f"SELECT h.name {JOINED} WHERE p.publisher_name = 'Marvel'",
            "it gives no rows: publisher.publisher_name holds no 'Marvel'; it holds 'Marvel Comics'",
        ),
        (
            "SELECT id FROM hero WHERE name = 'Marvel Comics'",
            "it gives no rows: hero.name holds no 'Marvel Comics';"
            " publisher.publisher_name = 'Marvel Comics'",
        ),
        ("SELECT id FROM hero WHERE height > 300", "it gives no rows: no row of hero has hero.height > 300"),
        (
            "SELECT id FROM hero WHERE height > 100 AND side = 'Bad'",
            "it gives no rows: each condition alone has rows,"
            " so look at the joins and at what has to hold together",
        ),
        (
            "SELECT MAX(height) FROM hero WHERE side = 'bad'",
            "it gives nothing but NULL: hero.side holds no 'bad'; it holds 'Bad'",
        ),
        (
            "SELECT height FROM hero WHERE side = 'Bad'",
            "it gives nothing but NULL: take a column that has values, or leave out the rows without one",
        ),
        (
            "SELECT COUNT(*) FROM hero WHERE side = 'Neutral'",
            "it may give a wrong result: hero.side holds no 'Neutral'",
        ),
        (
            "SELECT name FROM hero WHERE name LIKE '%xyz%' OR id = 1",
            "it may give a wrong result: hero.name holds no 'xyz'",
        ),
    ],
)
def test_what_is_doubtful(doubts: Callable[[str], str | None], sql: str, said: str) -> None:
    assert doubts(sql) == said


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM hero WHERE side = 'Good'",
        "SELECT COUNT(*) FROM hero WHERE height > 300",
        "SELECT name FROM hero WHERE id IN (SELECT publisher_id FROM hero WHERE side = 'Good')",
        "SELECT side, COUNT(*) FROM hero GROUP BY side HAVING COUNT(*) < 2",
    ],
)
def test_what_is_not(doubts: Callable[[str], str | None], sql: str) -> None:
    assert doubts(sql) is None


def test_masked_nothing_of_the_database_is_told(engine: Engine, catalog: Catalog) -> None:
    sql = "SELECT id FROM publisher WHERE publisher_name = 'Marvel'"
    said = Doubts(catalog, lambda one: engine.run(one), mask=True)(sql, engine.run(sql))
    assert said == "it gives no rows: publisher.publisher_name holds no 'Marvel'"


WRONG = (
    "SELECT h.name FROM hero h JOIN publisher p ON h.publisher_id = p.id WHERE p.publisher_name = 'Marvel'"
)
RIGHT = WRONG.replace("'Marvel'", "'Marvel Comics'")


def asked(engine: Engine, catalog: Catalog, second: str, **settings: object) -> tuple[Draft, list[str]]:
    """The draft where the model says something wrong first, and the last message of each request."""
    answers = iter((WRONG, second))
    model = FunctionModel(lambda _: next(answers))
    given = Settings(**{"second_look": True, **settings})  # type: ignore[arg-type]
    draft = ask(
        "Who is of Marvel?", engine=engine, catalog=catalog, model=model, strategy="zero_shot", settings=given
    )
    return draft, [request[-1].content for request in model.requests]


def test_the_model_is_told_and_asked_once_more(engine: Engine, catalog: Catalog) -> None:
    draft, requests = asked(engine, catalog, RIGHT)
    assert one_line(draft.sql) == RIGHT
    assert len(requests) == 2
    assert "publisher.publisher_name holds no 'Marvel'; it holds 'Marvel Comics'" in requests[1]
    assert len(draft.attempts) == 2


@pytest.mark.parametrize(
    "second",
    [WRONG.replace("h.name", "h.id"), "SELECT nothing", "no SQL at all"],
    ids=["empty", "fails", "silent"],
)
def test_the_first_answer_stays_where_the_second_is_no_better(
    engine: Engine, catalog: Catalog, second: str
) -> None:
    draft, requests = asked(engine, catalog, second)
    assert (one_line(draft.sql), draft.error) == (WRONG, None)
    assert draft.result is not None
    assert len(requests) == 2


def test_without_the_setting_nothing_is_asked_again(engine: Engine, catalog: Catalog) -> None:
    draft, requests = asked(engine, catalog, RIGHT, second_look=False)
    assert one_line(draft.sql) == WRONG
    assert len(requests) == 1
