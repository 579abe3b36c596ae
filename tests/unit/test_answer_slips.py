"""Columns under the wrong alias are mended without a model, and only where nothing else can be meant."""

from __future__ import annotations

import pytest

from sqlore.answer.slips import mended_names
from sqlore.errors import NotAQuery, ParseError, UnknownName
from sqlore.model import Column, ForeignKey, Schema, Table

SCHEMA = Schema(
    (
        Table("hero", (Column("id"), Column("weight"), Column("side_id"), Column("eye_id"))),
        Table("side", (Column("id"), Column("name"))),
        Table("colour", (Column("id"), Column("name"))),
    )
)
FROM = "FROM hero AS T1 JOIN side AS T2 ON T1.side_id = T2.id"


def test_every_slip_is_mended_and_told() -> None:
    sql = f"SELECT T2.weight, SUM(T2 . weight) {FROM} WHERE T1.name = 'Good'"
    checked = mended_names(sql, "sqlite", SCHEMA)
    mended, slips = checked.sql, checked.slips
    assert checked.fault is None
    assert mended == f"SELECT t1.weight, SUM(t1.weight) {FROM} WHERE t2.name = 'Good'"
    assert len(slips) == 3
    assert slips[0].sql == sql
    assert slips[0].error == "there is no column weight in side; t1.weight was meant"


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        (f"SELECT T1.weight {FROM}", type(None)),
        (f"SELECT T1.name {FROM} JOIN colour AS T3 ON T1.eye_id = T3.id", UnknownName),
        (f"SELECT T2.height {FROM}", UnknownName),
        ("SELECT T1.weight FROM hero AS T1 WHERE", ParseError),
        ("DELETE FROM hero", NotAQuery),
    ],
    ids=["right", "two could be meant", "nobody has it", "cut off", "no query"],
)
def test_what_cannot_be_mended_for_sure_stays(sql: str, fault: type) -> None:
    checked = mended_names(sql, "sqlite", SCHEMA)
    assert (checked.sql, checked.slips, type(checked.fault)) == (sql, [], fault)


KEYED = Schema(
    (
        Table(
            "hero",
            (Column("id"), Column("side_id"), Column("eye_id")),
            foreign_keys=(
                ForeignKey(("side_id",), "side", ("id",)),
                ForeignKey(("eye_id",), "colour", ("id",)),
            ),
        ),
        Table("side", (Column("id"), Column("name"))),
        Table("colour", (Column("id"), Column("t4"))),
    )
)


def test_an_alias_where_its_key_belongs() -> None:
    sql = "SELECT T1.id FROM hero T1 JOIN side T2 ON T1.side_id = T2 JOIN colour AS T3 ON T3 = T1.eye_id"
    checked = mended_names(sql, "sqlite", KEYED)
    mended, slips = checked.sql, checked.slips
    wanted = (
        "SELECT T1.id FROM hero T1 JOIN side T2 ON T1.side_id = T2.id JOIN colour AS T3 ON T3.id = T1.eye_id"
    )
    assert mended == wanted
    assert [slip.error for slip in slips] == ["an alias is no column; its id was meant"] * 2


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT T1.id FROM hero T1 JOIN colour T4 ON T1.eye_id = T4",
        "SELECT T1.id FROM hero T1 JOIN side T2 ON T1.eye_id = T2",
        "SELECT T1.id FROM hero T1 JOIN side T2 ON T1.side_id = T2.id WHERE T1.id = T9",
    ],
    ids=["a column is called so", "no key joins them", "no alias"],
)
def test_an_alias_that_may_be_something_else_stays(sql: str) -> None:
    assert mended_names(sql, "sqlite", KEYED).sql == sql


def test_names_with_capitals_are_quoted_where_the_schema_has_no_other() -> None:
    """Elsewhere than on PostgreSQL their case does not count."""
    both = Table("Both", (Column("userId"), Column("userid"), Column("User Name"), Column("name")))
    schema = Schema((both,), dialect="postgres")
    sql = "SELECT b.userId, name, Both(name) FROM both b WHERE name = 'Both'"
    checked = mended_names(sql, "postgres", schema)
    assert checked.sql == "SELECT b.userId, name, Both(name) FROM \"Both\" b WHERE name = 'Both'"
    assert [slip.sql for slip in checked.slips] == [sql]
    assert mended_names(sql, "sqlite", schema).sql == sql
    assert mended_names("SELECT 'open FROM Both", "postgres", schema).fault is not None
