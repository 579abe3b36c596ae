"""Scripts are taken apart in order; what cannot be is kept with its reason."""

from __future__ import annotations

import json
from itertools import count, islice
from pathlib import Path

import pytest

from sqlore.history import MAX_CHARACTERS, collect, parse_all, read_and_parse
from sqlore.history.parse import FAULT
from sqlore.model import ParsedScript, Rejected, Script
from sqlore.sql import skeleton_of
from support import data_dir


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELEKT a FRM t", "unparsable"),
        ("SELECT 'never closed FROM t", "unparsable"),
        ("DELETE FROM t", "not_a_query"),
        ("", "empty"),
        (" ;\n; ", "empty"),
        ("-- nothing here", "empty"),
        ("SELECT '\x00\x01'", "unreadable"),
        ("SELECT a FROM t WHERE b = '" + "x" * MAX_CHARACTERS + "'", "too_long"),
    ],
)
def test_reasons(text: str, reason: str) -> None:
    script = Script(text, "7", line=3)
    (outcome,) = parse_all([script])
    assert isinstance(outcome, Rejected)
    assert (outcome.reason, outcome.script) == (reason, script)
    assert outcome.message
    assert outcome.line is not None
    assert outcome.line >= 3


def test_the_line_of_a_fault_is_that_of_the_file() -> None:
    (outcome,) = parse_all([Script("SELECT a\nFROM t\nWHERE b = = 1", "7", line=10)])
    assert isinstance(outcome, Rejected)
    assert outcome.line == 12


def test_rejected_scripts_stop_nothing_and_order_is_kept() -> None:
    given = [Script(f"SELECT a FROM t{n}" if n % 3 else "nonsense nonsense (", str(n)) for n in range(30)]
    found = list(parse_all(given))
    assert [item.script.key for item in found] == [str(n) for n in range(30)]
    assert [isinstance(item, Rejected) for item in found] == [n % 3 == 0 for n in range(30)]


def test_what_the_reader_rejected_passes_through() -> None:
    rejected = Rejected(Script("", "1"), "unreadable", "binary")
    assert list(parse_all([rejected])) == [rejected]


def test_a_repeated_text_keeps_each_script() -> None:
    one, two = parse_all([Script("SELECT a FROM t", "1", author="anna"), Script("SELECT a FROM t", "2")])
    assert isinstance(one, ParsedScript)
    assert isinstance(two, ParsedScript)
    assert (one.script.key, one.script.author, two.script.key, two.script.author) == ("1", "anna", "2", None)
    assert one.fragments == two.fragments


def test_a_repeated_text_that_cannot_be_read_keeps_its_own_line() -> None:
    text = "SELECT a\nFROM (("
    one, two = parse_all([Script(text, "1", line=5), Script(text, "2", line=50)])
    assert isinstance(one, Rejected)
    assert isinstance(two, Rejected)
    assert one.line is not None
    assert two.line == one.line + 45


def test_a_record_of_several_queries_gives_the_fragments_of_all() -> None:
    text = (
        "DECLARE @n INT = 3\nSELECT a FROM t WHERE b = @n AND c IN (SELECT d FROM v)\n"
        "WITH q AS (SELECT x + 1 AS y FROM z) SELECT y FROM q;\nDROP TABLE x; SELECT COUNT(*) FROM w"
    )
    (outcome,) = parse_all([Script(text, "7")], dialect="tsql")
    assert isinstance(outcome, ParsedScript)
    assert outcome.skeleton == (
        "select t.a from t where t.b = <val> and t.c in (select v.d from v); "
        "select z.x + <val> from (select z.x + <val> from z); select count(*) from w"
    )
    assert [(f.scope, f.kind, f.sql) for f in outcome.fragments if f.kind != "query"] == [
        ("main", "condition", "b = @n"),
        ("main", "condition", "c IN (SELECT d FROM v)"),
        ("statement:2/cte:q", "calculation", "x + 1"),
        ("statement:3", "calculation", "COUNT(*)"),
    ]
    (whole,) = (f for f in outcome.fragments if f.kind == "query")
    assert whole.sql == text[text.index("SELECT a") :]
    assert outcome.tables == ("t", "v", "w", "z")
    for fragment in outcome.fragments:
        assert text[fragment.start : fragment.end] == fragment.sql
        assert skeleton_of(fragment.skeleton, fragment.kind, "tsql") == fragment.skeleton


def test_of_several_queries_all_can_be_read_or_none() -> None:
    (outcome,) = parse_all([Script("SELECT a FROM t;\n\nSELECT FROM u", "7", line=5)])
    assert isinstance(outcome, Rejected)
    assert (outcome.reason, outcome.line) == ("unparsable", 7)


def test_parsing_is_lazy() -> None:
    endless = (Script(f"SELECT a FROM t WHERE b = {n}", str(n)) for n in count())
    assert len(list(islice(parse_all(endless), 5))) == 5


def test_deep_nesting_is_rejected_and_stops_nothing() -> None:
    deep = "SELECT " + "(" * 20_000 + "1" + ")" * 20_000
    first, second = parse_all([Script(deep, "1"), Script("SELECT a FROM t", "2")])
    assert first.script.key == "1"
    assert isinstance(second, ParsedScript)


def test_a_list_of_300_000_values_is_read() -> None:
    text = f"SELECT a FROM t WHERE b IN ({', '.join(map(str, range(300_000)))})"
    (outcome,) = parse_all([Script(text, "1")], dialect="sqlite")
    assert isinstance(outcome, ParsedScript)
    assert outcome.skeleton == "select t.a from t where t.b in (<val>)"


def test_a_script_of_ten_megabytes_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELECT 1;\nSELECT '" + "x" * 10_000_000 + "';\nSELECT 2;\n")
    found = list(read_and_parse(tmp_path))
    assert [type(item).__name__ for item in found] == ["ParsedScript", "Rejected", "ParsedScript"]
    assert [item.reason for item in found if isinstance(item, Rejected)] == ["too_long"]


def test_a_history_from_file_to_items(tmp_path: Path) -> None:
    records = [{"sql": f"SELECT a FROM t WHERE b = {n}", "id": n} for n in range(5)] + [
        {"sql": "DROP TABLE t"}
    ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(records))
    history = collect(read_and_parse(path, dialect="sqlite"))
    assert (len(history.scripts), history.read, history.reasons) == (1, 6, {"not_a_query": 1})
    assert history.scripts[0].keys == ("0", "1", "2", "3", "4")


def test_a_pool_gives_what_one_process_gives() -> None:
    given = [
        Script("SELEKT" if n % 500 == 7 else f"SELECT a FROM t{n % 50} WHERE b = 1", str(n))
        for n in range(2600)
    ]
    alone = list(parse_all(given, dialect="sqlite"))
    pooled = list(parse_all(given, dialect="sqlite", workers=2))
    assert pooled == alone


def test_every_script_of_bird_is_read() -> None:
    history = collect(read_and_parse(data_dir("bird", "dev.json"), dialect="sqlite"))
    assert history.rejected == ()
    assert history.read == 1057


def test_sede_is_read() -> None:
    history = collect(read_and_parse(data_dir("logs", "sede_val_original.jsonl"), dialect="tsql"))
    share = 1 - len(history.rejected) / history.read
    assert history.read == 857
    assert share > 0.96, history.reasons
    assert not any("queries" in item.message for item in history.rejected)
    assert [item.message for item in history.rejected if not item.message or FAULT in item.message] == []
