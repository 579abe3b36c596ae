"""`sqlore refine`: on the last answer, or on SQL given; a diff first, kept when it is applied."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sqlore.llm.base
from cli_helpers import (
    LAID_OUT,
    REVENUE,
    Command,
    Endpoint,
    clean_environment,
    make_history,
    make_sqlite,
    serving,
)

SEGMENT = "c.segment = 'ENT'"


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the shop was learned; its kept draft is the tests' own."""
    folder = tmp_path_factory.mktemp("refine")
    make_sqlite(folder / "shop.sqlite")
    make_history(folder / "history")
    with pytest.MonkeyPatch.context() as patch:
        clean_environment(patch, folder)
        from sqlore.interfaces.cli.app import run

        assert run(["learn", "--db", "shop.sqlite", "--history", "history", "--json"]) == 0
    return folder


@pytest.fixture
def sqlore_(capsys: pytest.CaptureFixture[str], learned: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    clean_environment(monkeypatch, learned)
    for file in (learned / ".sqlore").glob("*.draft.json"):
        file.unlink()
    return Command(capsys)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setattr(sqlore.llm.base, "ALLOW_MODEL_REQUESTS", True)
    with serving() as server:
        yield server


def numbered(sqlore_: Command, text: str) -> int:
    """The number of the item with that text in the kept draft."""
    items = sqlore_("refine", "--json").json["items"]
    return next(item["number"] for item in items if item["sql"] == text)


def test_the_last_answer_is_refined_step_by_step(sqlore_: Command, endpoint: Endpoint) -> None:
    endpoint.replies = [f"```sql\n{REVENUE}\n```"]
    asked = sqlore_("ask", "Revenue of enterprise customers?", "--model", endpoint.spec, "--json").json
    shown = sqlore_("refine", "--json").json
    assert shown["question"] == "Revenue of enterprise customers?"
    assert shown["sql"] == asked["sql"] == LAID_OUT
    assert [item["number"] for item in shown["items"]] == list(range(len(shown["items"])))
    assert shown["refinement"] is shown["alternatives"] is shown["draft"] is None

    number = numbered(sqlore_, SEGMENT)
    proposed = sqlore_("refine", "--wish", number, "only SMB", "--json").json
    assert proposed["sql"] == LAID_OUT, "only proposed"
    assert proposed["refinement"]["after"] == LAID_OUT.replace("'ENT'", "'SMB'")
    assert proposed["refinement"]["diff"].startswith("--- before")

    applied = sqlore_("refine", "--wish", number, "only SMB", "--apply", "--json").json
    assert applied["sql"] == LAID_OUT.replace("'ENT'", "'SMB'")
    assert applied["draft"]["rows"] == [[5.0]]
    assert {c["status"] for c in applied["draft"]["citations"]} >= {"cited"}
    off = sqlore_("refine", "--off", numbered(sqlore_, "o.status = 'P'"), "--apply", "--json").json
    assert off["off"] == [{"step": 2, "sql": "o.status = 'P'"}]
    on = sqlore_("refine", "--on", 2, "--apply", "--json").json
    assert on["sql"] == applied["sql"]
    assert (on["undo"], on["redo"], on["off"]) == (3, 0, [])
    back = sqlore_("refine", "--undo", "--json").json
    assert (back["sql"], back["redo"]) == (off["sql"], 1)
    assert sqlore_("refine", "--redo", "--json").json["sql"] == applied["sql"]


def test_sql_from_an_argument_a_file_and_stdin(
    sqlore_: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT name FROM customer WHERE id > 1"
    assert sqlore_("refine", f"{sql};", "--json").json["sql"] == sql
    assert sqlore_("refine", "--json").json["sql"] == sql, "it is the draft from now on"
    (tmp_path / "q.sql").write_text(f"{sql} LIMIT 1", encoding="utf-8")
    assert sqlore_("refine", tmp_path / "q.sql", "--json").json["sql"] == f"{sql} LIMIT 1"
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{sql} LIMIT 2"))
    assert sqlore_("refine", "-", "--json").json["sql"] == f"{sql} LIMIT 2"


def test_the_history_offers_and_gives(sqlore_: Command) -> None:
    sqlore_("refine", "SELECT id FROM orders WHERE amount > 6", "--json")
    number = numbered(sqlore_, "amount > 6")
    found = sqlore_("refine", "--alternatives", number, "--json").json["alternatives"]
    assert "status = 'P'" in [one["sql"] for one in found]
    item = next(one["item"] for one in found if one["sql"].startswith("status"))
    chosen = sqlore_("refine", "--choose", number, item, "--json").json["refinement"]
    assert (chosen["act"], chosen["item"], chosen["kind"]) == ("alternative", item, "condition")
    listed = sqlore_("knowledge", "list", "--kind", "condition", "--table", "customer", "--json").json
    added = sqlore_("refine", "--add", listed["items"][0]["id"], "--apply", "--json").json
    assert "JOIN customer ON customer.id = orders.customer_id" in added["sql"]
    assert added["draft"]["error"] is None


def test_a_wish_for_the_model(sqlore_: Command, endpoint: Endpoint) -> None:
    sqlore_("refine", "SELECT id FROM orders WHERE amount > 6", "--json")
    endpoint.replies = ["amount BETWEEN 5 AND 8"]
    number = numbered(sqlore_, "amount > 6")
    step = sqlore_("refine", "--wish", number, "five to eight", "--model", endpoint.spec, "--json").json
    assert step["refinement"]["text"] == "amount BETWEEN 5 AND 8"
    assert len(endpoint.requests) == 1


def test_what_a_person_sees(sqlore_: Command) -> None:
    listed = sqlore_("refine", REVENUE)
    assert SEGMENT in listed.out
    assert "condition" in listed.out
    proposed = sqlore_("refine", "--edit", numbered(sqlore_, SEGMENT), "c.segment <> 'ENT'")
    assert f"-{REVENUE}" in proposed.out
    assert "not applied yet" in proposed.err
    done = sqlore_("refine", "--off", numbered(sqlore_, SEGMENT), "--joins", "all", "--apply")
    assert "JOIN" not in sqlore_("refine", "--json").json["sql"]
    assert "22.5" in done.out
    assert "customer" in done.err, "the join that went is told"
    assert "×" in sqlore_("refine").out
    assert sqlore_("refine", "--alternatives", 1).code == 0
    assert sqlore_("refine", "--apply").out.count("22.5") == 1, "run as it is"


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (("--off", 1), 1, "only column"),
        (("--off", 77), 1, "no item 77"),
        (("--off", 0), 1, "whole query"),
        (("--edit", 4, "c.segmnt = 1"), 2, "did you mean"),
        (("--edit", 4, "1 = 1 ORDER BY 1"), 1, "ORDER"),
        (("--add", 123456), 1, "no item 123456"),
        (("--add", 2**70), 1, f"no item {2**70}"),
        (("--choose", 4, 2**70), 1, f"no item {2**70}"),
        (("--undo",), 1, "nothing has been changed"),
        (("--off", 4, "--edit", 4, "x"), 2, "one change at a time"),
        (("--off", 4, "--joins", "some"), 2, "same, all or none"),
        (("--wish", 4, "  "), 2, "empty"),
        (("--wish", 4, "the larger ones", "--model", "none"), 2, "language model"),
    ],
)
def test_what_cannot_be_done_says_why(
    sqlore_: Command, options: tuple[str | int, ...], code: int, says: str
) -> None:
    sqlore_("refine", REVENUE, "--json")
    outcome = sqlore_("refine", *options)
    assert outcome.code == code
    assert says in outcome.err
    assert sqlore_("refine", "--json").json["sql"] == REVENUE


def test_no_draft_and_a_damaged_one(sqlore_: Command, learned: Path) -> None:
    outcome = sqlore_("refine")
    assert outcome.code == 2
    assert "sqlore ask" in outcome.err
    sqlore_("refine", REVENUE, "--json")
    (kept,) = (learned / ".sqlore").glob("*.draft.json")
    assert json.loads(kept.read_text(encoding="utf-8"))["base"] == REVENUE
    for damaged in ("{", "[]"):
        kept.write_text(damaged, encoding="utf-8")
        assert sqlore_("refine").code == 2
    assert sqlore_("refine", REVENUE, "--json").code == 0
    assert sqlore_("refine", "DELETE FROM orders").code == 2


@pytest.mark.parametrize("length", [120, 4000])
def test_sql_that_is_too_long_for_the_name_of_a_file_is_sql(sqlore_: Command, length: int) -> None:
    sql = f"SELECT name FROM customers WHERE name = '{'é' * length}'"
    assert sqlore_("refine", sql, "--json").json["sql"] == sql


def test_a_file_that_is_no_text_says_so(sqlore_: Command, learned: Path) -> None:
    (learned / "one.sql").write_bytes(b"\xff\xfe\x00SELECT")
    outcome = sqlore_("refine", "one.sql")
    assert outcome.code == 2
    assert "cannot be read" in outcome.err
