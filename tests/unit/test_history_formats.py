"""Each source format gives the scripts it holds, and a reason for what it cannot give."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from sqlore.errors import SourceError, UsageError
from sqlore.history import databases_in, read_history
from sqlore.model import Rejected, Script
from support import data_dir


def scripts(source: Path | str, **options: object) -> list[Script]:
    found = list(read_history(source, **options))  # type: ignore[arg-type]
    assert all(isinstance(item, Script) for item in found), found
    return found  # type: ignore[return-value]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# ------------------------------------------------------------------ JSON


def test_json_array_with_recognised_columns(tmp_path: Path) -> None:
    records = [
        {
            "QUERY_ID": "01a",
            "QUERY_TEXT": "SELECT 1",
            "USER_NAME": "anna",
            "START_TIME": "2025-03-01 10:00:00",
        },
        {"QUERY_ID": "01b", "QUERY_TEXT": "SELECT 2", "USER_NAME": "ben", "START_TIME": "2025-03-02"},
    ]
    one, two = scripts(write(tmp_path, "log.json", json.dumps(records)))
    assert (one.key, one.sql, one.author, one.time) == ("01a", "SELECT 1", "anna", "2025-03-01T10:00:00")
    assert (two.key, two.time) == ("01b", "2025-03-02")


def test_json_shapes(tmp_path: Path) -> None:
    for content in (
        '["SELECT 1", "SELECT 2"]',
        '{"queries": [{"sql": "SELECT 1"}, {"sql": "SELECT 2"}]}',
        '{"a": {"sql": "SELECT 1"}, "b": {"sql": "SELECT 2"}}',
        '{"sql": "SELECT 1"}\n{"sql": "SELECT 2"}\n',
    ):
        found = scripts(write(tmp_path, "log.json", content))
        assert [script.sql for script in found] == ["SELECT 1", "SELECT 2"], content


def test_json_lines_are_where_the_record_starts(tmp_path: Path) -> None:
    text = json.dumps([{"sql": "SELECT 1"}, {"sql": "SELECT 2"}], indent=1)
    one, two = scripts(write(tmp_path, "log.json", text))
    assert (one.line, one.key, two.line, two.key) == (2, "log.json:2", 5, "log.json:5")


@pytest.mark.parametrize("cut", ['{"sql": "SELECT 3', '{"sql"', "{", ""])
def test_json_cut_off_keeps_the_complete_objects(tmp_path: Path, cut: str) -> None:
    text = '[\n{"sql": "SELECT 1"},\n{"sql": "SELECT 2"},\n' + cut
    *kept, rejected = read_history(write(tmp_path, "log.json", text))
    assert [script.sql for script in kept if isinstance(script, Script)] == ["SELECT 1", "SELECT 2"]
    assert isinstance(rejected, Rejected)
    assert (rejected.reason, rejected.line) == ("unreadable", 4)


def test_json_wrapped_and_cut_off(tmp_path: Path) -> None:
    text = '{"version": 2, "queries": [{"sql": "SELECT 1"}, {"sql": "SELECT 2"}, {"sq'
    *kept, rejected = read_history(write(tmp_path, "log.json", text))
    assert len(kept) == 2
    assert isinstance(rejected, Rejected)


def test_jsonl_with_a_malformed_line(tmp_path: Path) -> None:
    text = '{"sql": "SELECT 1"}\n{"sql": "SELECT\n\n{"sql": "SELECT 3"}\n[1]\n{"sql": null}\n'
    one, bad, three, number, nothing = read_history(write(tmp_path, "log.jsonl", text))
    assert isinstance(one, Script)
    assert isinstance(three, Script)
    assert (three.sql, three.line) == ("SELECT 3", 4)
    reasons = [(item.reason, item.line) for item in (bad, number, nothing) if isinstance(item, Rejected)]
    assert reasons == [("unreadable", 2), ("unreadable", 5), ("empty", 6)]


# ------------------------------------------------------------------ CSV, TSV, Parquet


def test_csv_of_pg_stat_statements(tmp_path: Path) -> None:
    text = (
        "userid,dbid,queryid,query,calls,rows\n"
        '10,16384,-77,"SELECT a, ""B""\nFROM t WHERE d > now() - interval $1",12,3\n'
        "10,16384,78,SELECT 1,7,7\n"
    )
    one, two = scripts(write(tmp_path, "stats.csv", text))
    assert one.sql == 'SELECT a, "B"\nFROM t WHERE d > now() - interval $1'
    assert (one.key, one.runs, one.line, one.database) == ("-77", 12, 2, None)
    assert (two.key, two.runs, two.line) == ("78", 7, 4)


def test_json_of_sql_by_key(tmp_path: Path) -> None:
    text = '{"q1": "SELECT 1", "q2": "SELECT 2", "q3": "-- three\\nSELECT 3"}'
    found = scripts(write(tmp_path, "log.json", text))
    assert [script.key for script in found] == ["q1", "q2", "q3"]
    assert found[2].sql.endswith("SELECT 3")
    (one,) = scripts(write(tmp_path, "log.json", '{"query": "SELECT 1"}'))
    assert one.sql == "SELECT 1"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_delimiters(tmp_path: Path, delimiter: str) -> None:
    text = delimiter.join(("id", "query", "calls")) + "\r\n" + delimiter.join(("a", "SELECT 1", "2")) + "\r\n"
    (script,) = scripts(write(tmp_path, "log.csv", text))
    assert (script.key, script.sql, script.runs) == ("a", "SELECT 1", 2)


def test_csv_without_a_heading(tmp_path: Path) -> None:
    found = scripts(write(tmp_path, "log.csv", '1,"SELECT a, b FROM t"\n2,SELECT 2\n'))
    assert [script.sql for script in found] == ["SELECT a, b FROM t", "SELECT 2"]


def test_csv_with_an_unclosed_quote_loses_only_that_line(tmp_path: Path) -> None:
    text = 'id,query\n1,SELECT 1\n2,"SELECT 2\n3,"SELECT ""x"""\n4,SELECT 4\n'
    found = list(read_history(write(tmp_path, "log.csv", text)))
    assert [item.sql for item in found if isinstance(item, Script)] == ["SELECT 1", 'SELECT "x"', "SELECT 4"]
    assert [(item.reason, item.line) for item in found if isinstance(item, Rejected)] == [("unreadable", 3)]


def test_csv_with_unquoted_commas(tmp_path: Path) -> None:
    (last,) = scripts(write(tmp_path, "last.csv", "id,sql\n1,SELECT a, b FROM t\n"))
    assert last.sql == "SELECT a, b FROM t"
    (first,) = read_history(write(tmp_path, "first.csv", "sql,calls\nSELECT a, b FROM t,3\n"))
    assert isinstance(first, Rejected)
    assert "3 fields" in first.message


def test_tsv(tmp_path: Path) -> None:
    (script,) = scripts(write(tmp_path, "log.tsv", "statement\tuser\nSELECT 1, 2\tanna\n"))
    assert (script.sql, script.author) == ("SELECT 1, 2", "anna")


def test_parquet_whatever_its_name(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "it's [1] *.parquet"
    duckdb.execute(
        "COPY (SELECT 'SELECT ' || i AS query, i AS calls, TIMESTAMP '2025-01-02 03:04:05' AS start_time"
        " FROM range(1, 2501) AS r(i)) TO 'plain.parquet'".replace("plain", str(tmp_path / "plain"))
    )
    (tmp_path / "plain.parquet").rename(path)
    found = scripts(path)
    assert len(found) == 2500
    assert (found[2499].sql, found[2499].runs, found[2499].time) == (
        "SELECT 2500",
        2500,
        "2025-01-02T03:04:05",
    )


def test_broken_parquet(tmp_path: Path) -> None:
    path = write(tmp_path, "log.parquet", b"PAR1 no more")
    with pytest.raises(SourceError, match="Parquet"):
        list(read_history(path))


# ------------------------------------------------------------------ columns


def test_named_columns_go_first(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "query,stmt,who\nhello there,SELECT 1,anna\n")
    (script,) = scripts(path, columns={"sql": "STMT", "author": "who", "question": "query"})
    assert (script.sql, script.author, script.question) == ("SELECT 1", "anna", "hello there")


def test_wrong_columns_are_said(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "query\nSELECT 1\n")
    with pytest.raises(UsageError, match="no such field: sqll"):
        read_history(path, columns={"sqll": "query"})
    with pytest.raises(SourceError, match="no column named stmt") as caught:
        list(read_history(path, columns={"sql": "stmt"}))
    assert caught.value.hint is not None
    assert "query" in caught.value.hint
    with pytest.raises(SourceError, match="no column holds SQL"):
        list(read_history(write(tmp_path, "data.csv", "city,people\nOslo,700000\n")))


def test_values_decide_between_sql_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "log.csv", "query,sql\nactive customers,SELECT 1\nplans,SELECT 2\n")
    found = scripts(path)
    assert [(script.sql, script.question) for script in found] == [
        ("SELECT 1", "active customers"),
        ("SELECT 2", "plans"),
    ]
    redshift = write(tmp_path, "stl.csv", "query,querytxt\n10,SELECT 1\n11,SELECT 2\n")
    assert [script.sql for script in scripts(redshift)] == ["SELECT 1", "SELECT 2"]
    unknown = write(
        tmp_path, "odd.csv", "nr,was_lief\n10,SELECT 1\n11,WITH x AS (SELECT 1) SELECT * FROM x\n"
    )
    assert len(scripts(unknown)) == 2


def test_the_comment_in_a_record_is_read_where_nothing_else_describes_it(tmp_path: Path) -> None:
    records = [{"sql": "-- How many plans are active?\n-- author: anna\nSELECT COUNT(*) FROM plan"}]
    (script,) = scripts(write(tmp_path, "log.json", json.dumps(records)))
    assert (script.question, script.author) == ("How many plans are active?", "anna")
    assert script.sql == records[0]["sql"]


def test_a_title_that_warns_is_no_question(tmp_path: Path) -> None:
    records = [
        {"title": "DO NOT USE, wrong join", "sql": "SELECT 1", "notes": "see 7"},
        {"title": "Report of May", "sql": "-- which ones?\nSELECT 2", "notes": None},
    ]
    one, two = scripts(write(tmp_path, "log.json", json.dumps(records)))
    assert (one.question, one.comment) == (None, "DO NOT USE, wrong join see 7")
    assert (two.question, two.comment) == ("Report of May", None)


# ------------------------------------------------------------------ known collections


def test_bird() -> None:
    found = scripts(data_dir("bird", "dev.json"))
    assert len(found) == 1057
    first = found[0]
    assert (first.key, first.database) == ("0", "california_schools")
    assert first.question is not None
    assert first.question.startswith("What is the highest eligible free rate")
    assert first.evidence is not None
    assert first.sql.startswith("SELECT `Free Meal Count (K-12)`")


def test_bird_of_one_database() -> None:
    path = data_dir("bird", "dev.json")
    found = scripts(path, database="SuperHero")
    assert len(found) == 129
    assert {script.database for script in found} == {"superhero"}
    assert databases_in(path)["superhero"] == 129
    with pytest.raises(SourceError, match="no script of database nope") as caught:
        list(read_history(path, database="nope"))
    assert caught.value.hint is not None
    assert "superhero" in caught.value.hint


def test_spider() -> None:
    found = scripts(data_dir("spider", "dev.json"))
    assert len(found) == 1034
    assert (found[0].sql, found[0].database) == ("SELECT count(*) FROM singer", "concert_singer")
    gold = scripts(data_dir("spider", "dev_gold.sql"))
    assert [(s.sql, s.database) for s in gold[:1]] == [("SELECT count(*) FROM singer", "concert_singer")]
    assert len(gold) == 1034


def test_sede() -> None:
    found = scripts(data_dir("logs", "sede_val_original.jsonl"), dialect="tsql")
    assert len(found) == 857
    first = found[0]
    assert (first.key, first.question) == ("1233", "Top 500 Askers on the site")
    assert first.comment is not None
    assert first.comment.startswith("A list of the top 500 askers")
    assert (first.time, first.dialect) == ("2010-05-27T20:08:16", "tsql")


def test_text2sql_data() -> None:
    path = data_dir("logs", "geography.json")
    found = scripts(path)
    assert len(found) == 877
    assert found[0].question == "what is the biggest city in arizona"
    assert found[0].sql.count('"arizona"') == 2
    assert not any("state_name0" in script.sql for script in found)


# ------------------------------------------------------------------ standard input


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('[{"sql": "SELECT 1"}]', ["SELECT 1"]),
        ('{"sql": "SELECT 1"}\n{"sql": "SELECT 2"}\n', ["SELECT 1", "SELECT 2"]),
        ('{\n "queries": [{"sql": "SELECT 1"}]\n}', ["SELECT 1"]),
        ("query;calls\nSELECT 1;3\n", ["SELECT 1"]),
        ("sql\tuser\nSELECT 1, 2\tanna\n", ["SELECT 1, 2"]),
    ],
)
def test_standard_input_is_recognised(
    monkeypatch: pytest.MonkeyPatch, content: str, expected: list[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    assert [script.sql for script in scripts("-")] == expected


def test_parquet_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "log.parquet"
    duckdb.execute(f"COPY (SELECT 'SELECT 1' AS query) TO '{path}'")
    with path.open("rb") as stream:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
        assert [script.key for script in scripts("-")] == ["stdin:1"]


def test_empty_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(SourceError, match="empty"):
        list(read_history("-"))
