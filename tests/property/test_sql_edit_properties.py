"""Every piece of every BIRD script switched off, and written otherwise: the rest is what it was."""

from __future__ import annotations

import gc
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from sqlore.catalog import load_tables_json
from sqlore.errors import EditError
from sqlore.model import Fragment, Schema
from sqlore.sql import parse_script
from sqlore.sql.edit.compare import confirmed
from sqlore.sql.edit.off import switched_off
from sqlore.sql.edit.query import Query
from sqlore.sql.edit.replace import replaced
from sqlore.sql.edit.text import Change, applied, inverted
from support import data_dir

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def scripts() -> Iterator[list[tuple[Query, Schema]]]:
    """All scripts taken apart. The trees are many and live to the end: they are not looked through again."""
    schemas = load_tables_json(data_dir("bird", "dev_tables.json"))
    rows = json.loads(data_dir("bird", "dev.json").read_text(encoding="utf-8"))
    gc.disable()
    yield [(Query(row["SQL"], "sqlite", schemas[row["db_id"]]), schemas[row["db_id"]]) for row in rows]
    gc.enable()


def untouched(query: Query, change: Change) -> list[Fragment]:
    """The fragments that no edit touches."""
    return [f for f in query.fragments if not any(e.start < f.end and f.start < e.end for e in change.edits)]


def texts(fragments: Iterable[Fragment]) -> Counter[tuple[str, str, str]]:
    return Counter((f.kind, f.form, f.sql) for f in fragments)


def meanings(fragments: Iterable[Fragment]) -> Counter[tuple[str, str, str]]:
    return Counter((f.kind, f.sql, f.skeleton) for f in fragments)


def by_hand(sql: str, number: int) -> str:
    """The SQL without the predicate of that number in its outer WHERE, as sqlglot takes it out."""
    tree = sqlglot.parse_one(sql, dialect="sqlite")
    where: Any = tree.args.get("where")
    leaf = leaves(where.this)[number]
    while isinstance(leaf.parent, exp.Paren):
        leaf = leaf.parent
    parent = leaf.parent
    if isinstance(parent, exp.Where):
        tree.set("where", None)
    else:
        parent.replace(parent.right if parent.left is leaf else parent.left)
    return tree.sql("sqlite")


def leaves(node: Any) -> list[Any]:
    inner = node
    while isinstance(inner, exp.Paren):
        inner = inner.this
    if isinstance(inner, exp.And | exp.Or):
        return [*leaves(inner.left), *leaves(inner.right)]
    return [inner]


REFUSED = (
    "whole query",
    "needs its FROM",
    "only column",
    "needs the tables",
    "HAVING",
    "another part",
    "UNION",
)


def assert_same(query: Query, schema: Schema, change: Change, after: Query) -> None:
    """What is not touched has its text, and its meaning unless it is said to be affected; the way back is."""
    parsed = parse_script(change.after, "sqlite", schema)
    assert parsed.fragments == after.fragments
    left = untouched(query, change)
    assert not texts(left) - texts(parsed.fragments), (query.sql, change.after)
    other = meanings(left) - meanings(parsed.fragments)
    assert {sql for _, sql, _ in other} <= set(change.affected), (query.sql, change.after)
    assert applied(change.after, inverted(change)) == query.sql


def test_every_piece_switched_off_and_on(scripts: list[tuple[Query, Schema]]) -> None:
    outcomes: Counter[tuple[str, str]] = Counter()
    for query, schema in scripts:
        for number, fragment in enumerate(query.fragments):
            try:
                proposed = switched_off(query, number)
            except EditError as error:
                refused = error
                outcomes[fragment.kind, "refused"] += 1
            else:
                change, after = confirmed(query, proposed)
                outcomes[fragment.kind, "off"] += 1
                assert_same(query, schema, change, after)
                continue
            assert any(why in refused.message for why in REFUSED), refused
            assert refused.position == fragment.start
            assert refused.hint
    assert outcomes["condition", "refused"] == outcomes["output", "refused"] == 0
    assert outcomes["condition", "off"] > 1500
    assert outcomes["dimension", "off"] > outcomes["dimension", "refused"]


def test_a_condition_switched_off_is_the_query_without_it(scripts: list[tuple[Query, Schema]]) -> None:
    compared = 0
    for query, _ in scripts:
        node = query.select(query.scope(0))
        if node is None or node.args.get("where") is None:
            continue
        for number in range(len(query.fragments)):
            if query.fragments[number].kind != "condition" or query.scope(number) is not query.scope(0):
                continue
            place = query.place(number)
            if place.clause != "where":
                continue
            change = switched_off(query, number, joins="none")
            hand = by_hand(query.sql, place.index)
            assert sqlglot.parse_one(change.after, dialect="sqlite").sql("sqlite") == hand, query.sql
            compared += 1
    assert compared > 1000


def test_every_piece_written_otherwise(scripts: list[tuple[Query, Schema]]) -> None:
    seen: Counter[str] = Counter()
    for query, _ in scripts:
        for number, fragment in enumerate(query.fragments):
            if fragment.kind == "query":
                continue
            text = f"{fragment.sql} /* as before */"
            change, after = replaced(query, number, text)
            (edit,) = change.edits
            assert (edit.start, edit.end) == (fragment.start, fragment.end)
            assert change.after.replace(" /* as before */", "") == query.sql
            assert [f.skeleton for f in after.fragments] == [f.skeleton for f in query.fragments]
            assert change.affected == ()
            seen[fragment.kind] += 1
    assert set(seen) == {"calculation", "condition", "relation", "dimension", "output"}
