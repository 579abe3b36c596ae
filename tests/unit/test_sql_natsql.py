"""The NatSQL writer and the decomposition: golden cases, real corpora, and Spider's own NatSQL."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import yaml

from sqlore.catalog import load_tables_json
from sqlore.engines import connect
from sqlore.errors import NotAQuery, ParseError
from sqlore.model import Column, Schema, Script, Table
from sqlore.sql import parse_script
from sqlore.sql.decompose import decompose
from sqlore.sql.natsql.compare import differing, normalised
from sqlore.sql.natsql.writer import natsql, natsql_parts
from support import ROOT, data_dir

GOLDEN = yaml.safe_load((ROOT / "tests" / "golden" / "natsql" / "club.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    path: Path = tmp_path_factory.mktemp("natsql") / "club.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript(GOLDEN["ddl"])
    database.close()
    with connect(str(path)) as engine:
        return engine.schema()


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["sql"][:70])
def test_golden(case: dict[str, Any], club: Schema) -> None:
    assert natsql(case["sql"], club) == case["natsql"]
    if "parts" in case:
        assert list(natsql_parts(case["sql"], club).parts) == case["parts"]
    if "steps" in case:
        told = [
            " ".join([step.operation, *([step.sql] if step.sql else [])])
            + (f" <- {' '.join(map(str, step.uses))}" if step.uses else "")
            for step in decompose(case["sql"], club)
        ]
        assert told == case["steps"]


def test_names_of_several_words_stand_in_backticks() -> None:
    schema = Schema((Table("frpm", (Column("County Name"), Column("Free Meals"))),))
    sql = "SELECT `Free Meals` FROM frpm WHERE `County Name` = 'Alameda'"
    assert natsql(sql, schema) == 'select frpm.`Free Meals` from frpm where frpm.`County Name` = "Alameda"'


def test_placeholders_are_spelled_as_the_script_spells_them() -> None:
    assert natsql("SELECT id FROM posts WHERE owner = ##UserId## AND score > :least", None, "") == (
        "select posts.id from posts where posts.owner = ##UserId## and posts.score > :least"
    )


def test_a_parsed_script_is_taken_apart_in_its_own_dialect() -> None:
    script = Script("SELECT TOP 3 [name] FROM member ORDER BY age DESC", dialect="tsql")
    steps = decompose(parse_script(script))
    assert [step.operation for step in steps] == ["rows", "project", "superlative", "project"]
    assert steps[2].limit == "3"


def test_what_is_no_query_is_refused() -> None:
    with pytest.raises(NotAQuery):
        natsql("DROP TABLE member")
    with pytest.raises(ParseError):
        decompose("SELECT FROM WHERE")


def test_normalised_keeps_what_changes_the_meaning() -> None:
    assert normalised("select a.b from a where a.x=1 and a.y=2") == normalised(
        "SELECT a.B from a where a.Y = 2  and a.x = 1"
    )
    assert normalised('select a.b from a where a.x = "Q"') != normalised('select a.b from a where a.x = "q"')
    assert normalised("select a.b from a where a.x = 1 or a.y = 2 and a.z = 3") != normalised(
        "select a.b from a where a.x = 1 or a.z = 3 and a.y = 2"
    )
    assert normalised("select a.b from a where a.x between 1 and 2 and a.y = 3") == normalised(
        "select a.b from a where a.y = 3 and a.x between 1 and 2"
    )


def test_differing_names_the_clauses() -> None:
    one = "select a.b from a where a.x = 1 order by a.x asc"
    assert differing(one, "select a.b from c where a.x = 2 order by a.x asc") == ["from", "where"]
    assert differing(one, "select a.b from a where @.@ join c.* and a.x = 1 order by a.x asc") == ["join"]


@pytest.mark.data
def test_agreement_with_the_natsql_of_spider() -> None:
    """Every seventh pair: the whole file is what `tests/bench/bench_natsql.py` counts."""
    schemas = load_tables_json(data_dir("spider", "tables.json"))
    rows = json.loads(data_dir("spider", "train_spider-natsql.json").read_text(encoding="utf-8"))[::7]
    agreed = sum(
        normalised(natsql(row["query"], schemas[row["db_id"]])) == normalised(row["NatSQL"]) for row in rows
    )
    assert agreed / len(rows) > 0.95


@pytest.mark.data
def test_real_scripts_are_written_and_taken_apart() -> None:
    """No script of a real log fails, and every step uses earlier ones and is used."""
    schemas = load_tables_json(data_dir("bird", "dev_tables.json"))
    rows = json.loads(data_dir("bird", "dev.json").read_text(encoding="utf-8"))[::5]
    for path in sorted(data_dir("history_tasks").glob("*.json")):
        rows += json.loads(path.read_text(encoding="utf-8"))
    for row in rows:
        written = natsql(row["SQL"], schemas[row["db_id"]])
        assert written.startswith("select ")
        assert "\x01" not in written
        steps = decompose(row["SQL"], schemas[row["db_id"]])
        assert [step.number for step in steps] == list(range(1, len(steps) + 1))
        assert all(used < step.number for step in steps for used in step.uses)
        used = {number for step in steps for number in step.uses}
        assert used >= set(range(1, len(steps))), row["SQL"]
