"""Citations: computed from the query's own fragments, never invented, and said as what they are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from typing import Any

import pytest

from sqlore.answer.asked_before import asked_before
from sqlore.answer.cite import THRESHOLD, cite, similarity, skeleton_tokens
from sqlore.answer.reuse import Reuser
from sqlore.catalog import catalog_from_schema, load_tables_json
from sqlore.knowledge import Store, learn
from sqlore.model import Citation, Column, ForeignKey, Rows, Schema, Script, Table
from sqlore.sql import parse_script
from support import data_dir

SCHEMA = Schema(
    (
        Table("publisher", (Column("id", "INTEGER", primary_key=True), Column("name", "TEXT"))),
        Table(
            "hero",
            (
                Column("id", "INTEGER", primary_key=True),
                Column("name", "TEXT"),
                Column("height", "INTEGER"),
                Column("publisher_id", "INTEGER"),
            ),
            foreign_keys=(ForeignKey(("publisher_id",), "publisher", ("id",)),),
        ),
    ),
    "heroes",
    "sqlite",
)
HISTORY = (
    "SELECT h.name FROM hero h JOIN publisher p ON h.publisher_id = p.id WHERE p.name = 'Marvel Comics'",
    "SELECT count(*) FROM hero WHERE height > 180",
    "SELECT count(*) FROM hero WHERE height > 200 AND name LIKE 'A%'",
    "SELECT name FROM hero ORDER BY height DESC LIMIT 3",
)


def learned(history: tuple[str, ...], schema: Schema, comments: tuple[str | None, ...] = ()) -> Store:
    store = Store.create(":memory:")
    scripts = [
        Script(sql, key=str(number), comment=comment, dialect="sqlite")
        for number, (sql, comment) in enumerate(zip_longest(history, comments))
    ]
    learn(store, scripts, catalog=catalog_from_schema(schema), dialect="sqlite", embedder=None)
    return store


@pytest.fixture
def store() -> Iterator[Store]:
    with learned(HISTORY, SCHEMA) as opened:
        yield opened


def of(citations: tuple[Citation, ...], sql: str) -> Citation:
    return next(c for c in citations if c.sql == sql)


def test_what_is_known_is_cited_with_its_scripts(store: Store) -> None:
    sql = "SELECT COUNT(*) FROM hero AS x WHERE 190 < x.height"
    citations = cite(sql, store, "sqlite", SCHEMA)
    condition = of(citations, "190 < x.height")
    assert (condition.status, condition.support, condition.similarity) == ("cited", 2, 1.0)
    assert len(condition.scripts) == 2
    assert of(citations, "COUNT(*)").status == "cited"
    item = store.item(condition.item or 0)
    assert item is not None
    assert item.skeleton == condition.skeleton == "hero.height > <val>"


def test_a_value_that_the_history_never_had_is_said(store: Store) -> None:
    sql = "SELECT COUNT(*) FROM hero WHERE height > 191 LIMIT 77"
    citations = cite(sql, store, "sqlite", SCHEMA)
    known = of(cite("SELECT COUNT(*) FROM hero WHERE height > 180", store, "sqlite", SCHEMA), "height > 180")
    assert (of(citations, "height > 191").status, of(citations, "height > 191").new_values) == (
        "cited",
        ("191",),
    )
    assert (known.status, known.new_values) == ("cited", ())
    assert all(c.new_values == () for c in citations if c.kind in ("output", "query"))


def test_how_many_scripts_have_the_value_is_counted_of_those_that_have_the_pattern(store: Store) -> None:
    def counted(condition: str, kept: Store) -> tuple[int, int | None]:
        sql = f"SELECT COUNT(*) FROM hero WHERE {condition} LIMIT 3"
        citations = cite(sql, kept, "sqlite", SCHEMA)
        assert of(citations, "LIMIT 3").with_values is None
        found = of(citations, condition)
        return found.support, found.with_values

    assert counted("height > 180", store) == (2, 1)
    assert counted("height > 191", store) == (2, 0)
    one_form = tuple(f"SELECT name FROM hero WHERE height > {value}" for value in (1, 2, 3, 3))
    with learned((*one_form, "SELECT id FROM hero WHERE height > 3"), SCHEMA) as kept:
        assert (counted("height > 3", kept), counted("height > 1", kept)) == ((2, 2), (2, 1))


def test_a_value_beyond_the_examples_that_an_item_names_is_not_new() -> None:
    history = tuple(f"SELECT count(*) FROM hero WHERE height > {value}" for value in range(60))
    with learned(history, SCHEMA) as kept:
        found = of(cite("SELECT name FROM hero WHERE height > 59", kept, "sqlite", SCHEMA), "height > 59")
        assert found.new_values == ()


def test_what_is_like_something_known_is_near_and_not_cited(store: Store) -> None:
    sql = "SELECT name FROM hero WHERE height >= 190 ORDER BY height ASC LIMIT 1"
    citations = cite(sql, store, "sqlite", SCHEMA)
    near = of(citations, "height >= 190")
    item = store.item(near.item or 0)
    assert item is not None
    assert (near.status, item.skeleton, near.skeleton) == (
        "near",
        "hero.height > <val>",
        "hero.height >= <val>",
    )
    assert THRESHOLD <= near.similarity < 1
    order = next(c for c in citations if c.kind == "output")
    assert (order.status, order.support) == ("near", 1)


@pytest.mark.parametrize(
    "condition",
    [
        "id = 5",
        "hero.publisher_id IN (SELECT publisher.id FROM publisher)",
        "length(upper(trim(name))) * 2 + id > 7",
    ],
)
def test_what_nothing_is_like_is_novel(store: Store, condition: str) -> None:
    found = of(cite(f"SELECT name FROM hero WHERE {condition}", store, "sqlite", SCHEMA), condition)
    assert (found.status, found.item, found.support, found.scripts) == ("novel", None, 0, ())


def test_a_left_join_is_no_inner_join(store: Store) -> None:
    sql = "SELECT h.name FROM hero h LEFT JOIN publisher p ON h.publisher_id = p.id"
    relations = [c for c in cite(sql, store, "sqlite", SCHEMA) if c.kind == "relation"]
    assert len(relations) == 2
    assert all(c.status == "near" for c in relations)


def test_citations_are_in_the_order_of_the_text(store: Store) -> None:
    citations = cite(HISTORY[0], store, "sqlite", SCHEMA)
    assert citations[0].kind == "query"
    assert [c.start for c in citations] == sorted(c.start for c in citations)
    assert all(HISTORY[0][c.start : c.end] == c.sql for c in citations)
    assert {c.status for c in citations} == {"cited"}


BY_HEIGHT = "SELECT count(*) FROM hero WHERE height > "


@pytest.mark.parametrize(
    ("history", "value", "said"),
    [
        (("?",), "180", (("180",), 0, True)),  # nobody knows which value stood there
        (("-:low", ":high"), "-3", (("-3",), 0, True)),
        ((":height", "200"), "180", (("180",), 0, False)),
        ((":height", "200"), "200", ((), 1, False)),
        ((":height", "200"), ":height", ((), None, False)),  # nor here
        ((":height", "200"), "?", ((), None, False)),
    ],
)
def test_where_the_history_has_a_parameter_it_has_no_value(
    history: tuple[str, ...], value: str, said: tuple[tuple[str, ...], int | None, bool]
) -> None:
    with learned(tuple(BY_HEIGHT + one for one in history), SCHEMA) as kept:
        citations = cite(BY_HEIGHT + value, kept, "sqlite", SCHEMA)
    for found in (of(citations, f"height > {value}"), of(citations, BY_HEIGHT + value)):
        assert found.status == "cited"
        assert (found.new_values, found.with_values, found.parameter) == said


@pytest.mark.parametrize(
    ("sql", "new", "used", "meaning"),
    [
        ("height > 180 AND name LIKE 'A%' LIMIT 3", (), 1, "heroes whose height is more than 180"),
        ("height > 180 AND name LIKE 'A%' LIMIT 99", (), 1, "heroes whose height is more than 180"),
        ("height > 190 AND name LIKE 'B%' LIMIT 3", ("190", "B%"), 0, "heroes whose height is more than 190"),
        ("height > 200 AND name LIKE 'A%' LIMIT 3", (), 0, "heroes whose height is more than 200"),
    ],
)
def test_a_whole_query_is_cited_with_its_values_and_says_its_own_meaning(
    sql: str, new: tuple[str, ...], used: int, meaning: str
) -> None:
    history = tuple(
        f"SELECT id FROM hero WHERE height > {height} AND name LIKE '{name}' LIMIT 3"
        for height, name in ((180, "A%"), (200, "C%"))
    )
    sql = "SELECT id FROM hero WHERE " + sql
    with learned(history, SCHEMA) as kept:
        citations = cite(sql, kept, "sqlite", SCHEMA)
        whole, part = of(citations, sql), next(c for c in citations if c.sql.startswith("height"))
        assert (whole.status, whole.new_values, whole.with_values) == ("cited", new, used)
        assert part.description == meaning
        assert meaning.rpartition(" ")[2] in whole.description
        kept.describe(part.item or 0, description="tall heroes", who="ann")
        assert of(cite(sql, kept, "sqlite", SCHEMA), part.sql).description == "tall heroes"


WARNED = "SELECT name FROM hero WHERE height > 180", "SELECT id FROM hero WHERE height > 200"


@pytest.mark.parametrize(
    ("comments", "value", "warning"),
    [
        (("do not use, counts villains", None), "180", "do not use, counts villains"),
        (("do not use, counts villains", None), "200", ""),
        (("do not use, counts villains", None), "191", ""),
        (("do not use, counts villains", "tall; deprecated"), "191", "do not use, counts villains"),
        (("do not use, counts villains", "TODO: in feet"), "200", ""),
    ],
)
def test_what_is_known_from_scripts_that_their_authors_warn_of_says_so(
    comments: tuple[str | None, ...], value: str, warning: str
) -> None:
    with learned(WARNED, SCHEMA, comments) as kept:
        sql = f"SELECT name FROM hero WHERE height > {value}"
        assert of(cite(sql, kept, "sqlite", SCHEMA), f"height > {value}").warning == warning


@pytest.mark.parametrize(
    ("question", "comment", "said"),
    [
        (
            "What is the name of the heroes with a height of more than 180?",
            "do not use, counts villains",
            "its author warns: do not use, counts villains",
        ),
        (None, "do not use, counts villains", "its author warns"),
        ("What is the name of the heroes with a height of more than 180?", "TODO: in feet", ""),
    ],
)
def test_a_script_that_its_author_warns_of_answers_no_question(
    question: str | None, comment: str, said: str
) -> None:
    script = Script(WARNED[0], key="7", question=question, comment=comment, dialect="sqlite")
    catalog = catalog_from_schema(SCHEMA)
    with Store.create(":memory:") as kept:
        learn(kept, [script], catalog=catalog, dialect="sqlite", embedder=None)
        rows = Rows(("name",), ())
        found = asked_before(question or comment, kept, catalog, "sqlite", lambda _: rows)
        known = Reuser(kept.texts(), catalog, "sqlite").find(question or comment)
    assert found is not None
    assert (found.sql is None, known is None) == (bool(said), bool(said))
    assert said in found.why


def test_an_empty_store_cites_nothing() -> None:
    with Store.create(":memory:") as empty:
        citations = cite(HISTORY[0], empty, "sqlite", SCHEMA)
        assert citations
        assert {c.status for c in citations} == {"novel"}


def test_deprecated_items_are_said_as_such_and_never_near(store: Store) -> None:
    known = store.item_by_key("condition", "hero.height > <val>")
    assert known is not None
    store.set_trust(known.id, "deprecated", "ann", "heights are wrong")
    sql = "SELECT name FROM hero WHERE height > 1 AND height >= 2"
    citations = cite(sql, store, "sqlite", SCHEMA)
    assert (of(citations, "height > 1").status, of(citations, "height > 1").trust) == ("cited", "deprecated")
    assert of(citations, "height >= 2").item != known.id


def test_stale_items_are_said_as_such(store: Store) -> None:
    hero = SCHEMA.tables[1]
    smaller = Table("hero", tuple(c for c in hero.columns if c.name != "height"))
    store.mark_stale(Schema((SCHEMA.tables[0], smaller), "heroes", "sqlite"))
    condition = of(cite("SELECT name FROM hero WHERE height > 1", store, "sqlite", SCHEMA), "height > 1")
    assert condition.status == "cited"
    assert "stale" in condition.description


def test_similarity_is_a_similarity() -> None:
    one, other = (
        Counter(skeleton_tokens("hero.height > <val>")),
        Counter(skeleton_tokens("hero.name = <val>")),
    )
    assert similarity(one, one, {}) == 1.0
    assert similarity(one, other, {}) == similarity(other, one, {}) < THRESHOLD
    assert similarity(Counter(), Counter(), {}) == 0.0


def test_tokens_of_quoted_and_numbered_names() -> None:
    skeleton = 'frpm."free meal count (k-12)" / employee#2.salary <> <val>'
    assert skeleton_tokens(skeleton) == [
        'frpm."free meal count (k-12)"', "/", "employee#2.salary", "<>", "<val>",
    ]  # fmt: skip


# ------------------------------------------------------------------ BIRD's histories


@cache
def bird() -> tuple[dict[str, list[dict[str, Any]]], dict[str, Schema]]:
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in json.loads(data_dir("bird", "dev.json").read_text(encoding="utf-8")):
        rows.setdefault(row["db_id"], []).append(row)
    return rows, load_tables_json(data_dir("bird", "dev_tables.json"))


@pytest.mark.data
@pytest.mark.parametrize("name", ["superhero", "financial", "california_schools", "debit_card_specializing"])
def test_every_fragment_of_a_history_cites_itself(name: str) -> None:
    """4 x 50 scripts against the store that learned them: regenerated from the SQL alone."""
    rows, schemas = bird()
    schema = schemas[name]
    with learned(tuple(row["SQL"] for row in rows[name]), schema) as store:
        skeletons = {script.id: script.skeleton for script in store.scripts()}
        items = {item.id: item for item in store.items()}
        for row in rows[name][:50]:
            sql = row["SQL"]
            citations = cite(sql, store, "sqlite", schema)
            parsed = parse_script(sql, dialect="sqlite", schema=schema)
            assert Counter((c.kind, c.start, c.end, c.skeleton) for c in citations) == Counter(
                (f.kind, f.start, f.end, f.skeleton) for f in parsed.fragments
            )
            for citation in citations:
                assert citation.status == "cited", (row["question_id"], citation)
                item = items[citation.item or 0]
                assert (item.kind, item.skeleton) == (citation.kind, citation.skeleton)
                assert parsed.skeleton in {skeletons[number] for number in citation.scripts}
