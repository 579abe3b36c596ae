"""The commands from end to end: real databases, a real history, stdout as programs read it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sqlore.llm.base
from cli_helpers import (
    HISTORY,
    LAID_OUT,
    REVENUE,
    Command,
    Endpoint,
    clean_environment,
    fresh_shop,
    make_duckdb,
    make_history,
    make_sqlite,
    serving,
)

LEARN_KEYS = [
    "store", "read", "new", "folded", "known", "completed", "rejected", "scripts", "items", "synthetic",
    "seconds", "misnamed", "columns", "not_read",
]  # fmt: skip
ITEM_KEYS = [
    "id", "kind", "form", "skeleton", "sql", "name", "aliases", "description", "support", "runs", "literals",
    "authors", "first_seen", "last_seen", "trust", "version", "stale", "synthetic",
]  # fmt: skip
EXAMPLE_KEYS = [
    "id", "key", "question", "comment", "sql", "author", "time", "runs", "source", "line", "description",
    "synthetic",
]  # fmt: skip
ENGINES = ("shop.sqlite", "shop.duckdb")


@pytest.fixture(scope="module", params=ENGINES)
def learned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database, its history, and what was learned of it; tests must not change the store."""
    folder = tmp_path_factory.mktemp("shop")
    make = make_sqlite if request.param == "shop.sqlite" else make_duckdb
    make(folder / request.param)
    make_history(folder / "history")
    with pytest.MonkeyPatch.context() as patch:
        clean_environment(patch, folder)
        from sqlore.interfaces.cli.app import run

        assert run(["learn", "--db", request.param, "--history", "history", "--json"]) == 0
    return folder


@pytest.fixture
def sqlore_(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


@pytest.fixture
def inside(learned: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder is the one where the shop was learned."""
    clean_environment(monkeypatch, learned)
    return learned


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the SQLite shop and its history, nothing learned yet."""
    return fresh_shop(tmp_path, monkeypatch)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setattr(sqlore.llm.base, "ALLOW_MODEL_REQUESTS", True)
    with serving() as server:
        yield server


# ------------------------------------------------------------------ learn


def test_learn_twice_does_nothing_the_second_time(fresh: Path, sqlore_: Command) -> None:
    first = sqlore_("learn", "--db", "sqlite:///shop.sqlite", "--history", "history", "--json")
    assert first.code == 0
    assert list(first.json) == LEARN_KEYS
    assert (first.json["read"], first.json["new"], first.json["known"]) == (4, 3, 0)
    assert first.json["rejected"] == {"unparsable": 1}
    store = Path(first.json["store"])
    before = store.read_bytes()
    second = sqlore_("learn", "--db", "sqlite:///shop.sqlite", "--history", "history", "--json")
    assert second.code == 0
    assert (second.json["read"], second.json["new"], second.json["known"]) == (4, 0, 4)
    assert second.json["rejected"] == {}
    assert (second.json["scripts"], second.json["items"]) == (first.json["scripts"], first.json["items"])
    assert store.read_bytes() == before


def test_learn_says_what_it_did_to_a_person(fresh: Path, sqlore_: Command) -> None:
    first = sqlore_("learn", "--db", "shop.sqlite", "--history", "history")
    assert first.out.startswith("Learned 3 scripts in ")
    assert "1 kept but not learned: 1 unparsable. See: sqlore knowledge rejected" in first.err
    second = sqlore_("learn", "--db", "shop.sqlite", "--history", "history")
    assert second.out.startswith("Nothing new: every script here is known already.")


def test_learn_completes_what_it_read_before_with_fewer_columns(fresh: Path, sqlore_: Command) -> None:
    (fresh / "log.csv").write_text(
        "frage,sql_text,wer,wann\nHow many orders are there?,SELECT COUNT(*) FROM orders,ann,2025-03-20\n",
        "utf-8",
    )
    first = sqlore_("learn", "--db", "shop.sqlite", "--history", "log.csv")
    assert "not used: frage, wer, wann; --column question=frage says what they are" in first.err
    columns = [word for pair in ("question=frage", "author=wer", "time=wann") for word in ("--column", pair)]
    second = sqlore_("learn", "--db", "shop.sqlite", "--history", "log.csv", *columns)
    assert "not used" not in second.err
    assert second.out.startswith("No new script.")
    assert "Completed 1 script known before" in second.out
    third = sqlore_("learn", "--db", "shop.sqlite", "--history", "log.csv", *columns)
    assert third.out.startswith("Nothing new: every script here is known already.")
    (query,) = sqlore_("knowledge", "list", "--kind", "query", "--json").json["items"]
    assert (query["runs"], query["authors"], query["first_seen"]) == (1, ["ann"], "2025-03-20")


def test_learn_says_which_column_of_a_table_it_read_as_what(fresh: Path, sqlore_: Command) -> None:
    (fresh / "log.csv").write_text("stmt,who,note\nSELECT COUNT(*) FROM orders,ann,how many?\n", "utf-8")
    said = sqlore_("learn", "--db", "shop.sqlite", "--history", "log.csv")
    assert "log.csv: sql from stmt, comment from note (otherwise: --column FIELD=COLUMN)" in said.err
    read = sqlore_("learn", "--db", "shop.sqlite", "--history", "log.csv", "--column", "author=who", "--json")
    assert read.json["columns"] == {"log.csv": {"sql": "stmt", "author": "who", "comment": "note"}}
    both = sqlore_("learn", "--db", "shop.sqlite", "--history", "history", "--json")
    assert both.json["columns"] == {}


def test_fragments_of_a_file_without_one_query_is_a_failure(fresh: Path, sqlore_: Command) -> None:
    (fresh / "bad.sql").write_text("bla bla;\n", "utf-8")
    for how in ([], ["--json"]):
        assert sqlore_("fragments", "bad.sql", *how).code == 2
    (fresh / "half.sql").write_text("bla bla;\nSELECT 1;\n", "utf-8")
    assert sqlore_("fragments", "half.sql").code == 0


def test_learn_takes_what_was_added(fresh: Path, sqlore_: Command) -> None:
    sqlore_("learn", "--db", "shop.sqlite", "--history", "history", "--json")
    (fresh / "history/new.sql").write_text("SELECT MAX(amount) FROM orders;")
    again = sqlore_("learn", "--db", "shop.sqlite", "--history", "history", "--json").json
    assert (again["new"], again["known"], again["scripts"]) == (1, 4, 4)


def test_scripts_that_differ_in_names_and_values_are_one(fresh: Path, sqlore_: Command) -> None:
    lines = [
        "SELECT name FROM customer WHERE segment = 'ENT'",
        "select  NAME from customer where SEGMENT = 'ENT'",
        "SELECT k.name FROM customer AS k WHERE k.segment = 'ENT'",
        "SELECT name FROM customer WHERE segment = 'SMB'",
    ]
    (fresh / "log.jsonl").write_text("".join(json.dumps({"sql": line}) + "\n" for line in lines))
    report = sqlore_("learn", "--db", "shop.sqlite", "--history", "log.jsonl", "--json").json
    assert (report["new"], report["folded"], report["scripts"]) == (1, 3, 1)
    items = sqlore_("knowledge", "list", "--kind", "condition", "--json").json["items"]
    assert [item["skeleton"] for item in items] == ["customer.segment = <val>"]
    assert {tuple(one["values"]) for one in items[0]["literals"]} == {("ENT",), ("SMB",)}


def test_learn_reads_stdin_and_several_histories(
    fresh: Path, sqlore_: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"SELECT 1 + id FROM orders;")))
    report = sqlore_("learn", "--db", "shop.sqlite", "--history", "history", "--history", "-", "--json").json
    assert (report["read"], report["new"]) == (5, 4)


def test_learn_of_a_table_with_named_columns(fresh: Path, sqlore_: Command) -> None:
    (fresh / "log.csv").write_text('stmt,title\n"SELECT id FROM orders WHERE amount > 5","big orders"\n')
    columns = ("--column", "sql=stmt", "--column", "question=title")
    report = sqlore_("learn", "--db", "shop.sqlite", "--history", "log.csv", *columns, "--json").json
    assert report["new"] == 1
    found = sqlore_("retrieve", "big orders", "--json").json
    assert [script["question"] for script in found["scripts"]] == ["big orders"]


def test_learn_uses_a_schema_file_in_place_of_a_database(fresh: Path, sqlore_: Command) -> None:
    tables = {
        "db_id": "shop",
        "table_names_original": ["orders"],
        "column_names_original": [[-1, "*"], [0, "id"], [0, "amount"]],
        "column_types": ["text", "number", "number"],
        "primary_keys": [1],
        "foreign_keys": [],
    }
    (fresh / "tables.json").write_text(json.dumps([tables]))
    (fresh / "one.sql").write_text("SELECT SUM(amount) FROM orders;")
    options = ("--history", "one.sql", "--schema", "tables.json", "--dialect", "sqlite")
    report = sqlore_("learn", "--store", "k.sqlore", *options, "--json")
    assert (report.code, report.json["new"]) == (0, 1)
    items = sqlore_("knowledge", "list", "--store", "k.sqlore", "--kind", "calculation", "--json").json
    assert [item["skeleton"] for item in items["items"]] == ["sum(orders.amount)"]


# ------------------------------------------------------------------ ask


def test_ask_gives_sql_citations_and_rows(inside: Path, sqlore_: Command, endpoint: Endpoint) -> None:
    sql = f"{REVENUE} AND o.amount < 9"
    endpoint.replies = [f"```sql\n{sql};\n```"]
    asked = sqlore_("ask", "What is the revenue of enterprise customers?", "--model", endpoint.spec, "--json")
    assert asked.code == 0
    draft = asked.json
    assert list(draft) == [
        "question", "sql", "columns", "rows", "truncated", "citations", "attempts", "usage", "error",
        "notes", "uncovered", "reused",
    ]  # fmt: skip
    assert draft["question"] == "What is the revenue of enterprise customers?"
    assert (draft["sql"], draft["columns"]) == (f"{LAID_OUT}\n  AND o.amount < 9", ["revenue"])
    assert draft["rows"] == [[7.0]]
    assert draft["truncated"] is False
    assert draft["error"] is None
    assert draft["attempts"] == [{"sql": sql, "error": None}]
    assert list(draft["usage"]) == [
        "prompt_tokens", "cached_tokens", "completion_tokens", "seconds", "calls", "cost",
    ]  # fmt: skip
    assert (draft["usage"]["prompt_tokens"], draft["usage"]["calls"]) == (100, 1)
    for citation in draft["citations"]:
        assert list(citation) == [
            "start", "end", "kind", "sql", "status", "item", "support", "scripts", "new_values",
            "with_values", "parameter", "similarity", "skeleton", "description", "trust", "synthetic",
            "warning",
        ]  # fmt: skip
        assert draft["sql"][citation["start"] : citation["end"]] == citation["sql"]
    status = {c["sql"]: c["status"] for c in draft["citations"] if c["kind"] != "query"}
    assert status["SUM(o.amount)"] == "cited"
    assert status["c.segment = 'ENT'"] == "cited"
    assert status["o.amount < 9"] != "cited"
    cited = next(c for c in draft["citations"] if c["sql"] == "SUM(o.amount)")
    assert cited["scripts"] == ["finance.sql:2"]
    shown = sqlore_("knowledge", "show", cited["item"], "--json").json
    assert shown["skeleton"] == cited["skeleton"] == "sum(orders.amount)"


def test_ask_puts_the_history_and_the_question_into_the_prompt(
    inside: Path, sqlore_: Command, endpoint: Endpoint
) -> None:
    endpoint.replies = [REVENUE]
    sqlore_("ask", "revenue of enterprise customers", "--model", endpoint.spec, "--json")
    messages = endpoint.requests[0]["messages"]
    assert messages[0]["role"] == "system"
    assert "customer_id" in messages[0]["content"]
    assert "segment = 'ENT'" not in messages[0]["content"]
    assert messages[-1]["content"].endswith("revenue of enterprise customers")
    assert any("segment = 'ENT'" in message["content"] for message in messages[1:])
    sqlore_(
        "ask",
        "revenue of enterprise customers",
        "--model",
        endpoint.spec,
        "--strategy",
        "zero_shot",
        "--json",
    )
    alone = endpoint.requests[1]["messages"]
    assert not any("segment = 'ENT'" in message["content"] for message in alone)


def test_ask_shows_margin_notes_and_rows(inside: Path, sqlore_: Command, endpoint: Endpoint) -> None:
    endpoint.replies = [f"{REVENUE} AND o.id <> 99"]
    asked = sqlore_("ask", "revenue", "--model", endpoint.spec)
    assert asked.code == 0
    assert "● SELECT SUM(o.amount) AS revenue" in asked.out
    assert "used in 1 script" in asked.out
    assert "17.5" in asked.out
    assert "1 row," in asked.out
    assert "100 prompt tokens read" in asked.out
    assert all(" · " in line for line in asked.err.splitlines()), "how it goes, and nothing else"


def test_ask_mends_what_fails(inside: Path, sqlore_: Command, endpoint: Endpoint) -> None:
    endpoint.replies = ["SELECT nam FROM customer", "SELECT name FROM customer WHERE id = 1"]
    draft = sqlore_("ask", "who is first", "--model", endpoint.spec, "--json").json
    assert draft["rows"] == [["Ann"]]
    assert [bool(attempt["error"]) for attempt in draft["attempts"]] == [True, False]
    assert "nam" in endpoint.requests[1]["messages"][-1]["content"]


def test_ask_limits_rows(inside: Path, sqlore_: Command, endpoint: Endpoint) -> None:
    endpoint.replies = ["SELECT id FROM orders ORDER BY id"]
    draft = sqlore_("ask", "orders", "--model", endpoint.spec, "--limit", 2, "--json").json
    assert (draft["rows"], draft["truncated"]) == ([[1], [2]], True)
    shown = sqlore_("ask", "orders", "--model", endpoint.spec, "--limit", 2)
    assert "2+ rows" in shown.out


def test_ask_replays_a_recording(inside: Path, sqlore_: Command, endpoint: Endpoint) -> None:
    from sqlore.llm import RecordingModel, load_model
    from sqlore.workspace import open as open_workspace

    endpoint.replies = [REVENUE]
    with open_workspace() as lore:
        lore.__dict__["model"] = RecordingModel(load_model(endpoint.spec), "said.json")
        lore.ask("revenue of enterprise customers")
    again = sqlore_("ask", "revenue of enterprise customers", "--model", "replay:said.json", "--json")
    assert (again.code, again.json["rows"]) == (0, [[17.5]])
    other = sqlore_("ask", "something else", "--model", "replay:said.json", "--json")
    assert other.code == 2
    assert "no recorded answer" in other.err
    assert other.out == ""


def test_ask_without_a_history_uses_the_schema(fresh: Path, sqlore_: Command, endpoint: Endpoint) -> None:
    endpoint.replies = ["SELECT COUNT(*) FROM orders"]
    draft = sqlore_("ask", "how many orders", "--db", "shop.sqlite", "--model", endpoint.spec, "--json")
    assert (draft.code, draft.json["rows"], draft.json["citations"]) == (0, [[4]], [])
    assert not Path(".sqlore").exists()


# ------------------------------------------------------------------ retrieve and knowledge


def test_retrieve_json(inside: Path, sqlore_: Command) -> None:
    found = sqlore_("retrieve", "revenue of enterprise customers", "--json")
    assert found.code == 0
    assert list(found.json) == ["question", "items", "scripts", "phrases", "values", "milliseconds"]
    for item in found.json["items"]:
        assert list(item) == [
            "id", "kind", "sql", "skeleton", "score", "support", "synthetic", "scripts", "description",
            "signals",
        ]  # fmt: skip
    assert "sum(orders.amount)" in [item["skeleton"] for item in found.json["items"]]
    scores = [item["score"] for item in found.json["items"]]
    assert scores == sorted(scores, reverse=True)
    first = found.json["scripts"][0]
    assert list(first) == ["key", "question", "sql", "score", "items", "description", "synthetic"]
    assert (first["key"], first["sql"]) == ("finance.sql:2", REVENUE)
    assert first["question"] == "Revenue of enterprise customers"
    assert set(first["items"]) <= {item["id"] for item in found.json["items"]}


def test_retrieve_shows_and_limits(inside: Path, sqlore_: Command) -> None:
    shown = sqlore_("retrieve", "revenue of enterprise customers")
    assert "sum(orders.amount)" in shown.out
    assert "Revenue of enterprise customers" in shown.out
    few = sqlore_("retrieve", "orders of customers", "--items", 1, "--scripts", 1, "--json").json
    assert (len(few["items"]), len(few["scripts"])) == (1, 1)


def test_knowledge_list_json(inside: Path, sqlore_: Command) -> None:
    found = sqlore_("knowledge", "list", "--json").json
    assert list(found) == ["items", "total"]
    assert len(found["items"]) == found["total"]
    for item in found["items"]:
        assert list(item) == ITEM_KEYS
    used = [item["support"] for item in found["items"]]
    assert used == sorted(used, reverse=True)
    page = sqlore_("knowledge", "list", "--limit", 2, "--offset", 1, "--json").json
    assert page["items"] == found["items"][1:3]
    assert page["total"] == found["total"]
    kinds = sqlore_("knowledge", "list", "--kind", "relation", "--json").json["items"]
    assert {item["kind"] for item in kinds} == {"relation"}
    touching = sqlore_("knowledge", "list", "--table", "customer", "--json").json["items"]
    assert touching
    assert all("customer" in item["skeleton"] for item in touching)


def test_knowledge_list_for_a_person(inside: Path, sqlore_: Command) -> None:
    shown = sqlore_("knowledge", "list", "--kind", "condition").out
    assert "customer.segment = <val>" in shown
    assert "customers whose segment is ENT" in shown


def test_knowledge_search_json(inside: Path, sqlore_: Command) -> None:
    found = sqlore_("knowledge", "search", "refunded orders", "--kind", "condition", "--json").json
    assert list(found) == ["items"]
    assert {item["kind"] for item in found["items"]} == {"condition"}
    assert [list(item) for item in found["items"]] == [[*ITEM_KEYS, "score"]] * len(found["items"])
    assert len(sqlore_("knowledge", "search", "orders", "--limit", 2, "--json").json["items"]) == 2
    assert "orders.status = <val>" in sqlore_("knowledge", "search", "orders with status R").out


def test_knowledge_show_json(inside: Path, sqlore_: Command) -> None:
    found = sqlore_("knowledge", "list", "--kind", "condition", "--json").json["items"]
    number = next(i["id"] for i in found if i["skeleton"] == "orders.status = <val>")
    shown = sqlore_("knowledge", "show", number, "--json").json
    assert list(shown)[: len(ITEM_KEYS)] == ITEM_KEYS
    assert "examples" in list(shown)[len(ITEM_KEYS) :]
    assert [list(example) for example in shown["examples"]] == [EXAMPLE_KEYS] * 2
    assert {e["key"] for e in shown["examples"]} == {"finance.sql:2", "sales/lists.sql:4"}
    text = sqlore_("knowledge", "show", number).out
    assert "orders.status = <val>" in text
    assert "2 scripts" in text
    assert "SELECT id FROM orders WHERE status = 'R'" in text


def test_knowledge_rejected(inside: Path, sqlore_: Command) -> None:
    found = sqlore_("knowledge", "rejected", "--json").json
    assert list(found) == ["rejected"]
    [one] = found["rejected"]
    assert list(one) == ["reason", "message", "source", "line", "script"]
    assert (one["reason"], one["source"], one["line"]) == ("unparsable", "finance.sql", 4)
    assert one["script"] == "SELEKT a FRM t"
    assert "SELEKT" in sqlore_("knowledge", "rejected").out


def test_knowledge_rejected_can_be_dismissed(fresh: Path, sqlore_: Command) -> None:
    sqlore_("learn", "--db", "shop.sqlite", "--history", "history", "--json")
    assert "1 script kept but not learned, dismissed" in sqlore_("knowledge", "rejected", "--dismiss").err
    assert sqlore_("knowledge", "rejected", "--json").json == {"rejected": []}


def test_verify_and_deprecate(fresh: Path, sqlore_: Command) -> None:
    sqlore_("learn", "--db", "shop.sqlite", "--history", "history", "--json")
    items = sqlore_("knowledge", "list", "--json").json["items"]
    good = next(i["id"] for i in items if i["skeleton"] == "sum(orders.amount)")
    bad = next(i["id"] for i in items if i["skeleton"] == "customer.segment = <val>")
    said = sqlore_("knowledge", "verify", good, "--who", "Ann", "--why", "checked with finance")
    assert said.out == f"calculation {good} is verified (version 2): sum(orders.amount)\n"
    assert sqlore_("knowledge", "show", good, "--json").json["trust"] == "verified"
    assert sqlore_("knowledge", "deprecate", bad, "--why", "segments are gone").code == 0
    assert sqlore_("knowledge", "show", bad, "--json").json["trust"] == "deprecated"
    found = sqlore_("retrieve", "revenue of enterprise customers", "--json").json
    assert bad not in [item["id"] for item in found["items"]]
    missing = sqlore_("knowledge", "verify", 999)
    assert (missing.code, missing.out) == (2, "")
    assert "there is no item 999" in missing.err


# ------------------------------------------------------------------ which database


def test_without_db_the_last_learned_is_meant(fresh: Path, sqlore_: Command, endpoint: Endpoint) -> None:
    make_duckdb(fresh / "other.duckdb", ("CREATE TABLE pet (name TEXT)", "INSERT INTO pet VALUES ('Rex')"))
    (fresh / "pets.sql").write_text("SELECT name FROM pet WHERE name = 'Rex';")
    sqlore_("learn", "--db", "shop.sqlite", "--history", "history", "--json")
    sqlore_("learn", "--db", "other.duckdb", "--history", "pets.sql", "--json")
    assert sqlore_("knowledge", "list", "--kind", "condition", "--json").json["items"][0]["skeleton"] == (
        "pet.name = <val>"
    )
    endpoint.replies = ["SELECT name FROM pet"]
    assert sqlore_("ask", "the pets", "--model", endpoint.spec, "--json").json["rows"] == [["Rex"]]
    named = sqlore_("knowledge", "list", "--db", "shop.sqlite", "--json").json
    assert "sum(orders.amount)" in [item["skeleton"] for item in named["items"]]
    sqlore_("learn", "--db", "shop.sqlite", "--history", "history", "--json")
    assert sqlore_("knowledge", "list", "--json").json == named


def test_a_store_of_ones_own(fresh: Path, sqlore_: Command) -> None:
    made = sqlore_(
        "learn", "--db", "shop.sqlite", "--store", "k/own.sqlore", "--history", "history", "--json"
    )
    assert made.json["store"] == "k/own.sqlore"
    listed = sqlore_("knowledge", "list", "--store", "k/own.sqlore", "--json").json
    assert listed["total"] == made.json["items"]


# ------------------------------------------------------------------ fragments, doctor, models


def test_fragments_gives_a_line_a_record_in_order(inside: Path, sqlore_: Command) -> None:
    database = next(inside.glob("shop.*")).name
    taken = sqlore_("fragments", "history", "--db", database, "--json")
    assert taken.code == 0
    lines = [json.loads(line) for line in taken.out.splitlines()]
    assert [line["key"] for line in lines] == [
        "finance.sql:2", "finance.sql:4", "sales/lists.sql:2", "sales/lists.sql:4",
    ]  # fmt: skip
    for line in lines:
        assert list(line)[:3] == ["script", "fragments", "key"]
        for fragment in line["fragments"]:
            assert list(fragment) == ["kind", "sql", "skeleton", "start", "end", "scope", "literals"]
            assert line["script"][fragment["start"] : fragment["end"]] == fragment["sql"]
    assert lines[0]["script"] == REVENUE
    assert {f["kind"] for f in lines[0]["fragments"]} == {"query", "calculation", "relation", "condition"}
    assert list(lines[1]) == ["script", "fragments", "key", "error"]
    assert lines[1]["fragments"] == []
    assert list(lines[1]["error"]) == ["reason", "message", "line"]
    assert (lines[1]["error"]["reason"], lines[1]["error"]["line"]) == ("unparsable", 4)


def test_fragments_of_records_keep_step_with_the_file(fresh: Path, sqlore_: Command) -> None:
    scripts = ["SELECT id FROM orders", "", "rm @stage/x", "SELECT , FROM t", "SELECT 1 + amount FROM orders"]
    (fresh / "log.jsonl").write_text(
        "".join(json.dumps({"sql": s, "id": n}) + "\n" for n, s in enumerate(scripts))
    )
    taken = sqlore_("fragments", "log.jsonl", "--db", "shop.sqlite", "--json")
    lines = [json.loads(line) for line in taken.out.splitlines()]
    assert [line["script"] for line in lines] == scripts
    assert [line.get("error", {}).get("reason") for line in lines] == [
        None, "empty", "not_a_query", "unparsable", None,
    ]  # fmt: skip


def test_fragments_for_a_person_and_from_stdin(
    inside: Path, sqlore_: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(HISTORY["finance.sql"].encode())))
    shown = sqlore_("fragments", "-", "--dialect", "sqlite")
    assert "sum(orders.amount)" in shown.out
    assert "unparsable" in shown.out
    assert "taken apart, 1 not understood" in shown.err


def test_doctor(inside: Path, sqlore_: Command) -> None:
    checked = sqlore_("doctor", "--json")
    assert checked.code == 0
    assert list(checked.json) == ["healthy", "findings"]
    assert checked.json["healthy"] is True
    for finding in checked.json["findings"]:
        assert list(finding) == ["name", "ok", "detail", "hint"]
    found = {finding["name"]: finding for finding in checked.json["findings"]}
    assert "2 tables, 7 columns" in found["database"]["detail"]
    assert "3 scripts" in found["store"]["detail"]
    assert {"python", "sqlglot", "duckdb", "embedder", "model", "settings"} <= set(found)
    assert "ok store" in sqlore_("doctor").out


def test_doctor_where_nothing_was_learned_is_no_fault(fresh: Path, sqlore_: Command) -> None:
    assert sqlore_("doctor", "--json").code == 0


def test_doctor_tells_of_a_store_that_needs_a_hand(fresh: Path, sqlore_: Command) -> None:
    import sqlite3

    store = sqlore_("learn", "--db", "shop.sqlite", "--history", "history", "--json").json["store"]
    with sqlite3.connect(store) as db:
        db.execute("UPDATE items SET support = 99")
    db.close()
    checked = sqlore_("doctor", "--json")
    assert checked.code == 2
    assert checked.json["healthy"] is False
    [bad] = [finding for finding in checked.json["findings"] if finding["ok"] is False]
    assert bad["name"] == "store"
    assert "wrong count" in bad["hint"]


def test_models_list(fresh: Path, sqlore_: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh / "cache"))
    listed = sqlore_("models", "list", "--json")
    assert listed.code == 0
    assert list(listed.json) == ["model", "file"]
    assert "sqlore" in sqlore_("models", "list").out or listed.json["file"]


def test_help_and_version(sqlore_: Command) -> None:
    from sqlore import __version__

    assert sqlore_("--version").out == f"sqlore {__version__}\n"
    usage = sqlore_("--help").out
    for command in ("learn", "ask", "retrieve", "knowledge", "fragments", "models", "doctor", "demo"):
        assert command in usage
