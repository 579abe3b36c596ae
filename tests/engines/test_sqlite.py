"""What only SQLite has: its functions and pragmas, comments in the text, virtual tables, bad bytes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from sqlore.engines import connect
from sqlore.engines.ddl_comments import ddl_comments
from sqlore.errors import QueryError, SqloreError
from support import data_dir


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with everything odd in it."""
    file = tmp_path / "odd.db"
    with sqlite3.connect(file) as connection:
        connection.executescript(
            """
            CREATE TABLE bill ( -- one line for each bill
              id INTEGER PRIMARY KEY,
              state TEXT, -- P = paid, X = cancelled
              -- in cents, without tax
              total INTEGER NOT NULL,
              "net -- not a comment" REAL DEFAULT (1 + (2)), /* after
                 * refunds */
              note TEXT CHECK (note <> '--,'),
              PRIMARY KEY_OF_NOTHING,
              twice AS (total * 2) -- computed
            );
            CREATE VIRTUAL TABLE words USING fts5(body, title);
            INSERT INTO words VALUES ('hello world', 'one');
            CREATE VIRTUAL TABLE tree USING rtree(id, low, high);
            INSERT INTO tree VALUES (1, 2, 3);
            CREATE TABLE words_of_mine (x);
            CREATE VIEW broken AS SELECT * FROM gone;
            CREATE TABLE nowhere (x REFERENCES missing(y));
            CREATE TABLE keyed (k TEXT PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE auto (id INTEGER PRIMARY KEY AUTOINCREMENT);
            CREATE TABLE bytes (x TEXT);
            INSERT INTO bytes VALUES (CAST(x'61ff62' AS TEXT));
            """.replace("              PRIMARY KEY_OF_NOTHING,\n", "")
        )
    connection.close()
    return file


def test_schema_of_odd_things(path: Path) -> None:
    with connect(str(path)) as engine:
        schema = engine.schema()
    names = [table.name for table in schema.tables]
    assert names == ["bill", "words", "tree", "words_of_mine", "broken", "nowhere", "keyed", "auto", "bytes"]
    bill = schema.tables[0]
    assert bill.comment == "one line for each bill"
    assert {column.name: column.comment for column in bill.columns} == {
        "id": None,
        "state": "P = paid, X = cancelled",
        "total": "in cents, without tax",
        "net -- not a comment": "after refunds",
        "note": None,
        "twice": "computed",
    }
    words, broken, nowhere = (schema.table(name) for name in ("words", "broken", "nowhere"))
    assert words is not None
    assert [column.name for column in words.columns] == ["body", "title"]
    assert broken is not None
    assert broken.columns == ()
    assert nowhere is not None
    assert nowhere.foreign_keys == ()


def test_full_text_tables_can_be_asked(path: Path) -> None:
    with connect(str(path)) as engine:
        assert engine.run("SELECT title FROM words WHERE words MATCH 'hello'").rows == (("one",),)
        assert engine.run("SELECT id FROM tree WHERE low > 1").rows == ((1,),)


def test_bytes_that_are_not_text(path: Path) -> None:
    with connect(str(path)) as engine:
        assert engine.run("SELECT x, x'00ff' FROM bytes").rows == (("a\ufffdb", b"\x00\xff"),)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT load_extension('x')",
        "SELECT fts3_tokenizer('simple')",
        "PRAGMA writable_schema=1",
        "PRAGMA query_only=OFF",
        "PRAGMA user_version=7",
        "PRAGMA journal_mode=DELETE",
        "SELECT * FROM pragma_journal_mode('DELETE')",
        "VACUUM INTO 'copy.db'",
        "SAVEPOINT s",
        "REINDEX",
        "EXPLAIN DELETE FROM bill",
        "CREATE VIRTUAL TABLE v USING fts5(x)",
        "INSERT INTO words(words) VALUES ('optimize')",
        "DETACH main",
        "PRAGMA page_size=512",
        "UPDATE sqlite_master SET sql = ''",
        "DELETE FROM tree_node",
        "DELETE FROM tree",
    ],
)
def test_what_sqlite_could_do_but_may_not(path: Path, sql: str) -> None:
    before = path.read_bytes()
    with connect(str(path)) as engine, pytest.raises(SqloreError):
        engine.run(sql)
    assert path.read_bytes() == before
    assert sorted(file.name for file in path.parent.iterdir()) == ["odd.db"]


def test_one_enormous_value_is_refused(path: Path) -> None:
    with connect(str(path)) as engine, pytest.raises(QueryError, match="too big"):
        engine.run("SELECT zeroblob(900000000)")


def test_reading_the_catalogue_is_reading(path: Path) -> None:
    with connect(str(path)) as engine:
        assert engine.run("SELECT name FROM pragma_table_info('keyed')").rows == (("k",),)
        assert engine.run("SELECT count(*) FROM sqlite_master WHERE type = 'view'").rows == ((1,),)
        assert engine.run("SELECT value FROM json_each('[1,2]')").rows == ((1,), (2,))


def test_a_database_in_wal_mode(tmp_path: Path) -> None:
    file = tmp_path / "wal.db"
    writer = sqlite3.connect(file)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("CREATE TABLE t (x)")
    writer.execute("INSERT INTO t VALUES (1)")
    writer.commit()
    with connect(str(file)) as engine:
        before = engine.fingerprint()
        assert engine.run("SELECT x FROM t").rows == ((1,),)
        writer.execute("INSERT INTO t VALUES (2)")
        writer.commit()
        assert engine.run("SELECT count(*) FROM t").rows == ((2,),)
        assert engine.fingerprint() != before
    writer.close()


@pytest.mark.parametrize(
    ("sql", "table", "columns"),
    [
        ("CREATE TABLE t (a INT, b INT)", None, {}),
        ("CREATE TABLE t (a INT /* x */, /* y */ b INT)", None, {"a": "x y"}),
        (
            "CREATE TABLE t -- people\n(\na INT -- their age\n, b INT\n-- the end\n)",
            "people",
            {"a": "their age"},
        ),
        (
            "CREATE TABLE t (\n`a b` INT, -- one\n-- two\n[c,d] INT -- three\n)",
            None,
            {"a b": "one", "c,d": "two three"},
        ),
        (
            "CREATE TABLE t (\na INT,\n-- unique pair\nUNIQUE (a), -- so it is\nCHECK (a > 0) -- yes\n)",
            None,
            {},
        ),
        ("CREATE TABLE t (a INT, -- x\r\n b INT) -- late", None, {"a": "x"}),
        ("CREATE TABLE t (a INT /* never closed", None, {"a": "never closed"}),
    ],
)
def test_comments_inside_create_table(sql: str, table: str | None, columns: dict[str, str]) -> None:
    found = ddl_comments(sql)
    assert (found.table, found.columns) == (table, columns)


def test_a_real_database() -> None:
    with connect(str(data_dir("bird", "databases", "superhero.sqlite"))) as engine:
        schema = engine.schema()
        hero = schema.table("superhero")
        assert hero is not None
        assert hero.rows == engine.run("SELECT count(*) FROM superhero").rows[0][0] > 0
        assert {key.ref_table for key in hero.foreign_keys} == {
            "alignment",
            "colour",
            "gender",
            "publisher",
            "race",
        }


def test_an_error_shows_the_query(path: Path) -> None:
    with connect(str(path)) as engine, pytest.raises(QueryError) as caught:
        engine.run("SELECT nope\n  FROM bill")
    assert caught.value.where == "SELECT nope FROM bill"
