"""What is told of an answer beside its rows: values that are not there, refused SQL, a missing history."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import sqlore.llm.base
from cli_helpers import Command, fresh_shop, make_duckdb, make_sqlite, serving
from http_helpers import asked, shop_client
from sqlore.answer import ask
from sqlore.answer.absent import AbsentValues
from sqlore.catalog import Catalog, build_catalog
from sqlore.engines import Engine, connect
from sqlore.errors import QueryTimeout
from sqlore.llm import FunctionModel
from sqlore.model import Draft, Rows

TABLES = (
    "CREATE TABLE branch (branch_id INTEGER PRIMARY KEY, name TEXT, city TEXT)",
    "CREATE TABLE loan (loan_id INTEGER PRIMARY KEY, branch_id INTEGER REFERENCES branch(branch_id),"
    " out_dt TEXT, chan TEXT)",
    "INSERT INTO branch VALUES (1, 'Eggenberg', 'Graz'), (2, 'Andritz', 'Graz'), (3, 'Zanklhof', 'Wien')",
    "INSERT INTO loan VALUES (1, 1, '2024-01-05', 'S'), (2, 2, '2024-02-06', 'S'), (3, 2, '2024-02-07', 'T')",
)
JOINED = "SELECT COUNT(*) FROM loan l JOIN branch b ON b.branch_id = l.branch_id WHERE "


@pytest.fixture(params=["sqlite", "duckdb"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / f"library.{request.param}"
    (make_sqlite if request.param == "sqlite" else make_duckdb)(path, TABLES)
    with connect(str(path)) as opened:
        yield opened


@pytest.fixture
def catalog(engine: Engine) -> Catalog:
    return build_catalog(engine)


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("b.name = 'Egenberg'", ["branch.name has no 'Egenberg'; nearest: 'Eggenberg'"]),
        ("b.name = 'eggenberg'", ["branch.name has no 'eggenberg'; nearest: 'Eggenberg'"]),
        (
            "b.name IN ('Andritz', 'Andriz', 'Quux')",
            ["branch.name has no 'Andriz'; nearest: 'Andritz'", "branch.name has no 'Quux'"],
        ),
        ("b.name = 'Graz'", ["branch.name has no 'Graz'; it is in branch.city"]),
        ("b.name = 'O''Hara' OR l.chan = 'S'", ["branch.name has no 'O'Hara'"]),
        ("l.branch_id IN (SELECT branch_id FROM branch WHERE city = 'Wein')",
         ["branch.city has no 'Wein'; nearest: 'Wien'"]),
        ("b.name = 'Eggenberg' AND l.chan = 'S'", []),
        ("b.name LIKE 'Egen%'", []),
        ("b.name <> 'Egenberg'", []),
        ("LOWER(b.name) = 'egenberg'", []),
        ("b.name = '?'", []),
        ("b.branch_id = 77", []),
        ("l.out_dt = '2025-01-01'", []),
        ("l.out_dt = '202501'", []),
    ],
)  # fmt: skip
def test_values_that_their_columns_do_not_hold(
    engine: Engine, catalog: Catalog, where: str, told: list[str]
) -> None:
    assert list(AbsentValues(catalog, engine)(JOINED + where)) == told


def test_a_value_that_came_after_the_catalog_is_there(tmp_path: Path) -> None:
    path = make_sqlite(tmp_path / "library.sqlite", TABLES)
    with connect(str(path)) as engine:
        catalog = build_catalog(engine)
    with closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO branch VALUES (4, 'Neuhof', 'Graz')")
        db.commit()
    with connect(str(path)) as engine:
        assert AbsentValues(catalog, engine)(f"{JOINED}b.name = 'Neuhof'") == ()


def test_nothing_is_told_where_the_database_takes_too_long(
    engine: Engine, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = []

    def run(sql: str, *, limit: int, timeout: float) -> Rows:
        limits.append((limit, timeout))
        raise QueryTimeout("stopped")

    monkeypatch.setattr(engine, "run", run)
    assert AbsentValues(catalog, engine, timeout=2)(f"{JOINED}b.name = 'Egenberg' AND l.chan = 'S'") == ()
    assert limits == [(1, 2)]  # the other value is known to be there


def drafted(engine: Engine, catalog: Catalog, *answers: str) -> Draft:
    """The draft of a model that gives these answers in turn."""
    said = iter(answers)
    model = FunctionModel(lambda _: f"```sql\n{next(said)}\n```")
    return ask("How many loans?", engine=engine, catalog=catalog, model=model, strategy="zero_shot")


def test_a_draft_tells_of_a_value_that_is_not_there(engine: Engine, catalog: Catalog) -> None:
    draft = drafted(engine, catalog, f"{JOINED}b.name = 'Egenberg'")
    assert draft.notes == ("branch.name has no 'Egenberg'; nearest: 'Eggenberg'",)
    assert drafted(engine, catalog, f"{JOINED}b.name = 'Eggenberg'").notes == ()


COUNT = "SELECT COUNT(*) FROM loan"


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ("DELETE FROM loan", "a statement that is not a query; it was refused: DELETE is not a query"),
        ("DROP TABLE loan", "a statement that is not a query; it was refused: DROP is not a query"),
        (
            f"{COUNT}; DROP TABLE loan",
            "what no query may do; it was refused: only one statement is allowed, a second begins with DROP",
        ),
    ],
)
def test_what_was_refused_is_told(engine: Engine, catalog: Catalog, first: str, told: str) -> None:
    draft = drafted(engine, catalog, first, COUNT)
    assert draft.error is None
    assert draft.notes == (f"the model first wrote {told}",)
    assert len(draft.attempts) == 2


@pytest.mark.parametrize("first", ["SELECT nothing FROM loan", "SELECT COUNT( FROM loan", "-- no idea"])
def test_ordinary_repairs_are_not_told(engine: Engine, catalog: Catalog, first: str) -> None:
    draft = drafted(engine, catalog, first, COUNT)
    assert (draft.error, draft.notes) == (None, ())
    assert len(draft.attempts) == 2


ORDERS = "SELECT COUNT(*) FROM orders"
NOTHING = "nothing was learned for this database, so nothing is cited: sqlore learn --history FOLDER"


def test_without_a_history_it_is_said_why_nothing_is_cited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh_shop(tmp_path, monkeypatch)
    monkeypatch.setattr(sqlore.llm.base, "ALLOW_MODEL_REQUESTS", True)
    run = Command(capsys)
    with serving() as endpoint:
        given = ("How many orders?", "--db", "shop.sqlite", "--model", endpoint.spec)
        endpoint.replies = [ORDERS]
        said = run("ask", *given)
        assert said.err.count(NOTHING) == 1
        assert NOTHING not in said.out
        draft = run("ask", *given, "--json").json
        assert (draft["notes"], draft["citations"]) == ([NOTHING], [])
        run("learn", "--db", "shop.sqlite", "--history", "history")
        assert NOTHING not in run("ask", *given).err


@pytest.mark.parametrize("learned", [True, False])
def test_the_app_says_it_too_but_not_of_a_baseline(tmp_path: Path, learned: bool) -> None:
    with shop_client(tmp_path, lambda _: ORDERS, learned=learned) as client:
        assert asked(client)["notes"] == ([] if learned else [NOTHING])
        client.patch("/api/app", json={"baseline": True})
        assert asked(client)["notes"] == []
