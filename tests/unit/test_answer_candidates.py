"""Votes between candidates: who wins, how sure it is, and when it is over."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sqlore.answer.candidates import Candidate, confidence, decided, rivals, vote
from sqlore.model import Rows
from sqlore.prompts import Prompt

#: Results by a letter: none at all, an empty one, and three that differ.
ROWS = {
    "x": None,
    "0": Rows(("n",), ()),
    "a": Rows(("n",), ((1,),)),
    "b": Rows(("n",), ((2,),)),
    "c": Rows(("n",), ((3,),)),
}


def candidates(results: str) -> list[Candidate]:
    return [
        Candidate(Prompt(()), sql="" if letter == "x" else f"SELECT {n}", rows=ROWS[letter])
        for n, letter in enumerate(results)
    ]


def winner(results: str) -> int:
    tried = candidates(results)
    return tried.index(vote(tried))


def test_the_result_that_most_agree_on_wins_and_the_earliest_has_it() -> None:
    assert winner("abb") == 1
    assert winner("ab") == 0
    assert winner("xba") == 1
    assert winner("00a") == 2
    assert winner("x0") == 1
    assert winner("xx") == 0


def test_every_different_result_is_a_rival() -> None:
    tried = candidates("xa0bba")
    assert [tried.index(one) for one in rivals(tried)] == [1, 3, 2]
    assert rivals(candidates("xx")) == []


def test_the_confidence_is_the_share_that_agrees() -> None:
    tried = candidates("xaab")
    assert confidence(vote(tried), tried) == 2 / 3
    assert confidence(tried[3], tried) == 1 / 3
    assert confidence(tried[0], tried) == 0


def test_a_vote_can_be_over_early() -> None:
    assert decided(candidates("aa"), 1)
    assert decided(candidates("aa"), 2), "of equal counts the earlier one wins"
    assert not decided(candidates("ab"), 1)
    assert not decided(candidates("00"), 1)
    assert not decided(candidates("abb"), 1)


@given(st.text("x0abc", min_size=1, max_size=6), st.text("x0abc", max_size=4))
def test_what_is_decided_does_not_change(tried: str, rest: str) -> None:
    if decided(candidates(tried), len(rest)):
        assert winner(tried + rest) == winner(tried)


@given(st.text("x0ab", min_size=1, max_size=5), st.integers(0, 2))
def test_it_is_decided_as_soon_as_nothing_can_change_it(tried: str, left: int) -> None:
    outcomes = {winner(tried)}
    endings = [""]
    for _ in range(left):
        endings = [ending + letter for ending in endings for letter in ROWS]
    outcomes |= {winner(tried + ending) for ending in endings}
    has_rows = any(letter in "abc" for letter in tried)
    assert decided(candidates(tried), left) == (len(outcomes) == 1 if has_rows else left == 0)
