"""Rates, intervals and significance of a run's lines."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from scipy.stats import binomtest

from sqlore.evals.execution.diff import questions_of
from sqlore.evals.execution.files import questions_markdown
from sqlore.evals.execution.html import as_html
from sqlore.evals.execution.report import execution_json, execution_sheets, report_of
from sqlore.evals.execution.scores import pairs_of, scores_of, sign_test
from sqlore.evals.plots.execution import TITLES, execution_plots


def line(strategy: str, task: int, right: bool, **more: Any) -> dict[str, Any]:
    usage = {"prompt": 100 + task, "cached": 50, "completion": 10, "seconds": 1.0, "calls": 2, "cost": None}
    told = {
        "strategy": strategy,
        "database": "hero",
        "question_id": str(task),
        "question": f"question {task} <b>?",
        "gold": "SELECT 1",
        "sql": f"SELECT {task if right else -task} AS {strategy}",
        "dialect": "sqlite",
        "correct": right,
        "strict": right,
        "skeleton": False,
        "valid": True,
        "error": None,
        "why": "" if right else "other",
        "counted": True,
        "difficulty": "simple" if task % 2 else "challenging",
        "kinds": ["condition", "output"] if task % 3 else ["relation"],
        "seconds": float(task),
        "usage": usage,
    }
    return told | more


LINES = [line("a", n, n <= 4) for n in range(1, 11)] + [line("b", n, n <= 9 and n != 2) for n in range(1, 11)]


def report(lines: list[dict[str, Any]] = LINES) -> Any:
    gold = [{"database": "hero", "question_id": "1", "status": "ok", "message": "", "rows": 0}]
    gold.append(gold[0] | {"question_id": "11", "status": "error", "message": "no such table"})
    return report_of(["a", "b"], lines, gold, model="m", missing={"lost": 3}, expected=25, run="r")


def test_what_is_printed_as_json() -> None:
    said = execution_json(report())
    a, b = said["results"]
    assert (a["strategy"], a["execution_accuracy"], a["tasks"]) == ("a", 0.4, 10)
    assert (b["execution_accuracy"], b["valid"], b["skeleton_match"]) == (0.8, 1.0, 0.0)
    low, high = a["interval"]["execution_accuracy"]
    assert 0 < low < 0.4 < high < 1
    assert a["by_difficulty"] == {
        "simple": {"tasks": 5, "execution_accuracy": 0.4, "strict_accuracy": 0.4, "skeleton_match": 0.0}
        | {"valid": 1.0},
        "challenging": {"tasks": 5, "execution_accuracy": 0.4, "strict_accuracy": 0.4, "skeleton_match": 0.0}
        | {"valid": 1.0},
    }
    assert {kind: part["tasks"] for kind, part in a["by_kind"].items()} == {
        "condition": 7,
        "relation": 3,
        "output": 7,
    }
    assert a["tokens"] == {"prompt": 105.5, "cached": 50.0, "completion": 10.0}
    assert (a["seconds"]["median"], a["calls"]) == (5.5, 2.0)
    assert a["outcomes"] == {"right": 4, "other": 6}
    assert said["gold"]["status"] == {"ok": 1, "error": 1}
    assert said["gold"]["empty"] == 1
    assert said["gold"]["unusable"][0]["message"] == "no such table"
    assert said["without_database"] == {"lost": 3}
    assert (said["done"], said["expected"]) == (20, 25)


def test_two_strategies_side_by_side() -> None:
    (pair,) = execution_json(report())["pairs"]
    # a alone is right on task 2, b alone on 5 to 9
    assert (pair["both"], pair["only_a"], pair["only_b"], pair["difference"]) == (3, 1, 5, -0.4)
    assert pair["p"] == pytest.approx(binomtest(1, 6).pvalue, abs=1e-6)
    low, high = pair["interval"]
    assert low < -0.4 < high


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (1, 0), (3, 9), (40, 22), (800, 700)])
def test_the_sign_test_is_the_exact_binomial_one(better: int, worse: int) -> None:
    expected = binomtest(better, better + worse).pvalue if better + worse else 1.0
    assert sign_test(better, worse) == pytest.approx(expected)


def test_p_values_are_adjusted_for_all_pairs() -> None:
    """Holm: the least of three by three, the next by two, never falling, never above one."""
    lines = LINES + [line("c", n, n != 10) for n in range(1, 11)]
    pairs = pairs_of(scores_of(["a", "b", "c"], lines))
    plain = sorted(pair.p for pair in pairs)
    wanted = [min(1, 3 * plain[0])]
    wanted.append(max(wanted[0], min(1, 2 * plain[1])))
    wanted.append(max(wanted[1], plain[2]))
    assert sorted(pair.adjusted for pair in pairs) == pytest.approx(wanted)


def test_uncertain_tasks_count_apart() -> None:
    lines = [one | {"counted": one["question_id"] != "1"} for one in LINES]
    first = execution_json(report(lines))["results"][0]
    assert (first["tasks"], first["execution_accuracy"]) == (9, round(3 / 9, 5))
    assert first["with_uncertain"] == {"tasks": 10, "execution_accuracy": 0.4}


def test_a_run_without_lines_has_a_report() -> None:
    said = execution_json(report_of(["a"], [], [], model="m"))
    assert said["results"][0]["tasks"] == 0
    assert execution_sheets(report_of(["a"], [], [], model="m"))
    assert execution_plots(report_of(["a"], [], [], model="m")) == {}


def test_tables_and_plots() -> None:
    titles = [sheet.title for sheet in execution_sheets(report())]
    assert titles == [
        "Strategies",
        "Side by side",
        "Cost of a question",
        "By difficulty",
        "By kind of knowledge",
        "What came of it",
        "Gold that cannot be used",
    ]
    assert "20 of 25" in execution_sheets(report())[0].note
    assert list(execution_plots(report())) == list(TITLES)


def test_questions_are_told_with_the_difference_between_strategies() -> None:
    told = questions_of(LINES)
    assert [one.question_id for one in told if one.differs] == ["2", "5", "6", "7", "8", "9"]
    assert [one.question_id for one in told if one.wrong] == ["10"]
    text = questions_markdown(told[4:5])
    assert "**a**: wrong, other rows" in text
    assert "-   -5 AS a\n+   5 AS b" in text
    page = as_html("Execution", [], {}, told)
    assert "Questions that some strategies answered right (6)" in page
    assert '<span class="minus">-   -5 AS a</span><span class="plus">+   5 AS b</span>' in page
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


def test_the_page_closes_what_it_opens() -> None:
    opened: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: Any) -> None:
            if tag not in ("meta", "br"):
                opened.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert opened.pop() == tag

    Reader().feed(as_html("Execution", execution_sheets(report()), {"a": "<svg></svg>"}, questions_of(LINES)))
    assert opened == []


def test_the_same_sql_is_told_once() -> None:
    same = [line("a", 1, True, sql="select 1"), line("b", 1, True, sql="SELECT 1")]
    (told,) = questions_of(same)
    assert told.said[0].strategies == ("a", "b")
    (fenced,) = questions_of([line("a", 1, False, sql="no ``` SQL at all", why="error")])
    assert "````sql\nno ``` SQL at all\n````" in questions_markdown([fenced])
