"""`sqlore explain` from end to end: text and JSON, with and without a database, a store, figures."""

from __future__ import annotations

import io
import sqlite3
import sys
from pathlib import Path

import pytest

from cli_helpers import REVENUE, Command, fresh_shop

NODE_KEYS = [
    "id", "name", "kind", "usage", "start", "end", "spans", "sql", "reason", "correlated", "recursive",
    "depends", "columns", "columns_known", "description", "rows", "items",
]  # fmt: skip
ITEM_KEYS = [
    "id", "kind", "form", "clause", "sql", "start", "end", "skeleton", "name", "description", "citation",
]  # fmt: skip
FIGURE_KEYS = ["node", "item", "kind", "status", "facts", "text", "warning", "seconds"]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fresh_shop(tmp_path, monkeypatch)


@pytest.fixture
def sqlore_(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


@pytest.mark.usefixtures("shop")
def test_json_is_stable(sqlore_: Command) -> None:
    found = sqlore_("explain", REVENUE, "--db", "shop.sqlite", "--json").json
    assert list(found) == ["sql", "dialect", "description", "citation", "nodes", "edges", "figures"]
    assert [list(node) for node in found["nodes"]] == [NODE_KEYS] * 3
    items = found["nodes"][-1]["items"]
    assert [list(item) for item in items] == [ITEM_KEYS] * 5
    assert [list(figure) for figure in found["figures"]] == [FIGURE_KEYS] * 8
    for item in items:
        assert REVENUE[item["start"] : item["end"]] == item["sql"]
    texts = {figure["item"] or figure["node"]: figure for figure in found["figures"]}
    paid = next(item["id"] for item in items if item["sql"] == "o.status = 'P'")
    counts = {"alone": 3, "together": 2, "total": 4, "unit": "rows", "empty": []}
    assert texts[paid]["facts"] == {"type": "counts", **counts}
    assert texts["main"]["facts"]["rows"] == [[17.5]]


@pytest.mark.usefixtures("shop")
def test_the_text_has_two_lines_an_item_and_tells_calmly_of_joins_that_multiply(sqlore_: Command) -> None:
    sql = "SELECT c.name, COUNT(*) AS n FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.name"
    said = sqlore_("explain", sql, "--db", "shop.sqlite").out
    lines = [line.strip() for line in said.splitlines()]
    at = lines.index("· dimension   GROUP BY c.name")
    assert lines[at + 1] == "for each customer (name)"
    assert lines[at + 2] == "3 different values: Ann (2), Bob (1), Eve (1)"
    assert not any("several times" in line for line in lines)
    assert any("several orders for one customer" in line for line in lines), [
        x for x in lines if "column" in x
    ]
    assert "2 columns: name TEXT, n INTEGER" in lines


def test_a_table_that_was_made_since_is_known(shop: Path, sqlore_: Command) -> None:
    assert sqlore_("learn", "--db", "shop.sqlite", "--history", "history").code == 0
    with sqlite3.connect(shop / "shop.sqlite") as db:
        db.execute("CREATE TABLE refund (id INTEGER PRIMARY KEY, amount REAL)")
    db.close()
    found = sqlore_("explain", "SELECT amount FROM refund", "--db", "shop.sqlite", "--json").json
    assert found["nodes"][-1]["columns"] == [{"name": "amount", "type": "REAL"}]


@pytest.mark.usefixtures("shop")
def test_what_was_learned_is_cited(sqlore_: Command) -> None:
    assert sqlore_("learn", "--db", "shop.sqlite", "--history", "history").code == 0
    found = sqlore_("explain", REVENUE, "--json").json
    assert found["citation"]["status"] == "cited"
    assert {item["citation"]["status"] for item in found["nodes"][-1]["items"]} == {"cited"}
    other = REVENUE.replace("o.status = 'P'", "o.amount > 3")
    said = sqlore_("explain", other, "--no-figures").out
    assert "item" in said
    assert "used in 1 script" in said
    assert " rows" not in said


def test_a_file_and_stdin_are_read(shop: Path, sqlore_: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    (shop / "query.sql").write_text("SELECT name FROM customer WHERE id > 1\n", encoding="utf-8")
    wanted = sqlore_("explain", "query.sql", "--db", "shop.sqlite", "--json").json
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT name FROM customer WHERE id > 1\n"))
    found = sqlore_("explain", "-", "--db", "shop.sqlite", "--json").json
    assert found["nodes"] == wanted["nodes"]
    assert len(found["figures"]) == 3


@pytest.mark.usefixtures("shop")
def test_without_a_database_the_dialect_suffices(sqlore_: Command) -> None:
    sql = "SELECT x.top FROM t, LATERAL (SELECT MAX(v) AS top FROM u WHERE u.k = t.k) x WHERE t.id = :id"
    found = sqlore_("explain", sql, "--dialect", "postgres", "--json").json
    assert found["dialect"] == "postgres"
    assert found["figures"] == []
    assert "placeholder" in found["nodes"][-1]["reason"]
    assert "placeholder" in sqlore_("explain", sql, "--dialect", "postgres").out


@pytest.mark.usefixtures("shop")
def test_what_cannot_be_explained_is_an_error(sqlore_: Command) -> None:
    for text in ("DROP TABLE customer", "SELEKT 1", "  "):
        wrong = sqlore_("explain", text, "--db", "shop.sqlite")
        assert (wrong.code, wrong.out) == (2, ""), text


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("sql", "said", "column", "meant"),
    [
        ("SELECT COUNT(*) FROM orderz", "there is no table orderz", 22, "did you mean orders?"),
        ("SELECT nam FROM customer", "there is no column nam in customer", 8, "did you mean name?"),
        ("SELECT k.name FROM customer c", "there is no table or alias k in this query", 8, ""),
        ("SELECT 1 WHERE EXISTS (SELECT 1 FROM custmer)", "there is no table custmer", 38, "customer?"),
    ],
)
def test_a_name_that_is_not_there_is_said_once_with_what_was_meant(
    sqlore_: Command, sql: str, said: str, column: int, meant: str
) -> None:
    for more in ([], ["--no-figures"], ["--json"]):
        found = sqlore_("explain", sql, "--db", "shop.sqlite", *more)
        assert (found.code, found.out) == (2, "")
        assert found.err.count(said) == 1
        assert "no such" not in found.err
        assert f"line 1, column {column}\n" in found.err
        assert meant in found.err


@pytest.mark.usefixtures("shop")
def test_what_may_not_run_is_explained_as_far_as_it_can_be(sqlore_: Command) -> None:
    held = sqlore_("explain", "SELECT name FROM customer WHERE id = {{ id }}", "--db", "shop.sqlite")
    assert held.code == 0
    assert "placeholder" in held.out
    without = sqlore_("explain", "SELECT x FROM nowhere", "--dialect", "sqlite")
    assert without.code == 0
