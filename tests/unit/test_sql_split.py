"""A file of SQL in pieces: separators, comments, quotes, and what people write wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqlore.sql.split import Statement, split_statements
from support import data_dir


def pieces(text: str, dialect: str | None = None) -> list[str]:
    """The statements, each of which must be exactly what stands in the text."""
    found = split_statements(text, dialect)
    for statement in found:
        assert text[statement.start : statement.start + len(statement.sql)] == statement.sql
        assert statement.line == text.count("\n", 0, statement.start) + 1
    return [statement.sql for statement in found]


@pytest.mark.parametrize("text", ["", " \n\t", "-- nothing\n/* at all */", ";;\n;", "\ufeff", "GO\nGO\n"])
def test_nothing(text: str) -> None:
    assert split_statements(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;SELECT 2;", ["SELECT 1", "SELECT 2"]),
        ("\ufeffSELECT 1;\r\nSELECT 2\r\n", ["SELECT 1", "SELECT 2"]),
        ("SELECT ';', \"a;b\", `c;d`; SELECT 2", ["SELECT ';', \"a;b\", `c;d`", "SELECT 2"]),
        ("SELECT 'it''s; so'; SELECT 2", ["SELECT 'it''s; so'", "SELECT 2"]),
        ("SELECT a -- ; no\nFROM t; SELECT 2", ["SELECT a -- ; no\nFROM t", "SELECT 2"]),
        ("SELECT a /* ; /* ; */ ; */ FROM t; SELECT 2", ["SELECT a /* ; /* ; */ ; */ FROM t", "SELECT 2"]),
        ("SELECT a /* /* ; */ FROM t; SELECT 2", ["SELECT a /* /* ; */ FROM t", "SELECT 2"]),
        ("SELECT $$ ; $$, $x$ ; $$ ; $x$; SELECT $1", ["SELECT $$ ; $$, $x$ ; $$ ; $x$", "SELECT $1"]),
        ("SELECT 1\nGO\nSELECT 2\n go 5 \nSELECT 3", ["SELECT 1", "SELECT 2", "SELECT 3"]),
        ("SELECT go FROM t\nWHERE go = 1", ["SELECT go FROM t\nWHERE go = 1"]),
        ("SELECT {{ a; b }} FROM {{ ref('x') }} {% if ; %} x {% endif %}; SELECT 2",
         ["SELECT {{ a; b }} FROM {{ ref('x') }} {% if ; %} x {% endif %}", "SELECT 2"]),
        ("{{ config(a='b') }}\n\nWITH a AS (SELECT 1)\n\nSELECT * FROM a",
         ["{{ config(a='b') }}\n\nWITH a AS (SELECT 1)\n\nSELECT * FROM a"]),
        ("SELECT '-- no' AS a; SELECT '/* no */'", ["SELECT '-- no' AS a", "SELECT '/* no */'"]),
        ("SELECT ##name:int?5## FROM t; SELECT @p", ["SELECT ##name:int?5## FROM t", "SELECT @p"]),
        ("\\timing on\nSELECT 1;\n\\echo it's\nSELECT 2 \\gx\nSELECT 3\n\\g\nSELECT 4 \\g out.txt\n\\d t\n",
         ["SELECT 1", "SELECT 2", "SELECT 3", "SELECT 4"]),
        ("SELECT a\nFROM t\\G\nSELECT E'\\g', '\n\\x'", ["SELECT a\nFROM t", "SELECT E'\\g', '\n\\x'"]),
        ("INSERT INTO t VALUES (1,\n\\N);", ["INSERT INTO t VALUES (1,\n\\N)"]),
        ("SELECT a; -- the end\n", ["SELECT a"]),
        ("SELECT a -- the end\n", ["SELECT a"]),
        ("SELECT a\n-- the end\n", ["SELECT a"]),
        ("(SELECT 1)\nUNION\n(SELECT 2);", ["(SELECT 1)\nUNION\n(SELECT 2)"]),
    ],
)  # fmt: skip
def test_where_statements_end(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@pytest.mark.parametrize(
    ("text", "dialect", "expected"),
    [
        (r"SELECT 'a\'; b'; SELECT 2", "mysql", [r"SELECT 'a\'; b'", "SELECT 2"]),
        (r"SELECT '\'; SELECT 2", "sqlite", [r"SELECT '\'", "SELECT 2"]),
        (r"SELECT E'a\'; b'; SELECT 2", "postgres", [r"SELECT E'a\'; b'", "SELECT 2"]),
        ("SELECT 1 # ; no\n; SELECT 2", "mysql", ["SELECT 1", "SELECT 2"]),
        ("SELECT a #> '{b;c}' FROM t; SELECT 2", "postgres", ["SELECT a #> '{b;c}' FROM t", "SELECT 2"]),
        ("SELECT [a;b] FROM [t'x]; SELECT 2", "tsql", ["SELECT [a;b] FROM [t'x]", "SELECT 2"]),
        ("SELECT * FROM #tmp; SELECT 2", "tsql", ["SELECT * FROM #tmp", "SELECT 2"]),
        ('SELECT """a;"b;"""; SELECT 2', "bigquery", ['SELECT """a;"b;"""', "SELECT 2"]),
        ("BEGIN\n  a := 1;\nEND;\n/\nSELECT 2 FROM dual\n/\n", "oracle",
         ["BEGIN\n  a := 1;\nEND", "SELECT 2 FROM dual"]),
        ("SELECT a\nFROM go\nGO\n", "postgres", ["SELECT a\nFROM go\nGO"]),
    ],
)  # fmt: skip
def test_what_only_some_dialects_have(text: str, dialect: str, expected: list[str]) -> None:
    assert pieces(text, dialect) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE TRIGGER x BEGIN UPDATE u SET a = CASE WHEN 1 THEN 2 END; b; END; SELECT 1", 2),
        ("DELIMITER //\nCREATE PROCEDURE p() BEGIN a; b; END //\nDELIMITER ;\nSELECT 3; SELECT 4", 3),
        ("CREATE OR REPLACE FUNCTION f() AS $$ BEGIN RETURN 1; END; $$ LANGUAGE plpgsql; SELECT 2", 2),
        ("DO $$ BEGIN DELETE FROM t; END $$; SELECT 2", 2),
        ("DECLARE\n a int;\nBEGIN\n IF a THEN b; END IF;\n c;\nEND;\nSELECT 2", 2),
        ("DECLARE @a int = 1; SELECT @a; SELECT 2", 3),
        ("BEGIN; SELECT 1; COMMIT; SELECT 2", 4),
        ("BEGIN TRANSACTION; SELECT 1; COMMIT", 3),
        ("SELECT begin, end FROM t; SELECT 2", 2),
        ("COPY t (a) FROM stdin;\n1\tit's; here\n\\.\n\nSELECT 1;", 2),
    ],
)  # fmt: skip
def test_blocks_are_one(text: str, expected: int) -> None:
    assert len(pieces(text)) == expected


def test_a_block_that_never_closes_does_not_take_the_rest() -> None:
    text = "CREATE TRIGGER x AFTER INSERT ON t BEGIN a;\nb;\n\n-- how many\nSELECT 1;\nSELECT 2;"
    found = split_statements(text)
    assert [statement.sql for statement in found][-2:] == ["SELECT 1", "SELECT 2"]
    assert found[-2].comment == "how many"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT a FROM t\n\nSELECT b FROM u", ["SELECT a FROM t", "SELECT b FROM u"]),
        ("SELECT a FROM t\n-- next\nSELECT b FROM u", ["SELECT a FROM t", "SELECT b FROM u"]),
        ("SELECT a FROM t\n\nWITH x AS (SELECT 1)\nSELECT * FROM x\n\nSELECT 3",
         ["SELECT a FROM t", "WITH x AS (SELECT 1)\nSELECT * FROM x", "SELECT 3"]),
        ("SELECT a\nUNION ALL\nSELECT b", ["SELECT a\nUNION ALL\nSELECT b"]),
        ("SELECT a FROM t WHERE x IN (\n\nSELECT 1\n)", ["SELECT a FROM t WHERE x IN (\n\nSELECT 1\n)"]),
        ("INSERT INTO t\n\nSELECT a FROM u", ["INSERT INTO t\n\nSELECT a FROM u"]),
        ("CREATE VIEW v AS\n\nSELECT a FROM u", ["CREATE VIEW v AS\n\nSELECT a FROM u"]),
        ("SELECT a FROM t\nWITH (NOLOCK)", ["SELECT a FROM t\nWITH (NOLOCK)"]),
        ("SELECT a FROM t GROUP BY a\nWITH ROLLUP", ["SELECT a FROM t GROUP BY a\nWITH ROLLUP"]),
    ],
)  # fmt: skip
def test_a_missing_semicolon(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


BROKEN = [
    "SELECT 'abc FROM t;",
    'SELECT "abc FROM t;',
    "SELECT `abc FROM t;",
    "SELECT a /* never closed FROM t;",
    "INSERT INTO t VALUES ('abc);",
]
BETWEEN = ["\n\n-- how many?\n", "\n\n", "\r\n\r\n-- how many?\r\n", "\n-- how many?\n"]
GOOD = ["SELECT count(*) FROM u", "SELECT count(*) FROM u WHERE x = 'y' AND z = \"w\""]


@pytest.mark.parametrize(
    ("broken", "between", "good"),
    [
        (broken, between, good)
        for broken in BROKEN
        for between in BETWEEN
        for good in GOOD
        # without a blank line between, the next quote is taken for the end of the open one
        if between != BETWEEN[3] or "'" not in good or "/*" in broken
    ],
)
def test_an_open_quote_costs_one_statement(broken: str, between: str, good: str) -> None:
    found = split_statements(f"SELECT 0;\n\n{broken}{between}{good};\nSELECT 3;")
    assert [statement.sql for statement in found] == ["SELECT 0", broken.removesuffix(";"), good, "SELECT 3"]
    assert found[2].comment == ("how many?" if "--" in between else None)


def test_an_open_quote_in_the_last_statement() -> None:
    assert pieces("SELECT 1;\nSELECT 'abc FROM t") == ["SELECT 1", "SELECT 'abc FROM t"]


def test_long_texts_over_blank_lines_stay_whole() -> None:
    text = "INSERT INTO note VALUES ('Dear all,\n\n-- see below\nAnn'); SELECT 'a\n\nb'"
    assert len(pieces(text)) == 2


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("SELECT 1", None),
        ("-- How many?\nSELECT 1", "How many?"),
        ("--How many?\n--   by city\nSELECT 1", "How many?\nby city"),
        ("/* How many? */ SELECT 1", "How many?"),
        ("/**\n * How many?\n *\n * by city\n **/\nSELECT 1", "How many?\nby city"),
        ("-------------\n-- How many? --\n-------------\nSELECT 1", "How many? --"),
        ("-- How many?\n\n\nSELECT 1", "How many?"),
        ("-- File of Ann, 2024\n\n-- How many?\nSELECT 1", "How many?"),
        ("-- File of Ann, 2024\r\n\r\n-- How many?\r\nSELECT 1", "How many?"),
        ("# How many?\nSELECT 1", "How many?"),
        ("{# How many? #}\nSELECT 1", "How many?"),
        ("-- How many?\n/* by city */\nSELECT 1", "How many?\nby city"),
        ("SELECT 1 -- how many", "how many"),
        ("SELECT 1; -- how many", "how many"),
        ("SELECT\n -- inside\n 1", None),
        ("-- \n--\nSELECT 1", None),
        ("GO\n-- How many?\nSELECT 1", "How many?"),
        ("-- lost\nGO\nSELECT 1", None),
    ],
)
def test_the_comment_of_a_statement(text: str, comment: str | None) -> None:
    assert [statement.comment for statement in split_statements(text)] == [comment]


@pytest.mark.parametrize(
    ("text", "sections", "comment"),
    [
        ("-- file\n\n-- part\n-- one\n\n-- how many?\nSELECT 1", ("file", "part\none"), "how many?"),
        ("/* file\n\n   of Ann */\n\n-- how many?\nSELECT 1", ("file\nof Ann",), "how many?"),
        ("-- ----\n\n-- how many?\nSELECT 1", (), "how many?"),
        ("-- how many?\n\nSELECT 1", (), "how many?"),
        ("{{ config(a='b') }}\n\n-- one row per order\nSELECT 1", (), "one row per order"),
        ("{{ config(a='b') }} {% set x = 1 %}\n\n-- why\n\n-- what\nwith a as (select 1) -- no\nselect 2",
         ("why",), "what"),
        ("-- why\n\n{{ config(a='b') }}\n-- what\nSELECT 1 -- no", ("why",), "what"),
        ("{{ config(a='b') }}\nSELECT 1 -- what", (), "what"),
        ("{{ a }} AS x -- what", (), "what"),
    ],
)  # fmt: skip
def test_the_blocks_of_comments_above(text: str, sections: tuple[str, ...], comment: str) -> None:
    (statement,) = split_statements(text)
    assert (statement.sections, statement.comment) == (sections, comment)


@pytest.mark.parametrize("between", [";\n-- 42 rows\n\n", "\n-- 42 rows\n\n", "; -- 42 rows\n\n"])
def test_a_remark_below_a_statement_is_no_heading_of_the_next(between: str) -> None:
    found = split_statements(f"SELECT 1{between}-- how many?\nSELECT 2")
    assert [(s.sql, s.comment, s.sections) for s in found][1:] == [("SELECT 2", "how many?", ())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DECLARE @a int = 5\nSELECT a FROM t WHERE b = @a\n\nSELECT b",
         ["DECLARE @a int = 5\nSELECT a FROM t WHERE b = @a", "SELECT b"]),
        ("DECLARE @a int\nSET @a = (\nSELECT 1)\nSELECT @a\nSELECT b",
         ["DECLARE @a int\nSET @a = (\nSELECT 1)\nSELECT @a", "SELECT b"]),
        ("DECLARE @a int\nSELECT @a = 1\nSELECT @a", ["DECLARE @a int\nSELECT @a = 1\nSELECT @a"]),
        ("SET @a = 1\nWITH x AS (\nSELECT 1)\nSELECT a\nUNION\nSELECT b\n\nSELECT c\n\nSELECT d",
         ["SET @a = 1\nWITH x AS (\nSELECT 1)\nSELECT a\nUNION\nSELECT b", "SELECT c", "SELECT d"]),
    ],
)  # fmt: skip
def test_variables_stay_with_the_query_below_them(text: str, expected: list[str]) -> None:
    assert pieces(text, "tsql") == expected


def test_comments_go_to_their_own_statement() -> None:
    text = "-- one\nSELECT 1; -- behind\n-- two\nSELECT 2\n\n/* three */\nSELECT 3;\n\nSELECT 4;\n-- nobody's"
    assert [(s.sql, s.comment) for s in split_statements(text)] == [
        ("SELECT 1", "one"),
        ("SELECT 2", "two"),
        ("SELECT 3", "three"),
        ("SELECT 4", None),
    ]


def test_positions() -> None:
    text = "\ufeff-- a\r\nSELECT 1;\r\n\r\n  SELECT '😀'\r\n;"
    assert split_statements(text) == [
        Statement("SELECT 1", 7, 2, "a"),
        Statement("SELECT '😀'", 22, 4, None),
    ]


def test_a_large_file_is_read_in_one_pass() -> None:
    one = "-- what is it\nSELECT a, 'text; here' FROM t JOIN o ON (t.id = o.id) WHERE x = 'y' GROUP BY a;\n\n"
    assert len(split_statements(one * 5000)) == 5000
    assert len(split_statements("SELECT 'a FROM t;\n\n" * 5000)) == 5000
    assert (
        len(split_statements("INSERT INTO t VALUES " + ", ".join(["(1, 'a')"] * 50000) + "; SELECT 1")) == 2
    )
    assert len(split_statements("/* " * 20000)) == 1
    assert len(split_statements("CREATE TRIGGER x BEGIN a;\n\n" * 3000)) == 3000


def test_every_query_of_bird_comes_back_from_a_file() -> None:
    path: Path = data_dir("bird", "dev.json")
    queries = [entry["SQL"].strip().rstrip(";").rstrip() for entry in json.loads(path.read_text())]
    text = "".join(f"-- number {number}\n{sql};\n\n" for number, sql in enumerate(queries))
    found = split_statements(text, "sqlite")
    assert [statement.sql for statement in found] == queries
    assert [statement.comment for statement in found] == [f"number {n}" for n in range(len(queries))]
    without = split_statements(text.replace(";\n\n-- number", "\n\n-- number"), "sqlite")
    assert [statement.sql for statement in without] == queries
