"""The demo keeps its promises: the same rows every time, a history that runs, questions that need it."""

from __future__ import annotations

import hashlib
import importlib
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from support import ROOT

Tables = dict[str, list[tuple[Any, ...]]]

DEMO = ROOT / "demo"
HISTORY = DEMO / "history"
PARAMETERS = {"from_dt": "2024-02-01", "to_dt": "2025-02-01", "cust_id": 1}
TABLES = 12
DIGEST = "1c7db4d65855171a"  # of all rows: changes only when somebody changes the data on purpose

# What is wrong in the history on purpose: file -> number of statements.
BROKEN = {"sam_scratch.sql": 3, "untitled-3.sql": 1}
NOT_QUERIES = {"month_end.sql": 5}
COMMANDS = re.compile(r"(PRAGMA|CREATE|UPDATE|SET|DROP)\b", re.IGNORECASE)

# Convention -> how it looks in a query after `bare`, and how many queries follow it at least.
CONVENTIONS = {
    "customer code": (r"leg_cd=cust_cd", 20),
    "test accounts": (r"acct_type<>'z'", 30),
    "cancelled orders": (r"\bst<>7", 25),
    "net revenue": (r"gross_c - coalesce\(", 12),
    "fiscal year": (r"-02-01'|'\+11 months'", 20),
    "active customer": (r"kind=40\b.*'-90 day'", 8),
    "deleted customers": (r"del_flg=0", 8),
    "enterprise": (r"tier>=4", 5),
    "churn": (r"end_rsn not in\('up','mg','tr'\)", 5),
    "monthly recurring revenue": (r"qty \* fee_c / case cad when", 5),
    "new customer": (r"min\(dt\)as first_dt|row_number\(", 5),
    "invoice reference": (r"\bext_no=ref\b", 5),
    "average rate": (r"\bkind='a'", 5),
    "closing rate": (r"\bkind='c'", 3),
    "overdue": (r"\bdue<date\(.*'-14 day'", 3),
    "on time": (r"'%w',dt\)not in\('0','6'\)", 5),
    "replacements": (r"\bch<>'x'", 5),
    "merchandise": (r"\bcat not in\('gc','sv'\)", 5),
}


@pytest.fixture(scope="module")
def tables() -> Tables:
    built: Tables = make_data().build()
    return built


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, tables: Tables) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("demo") / "shop.sqlite"
    make_data().write_sqlite(tables, path)
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    yield connection
    connection.close()


def make_data() -> ModuleType:
    """The script as a module; it stands in a folder of its own, not in a package."""
    if str(DEMO) not in sys.path:
        sys.path.append(str(DEMO))
    return importlib.import_module("make_data")


def digest(tables: Tables) -> str:
    """One hash over all rows, whatever the database file looks like."""
    return hashlib.sha256(repr(sorted(tables.items())).encode()).hexdigest()[:16]


def stored(connection: Any) -> dict[str, list[tuple[str, ...]]]:
    """All rows of a DuckDB database, everything as text."""
    names = connection.execute("select table_name from information_schema.tables").fetchall()
    return {name: as_text(connection.execute(f"from {name}").fetchall()) for (name,) in names}


def as_text(rows: list[tuple[Any, ...]]) -> list[tuple[str, ...]]:
    return sorted(tuple(map(str, row)) for row in rows)


def text_of(path: Path) -> str:
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def statements() -> list[tuple[str, str]]:
    """(file name, statement) of the whole history; SQLite itself says where a statement ends."""
    found = []
    for path in sorted(HISTORY.rglob("*.sql")):
        rest = ""
        for part in re.split(r"(?<=;)", text_of(path)):
            rest += part
            if sqlite3.complete_statement(rest):
                found.append((path.name, rest))
                rest = ""
        if rest.strip():
            found.append((path.name, rest))
    return found


def plain(sql: str) -> str:
    """A statement without comments; a dbt model as the SQL it stands for."""
    sql = re.sub(r"\{\{ *ref\('(\w+)'\) *\}\}", r"\1", sql)
    return re.sub(r"\{\{.*?\}\}|--[^\n]*|/\*.*?\*/", "", sql, flags=re.DOTALL).strip()


def queries() -> list[tuple[str, str]]:
    """All that is not a command: also what nobody can run."""
    return [(name, plain(s)) for name, s in statements() if not COMMANDS.match(plain(s))]


def bare(sql: str) -> str:
    """A query in lower case, without aliases before its columns, with the same blanks whoever wrote it."""
    sql = re.sub(r"\b[a-z_0-9]+\.(?=[a-z])", "", re.sub(r"\s+", " ", sql.lower()).replace("!=", "<>"))
    return re.sub(r" ?([=<>(),]+) ?", r"\1", sql)


def run(connection: sqlite3.Connection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql, PARAMETERS).fetchall()


def questions() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = yaml.safe_load(read("questions.yaml"))["questions"]
    return loaded


def read(name: str) -> str:
    return (DEMO / name).read_text(encoding="utf-8")


def test_the_rows_are_the_same_everywhere(tables: Tables) -> None:
    assert digest(tables) == DIGEST


def test_the_database_has_the_size_the_readme_says(shop: sqlite3.Connection) -> None:
    names = run(shop, "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    rows = sum(run(shop, f"select count(*) from {name}")[0][0] for (name,) in names)
    assert len(names) == TABLES
    assert f"{TABLES} tables, {rows:,} rows" in read("README.md")
    assert 90_000 < rows < 110_000


@pytest.mark.parametrize(
    ("child", "column", "parent", "key"),
    [
        ("orders", "cust_cd", "cust", "leg_cd"),
        ("cust", "reg", "region", "cd"),
        ("order_line", "sku", "product", "sku"),
        ("event", "uid", "cust", "id"),
        ("invoice", "ccy", "fx", "ccy"),
    ],
)
def test_keys_that_nobody_declared_lead_to_a_row(
    shop: sqlite3.Connection, child: str, column: str, parent: str, key: str
) -> None:
    lost = f"select count(*) from {child} where {column} not in (select {key} from {parent})"
    assert run(shop, lost) == [(0,)]
    assert run(shop, "select count(distinct leg_cd) = count(*) from cust") == [(1,)]


def test_duckdb_gets_the_same_rows(tmp_path: Path, tables: Tables) -> None:
    duckdb = pytest.importorskip("duckdb")
    assert make_data().main(["--duckdb", str(tmp_path / "shop.duckdb")]) == 0
    built = {name: as_text(rows) for name, rows in tables.items()}
    with duckdb.connect(str(tmp_path / "shop.duckdb"), read_only=True) as connection:
        assert stored(connection) == built
    assert not (tmp_path / "shop.sqlite").exists()


def test_every_query_runs_and_finds_something(shop: sqlite3.Connection) -> None:
    failed: Counter[str] = Counter()
    for name, sql in queries():
        try:
            rows = run(shop, sql)
        except sqlite3.Error:
            failed[name] += 1
        else:
            assert any(value is not None for row in rows for value in row), sql
    assert failed == BROKEN


def test_the_rest_are_commands() -> None:
    commands = Counter(name for name, sql in statements() if COMMANDS.match(plain(sql)))
    assert commands == NOT_QUERIES


def test_the_readme_counts_the_history() -> None:
    files = list(HISTORY.rglob("*.sql"))
    assert f"{len(statements())} statements in {len(files)} files" in read("README.md")


def test_the_history_has_its_oddities() -> None:
    contents = {p.name: p.read_bytes() for p in HISTORY.rglob("*.sql")}
    assert [n for n, c in contents.items() if c.startswith(b"\xef\xbb\xbf")] == ["jo_adhoc.sql"]
    assert [n for n, c in contents.items() if b"\r\n" in c] == ["receivables.sql"]
    with pytest.raises(UnicodeDecodeError):
        contents["Umsatz_Kanal.sql"].decode()
    everything = Counter(sql for _, sql in queries())
    assert sum(count - 1 for count in everything.values()) >= 3
    assert 90 <= len(queries()) <= 115
    assert sum(map(len, contents.values())) < 200_000


@pytest.mark.parametrize("name", CONVENTIONS)
def test_the_history_follows_its_conventions(name: str) -> None:
    pattern, least = CONVENTIONS[name]
    assert sum(bool(re.search(pattern, bare(sql))) for _, sql in queries()) >= least


def test_the_readme_explains_what_the_questions_need() -> None:
    rows = re.findall(r"^\| ([^|]+) \|", read("README.md"), re.MULTILINE)
    explained = {name for row in rows for name in row.split(", ")}
    assert {need for q in questions() for need in q["needs"]} <= explained
    assert set(CONVENTIONS) <= explained


def test_the_dictionary_speaks_of_what_exists_and_keeps_the_secrets(shop: sqlite3.Connection) -> None:
    text = read("dictionary.yaml")
    tables = yaml.safe_load(text)["tables"]
    for table, entry in tables.items():
        columns = {row[1] for row in shop.execute(f"pragma table_info({table})")}
        assert set(entry.get("columns", {})) <= columns
        for column, meaning in entry.get("columns", {}).items():
            seen = {str(v) for (v,) in shop.execute(f"select distinct {column} from {table}")}
            assert set(meaning.get("values", {})) <= seen
    assert "Z" not in tables["cust"]["columns"]["acct_type"]["values"]
    assert "7" not in tables["orders"]["columns"]["st"]["values"]
    assert "40" not in tables["event"]["columns"]["kind"]["values"]
    assert not re.search("fiscal|cancel|churn|enterprise|test account", text.partition("tables:")[2])


@pytest.mark.parametrize("question", questions(), ids=lambda q: q["id"])
def test_a_question_needs_the_history(shop: sqlite3.Connection, question: dict[str, Any]) -> None:
    right = run(shop, question["sql"])
    assert right
    assert all(value is not None for row in right for value in row)
    assert question["schema_enough"] == (not question["needs"]) == ("naive_sql" not in question)
    if not question["schema_enough"]:
        naive = run(shop, question["naive_sql"])
        assert naive
        assert sorted(naive) != sorted(right)


def test_the_featured_questions_are_not_answered_word_for_word_in_the_history() -> None:
    featured = [q for q in questions() if q.get("featured")]
    assert len(featured) == 3
    history = {bare(sql).rstrip("; ") for _, sql in queries()}
    asked = " ".join(sql for _, sql in statements()).lower()
    for question in featured:
        assert bare(question["sql"]).strip() not in history
        assert question["question"].lower() not in asked


def test_sqlore_reads_the_history_as_sqlite_does(shop: sqlite3.Connection) -> None:
    from sqlore.history import collect, parse_all, read_history

    history = collect(parse_all(read_history(HISTORY, dialect="sqlite"), dialect="sqlite"))
    refused = {"unparsable": Counter[str](), "not_a_query": Counter[str]()}
    for rejected in history.rejected:
        refused[rejected.reason][rejected.script.key.partition(":")[0]] += 1
    assert refused == {"unparsable": BROKEN, "not_a_query": NOT_QUERIES}
    assert history.read == len(statements())
    assert len(history.scripts) < history.read - len(history.rejected) - 5  # near duplicates fold into one


def test_sqlore_reads_the_comments_as_a_person_would() -> None:
    from sqlore.history import collect, has_placeholders, parse_all, read_history

    history = collect(parse_all(read_history(HISTORY, dialect="sqlite"), dialect="sqlite"))
    scripts = {v.script.key: v.script for folded in history.scripts for v in folded.variants}
    scripts |= {rejected.script.key: rejected.script for rejected in history.rejected}

    def of(name: str) -> list[Any]:
        return [script for key, script in scripts.items() if key.rpartition(":")[0] == name]

    remarks = {
        "archive/churn_v0.sql": "DO NOT USE",
        "month_end.sql": "write off",
        "sam_scratch.sql": "does not",
        "report_params.sql": "Report",
        "models/fct_net_revenue.sql": "one row per order",
    }
    for name, words in remarks.items():
        assert any((s.comment or "").startswith(words) and s.question is None for s in of(name)), name
    definitions = {
        "churn.sql": "MG  re-issued",
        "active_customers.sql": "event kind 40",
        "net_revenue.sql": "st 7",
        "shipping.sql": "on time = out of the door",
        "dach.sql": "DEN, DES, AUT, CHE",
    }
    for name, words in definitions.items():
        assert of(name), name
        assert all(words in (script.evidence or "") for script in of(name)), name
    authors = [script.author for name in definitions for script in of(name)]
    assert None not in authors
    holes = [f for f in history.scripts if any(has_placeholders(v.script.sql) for v in f.variants)]
    for folded in holes:
        filled = any(not has_placeholders(v.script.sql) for v in folded.variants)
        assert has_placeholders(folded.parsed.script.sql) is not filled
    assert any(len(folded.variants) > 1 for folded in holes)
