"""Statistics of benchmarks: each measure by hand, and the paper's figures on the public sets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqlore.errors import SqlError
from sqlore.evals.build.annotate import Annotator
from sqlore.evals.build.stats import PUBLISHED, knowledge_stats, sql_stats, summarise
from sqlore.evals.tasks import History
from sqlore.model import Script
from sqlore.sql import parse_script
from support import data_dir


@pytest.mark.parametrize(
    ("sql", "functions", "subqueries", "joined", "longest", "depth"),
    [
        ("SELECT a FROM t", 0, 0, 1, 1, 1),
        ("SELECT COUNT(*), CAST(SUM(a) AS REAL) FROM t WHERE b IN (1, 2) AND (c = 1)", 3, 0, 1, 1, 1),
        ("SELECT a FROM t JOIN u ON t.i = u.i, v WHERE a IN (SELECT MAX(a) FROM t)", 1, 1, 3, 3, 2),
        ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.i IN (SELECT i FROM v))", 0, 2, 1, 1, 3),
        ("WITH x AS (SELECT a FROM t JOIN u ON t.i = u.i) SELECT COUNT(a) FROM x", 1, 0, 2, 2, 2),
        ("SELECT a FROM t UNION SELECT b FROM u JOIN v ON u.i = v.i", 0, 0, 2, 2, 1),
        ("SELECT x.a FROM (SELECT a FROM t JOIN u ON t.i = u.i) x JOIN v ON v.i = x.a", 0, 1, 3, 2, 2),
    ],
)
def test_what_a_query_is_made_of(
    sql: str, functions: int, subqueries: int, joined: int, longest: int, depth: int
) -> None:
    found = sql_stats(sql)
    counted = (found.functions, found.subqueries, found.join_length, found.longest_from, found.nest_depth)
    assert counted == (functions, subqueries, joined, longest, depth)
    assert found.words == len(sql.split())
    assert found.tokens is None or found.tokens >= found.words


def test_a_text_that_is_no_query() -> None:
    with pytest.raises(SqlError):
        sql_stats("DROP TABLE t")


def test_knowledge_is_counted_as_in_tables_8_to_10() -> None:
    tasks = [
        {
            "history_knowledge": {
                "condition: a.b = <val>": [1],
                "relation: a.x = c.x": [2],
                "query: select": [1],
            }
        },
        {"history_knowledge": {"a.b=<val>": [1], "c.d = <val>": [3]}},
        {"history_knowledge": {}},
    ]
    found = knowledge_stats(tasks)
    assert found is not None
    assert (found.tasks, found.total) == (2, 5)
    assert (dict(found.items), dict(found.types)) == ({3: 1, 2: 1}, {3: 1, 1: 1})
    assert found.kinds == {"relation": 1, "condition": 3, "query": 1}
    assert knowledge_stats([{"question": "?"}]) is None


def test_the_papers_figures() -> None:
    """Spider's are those of its test set, BIRD's of all eleven databases: ours come near."""
    bird = summarise(data_dir("bird", "dev.json")).means
    spider = summarise(data_dir("spider", "dev.json")).means
    for means, name in ((bird, "BIRD (dev)"), (spider, "Spider")):
        _, tokens, functions, subqueries, joined, depth = PUBLISHED[name]
        assert means["tokens"] == pytest.approx(tokens, rel=0.02)
        assert means["subqueries"] == pytest.approx(subqueries, abs=0.011)
        assert means["join_length"] == pytest.approx(joined, abs=0.04)
        assert means["nest_depth"] == pytest.approx(depth, abs=0.006)
        if name == "Spider":
            assert means["functions"] == pytest.approx(functions, abs=0.02)


def test_kaggledbqa(tmp_path: Path) -> None:
    files = sorted(data_dir("kaggledbqa", "examples").glob("*_test.json"))
    tasks = [task for file in files for task in json.loads(file.read_text(encoding="utf-8"))]
    merged = tmp_path / "kaggle.json"
    merged.write_text(json.dumps(tasks), encoding="utf-8")
    found = summarise(merged)
    assert (found.tasks, found.unread) == (140, 0)
    _, tokens, functions, subqueries, joined, depth = PUBLISHED["KaggleDBQA"]
    assert found.means["tokens"] == pytest.approx(tokens, rel=0.02)
    assert found.means["functions"] == pytest.approx(functions, abs=0.04)
    assert found.means["subqueries"] == pytest.approx(subqueries, abs=0.005)
    assert found.means["join_length"] == pytest.approx(joined, abs=0.03)
    assert found.means["nest_depth"] == pytest.approx(depth, abs=0.005)


def scripts(*texts: str) -> History:
    parsed = [parse_script(Script(sql, key=str(key)), "sqlite") for key, sql in enumerate(texts, 1)]
    return History("heroes", parsed)


def test_an_annotation_says_who_holds_what_and_what_is_new() -> None:
    history = scripts(
        "SELECT COUNT(id) FROM hero WHERE side = 'Bad'",
        "SELECT name FROM hero WHERE side = 'Good' AND height > 200",
    )
    sql = (
        "SELECT (SELECT COUNT(id) FROM hero WHERE side = 'Good') - COUNT(name) FROM hero WHERE side = 'Ugly'"
    )
    found = Annotator(history, "sqlite").annotate(sql)
    assert found.knowledge() == {
        "calculation: count(hero.id)": [1],
        "condition: hero.side = <val>": [1, 2],
        "query: select count(hero.id) from hero where hero.side = <val>": [1],
    }
    assert "query" not in {key.split(":")[0] for key in found.knowledge(whole=False)}
    (side,) = [piece for piece in found.rich() if piece["kind"] == "condition"]
    assert [sql[start:end] for start, end in side["spans"]] == ["side = 'Good'", "side = 'Ugly'"]
    assert (side["same_values"], side["new_values"]) == ([2], ["Ugly"])
    assert len(found.novel) == 1


def test_an_annotation_in_another_spelling_agrees() -> None:
    history = scripts("SELECT h.name FROM hero h JOIN side s ON h.side_id = s.id WHERE s.name = 'Bad'")
    annotator = Annotator(history, "sqlite")
    sql = "SELECT COUNT(*) FROM hero h JOIN side s ON h.side_id = s.id WHERE s.name = 'Good'"
    written = {"FROM hero AS T1 INNER JOIN side AS T2 ON T1.side_id = T2.id": ["1"], "side.name=<val>": ["1"]}
    assert annotator.agreement(sql, written).exact
    fewer = annotator.agreement(sql, {"side.name=<val>": ["1", "2"]})
    assert (fewer.both, len(fewer.extra), fewer.ids) == (1, 1, ("condition: side.name = <val>",))
