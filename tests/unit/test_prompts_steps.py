"""The steps of a query in words."""

from __future__ import annotations

import json

import pytest

from sqlore.catalog import load_tables_json
from sqlore.prompts.steps import say_steps
from sqlore.sql.decompose import decompose
from support import data_dir

SAID = [
    (
        "SELECT count(*) FROM member WHERE age > 56",
        ["return members", "return #1 whose age is more than 56", "return number of #2"],
    ),
    (
        "SELECT m.name, count(*) FROM booking AS b JOIN member AS m ON b.member_id = m.id "
        "GROUP BY b.member_id HAVING count(*) >= 2",
        [
            "return members",
            "return number of bookings among #1 for each booking member id",
            "return #1 where #2 is at least 2",
            "return name of #3",
            "return #4, #2",
        ],
    ),
    (
        "SELECT m.name FROM booking AS b JOIN member AS m ON b.member_id = m.id "
        "GROUP BY b.member_id ORDER BY count(*) DESC LIMIT 1",
        [
            "return members",
            "return number of bookings among #1 for each booking member id",
            "return #1 where #2 is highest",
            "return name of #3",
        ],
    ),
    (
        "SELECT name FROM member WHERE id NOT IN (SELECT member_id FROM visit)",
        [
            "return members",
            "return visits",
            "return member id of #2",
            "return #1 whose id is not among #3",
            "return name of #4",
        ],
    ),
    (
        "SELECT name FROM member AS m WHERE EXISTS (SELECT 1 FROM visit AS v WHERE v.member_id = m.id)",
        ["return members", "return visits", "return #1 that have any of #2", "return name of #3"],
    ),
    (
        "SELECT town FROM member WHERE age > 60 OR age < 20 ORDER BY town",
        [
            "return members",
            "return #1 whose age is more than 60",
            "return #1 whose age is less than 20",
            "return #2 or #3",
            "return town of #4",
            "return #5 sorted by town (lowest first)",
        ],
    ),
    (
        "SELECT DISTINCT town FROM member EXCEPT SELECT town FROM member WHERE age BETWEEN 1 AND 9",
        [
            "return members",
            "return #1 whose age is between 1 and 9",
            "return #1 besides #2",
            "return distinct town of #3",
        ],
    ),
]


@pytest.mark.parametrize(("sql", "said"), SAID, ids=[sql[:60] for sql, _ in SAID])
def test_said(sql: str, said: list[str]) -> None:
    assert list(say_steps(decompose(sql))) == said


def test_what_has_no_words_is_said_as_it_is_written() -> None:
    said = say_steps(decompose("SELECT id FROM posts WHERE owner = ##UserId##", None, "tsql"))
    assert said[1] == "return #1 where posts.owner = ##UserId##"


@pytest.mark.data
def test_every_step_of_real_scripts_is_said() -> None:
    schemas = load_tables_json(data_dir("bird", "dev_tables.json"))
    rows = json.loads(data_dir("bird", "dev.json").read_text(encoding="utf-8"))[::7]
    for row in rows:
        schema = schemas[row["db_id"]]
        steps = decompose(row["SQL"], schema)
        said = say_steps(steps, None, schema)
        assert len(said) == len(steps)
        for step, sentence in zip(steps, said, strict=True):
            assert sentence.startswith("return ")
            assert "step result" not in sentence
            assert step.operation == "rows" or any(f"#{used}" in sentence for used in step.uses), row["SQL"]
