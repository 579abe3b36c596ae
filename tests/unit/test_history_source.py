"""Files, folders and encodings: everything good is read, everything else is kept with its reason."""

from __future__ import annotations

import codecs
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqlore.errors import SourceError, UsageError
from sqlore.history import databases_in, read_history
from sqlore.model import Rejected, Script


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def good(found: Iterator[Script | Rejected]) -> list[Script]:
    return [item for item in found if isinstance(item, Script)]


# ------------------------------------------------------------------ .sql files


SQL_FILE = """-- Reports of the growth team
-- Owner: anna

-- How many plans are active?
SELECT COUNT(*) FROM plan WHERE status = 1;

-- net revenue
-- author: ben, date: 2025-03-01
-- run 12 times
SELECT SUM(amount)
FROM orders; SELECT 2;
SELECT 'a;b'
"""


def test_sql_file(tmp_path: Path) -> None:
    one, two, three, four = good(read_history(write(tmp_path, "growth.sql", SQL_FILE), dialect="sqlite"))
    assert (one.question, one.author, one.line) == ("How many plans are active?", "anna", 5)
    assert one.key == "growth.sql:5"
    assert (one.source, one.dialect) == ("growth.sql", "sqlite")
    assert one.sql.rstrip(";") == "SELECT COUNT(*) FROM plan WHERE status = 1"
    assert (two.question, two.comment, two.author, two.time, two.runs) == (
        None,
        "net revenue",
        "ben",
        "2025-03-01",
        12,
    )
    assert (two.line, three.line, four.line) == (10, 11, 12)
    assert (three.sql.rstrip(";"), four.sql.strip()) == ("SELECT 2", "SELECT 'a;b'")
    assert (three.comment, three.question) == (None, None)


def scripts_in(path: Path) -> list[Script]:
    return [item for item in read_history(path) if isinstance(item, Script)]


def test_the_header_of_a_file_is_background_of_its_scripts(tmp_path: Path) -> None:
    text = (
        "-- churn\n-- author: priya, date: 2025-02-11\n-- reason UP = bigger plan\n\n"
        "-- how many left?\nSELECT 1;\n\nSELECT 2;\n\n"
        "-- Yearly figures.\n-- owner: owen\n\n-- by plan\n-- evidence: plan 9 is a test\nSELECT 3;\n"
        "-- 42 rows\n\n-- by year\nSELECT 4;\n\n/* Monthly figures. */\n\n-- by month\nSELECT 5;\n"
    )
    (tmp_path / "a.sql").write_text(text)
    found = scripts_in(tmp_path / "a.sql")
    header = "churn\nreason UP = bigger plan"
    assert [script.evidence for script in found] == [
        header,
        header,
        f"plan 9 is a test\nYearly figures.\n{header}",
        f"Yearly figures.\n{header}",
        f"Monthly figures.\n{header}",
    ]
    assert [script.author for script in found] == ["priya", "priya", "owen", "owen", "priya"]
    assert {script.time for script in found} == {"2025-02-11"}
    assert [script.text for script in found] == ["how many left?", None, "by plan", "by year", "by month"]


def test_a_block_above_the_first_statement_is_its_own_comment(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_text("-- how many left?\n-- reason UP = bigger plan\n\nSELECT 1;\n\n-- by plan\nSELECT 2;\n")
    one, two = scripts_in(path)
    assert (one.question, one.comment, one.evidence) == ("how many left?", "reason UP = bigger plan", None)
    assert (two.text, two.evidence) == ("by plan", "reason UP = bigger plan")
    path.write_text("-- how many left?\nSELECT 1;\n\n-- by plan\nSELECT 2;\n")
    assert [script.evidence for script in scripts_in(path)] == [None, None]


def test_a_long_header_is_cut_at_a_word(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_text("-- " + "revenue without refunds, " * 60 + "\n\n-- by plan\nSELECT 1;\n")
    evidence = scripts_in(path)[0].evidence
    assert evidence is not None
    assert len(evidence) < 410
    assert evidence.endswith((" refunds …", " revenue …", " without …"))


def test_a_dbt_model_is_read_with_its_comment(tmp_path: Path) -> None:
    path = tmp_path / "fct.sql"
    path.write_text(
        "{{ config(materialized='table') }}\n\n{% set days = 90 %}\n"
        "-- how many sites has each order?\nwith x as (\n\n    select 1\n)\n\nselect * from x\n"
    )
    (script,) = scripts_in(path)
    assert script.question == "how many sites has each order?"
    assert script.sql.startswith("{{ config")


def test_crlf(tmp_path: Path) -> None:
    one, two = good(read_history(write(tmp_path, "a.sql", "-- Which?\r\nSELECT 1;\r\n\r\nSELECT 2;\r\n")))
    assert (one.question, one.line, two.line) == ("Which?", 2, 4)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("name", ["a.sql", "a.csv", "a.json", "a.jsonl"])
def test_encodings(tmp_path: Path, encoding: str, name: str) -> None:
    sql = "SELECT 1 AS n FROM caf\u00e9 WHERE ville = 'N\u00eemes'"
    content = {
        "a.sql": f"-- Caf\u00e9s?\n{sql};\n",
        "a.csv": f'query,calls\n"{sql}",1\n',
        "a.json": json.dumps([{"sql": sql}], ensure_ascii=False),
        "a.jsonl": json.dumps({"sql": sql}, ensure_ascii=False) + "\n",
    }[name]
    (script,) = good(read_history(write(tmp_path, name, content.encode(encoding))))
    assert script.sql.rstrip(";") == sql


def test_two_encodings_in_one_file(tmp_path: Path) -> None:
    content = "SELECT '\u00e9';\n".encode() + "SELECT '\u00e8';\n".encode("cp1252")
    found = good(read_history(write(tmp_path, "a.sql", content)))
    assert [script.sql.rstrip(";") for script in found] == ["SELECT '\u00e9'", "SELECT '\u00e8'"]


def test_a_file_of_only_a_bom_is_empty(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="empty"):
        list(read_history(write(tmp_path, "a.sql", codecs.BOM_UTF8)))


def test_binary_junk_between_statements(tmp_path: Path) -> None:
    content = b"SELECT 1;\n\x00\x01'\xff\x02\n\x05\"\x06\nSELECT 2;\n"
    found = list(read_history(write(tmp_path, "a.sql", content)))
    assert [item.sql.rstrip(";") for item in found if isinstance(item, Script)] == ["SELECT 1", "SELECT 2"]
    (rejected,) = [item for item in found if isinstance(item, Rejected)]
    assert (rejected.reason, rejected.line) == ("unreadable", 2)
    assert good(iter(found))[1].line == 4


@pytest.mark.parametrize(
    "content", [b"SQLite format 3\x00" + bytes(100), b"PK\x03\x04zip", random.Random(7).randbytes(5000)]
)
def test_a_binary_file(tmp_path: Path, content: bytes) -> None:
    write(tmp_path, "a.sql", content)
    write(tmp_path, "b.sql", "SELECT 1")
    found = list(read_history(tmp_path))
    assert next(item.reason for item in found if isinstance(item, Rejected)) == "unreadable"
    assert [item.source for item in found if isinstance(item, Script)][-1] == "b.sql"


def test_unbalanced_quotes_do_not_stop_the_history(tmp_path: Path) -> None:
    write(tmp_path, "a.sql", "SELECT 'never closed FROM t;\nSELECT 2;\n")
    write(tmp_path, "b.sql", "SELECT 3;\n")
    found = list(read_history(tmp_path))
    assert found
    assert good(iter(found))[-1].sql.rstrip(";") == "SELECT 3"


# ------------------------------------------------------------------ folders


def test_folder_is_read_in_order_and_deep(tmp_path: Path) -> None:
    write(tmp_path, "b.sql", "SELECT 2")
    write(tmp_path, "a/z.sql", "SELECT 3")
    write(tmp_path, "a/more/log.csv", "query\nSELECT 4\n")
    write(tmp_path, "a.sql", "SELECT 1")
    write(tmp_path, ".hidden/x.sql", "SELECT 9")
    write(tmp_path, ".x.sql", "SELECT 9")
    write(tmp_path, "notes.md", "SELECT 9")
    write(tmp_path, "LOUD.SQL", "SELECT 0")
    found = good(read_history(tmp_path))
    assert [(s.source, s.sql) for s in found] == [
        ("LOUD.SQL", "SELECT 0"),
        ("a.sql", "SELECT 1"),
        ("b.sql", "SELECT 2"),
        ("a/z.sql", "SELECT 3"),
        ("a/more/log.csv", "SELECT 4"),
    ]
    assert found[3].key == "a/z.sql:1"
    assert found == good(read_history(tmp_path))
    assert [s.sql for s in good(read_history(tmp_path, format="csv"))] == ["SELECT 4"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_links(tmp_path: Path) -> None:
    write(tmp_path, "sub/a.sql", "SELECT 1")
    elsewhere = write(tmp_path.parent / f"{tmp_path.name}-elsewhere", "b.sql", "SELECT 2")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    (tmp_path / "twice").symlink_to(tmp_path / "sub")
    (tmp_path / "linked").symlink_to(elsewhere.parent)
    (tmp_path / "gone.sql").symlink_to(tmp_path / "nothing")
    found = list(read_history(tmp_path))
    assert sorted(s.sql for s in good(iter(found))) == ["SELECT 1", "SELECT 2"]
    (rejected,) = [item for item in found if isinstance(item, Rejected)]
    assert (rejected.script.source, rejected.reason) == ("gone.sql", "unreadable")


def test_a_table_without_sql_in_a_folder_is_said_once(tmp_path: Path) -> None:
    write(tmp_path, "cities.csv", "city,people\nOslo,700000\nRome,2800000\n")
    write(tmp_path, "q.sql", "SELECT 1")
    rejected, script = read_history(tmp_path)
    assert isinstance(rejected, Rejected)
    assert isinstance(script, Script)
    assert "no column holds SQL" in rejected.message
    with pytest.raises(UsageError):
        read_history(tmp_path, columns={"nope": "city"})


def test_several_databases(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", '{"sql": "SELECT 1", "db_id": "Shop"}\n{"sql": "SELECT 2", "db_id": "bank"}\n')
    write(tmp_path, "b.sql", "SELECT 3")
    assert databases_in(tmp_path) == {"Shop": 1, "bank": 1}
    assert [s.sql for s in good(read_history(tmp_path, database="SHOP"))] == ["SELECT 1", "SELECT 3"]


# ------------------------------------------------------------------ nothing to read


def test_missing_source_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        read_history(tmp_path / "nope.sql")
    assert caught.value.hint
    assert "nope.sql" in str(caught.value.where)


@pytest.mark.parametrize("content", ["", "\n\n", "-- only a comment\n", "[]"])
def test_empty_history(tmp_path: Path, content: str) -> None:
    name = "a.json" if content == "[]" else "a.sql"
    with pytest.raises(SourceError, match="empty") as caught:
        list(read_history(write(tmp_path, name, content)))
    assert caught.value.hint


def test_files_that_may_hold_sql_and_are_not_read_are_told(tmp_path: Path) -> None:
    for name in ("a.sql", "b.py", "models/schema.yml", "c.PY", "plot.png", ".hidden.py", "notes.md"):
        write(tmp_path, name, "SELECT 1;")
    told: list[str] = []
    assert len(good(read_history(tmp_path, on_unread=told.append))) == 1
    assert sorted(told) == [".md", ".py", ".py", ".yml"]


def test_an_empty_path_is_not_the_folder_here() -> None:
    for empty in ("", "  "):
        with pytest.raises(UsageError, match="is empty"):
            read_history(empty)


def test_empty_folder_and_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="empty"):
        list(read_history(tmp_path))
    with pytest.raises(UsageError, match="no such history format: xml"):
        read_history(tmp_path, format="xml")


def test_a_file_without_a_telling_name_is_told_by_its_content(tmp_path: Path) -> None:
    assert len(good(read_history(write(tmp_path, "a.log", "SELECT 1;\nSELECT 2;\n")))) == 2
    assert (
        len(good(read_history(write(tmp_path, "b.txt", '{"sql": "SELECT 1"}\n{"sql": "SELECT 2"}\n')))) == 2
    )
    assert good(read_history(write(tmp_path, "c.txt", "query,calls\nSELECT 1,5\n")))[0].runs == 5


def test_reading_is_lazy(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", '{"sql": "SELECT 1"}\n' * 50_000)
    found = read_history(path)
    assert isinstance(next(found), Script)
    path.write_text("")  # what was not read yet is gone
    assert sum(1 for _ in found) < 5_000
