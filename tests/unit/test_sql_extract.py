"""Finding the statement in what a model answered."""

from __future__ import annotations

import pytest

from sqlore.errors import ModelRefusal, NotAQuery, UnsafeSql
from sqlore.sql.check.query import check_query
from sqlore.sql.extract import extract_sql

Q = "SELECT name FROM customer WHERE city = 'Oslo'"


@pytest.mark.parametrize(
    "answer",
    [
        Q,
        Q + ";",
        f"  \n{Q} ;\n",
        f"\ufeff{Q}",
        f"```sql\n{Q};\n```",
        f"```\n{Q}\n```",
        f"```SQLite\r\n{Q};\r\n```\r\n",
        f"```sql\n{Q}",
        f"```sql {Q} ```",
        f"~~~sql\n{Q}\n~~~",
        f"> ```sql\n{Q}\n> ```",
        f"Sure! With the word with, here is the query:\n\n```sql\n{Q};\n```\n\nWith it you select the names.",
        f"With this query you get the names from the table:\n\n{Q};\n\nSelect the rows from it as you like.",
        f"SQL: {Q}",
        f"**SQL query:** {Q}",
        f"Answer: {Q};",
        f"1. {Q}",
        f"The query is {Q}; it returns names.",
        f"You can use `{Q}` for that.",
        f"{Q}\n\nThis query selects the names of customers. It's simple; really.",
        f"{Q}\nThis query doesn't need a join.",
        f"{Q};\n\nExplanation:\n- SELECT name: the names\n- FROM customer: the table",
        f"{Q}\n\n### Explanation\nThe WHERE clause filters; the rest is clear.",
        f"<think>Maybe SELECT 1? Or ```sql\nSELECT 2\n```. With what?</think>\n{Q}",
        f"I think SELECT 1 is it.\n</think>\n\n```sql\n{Q}\n```",
        f"<thinking>SELECT 3 FROM x;</thinking>{Q}",
        f"{Q}<|im_end|>",
        f"{Q};<|endoftext|>Human: next question",
        f"<sql>{Q}</sql>",
        f'{{"sql": "{Q}"}}',
        f'{{"reasoning": "with {{braces}}", "SQL": "{Q};"}}',
        f'Here it is:\n```json\n{{"query": "{Q}"}}\n```',
        f'{{"answer": {{"sql": "{Q}"}}}}',
        f"First try:\n```sql\nSELECT 1\n```\nBetter:\n```sql\n{Q}\n```",
        f"```sql\n{Q}\n```\nThe output:\n```\n| name |\n| Ann  |\n```",
        f"```sql\n{Q}\n```\nIn Python:\n```python\nrows = run('SELECT 1')\n```",
        f"```sql\n{Q};\n```\n```sql\nSELECT name FROM (\n```",
        " name FROM customer WHERE city = 'Oslo'",
        "name FROM customer WHERE city = 'Oslo';\n\nThis gives the names.",
    ],
)
def test_the_statement_is_found(answer: str) -> None:
    assert extract_sql(answer) == Q


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ';' AS a, 'it''s; here' FROM t -- ; no\nWHERE b = ';'",
        "(SELECT 1) UNION (SELECT 2)",
        "WITH x AS (SELECT 1 AS a)\n\nSELECT a\n\nFROM x",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)\nSELECT n FROM r LIMIT 5",
        "VALUES (1), (2)",
        "SELECT a\nFROM t\nWHERE id IN (\n  SELECT id FROM u\n)\nORDER BY a",
        "SELECT a FROM t\nUNION\nSELECT b FROM u",
        "-- the names\nSELECT name FROM t",
        "select count(*) from t",
        'SELECT "This",\n`Note` FROM t',
    ],
)
def test_whole_statements(sql: str) -> None:
    assert extract_sql(f"```sql\n{sql};\n```") == sql
    assert extract_sql(f"Here you are:\n\n```\n{sql}\n```\nDone.") == sql
    without_head = sql.removeprefix("-- the names\n")
    assert extract_sql(f"Here you are:\n\n{sql};\n\nDone.") == without_head


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM customer",
        "DROP TABLE customer",
        "UPDATE customer SET name = 'x'",
        "INSERT INTO t VALUES (1)",
    ],
)
def test_what_is_not_a_query_stays_what_it_is(sql: str) -> None:
    for answer in (
        sql,
        f"{sql};",
        f"```sql\n{sql};\n```",
        f"I will do that.\n\n{sql};\n\nDone.",
        f'{{"sql": "{sql}"}}',
    ):
        assert extract_sql(answer) == sql
    with pytest.raises(NotAQuery):
        check_query(extract_sql(f"```sql\n{sql}\n```"), "sqlite", None)


@pytest.mark.parametrize(
    "answer",
    [
        "```sql\nSELECT 1;\nDROP TABLE t;\n```",
        "SELECT 1; DROP TABLE t;",
        "SELECT 1;\n\nDELETE FROM t;\n\nThat is all.",
    ],
)
def test_two_statements_stay_two(answer: str) -> None:
    with pytest.raises(UnsafeSql):
        check_query(extract_sql(answer), "sqlite", None)


@pytest.mark.parametrize(
    ("answer", "begin"),
    [
        ("SELECT a FROM t WHERE x = = 3", "SELECT a FROM t WHERE x = = 3"),
        ("SELECT a FROM t\nWHERE x = = 3\nORDER BY a", "SELECT a FROM t\nWHERE x = = 3\nORDER BY a"),
        ("WITH x AS (\n\nSELECT a FROM t\n\n, SELECT b FROM u", "WITH x AS ("),
        ("```sql\nSELECT a FROM\n```", "SELECT a FROM"),
    ],
)
def test_a_broken_statement_is_not_repaired_into_another(answer: str, begin: str) -> None:
    assert extract_sql(answer).startswith(begin)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "   \n",
        "I cannot answer that with the tables at hand.",
        "With these tables, nothing can be selected from the data.",
        "Select what you need from the list of options.",
        "Sorry, nothing from here",
        "<think>SELECT 1 FROM t",
        "```\nno idea\n```",
        '{"error": "no table"}',
        "{" * 3000,
        "\0\ufffd",
    ],
)
def test_nothing_there(answer: str) -> None:
    with pytest.raises(ModelRefusal) as caught:
        extract_sql(answer)
    assert caught.value.hint


def test_the_dialect_decides_what_reads_as_a_query() -> None:
    answer = "```sql\nSELECT 1\n```\n```sql\nSELECT TOP 5 name FROM t\n```"
    assert extract_sql(answer, dialect="tsql") == "SELECT TOP 5 name FROM t"


def test_a_long_answer_is_read_quickly() -> None:
    answer = "The table is large; select wisely from it.\n\n" * 5000 + Q
    assert extract_sql(answer) == Q


@pytest.mark.parametrize(
    "between", ["\n\n", "\n\nThis is the next one:\n\n", "\n", ";\nor rather\n", " that;\n- "]
)
def test_the_work_grows_as_the_answer_does(monkeypatch: pytest.MonkeyPatch, between: str) -> None:
    read: list[int] = []

    def counted(text: str, dialect: str, schema: None) -> str:
        read.append(len(text))
        return check_query(text, dialect, schema)

    monkeypatch.setattr("sqlore.sql.extract.check_query", counted)

    def work(count: int) -> tuple[int, int]:
        read.clear()
        answer = between.join(f"SELECT a{n} FROM t{n} WHERE b > {n}" for n in range(100, 100 + count))
        assert extract_sql(answer).startswith("SELECT a1")
        return len(read), sum(read)

    (calls, characters), (more_calls, more_characters) = work(20), work(80)
    assert more_calls <= 5 * calls
    assert more_characters <= 5 * characters
    assert more_calls <= 80 * 12


def test_of_many_statements_each_is_read_to_its_own_end() -> None:
    first = "WITH x AS (\n\nSELECT a\n\nFROM t\n\n)\n\nSELECT count(*)\n\nFROM x"
    many = "\n\n".join([*(f"SELECT a FROM t{n} WHERE b = {n}" for n in range(60)), first])
    assert extract_sql(many) == first
