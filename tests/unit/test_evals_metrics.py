"""The measures of retrieval: what is counted, and how sure a rate is."""

from __future__ import annotations

import numpy as np
import pytest

from sqlore.evals.metrics import Scores, count
from sqlore.evals.rates import intervals

A, B, C = "condition: t.a = <val>", "relation: t.a = u.a", "output: distinct"


def test_a_fragment_met_twice_counts_once() -> None:
    found = count([A, B], [A, A, C], ranking=[C, C, A], scripts=[[A, C], [A]])
    assert (sum(found.right.values()), sum(found.offered.values())) == (1, 2)
    assert found.within[5] == 1


def test_whole_queries_are_not_scored() -> None:
    found = count([A], ["query: select 1", A], ranking=["query: select 1"] * 9 + [A])
    assert sum(found.offered.values()) == 1
    assert found.within[5] == 1


def test_kinds_are_scored_apart() -> None:
    scores = Scores([count([A, B], [A, C])])
    assert scores.precision("condition") == scores.recall("condition") == 1
    assert scores.recall("relation") == scores.precision("output") == 0
    assert scores.f1() == pytest.approx(0.5)


def test_nothing_offered_and_nothing_needed_is_no_error() -> None:
    assert Scores([]).f1() == Scores([count([], [])]).f1() == 0
    assert [rate.value for rate in Scores([]).intervals()] == [0, 0, 0]


def test_intervals_hold_the_rate_and_narrow_with_more_tasks() -> None:
    generator = np.random.default_rng(1)
    rows = np.stack([generator.integers(0, 3, 400), np.full(400, 4), np.full(400, 3)], axis=1).astype(float)
    few, many = intervals(rows[:40])[2], intervals(rows)[2]
    assert few.low < few.value < few.high
    assert many.high - many.low < (few.high - few.low) / 2
    assert intervals(rows)[2] == many
    assert intervals(rows, seed=7)[2] != many


def test_interval_has_the_width_that_theory_gives() -> None:
    """Precision of tasks that offer one fragment each is a binomial share: its 95 % is known."""
    right = np.repeat([1.0, 0.0], [120, 280])
    rows = np.stack([right, np.ones(400), np.ones(400)], axis=1)
    precision = intervals(rows, resamples=4000)[0]
    half = 1.96 * np.sqrt(0.3 * 0.7 / 400)
    assert precision.high - precision.low == pytest.approx(2 * half, rel=0.1)
