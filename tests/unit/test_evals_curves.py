"""Precision against recall by a threshold, and said against was."""

from __future__ import annotations

import numpy as np
import pytest

from sqlore.evals.curves import calibration_error, precision_recall, reliability
from sqlore.evals.metrics import Scores, count

KEYS = [f"condition: t.c{n} = <val>" for n in range(30)]


def test_the_curve_is_what_counting_at_each_threshold_gives() -> None:
    generator = np.random.default_rng(3)
    said = generator.integers(0, 12, 200) / 12  # many scores are equal
    was = generator.random(200) < said
    curve = precision_recall(said, was, gold=150)
    assert curve.threshold.tolist() == sorted(set(said.tolist()), reverse=True)
    for threshold, precision, recall in zip(curve.threshold, curve.precision, curve.recall, strict=True):
        taken = said >= threshold
        assert precision == pytest.approx((was & taken).sum() / taken.sum())
        assert recall == pytest.approx((was & taken).sum() / 150)


def test_precision_at_a_recall_is_the_best_from_there_on() -> None:
    """A threshold with more recall and more precision stands for those before it."""
    said, was = np.array([0.9, 0.8, 0.7, 0.6]), np.array([False, True, True, True])
    curve = precision_recall(said, was, gold=3)
    assert curve.precision_at(1 / 3) == curve.precision_at(1) == 0.75
    assert precision_recall(said, was, gold=4).precision_at(0.83) is None


def test_one_threshold_holds_for_all_tasks() -> None:
    """Each task is ranked without a fault, but its scores mean something else in each."""
    low = count(KEYS[:2], [], ranking=KEYS[:4], scores=[0.3, 0.29, 0.1, 0.09])
    high = count(KEYS[:2], [], ranking=KEYS[:4], scores=[0.9, 0.89, 0.5, 0.49])
    assert Scores([low]).precision_at_recall() == Scores([high]).precision_at_recall() == 1
    assert Scores([low, high]).precision_at_recall() == pytest.approx(4 / 6)


def test_gold_that_no_ranking_holds_is_missed() -> None:
    scores = Scores([count(KEYS[:4], [], ranking=KEYS[:3], scores=[0.9, 0.8, 0.7])])
    assert scores.precision_at_recall(0.75) == 1
    assert scores.precision_at_recall(0.76) is None


def test_without_scores_there_is_no_curve() -> None:
    scores = Scores([count(KEYS[:2], KEYS[:2], ranking=KEYS[:4])])
    assert scores.curve() is None
    assert scores.precision_at_recall() is None
    assert scores.calibration_error() is None


def test_scores_that_are_no_chances_have_a_curve_and_no_bins() -> None:
    cosine = Scores([count(KEYS[:1], [], ranking=KEYS[:2], scores=[0.9, 0.2])])
    assert cosine.precision_at_recall() == 1
    assert cosine.reliability() == ()


def test_scores_go_with_the_ranking() -> None:
    with pytest.raises(ValueError, match="zip"):
        count(KEYS[:1], [], ranking=KEYS[:2], scores=[0.9])


def test_what_is_not_scored_takes_its_score_along() -> None:
    ranking = ["query: select 1", KEYS[0], KEYS[0], KEYS[1]]
    found = count(KEYS[:1], [], ranking=ranking, scores=[0.9, 0.8, 0.7, 0.6])
    assert found.said.tolist() == pytest.approx([0.8, 0.6])
    assert found.was.tolist() == [True, False]


def test_true_chances_have_no_error_and_boasted_ones_have_theirs() -> None:
    generator = np.random.default_rng(5)
    chance = generator.random(40_000)
    was = generator.random(40_000) < chance
    honest, boasted = reliability(chance, was), reliability(np.sqrt(chance), was)
    assert sum(one.number for one in honest) == 40_000
    assert calibration_error(honest) < 0.01
    # the mean of sqrt(x) - x over 0..1 is 1/6
    assert calibration_error(boasted) == pytest.approx(1 / 6, abs=0.01)


def test_edges_belong_to_the_bin_above_and_one_to_the_last() -> None:
    said = np.array([0.0, 0.1, 0.3, 0.7, 1.0])
    found = reliability(said, np.ones(5, dtype=np.bool_))
    assert [one.low for one in found] == [0.0, 0.1, 0.3, 0.7, 0.9]
