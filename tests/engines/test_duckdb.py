"""What only DuckDB has: files and network from SQL, settings, comments, schemas, Python variables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from sqlore.engines import Engine, connect
from sqlore.errors import QueryError, UnsafeSql


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """Two schemas with a table of the same name, comments, a macro and a sequence."""
    path = tmp_path / "odd.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE SCHEMA s2")
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, price DECIMAL(10, 2), tags VARCHAR[])")
        connection.execute("CREATE TABLE s2.t (id BIGINT, seen TIMESTAMP)")
        connection.execute("CREATE VIEW s2.v AS SELECT * FROM t")
        connection.execute("COMMENT ON TABLE t IS 'things'")
        connection.execute("COMMENT ON COLUMN t.price IS 'in euro'")
        connection.execute("COMMENT ON VIEW s2.v IS 'all things'")
        connection.execute("CREATE SEQUENCE counter")
        connection.execute("INSERT INTO t VALUES (1, 2.50, ['a', 'b'])")
    with connect(str(path)) as opened:
        yield opened


def test_comments_and_schemas(engine: Engine) -> None:
    schema = engine.schema()
    found = {(table.schema, table.name): table for table in schema.tables}
    assert set(found) == {(None, "t"), ("s2", "t"), ("s2", "v")}
    assert found[None, "t"].comment == "things"
    assert [(c.name, c.type, c.comment) for c in found[None, "t"].columns] == [
        ("id", "INTEGER", None),
        ("price", "DECIMAL(10,2)", "in euro"),
        ("tags", "VARCHAR[]", None),
    ]
    assert found["s2", "v"].comment == "all things"
    assert found["s2", "v"].is_view
    assert schema.table("s2.t") is found["s2", "t"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM duckdb_secrets()",
        "COPY t TO '/tmp/out.csv'",
        "COPY (SELECT 1) TO 'out.csv'",
        "EXPORT DATABASE 'out'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 1",
        "SET VARIABLE x = 1",
        "RESET threads",
        "PRAGMA enable_profiling",
        "PRAGMA database_list",
        "CALL pragma_version()",
        "USE s2",
        "CHECKPOINT",
        "PREPARE p AS SELECT 1",
        "CREATE MACRO f(x) AS x",
        "MERGE INTO t USING s2.t AS o ON t.id = o.id WHEN MATCHED THEN DELETE",
        "EXPLAIN ANALYZE DELETE FROM t",
        "SELECT nextval('counter')",
        "SELECT * FROM enable_logging()",
    ],
)
def test_what_duckdb_could_do_but_may_not(engine: Engine, sql: str, tmp_path: Path) -> None:
    with pytest.raises(UnsafeSql):
        engine.run(sql)
    assert engine.run("SELECT count(*) FROM t").rows == ((1,),)
    assert [file.name for file in tmp_path.iterdir()] == ["odd.duckdb"]


def test_files_as_tables_and_python_variables_are_not_found(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n")
    variable = [1, 2]
    assert variable
    for source in (f"'{tmp_path}/x.csv'", "variable", "query('DROP TABLE t')"):
        with pytest.raises((QueryError, UnsafeSql)):
            engine.run(f"SELECT * FROM {source}")


def test_pivot_needs_its_values(engine: Engine) -> None:
    with pytest.raises(UnsafeSql) as caught:
        engine.run("PIVOT t ON id USING count(*)")
    assert "IN (" in (caught.value.hint or "")
    assert len(engine.run("PIVOT t ON id IN (1, 2) USING count(*)").rows) == 1


def test_friendly_sql_runs(engine: Engine) -> None:
    assert engine.run("FROM t SELECT id").rows == ((1,),)
    assert engine.run("SELECT unnest(tags) AS tag FROM t").rows == (("a",), ("b",))


def test_values_python_cannot_hold(engine: Engine) -> None:
    rows = engine.run("SELECT DATE '99999-01-01', 170141183460469231731687303715884105727::HUGEINT")
    assert rows.rows == (("99999-01-01", 2**127 - 1),)


def test_a_query_that_needs_too_much_memory(engine: Engine) -> None:
    with pytest.raises(QueryError) as caught:
        engine.run("SELECT len(string_agg(repeat('x', 10000000), '')) FROM range(500)", timeout=60)
    assert caught.value.hint
    assert engine.run("SELECT 1").rows == ((1,),)
