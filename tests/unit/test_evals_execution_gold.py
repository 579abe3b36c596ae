"""Rows compared, and gold that cannot be relied on."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli_helpers import make_duckdb
from execution_helpers import HEROES, heroes
from sqlore.engines import Engine, connect
from sqlore.errors import ConnectError
from sqlore.evals.compare_rows import WHY, judge
from sqlore.evals.execution.gold import check_gold

VALUES = st.one_of(st.none(), st.integers(-2, 2), st.sampled_from([0.5, 1.0, "a", "b", b"x"]))
LISTS = st.lists(st.tuples(VALUES, VALUES), max_size=5)


@given(LISTS, LISTS)
def test_correct_is_what_birds_script_computes(got: list[Any], gold: list[Any]) -> None:
    judged = judge(got, gold)
    assert judged.correct == (set(got) == set(gold))
    assert judged.strict == (sorted(map(repr, map(_same, got))) == sorted(map(repr, map(_same, gold))))
    assert judged.why in WHY
    assert (judged.why == "") == judged.strict


def _same(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(float(value) if isinstance(value, int) else value for value in row)


@pytest.mark.parametrize(
    ("got", "gold", "why"),
    [
        ([], [(1,)], "empty"),
        ([(1,)], [(1,), (2,)], "fewer"),
        ([(1,), (2,), (3,)], [(1,), (2,)], "more"),
        ([(1, 2)], [(1,)], "width"),
        ([(2, 1)], [(1, 2)], "columns"),
        ([(0.30000000000000004,)], [(0.3,)], "rounding"),
        ([("x",)], [("y",)], "other"),
        ([(1,), (1,)], [(1,)], "repetition"),
        ([([1, 2],)], [([1, 2],)], ""),
        ([(float("nan"), Decimal("nan"))], [(float("nan"), float("nan"))], ""),
        ([(([1], {"a": [2]}),)], [(([1.0], {"a": [2]}),)], ""),
        ([([1],)], [([2],)], "other"),
        ([(1234567891.0000002,)], [(1234567891.0,)], "rounding"),
    ],
)
def test_what_the_difference_is(got: list[Any], gold: list[Any], why: str) -> None:
    assert judge(got, gold).why == why


def test_ties_may_stand_either_way_and_nothing_else() -> None:
    gold = [("Zoe",), ("Ann",), ("Bob",), ("Eve",)]
    assert judge([("Zoe",), ("Bob",), ("Ann",), ("Eve",)], gold, [1, 2, 1]).strict
    late = judge([("Ann",), ("Zoe",), ("Bob",), ("Eve",)], gold, [1, 2, 1])
    assert (late.correct, late.strict, late.why) == (True, False, "order")


@pytest.fixture(params=["sqlite", "duckdb"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    made = heroes(tmp_path / "hero.sqlite")
    if request.param == "duckdb":
        made = make_duckdb(tmp_path / "hero.duckdb", HEROES)
    with connect(str(made)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("sql", "groups"),
    [
        ("SELECT name FROM hero WHERE side = 'good'", None),
        ("SELECT name FROM hero ORDER BY height DESC", (1, 2, 1, 1)),
        ("SELECT name, height AS h FROM hero ORDER BY h DESC", (1, 2, 1, 1)),
        ("SELECT name, height FROM hero ORDER BY 2 DESC LIMIT 3", (1, 2)),
        ("SELECT DISTINCT height FROM hero ORDER BY height", (1, 1, 1, 1)),
        ("SELECT side, COUNT(*) FROM hero GROUP BY side ORDER BY COUNT(*) DESC LIMIT 1", (1,)),
        ("SELECT height FROM hero ORDER BY height DESC LIMIT 2", (1, 1)),
        ("SELECT name FROM hero ORDER BY height, name LIMIT 2 OFFSET 1", (1, 1)),
        ("SELECT name FROM hero WHERE id < 3 UNION SELECT side FROM hero ORDER BY name", (1, 1, 1, 1)),
        ("SELECT name FROM hero WHERE id = 1 LIMIT 1", None),
        ("SELECT a.name FROM hero a JOIN hero b ON b.name = a.side OR b.id = a.id ORDER BY b.side", (2, 3)),
        ("SELECT a.name FROM hero a JOIN (SELECT id FROM hero) b ON b.id = a.id ORDER BY name", (1,) * 5),
        ("SELECT CAST(height / 100 AS INT) FROM hero ORDER BY height", (1, 1, 2, 1)),
        ("SELECT 0 - height AS height FROM hero ORDER BY hero.height LIMIT 2", (1, 1)),
    ],
)
def test_gold_with_one_answer(engine: Engine, sql: str, groups: tuple[int, ...] | None) -> None:
    gold = check_gold(engine, sql)
    assert (gold.status, gold.groups) == ("ok", groups)


def test_rows_tied_for_the_last_places_may_swap_when_all_are_in(engine: Engine) -> None:
    gold = check_gold(engine, "SELECT height FROM hero ORDER BY height DESC LIMIT 2")
    assert [row[0] for row in gold.rows] == [190, 180]


@pytest.mark.parametrize(
    ("sql", "status", "says"),
    [
        ("", "missing", "no SQL"),
        ("SELECT nothing FROM hero", "error", "nothing"),
        ("DELETE FROM hero", "error", ""),
        ("SELECT name FROM hero ORDER BY height DESC LIMIT 2", "nondeterministic", "tied where LIMIT cuts"),
        ("SELECT name FROM hero ORDER BY height DESC LIMIT 1 OFFSET 1", "nondeterministic", "tied"),
        ("SELECT name FROM hero LIMIT 2", "nondeterministic", "LIMIT without ORDER BY"),
        ("SELECT RANDOM() FROM hero", "nondeterministic", "two runs"),
        (
            "SELECT a.name FROM hero a JOIN hero b ON b.id = a.id ORDER BY b.side LIMIT 1",
            "nondeterministic",
            "tied",
        ),
    ],
)
def test_gold_that_cannot_be_used_says_why(engine: Engine, sql: str, status: str, says: str) -> None:
    gold = check_gold(engine, sql)
    assert gold.status == status
    assert says in gold.message


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name, COUNT(*) FROM hero GROUP BY side",
        "SELECT name FROM hero WHERE id = (SELECT id FROM hero ORDER BY height = 180 DESC LIMIT 1)",
        "SELECT COUNT(*) FROM (SELECT side FROM hero WHERE id < 3 LIMIT 1) WHERE side = 'good'",
        "SELECT GROUP_CONCAT(name) FROM hero",
        "SELECT a.id, COUNT(*) FROM hero a JOIN hero b ON a.side = b.side GROUP BY b.id",
    ],
)
def test_what_hangs_on_the_order_of_reading_is_found_on_sqlite(tmp_path: Path, sql: str) -> None:
    with connect(str(heroes(tmp_path / "hero.sqlite"))) as engine:
        assert check_gold(engine, sql).status == "nondeterministic"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name, COUNT(*) FROM hero GROUP BY id",
        "SELECT name, MAX(id) FROM hero GROUP BY side",
        "SELECT side, COUNT(*) AS n FROM hero GROUP BY 1",
        "SELECT UPPER(side) AS s, COUNT(*) FROM hero GROUP BY s",
        "SELECT name FROM hero WHERE id = (SELECT id FROM hero ORDER BY height LIMIT 1)",
        "SELECT name FROM hero WHERE height = (SELECT height FROM hero ORDER BY height = 180 DESC LIMIT 1)",
        "SELECT name, RANK() OVER (ORDER BY height) FROM hero",
        "SELECT id, 9e999, -9e999, x'00', NULL FROM hero",
    ],
)
def test_what_looks_open_and_is_not_on_sqlite(tmp_path: Path, sql: str) -> None:
    with connect(str(heroes(tmp_path / "hero.sqlite"))) as engine:
        gold = check_gold(engine, sql)
    assert (gold.status, gold.message) == ("ok", "")


def test_gold_that_takes_too_long(tmp_path: Path) -> None:
    forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    with connect(str(heroes(tmp_path / "hero.sqlite"))) as engine:
        assert check_gold(engine, forever, timeout=0.1).status == "timeout"


def test_gold_with_too_many_rows_to_compare(tmp_path: Path) -> None:
    with connect(str(heroes(tmp_path / "hero.sqlite"))) as engine:
        assert check_gold(engine, "SELECT id FROM hero", most=4).status == "too_large"
        assert check_gold(engine, "SELECT id FROM hero", most=5).status == "ok"


def test_an_order_that_only_the_question_asks_for(tmp_path: Path) -> None:
    """Gold without ORDER BY whose rows happen to be sorted is held to; one that is not says nothing."""
    asks = "List the heroes in ascending order"
    with connect(str(heroes(tmp_path / "hero.sqlite"))) as engine:
        assert check_gold(engine, "SELECT id FROM hero", question=asks).groups == (1,) * 5
        assert check_gold(engine, "SELECT id FROM hero", question="List the heroes").groups is None
        assert check_gold(engine, "SELECT side FROM hero", question=asks).groups is None


@pytest.mark.parametrize(
    ("sql", "status", "groups"),
    [
        ("SELECT tags FROM t ORDER BY id LIMIT 2", "ok", (1, 1)),
        ("SELECT tags, 1 AS k FROM t ORDER BY k LIMIT 2", "nondeterministic", (1, 1)),
        ("SELECT DISTINCT tags FROM t ORDER BY tags", "ok", (1, 1)),
        ("SELECT f FROM t ORDER BY f", "ok", (1, 2)),
        ("SELECT {'a': tags} FROM t LIMIT 9", "ok", None),
    ],
)
def test_gold_of_lists_structs_and_nan(tmp_path: Path, sql: str, status: str, groups: Any) -> None:
    made = make_duckdb(
        tmp_path / "t.duckdb",
        (
            "CREATE TABLE t (id INT, tags INT[], f DOUBLE)",
            "INSERT INTO t VALUES (1, [1, 2], 'nan'), (2, [3], 1.5), (3, [3], 'nan')",
        ),
    )
    with connect(str(made)) as engine:
        gold = check_gold(engine, sql)
        assert (gold.status, gold.groups) == (status, groups)
        assert judge(engine.run(sql).rows, gold.rows, gold.groups).correct


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_lost_connection_is_not_golds_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Whenever it is lost: in the first run, the second, or while the order is looked at."""
    with connect(str(heroes(tmp_path / "hero.sqlite"))) as engine:
        calls, run = list[str](), engine.run

        def lost(sql: str, **more: Any) -> Any:
            calls.append(sql)
            if len(calls) == at:
                raise ConnectError("the connection was lost")
            return run(sql, **more)

        monkeypatch.setattr(engine, "run", lost)
        with pytest.raises(ConnectError):
            check_gold(engine, "SELECT name FROM hero ORDER BY height DESC")
