"""What is handed to other pipelines: golden text of each format, and what their own code reads of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sqlore.catalog import Catalog, ColumnProfile, Dictionary, Entry, Profile
from sqlore.errors import UsageError
from sqlore.model import Column, ForeignKey, RankedScript, Retrieval, Schema, Script, StoredScript, Table
from sqlore.retrieve.plugin import FORMATS, as_format, dail_prompt, examples, nrep_messages

GOLDEN = Path(__file__).parent.parent / "golden" / "plugin"
CATALOG = Catalog(
    Schema(
        (
            Table("publisher", (Column("id", "INTEGER", primary_key=True), Column("title", "TEXT"))),
            Table(
                "superhero",
                (
                    Column("id", "INTEGER", primary_key=True),
                    Column("full_name", "TEXT"),
                    Column("height_cm", "INTEGER"),
                    Column("First Seen", "DATE"),
                    Column("publisher_id", "INTEGER"),
                    Column("site", "TEXT"),
                    Column("biography", "TEXT"),
                    Column("weight_kg", "REAL"),
                ),
                foreign_keys=(ForeignKey(("publisher_id",), "publisher", ("id",)),),
            ),
            Table("power", (Column("id", "INTEGER", primary_key=True), Column("name", "TEXT"))),
        ),
        "superhero",
        "sqlite",
    ),
    Dictionary((Entry("superhero", "height_cm", description="height in centimetres"),)),
    profile=Profile(
        (
            ColumnProfile("publisher", "title", "text", 3, 3, (("Marvel Comics", 2), ("DC", 1))),
            ColumnProfile("superhero", "height_cm", "number", 40, 90, (("188", 9), ("178", 7))),
            ColumnProfile("superhero", "First Seen", "date", 40, 90, (("1963-03-01", 9), ("1939-05-01", 7))),
            ColumnProfile("superhero", "site", "text", 2, 2, (("https://a.example/x", 1), ("none", 1))),
            ColumnProfile("superhero", "biography", "text", 1, 1, (("born far away " * 6, 1),)),
        )
    ),
)
TALL = Script(
    "SELECT T1.full_name, AVG(T1.height_cm)\nFROM superhero AS T1"
    " JOIN publisher AS T2 ON T1.publisher_id = T2.id\n"
    "WHERE T2.title = 'Marvel Comics' AND (T1.height_cm > 188 OR T1.height_cm IS NULL)\n"
    "GROUP BY T1.full_name ORDER BY AVG(T1.height_cm) DESC LIMIT 3;",
    "731",
    "Who are the three tallest heroes\nof Marvel Comics above 188 cm?",
)
NAMELESS = Script("SELECT COUNT(*) FROM power WHERE name LIKE '%time%'", "", evidence="time refers to name")
FOUND = Retrieval(
    "How tall are the heroes of DC?",
    (),
    (
        RankedScript(
            StoredScript(7, TALL, "", "full name and average height in centimetres of heroes"), 0.75
        ),
        RankedScript(StoredScript(9, NAMELESS, "", "number of powers whose name has time in it"), 0.25),
    ),
)


def text_of(made: Any) -> str:
    return made if isinstance(made, str) else json.dumps(made, ensure_ascii=False, indent=1) + "\n"


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_the_format_is_the_golden_text(name: str) -> None:
    golden = GOLDEN / f"{name}.txt"
    assert text_of(as_format(name, FOUND, CATALOG)) == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_all_formats_keep_the_order_and_have_every_pair(name: str) -> None:
    text = text_of(as_format(name, FOUND, CATALOG))
    assert 0 < text.index("three tallest heroes") < text.index("number of powers")
    assert "LIMIT 3" in text
    assert "%time%" in text


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_nothing_found_and_no_catalog_are_no_errors(name: str) -> None:
    assert "SELECT" not in text_of(as_format(name, replace(FOUND, scripts=()), CATALOG))
    assert "three tallest heroes" in text_of(as_format(name, FOUND))


def test_sql_that_cannot_be_taken_apart_is_handed_over_all_the_same() -> None:
    broken = RankedScript(StoredScript(1, Script("SELECT FROM WHERE", "1", "What?"), "", ""), 1.0)
    for name in FORMATS:
        assert "SELECT FROM WHERE" in text_of(as_format(name, replace(FOUND, scripts=(broken,)), CATALOG))


def test_an_unknown_format_is_said() -> None:
    with pytest.raises(UsageError):
        as_format("din", FOUND)


def test_examples_have_ids_keys_and_scores() -> None:
    first, second = examples(FOUND, CATALOG)
    assert (first.id, first.key, first.score) == (7, "731", 0.75)
    assert (second.key, second.question) == ("9", "number of powers whose name has time in it")
    assert not first.sql.endswith(";")


def test_dail_prompt_is_its_head_and_pairs_with_an_empty_line_between() -> None:
    head, *blocks = dail_prompt(FOUND).strip().split("\n\n/* Answer")
    assert head.startswith("/* Some SQL examples are provided based on similar problems: */\n/* Answer")
    assert len(blocks) == 1
    assert dail_prompt(replace(FOUND, scripts=())) == ""


def test_opensearch_reads_its_examples_back() -> None:
    """Its extraction cuts the prompt at the questions and takes five; its answers are read line by line."""
    made = as_format("opensearch", FOUND, CATALOG)
    (entry,), (extract,) = made["questions"], made["extract"]
    parts = extract["prompt"].split("/* Answer the following:")[1:6]
    assert len(parts) == extract["n_examples"] == 2
    for part in entry["prompt"].split("/* Answer the following:")[1:]:
        lines = [re.match(r"#[\w-]+:", line) for line in part.splitlines()[1:]]
        labels = [line[0] for line in lines if line]
        assert labels == ["#reason:", "#columns:", "#values:", "#SELECT:", "#SQL-like:", "#SQL:"]


def test_opensearch_finds_columns_in_six_examples_at_most() -> None:
    many = as_format("opensearch", replace(FOUND, scripts=FOUND.scripts * 4), CATALOG)
    assert (many["questions"][0]["n_examples"], many["extract"][0]["n_examples"]) == (8, 6)


def test_nrep_uses_an_example_only_where_its_data_have_the_representation() -> None:
    for representation in ("sql_create", "m_schema", "mac_schema"):
        with_schema = as_format("nrep", FOUND, CATALOG)
        assert all(representation in result["data"] for result in with_schema)
        assert "power" not in with_schema[0]["data"][representation]
    turns = nrep_messages(FOUND, CATALOG)
    assert [turn.role for turn in turns] == ["user", "assistant"] * 2
    assert "\nhint:time refers to name\n" in turns[2].content
    assert "hint" not in turns[0].content
    assert turns[3].content.startswith("```sql\nSELECT COUNT(*)")


def test_codes_shows_the_columns_in_use_first_and_six_in_all() -> None:
    text = as_format("codes", FOUND, CATALOG)
    hero = next(line for line in text.splitlines() if line.startswith("table superhero"))
    shown = re.findall(r"superhero\.(`[^`]+`|\w+) \(", hero)
    assert shown == ["full_name", "height_cm", "publisher_id", "id", "`first seen`", "site"]
    assert text.count(" ;\n\n") == 2
