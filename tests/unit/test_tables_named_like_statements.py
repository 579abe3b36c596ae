"""Tables and columns whose names are words of SQL: COPY, SHOW, "order". They are read as names everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlglot import Dialect

from cli_helpers import Command, clean_environment, make_duckdb, make_history, make_sqlite
from sqlore.catalog import Dictionary, Entry
from sqlore.knowledge import Describer
from sqlore.sql import parse_script, skeleton_of

DIALECTS = ("sqlite", "duckdb", "postgres", "mysql")
WORDS = sorted(
    {
        word.lower()
        for dialect in (*DIALECTS, None)
        for word in Dialect.get_or_raise(dialect).tokenizer_class.KEYWORDS
        if word.isidentifier() and not word.startswith("_")
    }
)
SQL = (
    "SELECT x.g, SUM(x.n + 1) AS s, MAX(x.{0}) FROM {0} AS x JOIN _a ON _a.lid = x.lid WHERE x.flag = 'a'"
    " AND EXISTS (SELECT 1 FROM {0} y WHERE y.lid = _a.lid AND y.k = 2) GROUP BY x.{0} HAVING COUNT(x.n) > 2"
    " ORDER BY x.g DESC LIMIT 3"
)
#: Words that begin a statement; both engines take these for names, the last ones in quotes only.
NAMES = ("copy", "call", "comment", "load", "use", "kill", "pragma", "show", "order", "set", "values")
QUOTED = ("order", "set", "values", "show")


def described(word: str) -> list[tuple[str, str]]:
    """Names and texts of all pieces of a query over such a table, which a person calls zebra."""
    calls = (Entry(word, name="zebra", source="person"), Entry(word, word, name="stripe", source="person"))
    describer = Describer(Dictionary(calls))
    said = [describer.fragment(one) for one in parse_script(SQL.format(f'"{word}"'), "sqlite").fragments]
    return [(d.name, d.text.replace(f'"{word}".', "zebra.").replace(f" {word}.", " zebra.")) for d in said]


def test_every_word_is_described_as_the_name_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = described("zebra")
    assert ("zebra flag is", "zebras whose flag is a") in wanted
    assert len(WORDS) > 300
    assert {"copy", "show", "describe", "xor"} <= set(WORDS)
    assert [word for word in WORDS if described(word) != wanted] == []
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_skeleton_is_read_again_as_itself(dialect: str) -> None:
    quote = "`" if dialect == "mysql" else '"'
    changed = [
        (word, fragment.skeleton)
        for word in WORDS
        for fragment in parse_script(SQL.format(f"{quote}{word}{quote}"), dialect).fragments
        if fragment.form != "query"
        and skeleton_of(fragment.skeleton, fragment.kind, dialect) != fragment.skeleton
    ]
    assert changed == []


def spelled(name: str) -> str:
    return f'"{name}"' if name in QUOTED else name


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_from_the_history_to_a_changed_answer(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = [
        f"CREATE TABLE {spelled(name)} ({name}_id INTEGER PRIMARY KEY, flag TEXT, price INTEGER)"
        for name in NAMES
    ]
    columns = ", ".join(f"{name}_id INTEGER" for name in NAMES)
    statements = (*tables, f"CREATE TABLE loan (loan_id INTEGER PRIMARY KEY, {columns})")
    database = (make_sqlite if engine == "sqlite" else make_duckdb)(tmp_path / "db.file", statements)
    scripts = {
        f"{name}.sql": f"-- Worth of the good {name} stock that was lent\nSELECT {t}.price,"
        f" SUM({t}.price + 1) AS worth FROM {t} JOIN loan ON loan.{name}_id = {t}.{name}_id"
        f" WHERE {t}.flag = '' GROUP BY {t}.price;\n"
        for name in NAMES
        for t in (spelled(name),)
    }
    make_history(tmp_path / "history", scripts)
    clean_environment(monkeypatch, tmp_path)
    sqlore_ = Command(capsys)
    url = str(database) if engine == "sqlite" else f"duckdb:///{database}"
    learned = sqlore_("learn", "--db", url, "--history", "history")
    assert (learned.code, "Command" in learned.err) == (0, False), learned.err
    items = sqlore_("knowledge", "list", "--limit", 500, "--json").json["items"]
    said = {item["skeleton"]: item["description"] for item in items}
    for name in NAMES:
        t = "show" if name == "show" else spelled(name)  # a skeleton quotes only what it must
        edge = sorted([f"{t}.{name}_id", f"loan.{name}_id"], key=lambda side: side.strip('"'))
        assert "flag is empty" in said[f"{t}.flag = <val>"], said
        assert f"{name} id" in said[" = ".join(edge)]
    for name in ("copy", "show", "order"):
        t = spelled(name)
        sql = f"SELECT SUM({t}.price + 1) AS worth FROM {t} WHERE {t}.flag = ''"
        explained = sqlore_("explain", sql, "--json")
        assert (explained.code, explained.err) == (0, "")
        found = sqlore_("retrieve", f"worth of the good {name} stock", "--json").json["items"]
        assert any(f"{name}" in one["skeleton"] for one in found)
        draft = sqlore_("refine", sql, "--json").json
        number = next(one["number"] for one in draft["items"] if one["sql"] == f"{t}.flag = ''")
        edited = sqlore_("refine", "--edit", number, f"{t}.flag = 'b'", "--apply", "--json")
        assert edited.json["sql"].endswith(f"{t}.flag = 'b'")
        cited = {one["sql"]: one["status"] for one in edited.json["draft"]["citations"]}
        assert set(cited.values()) >= {"cited"}, cited
        assert "unsupported syntax" not in edited.err
