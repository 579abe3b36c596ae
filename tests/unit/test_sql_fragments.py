"""Fragments of single scripts: kinds, spans, scopes, literals, names, and what is refused."""

from __future__ import annotations

import pickle

import pytest

from sqlore.errors import NotAQuery, ParseError, SqlError
from sqlore.model import Column, Naming, Schema, Script, Table
from sqlore.sql import TooLarge, parse_script, skeleton_of


def keys(sql: str, dialect: str = "sqlite", schema: Schema | None = None) -> set[str]:
    return {f.key for f in parse_script(sql, dialect, schema).fragments if f.kind != "query"}


def fragment(sql: str, key: str, dialect: str = "sqlite"):
    return next(f for f in parse_script(sql, dialect).fragments if f.key == key)


# The spelling of skeletons, one script for each of their examples.
SPELLINGS = [
    ("SELECT 1 FROM superhero WHERE full_name IS NULL", "condition: superhero.full_name is null"),
    (
        "SELECT 1 FROM superhero T1 JOIN publisher T2 ON T1.publisher_id = T2.id "
        "WHERE T2.publisher_name = 'X'",
        "condition: publisher.publisher_name = <val>",
    ),
    (
        "SELECT 1 FROM superhero WHERE height_cm BETWEEN 1 AND 2",
        "condition: superhero.height_cm between <val> and <val>",
    ),
    (
        "SELECT 1 FROM hero_attribute a "
        "WHERE (SELECT MAX(attribute_value) FROM hero_attribute) = attribute_value",
        "condition: hero_attribute.attribute_value = "
        "(select max(hero_attribute.attribute_value) from hero_attribute)",
    ),
    (
        "SELECT hero_id FROM hero_power GROUP BY hero_id HAVING 5 < COUNT(power_id)",
        "condition: count(hero_power.power_id) > <val>",
    ),
    (
        "SELECT 1 FROM superhero T1 INNER JOIN publisher T2 ON T1.publisher_id = T2.id",
        "relation: publisher.id = superhero.publisher_id",
    ),
    (
        "SELECT 1 FROM superhero T1, publisher T2 WHERE T1.publisher_id = T2.id",
        "relation: from publisher join superhero on publisher.id = superhero.publisher_id",
    ),
    (
        "SELECT 1 FROM district GROUP BY district_id, A2",
        "dimension: group by district.a2, district.district_id",
    ),
    ("SELECT DISTINCT a FROM t", "output: distinct"),
    (
        "SELECT 1 FROM superhero ORDER BY weight_kg DESC LIMIT 1",
        "output: order by superhero.weight_kg desc limit <val>",
    ),
    ("SELECT a FROM t LIMIT 3", "output: limit <val>"),
    (
        "SELECT (CAST(SUM(weight_kg) AS REAL)) / COUNT(id) FROM superhero",
        "calculation: cast(sum(superhero.weight_kg) as real) / count(superhero.id)",
    ),
    (
        "SELECT SUM(CASE WHEN p.publisher_name = 'M' THEN 1 ELSE 0 END) FROM publisher p",
        "calculation: sum(case when publisher.publisher_name = <val> then <val> else <val> end)",
    ),
    ("SELECT STRFTIME('%Y', birth_date) FROM client", "calculation: strftime(<val>, client.birth_date)"),
    (
        "SELECT COUNT(DISTINCT T1.district_id) FROM district T1",
        "calculation: count(distinct district.district_id)",
    ),
]


@pytest.mark.parametrize(("sql", "key"), SPELLINGS)
def test_spelling(sql: str, key: str) -> None:
    assert key in keys(sql)


def test_spans_leave_out_aliases_directions_and_keywords() -> None:
    sql = (
        "SELECT a + 1 AS x, [n] = count(*) FROM t WHERE (b = 1) AND (c = 2 OR NOT d = 3) ORDER BY a * 2 DESC"
    )
    found = {f.sql for f in parse_script(sql, "tsql").fragments}
    assert {"a + 1", "count(*)", "b = 1", "c = 2", "NOT d = 3", "a * 2", "ORDER BY a * 2 DESC"} <= found


def test_literals_are_in_the_order_of_the_text_without_quotes() -> None:
    sql = "SELECT a FROM t WHERE 5 < b AND c IN ('x', 'it''s') AND d = -3"
    whole = parse_script(sql, "sqlite").fragments[0]
    assert whole.literals == ("5", "x", "it's", "-3")
    assert whole.canonical == "select t.a from t where t.b > 5 and t.c in ('x', 'it''s') and t.d = -3"


@pytest.mark.parametrize(
    ("spelled", "dialect"),
    [
        ("?", "sqlite"),
        ("?1", "sqlite"),
        (":name", "postgres"),
        ("$1", "postgres"),
        ("%(name)s", "postgres"),
        ("%s", "mysql"),
        ("@p", "tsql"),
        ("@p", "bigquery"),
        ("##name##", "tsql"),
        ("##name:int?5##", "tsql"),
        ("{{ name }}", "snowflake"),
        ("${name}", "duckdb"),
        (":name", "snowflake"),
    ],
)
def test_placeholders_are_literals(spelled: str, dialect: str) -> None:
    sql = f"SELECT a FROM t WHERE b = {spelled} AND c > 1"
    found = fragment(sql, "condition: t.b = <val>", dialect)
    assert found.literals == (spelled,)
    assert found.sql == f"b = {spelled}"
    assert found.canonical == f"t.b = {spelled}"
    assert fragment(sql, "condition: t.c > <val>", dialect).sql == "c > 1"


def test_a_placeholder_in_an_interval() -> None:
    found = fragment(
        "SELECT * FROM t WHERE d > now() - interval $1", "condition: t.d > now() - <val>", "postgres"
    )
    assert found.literals == ("$1",)


def test_a_dbt_model_has_its_references_as_tables() -> None:
    sql = (
        "{{ config(materialized='table') }}\nselect o.id, {{ cents('o.amount') }}\n"
        "from {{ ref('orders') }} o\njoin {{ source('raw', 'items') }} i on o.id = i.order_id\n"
        "{% if is_incremental() %}\nwhere o.day > 3\n{% endif %}"
    )
    parsed = parse_script(sql, "snowflake")
    assert parsed.tables == ("orders", "raw.items")
    assert "relation: orders.id = raw.items.order_id" in {f.key for f in parsed.fragments}
    assert all(sql[f.start : f.end] == f.sql for f in parsed.fragments)


def test_scopes_count_in_the_order_of_the_text() -> None:
    sql = (
        "WITH c AS (SELECT count(*) AS n FROM t) SELECT (SELECT max(a) FROM u), n FROM "
        "(SELECT min(b) AS m FROM v) x JOIN c ON c.n = x.m WHERE EXISTS (SELECT sum(q) FROM w) "
        "UNION SELECT avg(z), 1 FROM y"
    )
    scopes = {f.skeleton: f.scope for f in parse_script(sql, "sqlite").fragments if f.kind == "calculation"}
    assert scopes == {
        "count(*)": "cte:c",
        "max(u.a)": "main/union:1/subquery:1",
        "min(v.b)": "main/union:1/subquery:2",
        "sum(w.q)": "main/union:1/subquery:3",
        "avg(y.z)": "main/union:2",
    }


def test_windows_give_dimension_and_output() -> None:
    sql = (
        "SELECT rank() OVER (PARTITION BY d ORDER BY s DESC) AS r, sum(x) OVER w "
        "FROM t WINDOW w AS (ORDER BY q)"
    )
    assert keys(sql, "postgres") == {
        "calculation: rank() over (partition by t.d order by t.s desc)",
        "calculation: sum(t.x) over (order by t.q asc)",
        "dimension: partition by t.d",
        "output: order by t.s desc",
        "output: order by t.q asc",
    }


def test_the_instances_of_a_self_join_are_numbered() -> None:
    sql = "SELECT e.name FROM emp e JOIN emp m ON m.id = e.boss_id WHERE e.pay > m.pay AND m.country = 'x'"
    assert keys(sql) == {
        "relation: emp.boss_id = emp#2.id",
        "relation: from emp join emp#2 on emp.boss_id = emp#2.id",
        "condition: emp.pay > emp#2.pay",
        "condition: emp.country = <val>",
    }


def test_a_correlated_subquery_of_the_same_table() -> None:
    sql = "SELECT e.name FROM emp e WHERE e.pay > (SELECT avg(x.pay) FROM emp x WHERE x.dept = e.dept)"
    assert "condition: emp.pay > (select avg(emp.pay) from emp where emp.dept = emp#2.dept)" in keys(sql)
    assert "condition: emp.dept = emp#2.dept" in keys(sql)


def test_a_recursive_query_does_not_run_away() -> None:
    sql = (
        "WITH RECURSIVE r(n, boss) AS (SELECT 1, id FROM emp UNION ALL SELECT n + 1, e.id FROM emp e "
        "JOIN r ON e.boss_id = r.boss WHERE n < 10) SELECT max(n) FROM r"
    )
    found = keys(sql, "postgres")
    assert "condition: cte.c1 < <val>" in found
    assert "relation: emp.boss_id = emp#2.id" in found


def test_outer_joins_keep_their_direction() -> None:
    left = keys("SELECT 1 FROM a LEFT JOIN b ON b.a_id = a.id")
    assert left == keys("SELECT 1 FROM b RIGHT OUTER JOIN a ON a.id = b.a_id")
    assert left == {
        "relation: a left join b on a.id = b.a_id",
        "relation: from a left join b on a.id = b.a_id",
    }


def test_the_schema_decides_whose_a_column_is() -> None:
    schema = Schema((Table("a", (Column("id"), Column("x"))), Table("b", (Column("a_id"), Column("Y y")))))
    sql = 'SELECT x FROM a JOIN b ON id = a_id WHERE "Y y" = "text"'
    assert keys(sql, "sqlite", schema) == {
        "relation: a.id = b.a_id",
        "relation: from a join b on a.id = b.a_id",
        'condition: b."y y" = <val>',
    }


def test_names_of_tables_that_look_alike() -> None:
    assert "relation: s1.t.id = s2.t.id" in keys("SELECT a.x FROM s1.t a JOIN s2.t b ON a.id = b.id")
    # An alias that is another table's name, and a CTE named like the table it reads.
    assert "condition: b.y = <val>" in keys("SELECT 1 FROM b a JOIN a b ON a.i = b.j WHERE a.y = 1")
    assert "condition: orders.x > <val>" in keys(
        "WITH orders AS (SELECT * FROM orders WHERE x > 1) SELECT id FROM orders"
    )


@pytest.mark.parametrize(
    ("dialect", "written", "spelled"),
    [
        ("sqlite", '"Free Meal Count (K-12)"', '"free meal count (k-12)"'),
        ("mysql", "`order`", '"order"'),
        ("tsql", "[Post Link]", '"post link"'),
        ("postgres", '"Name"', '"Name"'),
        ("postgres", '"name"', "name"),
        ("snowflake", '"NAME"', "name"),
        ("snowflake", '"name"', '"name"'),
        ("duckdb", '"Name"', "name"),
        ("sqlite", "日本", "日本"),
        ("sqlite", '"a""b"', '"a""b"'),
        ("bigquery", "`smile 😀`", '"smile 😀"'),
    ],
)
def test_names_are_folded_as_the_dialect_folds_them(dialect: str, written: str, spelled: str) -> None:
    sql = f"SELECT 1 FROM t WHERE {written} > 5"
    assert keys(sql, dialect) == {f"condition: t.{spelled} > <val>"}
    assert skeleton_of(f"t.{spelled} > <val>", "condition", dialect) == f"t.{spelled} > <val>"


def test_namings_are_aliases_that_say_more() -> None:
    parsed = parse_script(
        "SELECT label AS is_carcinogenic, id AS Id, sum(x) AS total_weight, y AS c FROM molecule", "sqlite"
    )
    assert parsed.namings == (
        Naming("molecule.label", "is_carcinogenic", ("molecule.label",)),
        Naming("sum(molecule.x)", "total_weight", ("molecule.x",)),
    )


def test_a_parsed_script_is_plain_data() -> None:
    script = Script("SELECT count(*) FROM t JOIN u USING (id) WHERE t.a = 1", key="7", dialect="duckdb")
    parsed = parse_script(script)
    assert pickle.loads(pickle.dumps(parsed)) == parsed
    assert parsed.script is script
    assert parsed.skeleton == "select count(*) from t join u on t.id = u.id where t.a = <val>"
    assert (parsed.tables, parsed.columns) == (("t", "u"), ("t.a", "t.id", "u.id"))


@pytest.mark.parametrize(
    ("sql", "dialect", "position"),
    [
        ("SELECT , FROM t", "sqlite", 7),
        ("SELECT a, FROM t", "sqlite", 10),
        ("SELEKT a FRM t", "sqlite", 0),
        ("SELECT a FROM t WHERE", "sqlite", 21),
        ("SELECT a FROM t WHERE x =", "sqlite", 24),
        ("SELECT count( FROM t", "sqlite", 19),
        ("SELECT a\nFROM t WHERE b = 'cut off", "postgres", 26),
        ("SELECT 1; SELECT a, FROM t", "sqlite", 20),
        ("SELECT a FROM t\nSELECT a FROM u WHERE", "tsql", 37),
    ],
)
def test_what_is_not_understood_says_where(sql: str, dialect: str, position: int) -> None:
    with pytest.raises(ParseError) as raised:
        parse_script(sql, dialect)
    assert raised.value.position == position
    assert raised.value.line == sql.count("\n", 0, position) + 1


@pytest.mark.parametrize(
    ("sql", "dialect", "kind"),
    [
        ("", "sqlite", "empty"),
        ("-- nothing", "sqlite", "comments"),
        ("DROP TABLE t", "sqlite", "DROP"),
        ("rm @stage/file", "snowflake", "RM"),
        ("SHOW TABLES", "mysql", "SHOW"),
        ("SET x = 1", "snowflake", "SET"),
        ("INSERT INTO t SELECT a FROM u", "sqlite", "INSERT"),
        ("WITH d AS (SELECT 1) DELETE FROM t", "sqlite", "DELETE"),
        ("WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "postgres", "DELETE"),
        ("SELECT * INTO copy FROM t", "postgres", "INTO"),
        ("SELECT @n = count(*) FROM t", "tsql", "SET"),
    ],
)
def test_what_is_no_query_says_what_it_is(sql: str, dialect: str, kind: str) -> None:
    with pytest.raises(NotAQuery, match=kind):
        parse_script(sql, dialect)


def test_a_query_after_declarations() -> None:
    sql = "DECLARE @x INT = 5\nSET @x = 7;\nWITH c AS (SELECT a FROM t) SELECT TOP 3 a FROM c WHERE a = @x"
    assert keys(sql, "tsql") == {"condition: t.a = <val>", "output: limit <val>"}


@pytest.mark.parametrize("text", ["\ufeff{}", "-- why\r\n{}\r\n", "/* note */ ({});", "\n\n{} ;\n-- end"])
def test_what_surrounds_a_query(text: str) -> None:
    sql = text.format("SELECT a + 1\r\nFROM t")
    parsed = parse_script(sql, "sqlite")
    assert parsed.skeleton == "select t.a + <val> from t"
    assert [sql[f.start : f.end] for f in parsed.fragments] == [f.sql for f in parsed.fragments]
    assert "a + 1" in {f.sql for f in parsed.fragments}


def test_a_long_list_is_one_literal_with_all_its_values() -> None:
    sql = f"SELECT a FROM t WHERE b IN ({', '.join(map(str, range(300_000)))}) AND c = 1"
    found = {f.key: f for f in parse_script(sql, "sqlite").fragments}
    values = found["condition: t.b in (<val>)"].literals
    assert (len(values), values[-1]) == (300_000, "299999")
    assert found["condition: t.c = <val>"].sql == "c = 1"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 5000 + "1" + ")" * 5000,
        "SELECT * FROM " + "(SELECT * FROM " * 20_000 + "t" + ")" * 20_000,
        "SELECT a FROM t WHERE b = '" + "x" * 20_000_001 + "'",
    ],
    ids=["parentheses", "subqueries", "length"],
)
def test_too_large_is_said(sql: str) -> None:
    with pytest.raises(TooLarge):
        parse_script(sql, "sqlite")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + " + ".join(["a"] * 3000) + " FROM t",
        "SELECT * FROM t WHERE " + " OR ".join(f"a = {n}" for n in range(3000)),
        "SELECT * FROM a " + "JOIN b " * 60,
        "SELECT * FROM t a0 " + " ".join(f"JOIN t a{n} ON a{n}.i = a0.i" for n in range(1, 12)),
        " UNION ALL ".join(["SELECT a FROM t"] * 300),
    ],
    ids=["sum", "or", "joins", "self joins", "union"],
)
def test_long_chains_are_read(sql: str) -> None:
    assert parse_script(sql, "sqlite").skeleton.startswith("select ")


def test_junk_is_refused() -> None:
    with pytest.raises(SqlError):
        parse_script(bytes(range(256)).decode("latin-1") * 20, "sqlite")


@pytest.mark.parametrize(
    ("text", "kind", "skeleton"),
    [
        ("COUNT(1)", "calculation", "count(*)"),
        ("NOT (t.a = 1)", "condition", "t.a <> <val>"),
        ("GROUP BY t.b, t.a", "dimension", "group by t.a, t.b"),
        ("PARTITION BY t.b", "dimension", "partition by t.b"),
        ("DISTINCT", "output", "distinct"),
        ("ORDER BY t.a LIMIT 5", "output", "order by t.a asc limit <val>"),
        ("b.y = a.x", "relation", "a.x = b.y"),
        ("FROM b LEFT JOIN a ON a.x = b.y", "relation", "from b left join a on a.x = b.y"),
        ("emp.boss = emp#2.id", "relation", "emp.boss = emp#2.id"),
        ("SELECT x.a FROM t x", "query", "select t.a from t"),
    ],
)
def test_skeleton_of_a_fragment(text: str, kind, skeleton: str) -> None:
    assert skeleton_of(text, kind, "sqlite") == skeleton
    assert skeleton_of(skeleton, kind, "sqlite") == skeleton


def test_a_chain_that_reads_each_query_twice_has_no_text_of_exponential_length() -> None:
    chain = ["a0 AS (SELECT id AS x FROM hero)"]
    chain += [
        f"a{n} AS (SELECT p.x + q.x AS x FROM a{n - 1} p JOIN a{n - 1} q ON p.x = q.x)" for n in range(1, 40)
    ]
    parsed = parse_script(Script(f"WITH {', '.join(chain)} SELECT x FROM a39 WHERE x > 1"))
    assert max(len(fragment.canonical) for fragment in parsed.fragments) < 200_000
    assert parsed.fragments[0].tables == ("hero",)


def test_rows_of_values_that_are_alike_are_one_and_take_no_other_literal() -> None:
    sql = "SELECT 7, x FROM (VALUES (1, 'a'), (2, 'b')) AS t(x, y) WHERE x > 10 AND y = 'q'"
    whole = next(f for f in parse_script(sql, "postgres").fragments if f.kind == "query")
    assert whole.canonical.startswith("select 7, x from (values (1, 'a')) where x > 10 and")
    assert whole.literals == ("7", "1", "a", "10", "q")
