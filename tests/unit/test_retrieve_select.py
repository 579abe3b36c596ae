"""Choosing items and scripts: the maximum is checked against trying everything."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlore.retrieve.select import REACHED, Candidate, best_count, cover, essence

chances = st.lists(st.floats(0.001, 0.999), min_size=1, max_size=12)


@given(st.lists(chances, min_size=1, max_size=4))
def test_the_count_makes_the_expected_f1_of_all_questions_largest(questions: list[list[float]]) -> None:
    """Where the F1 reached is the one that the rule supposes, no other numbers of items would better it."""
    questions = [sorted(scores, reverse=True) for scores in questions]
    counts = [best_count(scores) for scores in questions]

    def gain(scores: list[float], count: int) -> float:
        """What a question adds to twice the right ones, less what it adds to the denominator's share."""
        return 2 * sum(scores[:count]) - REACHED * count

    for scores, count in zip(questions, counts, strict=True):
        assert gain(scores, count) == pytest.approx(max(gain(scores, k) for k in range(1, len(scores) + 1)))


def test_sure_items_are_all_taken_and_hopeless_ones_are_not() -> None:
    assert best_count([0.95] * 7 + [0.01] * 30) == 7


scripts = st.lists(
    st.builds(
        Candidate,
        st.integers(0, 10**6),
        st.frozensets(st.integers(0, 6), min_size=1),
        st.integers(5, 300),
        st.floats(0, 1),
    ),
    max_size=8,
    unique_by=lambda c: c.id,
)
worths = st.dictionaries(st.integers(0, 6), st.floats(0.05, 1), min_size=1)


@given(worths, scripts)
def test_what_can_be_covered_is_covered_and_nothing_needless_delivered(
    wanted: dict[int, float], candidates: list[Candidate]
) -> None:
    taken = cover(wanted, candidates, most=8, budget=10_000)
    held = frozenset().union(*(c.items for c in taken))
    possible = frozenset().union(*(c.items for c in candidates))
    assert wanted.keys() & held == wanted.keys() & possible
    for one in taken:
        others = frozenset().union(*(c.items for c in taken if c is not one))
        assert (one.items & wanted.keys()) - others


@given(worths, scripts, st.integers(1, 3), st.integers(20, 400))
def test_limits_are_kept(
    wanted: dict[int, float], candidates: list[Candidate], most: int, budget: int
) -> None:
    taken = cover(wanted, candidates, most=most, budget=budget)
    assert len(taken) <= most
    assert sum(c.tokens for c in taken) <= budget


@given(worths, scripts)
def test_at_most_one_script_more_than_the_fewest(
    wanted: dict[int, float], candidates: list[Candidate]
) -> None:
    plain = [Candidate(c.id, c.items & wanted.keys(), 50) for c in candidates]
    goal = wanted.keys() & frozenset().union(*(c.items for c in plain))
    fewest = next(
        n
        for n in range(len(plain) + 1)
        for some in combinations(plain, n)
        if goal <= frozenset().union(*(c.items for c in some))
    )
    taken = cover(dict.fromkeys(wanted, 1.0), plain, most=8, budget=10_000)
    assert fewest <= len(taken) <= fewest + 1


def test_the_script_nearer_to_the_question_wins_a_tie() -> None:
    far, near = Candidate(1, frozenset({1, 2}), 50, 0.1), Candidate(2, frozenset({1, 2}), 50, 0.8)
    assert [c.id for c in cover({1: 0.5, 2: 0.5}, [far, near])] == [2]


def test_a_short_script_beats_a_long_one_full_of_strangers() -> None:
    long = Candidate(1, frozenset({1, 2, *range(10, 20)}), 300, 0.5)
    short = Candidate(2, frozenset({1, 2}), 40, 0.5)
    assert [c.id for c in cover({1: 0.9, 2: 0.9}, [long, short])] == [2]


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("calculation", "cast(t.a as real) / t.b", "t.a / t.b"),
        ("calculation", "cast(sum(t.a) as real) * <val> / count(t.b)", "sum(t.a) / count(t.b)"),
        ("calculation", "t.a / nullif(t.b, <val>)", "cast(t.a as float) / t.b"),
        (
            "output",
            "order by cast(t.a as real) / t.b desc limit <val>",
            "order by t.a / t.b desc limit <val>",
        ),
    ],
)
def test_spellings_of_one_idea_fold(kind: str, one: str, other: str) -> None:
    assert essence(kind, one) == essence(kind, other)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("calculation", "t.a / t.b", "t.b / t.a"),
        ("calculation", "count(t.a)", "count(distinct t.a)"),
        ("condition", "t.a > <val>", "t.a >= <val>"),
        ("output", "order by t.a desc limit <val>", "order by t.a asc limit <val>"),
    ],
)
def test_different_ideas_stay_apart(kind: str, one: str, other: str) -> None:
    assert essence(kind, one) != essence(kind, other)
