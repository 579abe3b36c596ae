"""One piece of a query taken out, replaced, put in: what goes with it, and what must not."""

from __future__ import annotations

import pytest

from sqlore.errors import EditError, ParseError
from sqlore.model import Column, ForeignKey, Schema, Table
from sqlore.sql.edit.compare import confirmed
from sqlore.sql.edit.insert import inserted, joined, new_alias, told_apart
from sqlore.sql.edit.off import Joins, switched_off
from sqlore.sql.edit.query import Query
from sqlore.sql.edit.replace import piece_of, replaced
from sqlore.sql.edit.text import Change, TextEdit, applied, inverted, moved, unified_diff
from sqlore.sql.edit.transfer import transferred, transferred_clause

HERO = Table(
    "hero",
    tuple(Column(c, primary_key=c == "id") for c in ("id", "name", "height", "side_id", "born")),
    foreign_keys=(ForeignKey(("side_id",), "side", ("id",)),),
)
SCHEMA = Schema((HERO, Table("side", (Column("id", primary_key=True), Column("name")))), "heroes", "sqlite")

LONG = """WITH tall AS (
  SELECT id, name, -- the name
         height * 2 AS h2
  FROM hero
  WHERE height > 180 -- tall ones
    AND side_id = 1  /* good */
)
SELECT COUNT(*) AS n, -- how many
  AVG(h2) AS a
FROM tall
WHERE h2 > 3 OR (name = 'x' AND h2 < 9)
ORDER BY a DESC, n
LIMIT 3"""


def query(sql: str, dialect: str = "sqlite") -> Query:
    return Query(sql, dialect, SCHEMA)


def number(one: Query, text: str, kind: str | None = None) -> int:
    """The number of the item with that text."""
    return next(n for n, f in enumerate(one.fragments) if f.sql == text and (kind is None or f.kind == kind))


def off(sql: str, text: str, joins: Joins = "same", dialect: str = "sqlite") -> str:
    one = query(sql, dialect)
    return confirmed(one, switched_off(one, number(one, text), joins))[0].after


def edited(sql: str, text: str, new: str, dialect: str = "sqlite") -> str:
    one = query(sql, dialect)
    return replaced(one, number(one, text), new)[0].after


# ------------------------------------------------------------------ taken out

CONDITIONS = [
    ("a > 1 AND b > 2 AND c > 3", "a > 1", "b > 2 AND c > 3"),
    ("a > 1 AND b > 2 AND c > 3", "b > 2", "a > 1 AND c > 3"),
    ("a > 1 AND b > 2 AND c > 3", "c > 3", "a > 1 AND b > 2"),
    ("a > 1 OR b > 2 AND c > 3", "a > 1", "b > 2 AND c > 3"),
    ("a > 1 OR b > 2 AND c > 3", "b > 2", "a > 1 OR c > 3"),
    ("a > 1 AND b > 2 OR c > 3", "b > 2", "a > 1 OR c > 3"),
    ("a > 1 AND b > 2 OR c > 3", "a > 1", "b > 2 OR c > 3"),
    ("(a > 1 OR b > 2) AND c > 3", "a > 1", "(b > 2) AND c > 3"),
    ("((a > 1)) AND c > 3", "a > 1", "c > 3"),
    ("a BETWEEN 1 AND 2 AND c > 3", "a BETWEEN 1 AND 2", "c > 3"),
    ("c > 3 AND a BETWEEN 1 AND 2", "a BETWEEN 1 AND 2", "c > 3"),
    ("NOT (a > 1 OR b > 2) AND c > 3", "NOT (a > 1 OR b > 2)", "c > 3"),
    ("a > 1 and\n  b > 2", "b > 2", "a > 1"),
    ("a > 1 /* why */ AND b > 2", "b > 2", "a > 1 /* why */ "),
    ("a > 1 -- why\n AND b > 2", "a > 1", " -- why\n b > 2"),
]


@pytest.mark.parametrize(("where", "text", "left"), CONDITIONS)
def test_a_condition_goes_with_its_connector(where: str, text: str, left: str) -> None:
    assert off(f"SELECT x FROM t WHERE {where} LIMIT 1", text) == f"SELECT x FROM t WHERE {left} LIMIT 1"


@pytest.mark.parametrize(
    ("sql", "text", "left"),
    [
        ("SELECT x FROM t WHERE (a > 1) LIMIT 1", "a > 1", "SELECT x FROM t LIMIT 1"),
        ("SELECT x FROM t\nWHERE a > 1\nLIMIT 1", "a > 1", "SELECT x FROM t\nLIMIT 1"),
        ("SELECT x FROM t WHERE a > 1", "a > 1", "SELECT x FROM t"),
        (
            "SELECT x FROM t GROUP BY x HAVING COUNT(*) > 1 ORDER BY x",
            "COUNT(*) > 1",
            "SELECT x FROM t GROUP BY x ORDER BY x",
        ),
        (
            "SELECT x FROM t JOIN u ON t.a = u.a AND u.b > 1",
            "u.b > 1",
            "SELECT x FROM t JOIN u ON t.a = u.a",
        ),
        ("SELECT x FROM t JOIN u ON u.b > 1", "u.b > 1", "SELECT x FROM t JOIN u ON TRUE"),
        (
            "SELECT x FROM t WHERE a IN (SELECT a FROM u WHERE b = 1) AND c = 2",
            "b = 1",
            "SELECT x FROM t WHERE a IN (SELECT a FROM u) AND c = 2",
        ),
        ("SELECT DISTINCT x FROM t", "DISTINCT", "SELECT x FROM t"),
        ("SELECT x FROM t ORDER BY x\nLIMIT 3;", "ORDER BY x\nLIMIT 3", "SELECT x FROM t;"),
        ("SELECT x FROM t GROUP BY x ORDER BY x", "GROUP BY x", "SELECT x FROM t ORDER BY x"),
        ("SELECT a, COUNT(*) AS n, b FROM t", "COUNT(*)", "SELECT a, b FROM t"),
        ("SELECT COUNT(*), b FROM t", "COUNT(*)", "SELECT b FROM t"),
        (
            "SELECT a, rank() OVER (PARTITION BY b ORDER BY c DESC) FROM t",
            "PARTITION BY b",
            "SELECT a, rank() OVER (ORDER BY c DESC) FROM t",
        ),
        (
            "SELECT a, rank() OVER (PARTITION BY b ORDER BY c DESC) FROM t",
            "ORDER BY c DESC",
            "SELECT a, rank() OVER (PARTITION BY b) FROM t",
        ),
    ],
)
def test_what_is_taken_out(sql: str, text: str, left: str) -> None:
    assert off(sql, text) == left


def test_names_and_numbers_of_a_column_that_is_taken_out() -> None:
    assert "SELECT  -- how many\n  AVG(h2) AS a\n" in off(LONG, "COUNT(*)")
    assert "ORDER BY a DESC, COUNT(*)\n" in off(LONG, "COUNT(*)")
    sql = "SELECT a, b + 1, COUNT(*) FROM t GROUP BY 1, 2 ORDER BY 3 DESC"
    assert off(sql, "b + 1") == "SELECT a, COUNT(*) FROM t GROUP BY 1, b + 1 ORDER BY 2 DESC"
    assert off(sql, "COUNT(*)") == "SELECT a, b + 1 FROM t GROUP BY 1, 2 ORDER BY COUNT(*) DESC"


def test_top_goes_with_its_order() -> None:
    assert off("SELECT TOP 5 name FROM hero", "TOP 5", dialect="tsql") == "SELECT name FROM hero"
    assert edited("SELECT TOP 5 name FROM hero", "TOP 5", "TOP 3", "tsql") == "SELECT TOP 3 name FROM hero"
    sql = "SELECT TOP 5 name FROM hero GROUP BY name ORDER BY COUNT(*)"
    assert off(sql, "COUNT(*)", dialect="tsql") == "SELECT TOP 5 name FROM hero GROUP BY name"
    sql = "SELECT TOP 5 name FROM hero WHERE height > 1 ORDER BY height DESC"
    assert off(sql, "ORDER BY height DESC", dialect="tsql") == "SELECT name FROM hero WHERE height > 1"


@pytest.mark.parametrize(
    ("sql", "text", "joins", "left"),
    [
        # without a LEFT JOIN by the primary key the rows are the same
        (
            "SELECT h.name FROM hero h LEFT JOIN side s ON h.side_id = s.id WHERE s.name = 'Good'",
            "s.name = 'Good'",
            "same",
            "SELECT h.name FROM hero h",
        ),
        (
            "SELECT h.name FROM hero h LEFT JOIN side s ON h.side_id = s.id WHERE s.name = 'Good'",
            "s.name = 'Good'",
            "none",
            "SELECT h.name FROM hero h LEFT JOIN side s ON h.side_id = s.id",
        ),
        (
            "SELECT h.name FROM hero h JOIN side s ON h.side_id = s.id WHERE s.name = 'Good'",
            "s.name = 'Good'",
            "same",
            "SELECT h.name FROM hero h JOIN side s ON h.side_id = s.id",
        ),
        (
            "SELECT h.name FROM hero h JOIN side s ON h.side_id = s.id WHERE s.name = 'Good'",
            "s.name = 'Good'",
            "all",
            "SELECT h.name FROM hero h",
        ),
        (
            "SELECT * FROM hero h LEFT JOIN side s ON h.side_id = s.id WHERE s.name = 'Good'",
            "s.name = 'Good'",
            "all",
            "SELECT * FROM hero h LEFT JOIN side s ON h.side_id = s.id",
        ),
        (
            "SELECT h.name FROM hero h JOIN side s ON h.side_id = s.id",
            "h.side_id = s.id",
            "same",
            "SELECT h.name FROM hero h",
        ),
        (
            "SELECT s.name FROM hero h JOIN side s ON h.side_id = s.id WHERE s.id = 1",
            "h.side_id = s.id",
            "same",
            "SELECT s.name FROM side s WHERE s.id = 1",
        ),
        (
            "SELECT h.name FROM hero h, side s WHERE h.side_id = s.id AND h.height > 1",
            "h.side_id = s.id",
            "same",
            "SELECT h.name FROM hero h WHERE h.height > 1",
        ),
        (
            "SELECT h.name FROM hero h JOIN side s ON h.side_id = s.id AND h.name = s.name",
            "h.name = s.name",
            "same",
            "SELECT h.name FROM hero h JOIN side s ON h.side_id = s.id",
        ),
    ],
)
def test_joins_that_only_one_piece_needed(sql: str, text: str, joins: Joins, left: str) -> None:
    assert off(sql, text, joins) == left


def test_a_join_that_stays_is_told() -> None:
    one = query("SELECT h.name FROM hero h JOIN side s ON h.side_id = s.id WHERE s.name = 'Good'")
    (note,) = switched_off(one, number(one, "s.name = 'Good'")).notes
    assert "side" in note


@pytest.mark.parametrize(
    ("sql", "text", "why"),
    [
        ("SELECT COUNT(*) FROM hero", "COUNT(*)", "only column"),
        ("SELECT COUNT(*) FROM hero", "SELECT COUNT(*) FROM hero", "whole query"),
        (
            "SELECT 1 FROM hero JOIN side ON side_id = side.id",
            "FROM hero JOIN side ON side_id = side.id",
            "FROM",
        ),
        (
            "SELECT h.name, s.name FROM hero h JOIN side s ON h.side_id = s.id",
            "h.side_id = s.id",
            "s.name, h.name",
        ),
        (LONG, "height * 2", "its column h2"),
        ("SELECT a, a + 1 FROM t UNION SELECT b, c FROM u", "a + 1", "UNION"),
        ("SELECT x FROM t GROUP BY x HAVING COUNT(*) > 1", "GROUP BY x", "HAVING"),
    ],
)
def test_what_cannot_be_taken_out_says_why(sql: str, text: str, why: str) -> None:
    with pytest.raises(EditError) as caught:
        off(sql, text)
    assert why in caught.value.message
    assert caught.value.hint
    assert caught.value.position == sql.index(text)


def test_columns_without_their_group() -> None:
    sql = "SELECT name, COUNT(*) FROM hero GROUP BY name"
    assert off(sql, "GROUP BY name") == "SELECT name, COUNT(*) FROM hero"
    one = query(sql)
    assert "name" in switched_off(one, number(one, "GROUP BY name")).notes[0]
    assert off(sql, "GROUP BY name", dialect="duckdb") == "SELECT COUNT(*) FROM hero"
    sql = "SELECT COUNT(*) AS n, id, name, MAX(height) FROM hero GROUP BY id, name ORDER BY n, 4"
    assert off(sql, "GROUP BY id, name", dialect="duckdb") == (
        "SELECT COUNT(*) AS n, MAX(height) FROM hero ORDER BY n, 2"
    )
    with pytest.raises(EditError, match="needed: name"):
        off("SELECT name, COUNT(*) FROM hero GROUP BY name ORDER BY name", "GROUP BY name", dialect="duckdb")


# ------------------------------------------------------------------ replaced


@pytest.mark.parametrize(
    ("sql", "text", "new", "left"),
    [
        # a key of GROUP BY follows its column
        (
            "SELECT height * 2, COUNT(*) FROM hero GROUP BY height*2",
            "height * 2",
            "height * 3",
            "SELECT height * 3, COUNT(*) FROM hero GROUP BY height * 3",
        ),
        (
            "SELECT name, height * 2 FROM hero GROUP BY name, height * 2",
            "height * 2",
            "AVG(height)",
            "SELECT name, AVG(height) FROM hero GROUP BY name",
        ),
        (
            "SELECT name, AVG(height) FROM hero GROUP BY name ORDER BY 1",
            "AVG(height)",
            "height + 1",
            "SELECT name, height + 1 FROM hero GROUP BY name, height + 1 ORDER BY 1",
        ),
        (
            "SELECT name AS n, height * 2\nFROM hero\nWHERE id > 1\nLIMIT 3",
            "height * 2",
            "AVG(height)",
            "SELECT name AS n, AVG(height)\nFROM hero\nWHERE id > 1\nGROUP BY name\nLIMIT 3",
        ),
        (
            "SELECT COUNT(*), AVG(height) FROM hero",
            "COUNT(*)",
            "side_id",
            "SELECT side_id, AVG(height) FROM hero GROUP BY side_id",
        ),
        ("SELECT name, MAX(1, height) FROM hero", "MAX(1, height)", "1 + 1", "SELECT name, 1 + 1 FROM hero"),
        # aliases
        (
            "SELECT COUNT(*) AS n FROM hero GROUP BY name HAVING n > 1 ORDER BY n",
            "COUNT(*)",
            "COUNT(id) AS ids",
            "SELECT COUNT(id) AS ids FROM hero GROUP BY name HAVING ids > 1 ORDER BY ids",
        ),
        ("SELECT COUNT(*) FROM hero", "COUNT(*)", "COUNT(id) AS n", "SELECT COUNT(id) AS n FROM hero"),
        # brackets
        (
            "SELECT 1 FROM t WHERE a = 1 AND b = 2",
            "a = 1",
            "a = 1 OR c = 3",
            "SELECT 1 FROM t WHERE (a = 1 OR c = 3) AND b = 2",
        ),
        ("SELECT 1 FROM t WHERE a = 1", "a = 1", "WHERE a OR b;", "SELECT 1 FROM t WHERE a OR b"),
        # keywords that are left out
        ("SELECT a FROM t GROUP BY a", "GROUP BY a", "a, b", "SELECT a FROM t GROUP BY a, b"),
        ("SELECT a FROM t ORDER BY a LIMIT 3", "ORDER BY a LIMIT 3", "LIMIT 5", "SELECT a FROM t LIMIT 5"),
        ("SELECT a FROM t ORDER BY a + 1 DESC", "a + 1", "a + 2", "SELECT a FROM t ORDER BY a + 2 DESC"),
        (
            "SELECT h.name FROM hero h JOIN side s ON h.side_id = s.id",
            "FROM hero h JOIN side s ON h.side_id = s.id",
            "hero h LEFT JOIN side s ON h.side_id = s.id",
            "SELECT h.name FROM hero h LEFT JOIN side s ON h.side_id = s.id",
        ),
    ],
)  # fmt: skip
def test_what_is_replaced_and_what_follows(sql: str, text: str, new: str, left: str) -> None:
    assert edited(sql, text, new) == left


@pytest.mark.parametrize(
    ("text", "new", "why"),
    [
        ("h2 > 3", "h2 > 3 -- no", "beyond its place"),
        ("h2 < 9", "h2 < 9 -- no", "could not be read"),
        ("h2 > 3", "h2 > 3 /* no", "never closed"),
        ("h2 > 3", "1 = 1) OR (1 = 1", "one condition"),
        ("h2 > 3", "h2 > 3 GROUP BY name", "holds GROUP"),
        ("h2 > 3", "h2 > 3; DROP TABLE hero", "second statement"),
        ("h2 > 3", "  ", "nothing"),
        ("COUNT(*)", "COUNT(*), 1", "one formula"),
        ("COUNT(*)", "1 FROM hero", "holds FROM"),
        ("ORDER BY a DESC, n\nLIMIT 3", "h2 > 3", "ORDER BY or LIMIT"),
        ("height * 2", "height * 2 AS h3", "its column h2"),
    ],
)
def test_what_is_no_piece_is_refused(text: str, new: str, why: str) -> None:
    with pytest.raises(EditError) as caught:
        edited(LONG, text, new)
    assert why in caught.value.message


def test_a_relation_stays_a_relation() -> None:
    with pytest.raises(EditError, match="condition"):
        edited("SELECT 1 FROM hero h JOIN side s ON h.side_id = s.id", "h.side_id = s.id", "h.id > 1")


def test_pieces_that_mean_something_else_are_named() -> None:
    one = query(LONG)
    change, _ = replaced(one, number(one, "height * 2"), "height + 1")
    assert set(change.affected) == {"AVG(h2)", "h2 > 3", "h2 < 9", "ORDER BY a DESC, n\nLIMIT 3"}


def test_a_place_that_is_not_certain() -> None:
    one = query("SELECT hero.name FROM hero JOIN side USING (id, name)", "duckdb")
    numbers = [n for n, f in enumerate(one.fragments) if f.form == "edge"]
    assert len(numbers) == 2
    with pytest.raises(EditError, match="not certain"):
        one.place(numbers[0])
    with pytest.raises(EditError, match="no item 99"):
        one.place(99)
    with pytest.raises(ParseError):
        query("SELECT 1; SELECT 2")


def test_a_piece_with_its_keyword() -> None:
    assert piece_of("PARTITION BY a", "partition", "sqlite") == "PARTITION BY a"
    assert piece_of("AND a = 1", "on", "sqlite") == "a = 1"
    with pytest.raises(EditError, match="not DISTINCT"):
        piece_of("a", "distinct", "sqlite")


# ------------------------------------------------------------------ put in


def put(sql: str, kind: str, text: str, scope: str = "main") -> str:
    one = query(sql)
    edits = inserted(one, one.scope_at(scope), kind, text)
    return confirmed(one, Change(sql, tuple(edits)))[0].after


@pytest.mark.parametrize(
    ("sql", "kind", "text", "left"),
    [
        ("SELECT a FROM t", "condition", "b = 1", "SELECT a FROM t WHERE b = 1"),
        ("SELECT a\nFROM t\nLIMIT 1", "condition", "b = 1", "SELECT a\nFROM t\nWHERE b = 1\nLIMIT 1"),
        ("SELECT a FROM t WHERE c = 2", "condition", "b = 1", "SELECT a FROM t WHERE c = 2 AND b = 1"),
        (
            "SELECT a FROM t WHERE c = 2\n  AND d = 3\nLIMIT 1",
            "condition",
            "b = 1 OR e = 2",
            "SELECT a FROM t WHERE c = 2\n  AND d = 3\n  AND (b = 1 OR e = 2)\nLIMIT 1",
        ),
        (
            "SELECT a FROM t WHERE c = 2 OR d = 3",
            "condition",
            "b = 1",
            "SELECT a FROM t WHERE (c = 2 OR d = 3) AND b = 1",
        ),
        (
            "SELECT a FROM t GROUP BY a",
            "condition",
            "COUNT(*) > 1",
            "SELECT a FROM t GROUP BY a HAVING COUNT(*) > 1",
        ),
        ("SELECT a FROM t", "calculation", "b + 1", "SELECT a, b + 1 FROM t"),
        ("SELECT\n  a\nFROM t", "calculation", "b + 1", "SELECT\n  a,\n  b + 1\nFROM t"),
        ("SELECT a AS x FROM t", "calculation", "SUM(b)", "SELECT a AS x, SUM(b) FROM t GROUP BY a"),
        (
            "SELECT a, COUNT(*) FROM t GROUP BY a",
            "calculation",
            "b + 1",
            "SELECT a, COUNT(*), b + 1 FROM t GROUP BY a, b + 1",
        ),
        ("SELECT a FROM t", "dimension", "GROUP BY a", "SELECT a FROM t GROUP BY a"),
        ("SELECT a FROM t GROUP BY a", "dimension", "GROUP BY a, b", "SELECT a FROM t GROUP BY a, b"),
        ("SELECT a FROM t", "output", "DISTINCT", "SELECT DISTINCT a FROM t"),
        ("SELECT a FROM t WHERE b = 1;", "output", "LIMIT 3", "SELECT a FROM t WHERE b = 1 LIMIT 3;"),
        (
            "SELECT a FROM t UNION SELECT b FROM u",
            "output",
            "ORDER BY a",
            "SELECT a FROM t UNION SELECT b FROM u ORDER BY a",
        ),
    ],
)
def test_what_is_put_in(sql: str, kind: str, text: str, left: str) -> None:
    assert put(sql, kind, text) == left


def test_into_a_chosen_scope() -> None:
    assert "    AND side_id = 1\n    AND id > 5  /* good */" in put(LONG, "condition", "id > 5", "cte:tall")
    with pytest.raises(EditError, match="no scope cte:none") as caught:
        put(LONG, "condition", "id > 5", "cte:none")
    assert "cte:tall" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("sql", "kind", "text", "why"),
    [
        ("SELECT DISTINCT a FROM t", "output", "DISTINCT", "DISTINCT already"),
        ("SELECT a FROM t LIMIT 3", "output", "ORDER BY a", "already"),
        ("SELECT a FROM t GROUP BY a", "dimension", "GROUP BY a", "already"),
    ],
)
def test_what_is_there_already(sql: str, kind: str, text: str, why: str) -> None:
    with pytest.raises(EditError, match=why):
        put(sql, kind, text)


def test_a_table_that_is_joined() -> None:
    one = query("SELECT name FROM hero h WHERE id > 1")
    scope = one.scope(0)
    assert new_alias(one, scope, "side", []) == "s"
    side = SCHEMA.table("side")
    assert side is not None
    edits = [*joined(one, scope, ["JOIN side AS s ON h.side_id = s.id"]), *told_apart(one, scope, [side])]
    after = confirmed(one, Change(one.sql, tuple(edits)))[0].after
    assert after == "SELECT h.name FROM hero h JOIN side AS s ON h.side_id = s.id WHERE h.id > 1"
    assert new_alias(query("SELECT 1 FROM hero"), query("SELECT 1 FROM hero").scope(0), "side", []) == "side"
    assert (
        new_alias(query("SELECT 1 FROM hero T1"), query("SELECT 1 FROM hero T1").scope(0), "side", []) == "T2"
    )


def test_a_table_that_is_joined_inside_is_called_like_none_around() -> None:
    one = query("SELECT name FROM side s WHERE EXISTS (SELECT 1 FROM hero h WHERE h.side_id = s.id)")
    assert new_alias(one, one.scope_at("main/subquery:1"), "side", []) == "s2"
    bare = query("SELECT name FROM side WHERE EXISTS (SELECT 1 FROM hero WHERE name = 'x')")
    assert new_alias(bare, bare.scope_at("main/subquery:1"), "side", []) == "s"


# ------------------------------------------------------------------ as another query would write it


def test_a_piece_under_other_names() -> None:
    donor = query(
        "SELECT T2.name || name FROM hero AS T1 JOIN side T2 ON T1.side_id = T2.id WHERE T1.height ="
        " (SELECT MAX(x.height) FROM hero x WHERE x.side_id = T2.id) AND T1.id = ?"
    )
    names = {"hero": "h", "side": "s"}
    fragments = {f.sql: f for f in donor.fragments}
    maximum = next(f for text, f in fragments.items() if text.startswith("T1.height"))
    assert transferred(donor, maximum, names) == (
        "h.height = (SELECT MAX(x.height) FROM hero x WHERE x.side_id = s.id)"
    )
    assert transferred(donor, maximum, {"hero": "h", "side": "x"}) is None, "x is hidden in the subquery"
    assert transferred(donor, maximum, {"hero": "h"}) is None, "side has no name there"
    assert transferred(donor, fragments["T1.id = ?"], names) is None, "nobody knows the value"
    relation = next(f for f in donor.fragments if f.form == "clause")
    assert transferred_clause(donor, relation, donor.scope(0), {"hero": "hero", "side": "s"}) == (
        "FROM hero JOIN side AS s ON hero.side_id = s.id"
    )


def test_an_alias_is_no_column() -> None:
    donor = query("SELECT COUNT(*) AS n FROM hero GROUP BY name ORDER BY n DESC")
    tail = next(f for f in donor.fragments if f.kind == "output")
    assert transferred(donor, tail, {"hero": ""}) is None


# ------------------------------------------------------------------ edits of text


def test_edits_follow_later_ones() -> None:
    change = Change("a AND b AND c", (TextEdit(1, 7),))
    assert change.after == "a AND c"
    later = (TextEdit(6, 7, "ccc"),)
    back = moved(inverted(change), later)
    assert back is not None
    assert applied("a AND ccc", back) == "a AND b AND ccc"
    assert moved(inverted(change), (TextEdit(0, 3, "x"),)) is None
    assert unified_diff("a\nb", "a\nc").splitlines()[-2:] == ["-b", "+c"]
    assert unified_diff("a", "a") == ""
