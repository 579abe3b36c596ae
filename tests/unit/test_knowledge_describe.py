"""The rule-based describer: golden sentences, real histories, and what it does with what it does not know."""

from __future__ import annotations

import json

import pytest

from describe_cases import DICTIONARY, SCHEMA, fragment, golden
from sqlore.catalog import Dictionary, Entry, load_tables_json
from sqlore.knowledge import Describer, describe_fragment, describe_script
from sqlore.model import Fragment, Script
from sqlore.sql import parse_script
from support import data_dir

CASES = list(golden())


@pytest.fixture(scope="module")
def describer() -> Describer:
    return Describer(DICTIONARY, SCHEMA)


@pytest.mark.parametrize(("line", "name", "text"), CASES, ids=[line[:60] for line, _, _ in CASES])
def test_golden(describer: Describer, line: str, name: str, text: str) -> None:
    described = describer.fragment(fragment(line))
    assert (described.name, described.text) == (name, text)


@pytest.mark.parametrize(
    "formulas",
    [
        "sum(t.a * t.b)|sum(t.a) * t.b",
        "sum(t.a + t.b) * sum(t.c)|sum(t.a) + t.b * sum(t.c)",
        "max(t.a - t.b)|max(t.a) - t.b",
        "t.b - max(t.a) + t.c|t.b - max(t.a + t.c)",
        "2 * sum(t.a * t.b)|2 * sum(t.a) * t.b",
        "sum(t.a) - (sum(t.b) - t.c)|sum(t.a) - sum(t.b) - t.c",
        "sum(t.a / 100)|sum(t.a) / 100",
        "t.a - (t.b - t.c)|t.a - t.b - t.c",
        "t.a / (t.b * t.c)|t.a / t.b * t.c|t.a * (t.b / t.c)",
        "(t.a + t.b) * t.c|t.a + t.b * t.c",
        "2 * (t.a + t.b)|2 * t.a + t.b",
        "t.b / (t.c + t.a)|t.b / t.c + t.a",
        "100 * t.a / (t.b + t.c)|100 * t.a / t.b + t.c",
        "-(t.a - t.b)|-t.a - t.b",
        "abs(t.a - t.b)|abs(t.a) - t.b",
        "max(t.a, t.b) - t.c|max(t.a, t.b - t.c)",
        "coalesce(t.a - t.b, 0)|t.a - coalesce(t.b, 0)",
        "coalesce(avg(t.a), 0)|avg(coalesce(t.a, 0))",
        "sum(case when t.p = 1 then t.a end) - t.b|sum(case when t.p = 1 then t.a - t.b end)",
    ],
)
def test_different_formulas_read_differently(describer: Describer, formulas: str) -> None:
    texts = [describer.fragment(fragment(f"calculation: {one}")).text for one in formulas.split("|")]
    assert len(set(texts)) == len(texts), texts


def test_there_are_enough_golden_cases() -> None:
    assert len(CASES) >= 80
    assert {line.partition("/")[0].partition(":")[0] for line, _, _ in CASES} == {
        "calculation",
        "condition",
        "relation",
        "dimension",
        "output",
        "query",
    }


def test_a_table_whose_name_is_no_word_gets_no_plural() -> None:
    owner = "SELECT count(*) FROM disp WHERE disp.type = 'OWNER'"
    assert describe_script(parse_script(owner, "sqlite")) == "number of disp rows whose type is OWNER"
    named = Dictionary((Entry("disp", name="disposition", source="person"),))
    condition = Fragment("condition", "", "", "disp.type = 'OWNER'", 0, 0, form="predicate")
    assert describe_fragment(condition).text == "disp rows whose type is OWNER"
    assert describe_fragment(condition, named).text == "dispositions whose type is OWNER"
    for entry in (
        Entry("disp", name="disposition", source="file"),
        Entry("disp", description="Dispositions.", source="database"),
        Entry("disp", description="dispositions", source="person"),
    ):
        said = describe_fragment(condition, Dictionary((entry,))).text
        assert said == "dispositions whose type is OWNER", entry
    long = Dictionary((Entry("disp", description="who may use an account, and how", source="file"),))
    assert describe_fragment(condition, long).text == "disp rows whose type is OWNER"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            "SELECT AVG(l.amount) FROM loan l JOIN disp d ON l.account_id = d.account_id"
            " JOIN client c ON d.client_id = c.client_id WHERE c.gender = 'M'",
            "average amount of loans whose client gender is M",
        ),
        (
            "SELECT AVG(l.amount) FROM disp d, loan l, client c"
            " WHERE l.account_id = d.account_id AND d.client_id = c.client_id AND c.gender = 'M'",
            "average amount of loans whose client gender is M",
        ),
        (
            "SELECT COUNT(*) FROM disp d JOIN client c ON d.client_id = c.client_id WHERE c.gender = 'M'",
            "number of disp rows whose client gender is M",
        ),
        ("SELECT AVG(amount) FROM trans", "average amount of trans rows"),
        ("SELECT type FROM disp ORDER BY disp_id LIMIT 3", "type of disp rows; top 3 disp rows by id"),
    ],
)
def test_tables_that_only_link_others_are_not_what_is_said_of(sql: str, said: str) -> None:
    assert describe_script(parse_script(sql, "sqlite")).startswith(said)


def test_other_values_are_named_with_their_meaning(describer: Describer) -> None:
    label = Fragment("condition", "", "", "molecule.label = '+'", 0, 0, literals=("+",), form="predicate")
    assert describer.fragment(label, [":label", "$2"]).text == "molecules whose label is '+' (carcinogenic)"
    assert describer.fragment(label, ["-"]).text == ("molecules whose label is '+' (carcinogenic) (or '-')")


def test_a_persons_name_stands_above_the_columns_own() -> None:
    condition = Fragment("condition", "", "", "users.label = 1", 0, 0, form="predicate")
    from_file = Dictionary((Entry("users", "label", name="customer tier", source="file"),))
    from_person = Dictionary((Entry("users", "label", name="customer tier", source="person"),))
    assert describe_fragment(condition, from_file).text == "users whose label (customer tier) is 1"
    assert describe_fragment(condition, from_person).text == "users whose customer tier is 1"


@pytest.mark.parametrize(
    "canonical",
    [
        "",
        "((((",
        "select from where",
        "t.a = 'unclosed",
        "t.a ~~~ t.b",
        "日本.値段 > 3",
        '"Order"."Free Meal Count (K-12)" > 3',
        "x" * 50_000,
        "(" * 3000 + "1" + ")" * 3000,
    ],
)
@pytest.mark.parametrize("kind", ["calculation", "condition", "relation", "dimension", "output", "query"])
def test_anything_is_described_somehow(describer: Describer, kind: str, canonical: str) -> None:
    odd = Fragment(kind, "", "t.a = <val>", canonical, 0, 0, tables=("t",), columns=("t.a",))  # type: ignore[arg-type]
    described = describer.fragment(odd)
    assert described.name
    assert described.text
    assert len(described.text) <= 400
    assert len(described.name.split()) <= 6


def test_a_script_without_words_gets_a_sentence() -> None:
    parsed = parse_script(
        "SELECT COUNT(h.id) FROM superhero h JOIN publisher p ON p.id = h.publisher_id"
        " WHERE p.publisher_name = 'Marvel Comics' AND h.height_cm > 200",
        "sqlite",
    )
    assert describe_script(parsed) == (
        "number of superheroes whose publisher is Marvel Comics and whose height cm is more than 200"
    )


def test_steps_of_a_query_are_said_too() -> None:
    parsed = parse_script(
        "SELECT city FROM (SELECT city, count(*) AS n FROM orders GROUP BY city) c ORDER BY n DESC LIMIT 1",
        "sqlite",
    )
    said = describe_script(parsed)
    assert "for each" in said
    assert "city" in said


def test_every_fragment_of_the_real_histories_is_parsed_and_said() -> None:
    """No fragment of the eight histories falls back to its names, and none is said in SQL's own words."""
    schemas = load_tables_json(data_dir("bird", "dev_tables.json"))
    describers = {name: Describer(None, schema) for name, schema in schemas.items()}
    fallen = []
    for row in json.loads(data_dir("bird", "dev.json").read_text(encoding="utf-8"))[::3]:
        for one in parse_script(row["SQL"], "sqlite", schemas[row["db_id"]]).fragments:
            described = describers[row["db_id"]].fragment(one)
            words = described.text.lower()
            if words.startswith(f"{one.kind} of ") or "select " in words or "group by" in words:
                fallen.append((one.canonical, described.text))
    assert fallen == []


def test_a_query_of_forty_joins_is_described(describer: Describer) -> None:
    sql = "SELECT 1 FROM cards a0 " + " ".join(f"JOIN cards a{n} ON a{n}.id = a0.id" for n in range(1, 41))
    parsed = parse_script(Script(sql))
    described = [describer.fragment(one) for one in parsed.fragments if one.kind in ("relation", "query")]
    assert described
    assert all("card" in one.text for one in described)


@pytest.mark.parametrize(
    ("dialect", "sql", "said"),
    [
        ("duckdb", "SELECT l[1], l[-1], l[2:3] FROM t", "item 1 of l, last item of l and items 2 to 3 of l"),
        ("duckdb", "SELECT m['k'], s['b'], j ->> '$.a.b' FROM t", "k of m, b of s and b of a of j"),
        ("postgres", "SELECT l[1], j -> 'a' -> 0 ->> 'b' FROM t", "item 1 of l and b of item 1 of a of j"),
        ("postgres", "SELECT l[1] FROM t WHERE l @> ARRAY['x']", "item 1 of l of t rows whose l contains x"),
        ("spark", "SELECT l[0] FROM t", "item 1 of l"),
        ("bigquery", "SELECT l[OFFSET(0)], l[ORDINAL(2)] FROM t", "item 1 of l and item 2 of l"),
        ("snowflake", "SELECT d:a.b::string FROM t", "b of a of d"),
        ("sqlite", "SELECT json_extract(d, '$.a[0].b') FROM t", "b of item 1 of a of d"),
        ("mysql", "SELECT d ->> '$.a' FROM t WHERE 'x' MEMBER OF (d -> '$.b')", "whose b of d contains x"),
    ],
)
def test_parts_of_values_in_their_dialects(dialect: str, sql: str, said: str) -> None:
    assert said in describe_script(parse_script(sql, dialect))
