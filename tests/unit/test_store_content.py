"""What the store keeps: folding, counts, literals, sources, rejected scripts, and the same again."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from sqlore.knowledge import Store, learn
from sqlore.knowledge.store.write import MAX_VARIANTS
from sqlore.model import KINDS, Rejected, Script
from store_helpers import WordEmbedder, content, teach

SQL = "SELECT name FROM hero WHERE height > 170"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.sqlore"


@pytest.fixture
def store(path: Path):  # type: ignore[no-untyped-def]
    with Store.create(path) as opened:
        yield opened


def item(store: Store, key: str):  # type: ignore[no-untyped-def]
    kind, _, skeleton = key.partition(": ")
    found = store.item_by_key(kind, skeleton)  # type: ignore[arg-type]
    assert found is not None, key
    return found


# ------------------------------------------------------------------ folding (case 16)


@pytest.mark.parametrize(
    ("again", "texts", "literals"),
    [
        (SQL, 1, ((("170",), 1),)),
        ("select  NAME from HERO\nwhere Height>170", 1, ((("170",), 1),)),
        ("SELECT h.name FROM hero AS h WHERE 170 < h.height", 1, ((("170",), 1),)),
        ("SELECT name FROM hero WHERE height > 200", 2, ((("170",), 1), (("200",), 1))),
    ],
    ids=["the same", "blanks and case", "alias names", "other literals"],
)
def test_one_script_for_one_piece_of_knowledge(
    store: Store, again: str, texts: int, literals: object
) -> None:
    teach(store, SQL, again)
    [script] = store.scripts()
    assert script.variants == texts
    assert script.script.runs == 2
    condition = item(store, "condition: hero.height > <val>")
    assert (condition.support, condition.runs, condition.literals) == (1, 2, literals)


def test_another_question_of_one_script_is_kept_and_found(store: Store) -> None:
    teach(
        store,
        Script(SQL, question="Which heroes are tall?", source="a"),
        Script(SQL, question="Name the giants", source="a"),
    )
    assert [text.words for text in store.texts()] == ["Which heroes are tall?", "Name the giants"]
    assert store.scripts()[0].variants == 2
    assert store.fts_search("giants", "script") == store.fts_search("giants", "script", 1)
    assert store.fts_search("giants", "script")[0][0] == 1
    assert len(store.vectors("text")[0]) == 2


def test_different_knowledge_stays_different(store: Store) -> None:
    teach(store, SQL, SQL.replace(">", ">="), SQL.replace("name", "DISTINCT name"))
    assert store.stats().scripts == 3
    assert item(store, "condition: hero.height > <val>").support == 2
    assert item(store, "condition: hero.height >= <val>").support == 1


def test_a_million_calls_of_one_query_are_a_count(store: Store) -> None:
    teach(store, *(SQL.replace("170", str(n)) for n in range(MAX_VARIANTS + 40)))
    [script] = store.scripts()
    assert script.variants == MAX_VARIANTS
    assert script.script.runs == MAX_VARIANTS + 40
    assert store.stats().texts == MAX_VARIANTS + 40
    again = teach(store, *(SQL.replace("170", str(n)) for n in range(MAX_VARIANTS + 40)))
    assert again.known == MAX_VARIANTS + 40


# ------------------------------------------------------------------ the same again


def test_learning_twice_changes_nothing(store: Store, path: Path) -> None:
    scripts = [
        Script(SQL, key="1", question="q1?", author="ann", time="2024-01-02", source="a"),
        Script(SQL, key="2", question="q1?", author="bob", time="2024-03-02", source="a"),
        Script("SELECT count(*) FROM hero GROUP BY city ORDER BY 1 DESC LIMIT 3", source="b", runs=7),
        Script("SELEKT nonsense FRM", source="b"),
        Script("DROP TABLE hero", source="b"),
        Rejected(Script("", source="c", line=4), "unreadable", "binary data"),
    ]
    embedder = WordEmbedder()
    first = learn(store, scripts, dialect="sqlite", embedder=embedder)
    before, embedded = content(path), embedder.texts
    assert (first.read, first.new, first.known, sum(first.rejected.values())) == (6, 2, 0, 3)
    second = learn(store, scripts, dialect="sqlite", embedder=embedder)
    assert (second.read, second.new, second.folded, second.known, second.items) == (6, 0, 0, 6, 0)
    assert content(path) == before
    assert embedder.texts == embedded


def test_a_history_that_grew_adds_only_what_is_new(store: Store) -> None:
    teach(store, SQL)
    report = teach(store, SQL, "SELECT city FROM hero", SQL)
    assert (report.new, report.known, report.items) == (1, 2, 1)
    assert [script.script.runs for script in store.scripts()] == [2, 1]


def test_the_same_text_in_another_source_is_another_run(store: Store) -> None:
    teach(store, Script(SQL, source="jan.log"), Script(SQL, source="feb.log"))
    teach(store, Script(SQL, source="feb.log"))
    assert store.scripts()[0].script.runs == 2


def test_batches_make_no_difference(tmp_path: Path) -> None:
    sql = [f"SELECT a FROM t WHERE b = {n % 7} AND c{n % 3} > 1" for n in range(40)]
    kept = []
    for size in (1, 7, 500):
        with Store.create(tmp_path / f"{size}.sqlore") as store:
            teach(store, *sql, batch=size)
            kept.append(
                [(i.kind, i.skeleton, i.support, i.runs, i.literals, i.description) for i in store.items()]
            )
    assert kept[0] == kept[1] == kept[2]


# ------------------------------------------------------------------ counts


def test_counts_agree_with_the_tables(store: Store, path: Path) -> None:
    teach(
        store,
        *(f"SELECT a{n % 5}, count(*) FROM t{n % 3} WHERE b = {n} GROUP BY a{n % 5}" for n in range(60)),
        "SELECT x FROM t1 WHERE b = 1 AND b = 2",
        batch=9,
    )
    teach(store, *(Script(f"SELECT z{n} FROM t1 WHERE b = 3", source="late", runs=n + 1) for n in range(5)))
    with sqlite3.connect(path) as db:
        support: dict[int, set[int]] = {}
        runs: dict[int, int] = {}
        for number, script in db.execute(
            "SELECT f.item, v.script FROM fragments f JOIN variants v ON v.id = f.variant"
        ):
            support.setdefault(number, set()).add(script)
        for script, count in db.execute(
            "SELECT v.script, g.runs FROM sightings g JOIN variants v ON v.id = g.variant"
        ):
            runs[script] = runs.get(script, 0) + count
    for found in store.items():
        assert found.support == len(support[found.id])
        assert found.runs == sum(runs[script] for script in support[found.id])
        assert set(found.scripts) == support[found.id]
    assert store.stats().runs == sum(runs.values()) == 61 + 15
    assert store.health(WordEmbedder()).ok


def test_a_wrong_count_is_found_and_repaired(store: Store, path: Path) -> None:
    teach(store, SQL)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE items SET support = 9 WHERE kind = 'condition'")
    assert "wrong count" in store.health().problems[0]
    store.repair()
    assert store.health(WordEmbedder()).ok


def test_who_and_when(store: Store) -> None:
    teach(
        store,
        Script(SQL, author="bob", time="2024-03-01", source="a"),
        Script(SQL, author="ann", time="2023-05-01", source="a"),
        Script(SQL.replace("170", "5"), author="bob", time="yesterday", source="a"),
    )
    found = item(store, "condition: hero.height > <val>")
    assert (found.authors, found.first_seen, found.last_seen) == (("ann", "bob"), "2023-05-01", "2024-03-01")


# ------------------------------------------------------------------ reading


def test_a_script_comes_back_as_it_was(store: Store) -> None:
    read = Script(
        'SELECT \'naïve 日本 \U0001f600\', "a""b" FROM t -- x',
        key="7",
        question="Why?",
        comment="because",
        evidence="b means c",
        author="ann",
        time="2024-01-01T00:00:00",
        runs=3,
        source="dir/a.sql",
        line=12,
        dialect="duckdb",
        database="shop",
    )
    learn(store, [read])
    [stored] = store.scripts()
    assert stored.script == read
    assert stored.skeleton == store.items(kind="query")[0].skeleton


def test_fragments_are_where_they_were(store: Store) -> None:
    sql = (
        "SELECT count(*) FROM a JOIN b ON a.id = b.a_id WHERE b.x IN (SELECT y FROM c WHERE z = 'q') LIMIT 5"
    )
    teach(store, sql)
    found = {number: (sql[start:end], scope) for number, start, end, scope in store.fragments(1)}
    by_key = {f"{i.kind}: {i.skeleton}": i.id for i in store.items()}
    assert found[by_key["condition: c.z = <val>"]] == ("z = 'q'", "main/subquery:1")
    assert found[by_key["calculation: count(*)"]] == ("count(*)", "main")
    assert [i.id for i in store.items_of_script(1)] == list(dict.fromkeys(found))
    assert set(found) == set(store.scripts()[0].items)


def test_items_are_filtered(store: Store) -> None:
    teach(
        store,
        "SELECT count(*) FROM orders WHERE status = 'P' LIMIT 5",
        "SELECT avg(price) FROM product LIMIT 9",
    )
    assert {i.skeleton for i in store.items(table="ORDERS", kind="condition")} == {"orders.status = <val>"}
    assert [i.skeleton for i in store.items(text="average")] != []
    assert store.items(text="100%") == []
    assert store.items(kind="output")[0].support == 2
    everything = store.items()
    assert [i.id for i in everything[2:5]] == [i.id for i in store.items(limit=3, offset=2)]
    assert {i.kind for i in everything} <= set(KINDS)
    assert store.item(10_000) is None
    assert store.script(10_000) is None
    assert store.scripts_of_item(10_000) == []


def test_scripts_of_an_item(store: Store) -> None:
    teach(store, SQL, SQL.replace("name", "city"), "SELECT 1")
    found = item(store, "condition: hero.height > <val>")
    assert [s.id for s in store.scripts_of_item(found.id)] == [1, 2]
    assert found.sql == "hero.height > 170"


def test_two_schemas_with_one_table_name(store: Store) -> None:
    teach(store, "SELECT a.x FROM s1.t a WHERE a.y = 1", "SELECT a.x FROM s2.t a WHERE a.y = 1")
    assert {i.skeleton for i in store.items(kind="condition")} == {"s1.t.y = <val>", "s2.t.y = <val>"}
    assert {i.tables for i in store.items(kind="condition")} == {("s1.t",), ("s2.t",)}
    assert {i.columns for i in store.items(kind="condition")} == {("s1.t.y",), ("s2.t.y",)}


def test_odd_names_come_back(store: Store) -> None:
    teach(store, 'SELECT 1 FROM "table-name" WHERE "Free Meal (K-12)" > 3 AND "a""b.c" = 1')
    columns = {column for i in store.items(kind="condition") for column in i.columns}
    assert columns == {'"table-name"."free meal (k-12)"', '"table-name"."a""b.c"'}


def test_a_huge_list_of_values_is_kept_in_measure(store: Store) -> None:
    values = ", ".join(map(str, range(20_000)))
    teach(store, f"SELECT a FROM t WHERE b IN ({values})")
    found = item(store, "condition: t.b in (<val>)")
    assert len(found.sql) < 5000
    assert len(found.literals[0][0]) <= 64
    assert len(found.description) <= 400


def test_examples_of_values_reach_the_description(store: Store) -> None:
    for city in ("Oslo", "Rome", "Lima", "Bonn", "Oslo"):
        teach(store, f"SELECT a FROM town WHERE city = '{city}'")
    found = item(store, "condition: town.city = <val>")
    assert found.description == "towns whose city is Oslo (or Rome or Lima)"
    assert [values for values, _ in found.literals] == [("Oslo",), ("Rome",), ("Lima",), ("Bonn",)]


def test_aliases_are_names_people_use(store: Store) -> None:
    teach(
        store,
        "SELECT sum(o.amount) - sum(o.discount) AS net_revenue FROM orders o",
        "SELECT sum(amount) - sum(discount) AS turnover, city FROM orders GROUP BY city",
    )
    [found] = [i for i in store.items(kind="calculation") if " - " in i.skeleton]
    assert found.aliases == ("net revenue", "turnover")
    assert store.fts_search("turnover")[0][0] == found.id


# ------------------------------------------------------------------ rejected


def test_what_is_not_learned_is_kept_with_its_reason(store: Store) -> None:
    report = teach(
        store,
        SQL,
        Script("SELEKT a FRM t", key="k", source="a.sql", line=3, author="ann"),
        "SHOW TABLES",
        "DROP TABLE hero",
        "  ;; ",
        "SELECT '\ud800' FRM (",
    )
    assert report.new == 1
    assert report.rejected["not_a_query"] >= 2
    assert store.stats().by_reason == dict(report.rejected)
    kept = {r.script.sql: r for r in store.rejected()}
    assert kept["SELEKT a FRM t"].reason == "unparsable"
    assert kept["SELEKT a FRM t"].script.author == "ann"
    assert kept["SELEKT a FRM t"].line == 3
    assert all(r.message for r in kept.values())
    assert {r.reason for r in store.rejected("not_a_query")} == {"not_a_query"}
    assert store.stats().scripts == 1


def test_rejected_scripts_get_another_try_when_asked(store: Store, path: Path) -> None:
    given = Rejected(Script(SQL, source="a"), "unparsable", "an older sqlore could not")
    learn(store, [given], dialect="sqlite")
    assert learn(store, [Script(SQL, source="a")], dialect="sqlite").known == 1
    report = learn(store, [Script(SQL, source="a")], dialect="sqlite", retry=True)
    assert report.new == 1
    assert store.rejected() == []
    assert len(content(path)["rejected"]) == 0


def test_what_was_not_learned_can_be_dismissed_and_stays_so(store: Store) -> None:
    """It is not listed and not counted; the same history again does not bring it back."""
    bad = [
        Rejected(Script("SELEKT 1", source="a"), "unparsable", "no statement"),
        Rejected(Script("UPDATE t SET a = 1", source="a"), "not_a_query", "it changes something"),
    ]
    learn(store, bad)
    [(number, first), _] = store.rejections()
    assert store.dismiss(number) == 1
    assert first.script.sql not in {one.script.sql for one in store.rejected()}
    assert store.stats().rejected == 1
    assert store.dismiss(reason="empty") == 0
    assert store.dismiss() == 1
    assert (store.rejected(), store.stats().by_reason) == ([], {})
    report = learn(store, bad)
    assert (report.known, report.rejected) == (2, {})
    assert len(store.rejected(dismissed=True)) == 2


def test_synthetic_scripts_become_real_when_somebody_ran_them(store: Store) -> None:
    teach(store, Script(SQL, source="made"), synthetic=True)
    assert store.scripts()[0].synthetic
    teach(store, Script(SQL.replace("170", "180"), source="real"))
    assert not store.scripts()[0].synthetic
