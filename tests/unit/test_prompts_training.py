"""The training sets: sqlore's own runs and covers everything, a person's own is read with clear errors."""

from __future__ import annotations

import re
import sqlite3
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from sqlore.errors import SourceError, UsageError
from sqlore.prompts.operators import OPERATIONS, operations_of
from sqlore.prompts.training_pairs import Pair, TrainingDatabase
from sqlore.prompts.training_set import YamlTraining, own_training, training_set
from sqlore.prompts.translate import translated
from sqlore.sql.natsql.writer import natsql
from support import ROOT, data_dir

OWN = own_training()
DATABASES = list(OWN.databases.values())
PAIRS = list(OWN.pairs)
GOOD = """\
database: club
ddl: CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT, joined TEXT);
rows:
  member:
    - [1, Ada, 2021-03-01]
    - [2, Ben, 2022-07-15]
pairs:
  - question: Who joined
      in 2021?
    sql: |
      SELECT name FROM member -- all of them
      WHERE joined LIKE '2021%';
"""


def run(database: TrainingDatabase, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(":memory:")
    try:
        database.build(connection)
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def test_there_are_enough_pairs_of_different_domains() -> None:
    assert len(DATABASES) >= 6
    assert len(PAIRS) >= 60
    assert min(len(database.pairs) for database in DATABASES) >= 8
    assert len({pair.question for pair in PAIRS}) == len({pair.sql for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.database}: {pair.question[:40]}")
def test_its_sql_gives_rows_that_say_something(pair: Pair) -> None:
    rows = run(OWN.databases[pair.database], pair.sql)
    assert rows
    assert any(value not in (None, 0, "") for row in rows for value in row)
    assert len(rows) == 1 or len(set(rows)) > 1


def test_every_clause_operator_and_function_is_shown() -> None:
    shown = {name for pair in PAIRS for name in operations_of(pair.sql)}
    assert [name for names in OPERATIONS.values() for name in names if name not in shown] == []


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.database}: {pair.question[:40]}")
def test_every_question_is_taken_apart_with_natsql_of_its_own_tables(pair: Pair) -> None:
    assert len(pair.parts) == len(pair.natsql) > 0
    assert all(line.startswith("select ") for line in pair.natsql)
    schema = OWN.schema(pair.database)
    named = re.findall(r"\b([a-z_]+)\.([a-z_]+\b|\*)", re.sub(r'"[^"]*"', "", " ".join(pair.natsql)))
    assert named
    for table, column in named:
        found = schema.table(table)
        assert found is not None, table
        assert column == "*" or found.column(column), f"{table}.{column}"
        assert re.search(rf"\b{table}\b", pair.sql), f"{table} is not in the SQL"


def test_its_natsql_names_what_the_natsql_writer_names() -> None:
    """Where they differ, people wrote ``not in loan.member_id`` for ``not in loan.*``, and the like."""

    def named(text: str) -> set[str]:
        return set(re.findall(r"\b[a-z_]+\.(?:[a-z_]+|\*)", re.sub(r'"[^"]*"', "", text.lower())))

    same = [
        named(natsql(pair.sql, OWN.schema(pair.database))) == named(" ".join(pair.natsql)) for pair in PAIRS
    ]
    assert sum(same) >= 0.9 * len(PAIRS)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.database}: {pair.question[:40]}")
def test_the_parts_are_in_the_words_of_the_question(pair: Pair) -> None:
    def words(text: str) -> list[str]:
        return re.findall(r"[\w']+", text.lower())

    asked, apart = words(pair.question), words(" ".join(pair.parts))
    assert len(set(asked) & set(apart)) >= 0.75 * len(set(asked) | set(apart))


def test_the_files_are_in_the_package() -> None:
    assert all((ROOT / "src/sqlore/prompts/training" / f"{d.name}.yaml").is_file() for d in DATABASES)


def test_a_schema_has_its_keys() -> None:
    schema = OWN.schema("library")
    table = schema.table("loan")
    assert table is not None
    assert [c.name for c in table.columns if c.primary_key] == ["loan_id"]
    assert {key.ref_table for key in table.foreign_keys} == {"copy", "member"}


def test_a_persons_own_file_and_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "club.yaml").write_text(GOOD)
    (tmp_path / "more.yml").write_text(GOOD.replace("club", "team"))
    (tmp_path / "notes.txt").write_text("nothing")
    one, both = training_set(tmp_path / "club.yaml"), training_set(tmp_path)
    assert [pair.database for pair in both.pairs] == ["club", "team"]
    (pair,) = one.pairs
    assert pair.question == "Who joined in 2021?"
    assert pair.sql == "SELECT name FROM member WHERE joined LIKE '2021%'"
    assert isinstance(one, YamlTraining)
    assert run(one.databases["club"], pair.sql) == [("Ada",)]
    assert one.fingerprint != both.fingerprint
    assert one.fingerprint == training_set(tmp_path / "club.yaml").fingerprint


@pytest.mark.parametrize(
    ("old", "new", "says", "line"),
    [
        ("database: club", "database: [club", "not YAML", 2),
        ("database: club\n", "", "needs 'database'", 1),
        ("    sql:", "    query:", "a pair has no 'query'", 8),
        ("  - question: Who joined\n      in 2021?", "  - question: 7", "'question' is a text", 8),
        ("    - [2, Ben,", "    - [2,", "the rows of 'member' are not lists of the same length", 4),
        ("pairs:\n", "pairs: []\nx:\n", "has no 'x'", 1),
        (
            "    sql: |",
            "    parts: [a, b]\n    natsql: [select a]\n    sql: |",
            "2 parts, but NatSQL for 1",
            8,
        ),
    ],
)
def test_a_wrong_file_is_an_error_with_its_line(
    tmp_path: Path, old: str, new: str, says: str, line: int
) -> None:
    assert old in GOOD
    path = tmp_path / "club.yaml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(SourceError) as caught:
        assert training_set(path).pairs
    assert says in caught.value.message
    assert caught.value.where == f"{path}:{line}"


def test_tables_that_cannot_be_made_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "club.yaml"
    path.write_text(GOOD.replace("CREATE TABLE member (", "CREATE TABLE member (("))
    with pytest.raises(SourceError, match="the tables of club cannot be made"):
        training_set(path).schema("club")


def test_two_databases_of_one_name_are_an_error(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(GOOD)
    with pytest.raises(SourceError, match="two databases named 'club'"):
        assert training_set(tmp_path).pairs


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_nothing_there_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        training_set(tmp_path / name)


def test_spiders_pairs_have_their_schema_natsql_and_steps() -> None:
    spider = training_set(data_dir("spider"))
    assert len(spider.pairs) == 7000
    pair = spider.pairs[0]
    assert pair.database == "department_management"
    assert pair.parts == ("return heads of departments", "return #1 older than 56", "return number of #2")
    assert pair.natsql == ("select count ( head.* ) from head where head.age > 56",)
    assert spider.schema(pair.database).table("head") is not None
    with_natsql = sum(bool(p.natsql) for p in spider.pairs)
    with_parts = sum(bool(p.parts) for p in spider.pairs)
    assert (with_natsql, with_parts > 6900) == (7000, True)


@pytest.mark.parametrize("database", DATABASES, ids=lambda database: database.name)
def test_in_another_dialect_it_gives_the_same_rows(database: TrainingDatabase) -> None:
    def cells(rows: list[tuple[Any, ...]]) -> list[tuple[str, ...]]:
        found = []
        for row in rows:
            numbers = (float(v) if isinstance(v, int | float | Decimal) else v for v in row)
            found.append(tuple(f"{v:.6g}" if isinstance(v, float) else str(v) for v in numbers))
        return sorted(found)

    other = duckdb.connect()
    other.execute(database.ddl)
    for table, rows in database.rows.items():
        other.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", list(rows))
    told = [(pair.sql, translated(pair.sql, "sqlite", "duckdb")) for pair in database.pairs]
    for sql, sql_there in told:
        if sql_there is not None:
            assert cells(other.execute(sql_there).fetchall()) == cells(run(database, sql)), sql_there
    other.close()
    assert all("julianday" in sql for sql, sql_there in told if sql_there is None)
