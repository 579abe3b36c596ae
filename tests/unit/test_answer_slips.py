"""Columns under the wrong alias are mended without a model, and only where nothing else can be meant."""

from __future__ import annotations

import pytest

from sqlore.answer.reserved import with_reserved
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
    pair = Table("Pair", (Column("userId"), Column("userid"), Column("User Name"), Column("name")))
    schema = Schema((pair,), dialect="postgres")
    sql = "SELECT b.userId, name, Pair(name) FROM pair b WHERE name = 'Pair'"
    checked = mended_names(sql, "postgres", schema)
    assert checked.sql == "SELECT b.userId, name, Pair(name) FROM \"Pair\" b WHERE name = 'Pair'"
    assert [slip.sql for slip in checked.slips] == [sql]
    assert mended_names(sql, "sqlite", schema).sql == sql
    assert mended_names("SELECT 'open FROM Pair", "postgres", schema).fault is not None


WORDS = Schema(
    (
        Table("order", tuple(map(Column, ("id", "from", "to", "end", "group", "rank", "user", "left")))),
        Table("user", (Column("id"), Column("limit"))),
        Table("plain", (Column("id"),)),
    )
)


@pytest.mark.parametrize(
    ("sql", "mended"),
    [
        ("SELECT COUNT(*) FROM order", 'SELECT COUNT(*) FROM "order"'),
        ("SELECT from, to FROM order o WHERE end > 1", 'SELECT "from", "to" FROM "order" o WHERE "end" > 1'),
        ("SELECT from FROM order GROUP BY from", 'SELECT "from" FROM "order" GROUP BY "from"'),
        ("SELECT CASE WHEN end > 1 THEN end END, left(to, 1) FROM order LEFT JOIN user u ON order.id = u.id",
         'SELECT CASE WHEN "end" > 1 THEN "end" END, left("to", 1) FROM "order" LEFT JOIN "user" u'
         ' ON "order".id = u.id'),
        ("SELECT group, COUNT(DISTINCT user) FROM order GROUP\nBY group ORDER BY group DESC",
         'SELECT "group", COUNT(DISTINCT "user") FROM "order" GROUP\nBY "group" ORDER BY "group" DESC'),
        ("SELECT u.limit FROM plain, user u LIMIT 2", 'SELECT u."limit" FROM plain, "user" u LIMIT 2'),
        ("SELECT 'order', id FROM \"order\" -- from order", 'SELECT \'order\', id FROM "order"'),
    ],
)  # fmt: skip
def test_names_that_are_words_of_sql_are_quoted(sql: str, mended: str) -> None:
    assert mended_names(sql, "sqlite", WORDS).sql == mended
    assert with_reserved(sql, "mysql", WORDS)[0].split(" --")[0].count("`") in (0, mended.count('"'))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT user FROM plain ORDER BY id LIMIT 3",
        "SELECT rank() OVER (ORDER BY id) FROM plain GROUP BY id",
        "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY id) FROM plain",
        "SELECT 'open FROM order",
    ],
)
def test_words_of_sql_that_are_no_names_stay(sql: str) -> None:
    assert with_reserved(sql, "postgres", WORDS) == (sql, ())


PLACED = Schema(
    (
        Table("Kunde", (Column("id"), Column("name"))),
        Table("sale", (Column("kunde"), Column("order"))),
        Table("staff", (Column("id"), Column("boss")), schema="hr"),
        *(Table("twice", (Column("id"),), schema=one) for one in ("s1", "s2")),
    ),
    dialect="postgres",
    home="public",
)


@pytest.mark.parametrize(
    ("sql", "mended"),
    [
        ("SELECT COUNT(*) FROM Kunde", 'SELECT COUNT(*) FROM "Kunde"'),
        ("SELECT Kunde.name FROM public.kunde JOIN sale s ON s.kunde = kunde.id",
         'SELECT "Kunde".name FROM public."Kunde" JOIN sale s ON s.kunde = "Kunde".id'),
        ("SELECT kunde.name FROM Kunde AS kunde", 'SELECT kunde.name FROM "Kunde" AS kunde'),
        ("WITH kunde AS (SELECT 1 AS id) SELECT id FROM kunde",
         "WITH kunde AS (SELECT 1 AS id) SELECT id FROM kunde"),
        ("SELECT a.id FROM staff a JOIN \"staff\" b ON a.boss = b.id",
         'SELECT a.id FROM hr.staff a JOIN hr."staff" b ON a.boss = b.id'),
        ("SELECT staff.id FROM hr.staff, twice", "SELECT staff.id FROM hr.staff, twice"),
    ],
)  # fmt: skip
def test_tables_are_written_as_the_database_finds_them(sql: str, mended: str) -> None:
    checked = mended_names(sql, "postgres", PLACED)
    assert (checked.sql, checked.fault) == (mended, None)
    assert bool(checked.slips) == (sql != mended)
