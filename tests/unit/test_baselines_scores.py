"""The scores that a retriever hands over with its ranking."""

from __future__ import annotations

import pytest

from evals_helpers import pool
from sqlore.retrieve import Retriever
from sqlore.retrieve.baselines import NAMES, make_retriever
from sqlore.retrieve.baselines.base import key_of
from sqlore.retrieve.baselines.similar import Masked

QUESTION = "Which publishers have giants above 200 whose name ends in man?"
#: Their scores mean the same in every question.
SCORED = ("learned", "published", "mqs", "mqs_qs", "mqs_filter")


@pytest.mark.parametrize("name", SCORED)
def test_scores_go_with_the_ranking(name: str) -> None:
    handed = make_retriever(name, pool(), threshold=0.2).retrieve(QUESTION)
    assert len(handed.scores) == len(handed.ranking) > 3
    assert list(handed.scores) == sorted(handed.scores, reverse=True)
    assert len(set(handed.scores)) > 1
    assert all(-1 <= score <= 2 for score in handed.scores)


@pytest.mark.parametrize("name", ["learned_scripts", "dail", "bm25", "frequent", "random"])
def test_scores_that_mean_nothing_across_questions_are_kept_back(name: str) -> None:
    handed = make_retriever(name, pool()).retrieve(QUESTION)
    assert handed.ranking
    assert (handed.scores, handed.probabilities) == ((), False)


def test_chances_are_said_by_the_learned_retriever_alone() -> None:
    said = [name for name in NAMES if not name.endswith("_llm")]
    chances = {n for n in said if make_retriever(n, pool()).retrieve(QUESTION).probabilities}
    assert chances == {"learned"}
    assert all(0 <= score <= 1 for score in make_retriever("learned", pool()).retrieve(QUESTION).scores)


def test_scores_are_the_same_whatever_is_handed_over() -> None:
    """One threshold over the scores stands for any number of shots."""
    for name in SCORED:
        retriever = make_retriever(name, pool(), threshold=0.2)
        one, all_ = (retriever.retrieve(QUESTION, shots=shots) for shots in (1, None))
        assert (one.ranking, one.scores) == (all_.ranking, all_.scores), name


def test_a_fragment_has_the_likeness_of_the_best_script_that_holds_it() -> None:
    found = Masked(pool(), "mqs").retrieve("List the heroes published by Marvel", shots=1)
    first = found.scripts[0].fragments
    assert set(found.ranking[: len(first)]) == set(first)
    assert set(found.scores[: len(first)]) == {found.scores[0]}
    assert found.scores[0] == pytest.approx(1), "it is the question of a script"


def test_all_fragments_of_a_history_are_ranked_where_there_are_scores() -> None:
    found = Masked(pool(), "mqs").retrieve(QUESTION)
    assert set(found.ranking) == set(pool().keys)


def test_the_scores_are_those_that_the_retriever_itself_gives() -> None:
    """The second look at a question takes the first one's scores, and of no other question or exclusion."""
    ground = pool()
    learned, fresh = (
        make_retriever("learned", ground),
        Retriever(ground.store, ground.embedder, ground.catalog),
    )
    for question, exclude in ((QUESTION, ()), (QUESTION, {"6"}), ("How many heroes?", ()), (QUESTION, ())):
        handed = learned.retrieve(question, exclude)
        expected = fresh.rank(question, limit=40, exclude=exclude)
        assert handed.ranking == tuple(key_of(ranked.item) for ranked in expected)
        assert handed.scores == tuple(ranked.score for ranked in expected)
