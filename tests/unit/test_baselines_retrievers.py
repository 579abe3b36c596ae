"""Every retriever under comparison: what it hands over, and that withheld is withheld."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evals_helpers import ONLY_IN_6, SCRIPTS, pool
from sqlore.errors import ModelTimeout, ModelUnavailable, UsageError
from sqlore.llm import FunctionModel
from sqlore.model import Message, Script
from sqlore.retrieve.baselines import NAMES, Pool, TaskRetriever, make_retriever
from sqlore.retrieve.baselines.dail import Dail
from sqlore.retrieve.baselines.filtering import Choice, read_choices, read_parts
from sqlore.retrieve.baselines.published import Published
from sqlore.retrieve.baselines.similar import Masked

QUESTION = "Which publishers have giants above 200 whose name ends in man?"


def _model(reply: str = "1: all\n2: all\n3: all") -> FunctionModel:
    """A model that names no parts of the bare question (ours stand in) and answers `reply` to all else."""
    return FunctionModel(lambda messages: "" if messages[-1].content == QUESTION else reply)


def _made(name: str, ground: Pool | None = None) -> TaskRetriever:
    return make_retriever(name, ground or pool(model=_model()))


@pytest.mark.parametrize("name", NAMES)
def test_an_item_only_in_the_withheld_script_is_never_retrieved(name: str) -> None:
    retriever = _made(name)
    assert _everything(retriever, frozenset()) >= ONLY_IN_6, "it is there when not withheld"
    assert _everything(retriever, frozenset({"6"})).isdisjoint(ONLY_IN_6)


@pytest.mark.parametrize("name", NAMES)
def test_a_withheld_text_is_no_source_though_another_of_its_script_is(name: str) -> None:
    """4 and 5 are one script with other values."""
    assert "output: order by hero.height desc limit <val>" in _everything(_made(name), frozenset({"4"}))


def _everything(retriever: TaskRetriever, exclude: frozenset[str]) -> set[str]:
    """All that a retriever says about any question, in any way to run it."""
    found: set[str] = set()
    for question in (QUESTION, *(script.question or "" for script in SCRIPTS)):
        for options in ({}, {"shots": 5}, {"budget": 5000}):
            handed = retriever.retrieve(question, exclude, **options)
            found |= {piece.key for piece in handed.fragments} | set(handed.ranking)
            found |= {key for script in handed.scripts for key in script.fragments}
            sources = {piece.script for piece in handed.fragments} | {s.key for s in handed.scripts}
            assert sources.isdisjoint(exclude)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_shots_and_budget_are_kept(name: str) -> None:
    retriever = _made(name)
    for shots in (1, 2):
        assert len(retriever.retrieve(QUESTION, shots=shots).scripts) <= shots
    for budget in (20, 60, 120):
        handed = retriever.retrieve(QUESTION, budget=budget)
        assert handed.tokens == sum(script.tokens for script in handed.scripts) <= budget
    assert len(retriever.retrieve(QUESTION, budget=120).scripts) >= 1


@pytest.mark.parametrize("name", NAMES)
def test_fragments_are_distinct_and_times_are_told(name: str) -> None:
    handed = _made(name).retrieve(QUESTION)
    keys = [piece.key for piece in handed.fragments]
    assert keys
    assert len(keys) == len(set(keys))
    assert sum(handed.milliseconds.values()) > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_history_that_is_withheld_whole_gives_nothing(name: str) -> None:
    everything = frozenset(script.key for script in SCRIPTS)
    handed = _made(name).retrieve(QUESTION, everything)
    assert (handed.fragments, handed.scripts) == ((), ())


def test_masked_questions_are_alike_across_names_and_values() -> None:
    found = Masked(pool(), "mqs").retrieve("How many heroes are published by Marvel?", shots=1)
    assert [script.key for script in found.scripts] == ["2"]


def test_random_is_the_same_for_a_seed() -> None:
    first, again, other = (_made("random", pool(seed=seed)).retrieve(QUESTION) for seed in (1, 1, 2))
    assert first.scripts == again.scripts
    assert first.scripts != other.scripts


def test_filtered_demonstrations_are_one_of_a_kind() -> None:
    found = _made("mqs_filter").retrieve("Who is the tallest hero?", shots=7)
    skeletons = [script.fragments for script in found.scripts]
    assert len(skeletons) == len(set(skeletons)) < len(SCRIPTS)


def test_the_preliminary_sql_decides_which_shape_comes_first() -> None:
    wanted = "SELECT name FROM hero ORDER BY height DESC LIMIT 9"
    model = _model(f"```sql\n{wanted}\n```")
    found = Dail(pool(model=model), "dail_llm", model=model).retrieve("How many heroes are there?")
    assert {script.key for script in found.scripts} == {"4", "5"}
    asked: Sequence[Message] = model.requests[0]
    assert "How many heroes are there?" in asked[-1].content


def test_without_sql_in_the_models_answer_the_nearest_script_is_the_preliminary() -> None:
    model = _model("I cannot do that")
    with_model = Dail(pool(model=model), "dail_llm", model=model).retrieve(QUESTION)
    assert with_model.scripts == _made("dail").retrieve(QUESTION).scripts


def test_levels_of_the_published_retriever_differ_and_are_merged() -> None:
    ground, question = pool(), "What is the average height, and who is the tallest hero of Marvel?"
    found = {
        level: {s.key for s in Published(ground, threshold=0.5, granularity=level).retrieve(question).scripts}
        for level in ("q", "c", "qc")
    }
    assert found["q"] | found["c"] == found["qc"]
    assert found["q"] != found["c"]


def test_a_higher_threshold_finds_no_more() -> None:
    sizes = [
        len(Published(pool(), threshold=value).retrieve(QUESTION, {"6"}).scripts) for value in (0.2, 0.6, 1.0)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_the_model_picks_scripts_and_pieces_in_its_order() -> None:
    model = _model("2: all\n1: 1")
    ground = pool(model=model)
    found = Published(ground, threshold=0.3, model=model).retrieve(QUESTION)
    net = Published(ground, threshold=0.3).retrieve(QUESTION)
    assert [s.key for s in found.scripts] == [net.scripts[1].key, net.scripts[0].key]
    wanted = {*net.scripts[1].fragments, net.scripts[0].fragments[0]}
    assert {piece.key for piece in found.fragments} == wanted
    assert {"keywords", "rank", "filter"} <= set(found.milliseconds)


def test_an_answer_that_cannot_be_read_keeps_all_candidates() -> None:
    model = _model("none of these, I think")
    ground = pool(model=model)
    found = Published(ground, threshold=0.3, model=model).retrieve(QUESTION)
    assert len(found.scripts) > 1


def test_none_is_a_choice_of_nothing() -> None:
    model = _model("none")
    found = Published(pool(model=model), threshold=0.3, model=model).retrieve(QUESTION)
    assert (found.fragments, found.scripts) == ((), ())
    assert found.ranking


def test_a_model_that_fails_leaves_what_is_found_without_one() -> None:
    def fails(messages: Sequence[Message]) -> str:
        raise ModelTimeout("too slow")

    model = FunctionModel(fails)
    found = Published(pool(model=model), threshold=0.3, model=model).retrieve(QUESTION)
    assert found.scripts == Published(pool(), threshold=0.3).retrieve(QUESTION).scripts
    assert len(model.requests) == 2


def test_only_the_level_of_parts_asks_for_parts() -> None:
    model = _model()
    Published(pool(model=model), threshold=0.3, granularity="q", model=model).retrieve(QUESTION)
    assert len(model.requests) == 1


def test_candidates_are_cut_to_a_prompt_of_sane_length() -> None:
    wide = ", ".join(f"height * {n} AS h{n}" for n in range(300))
    long = tuple(
        Script(f"SELECT {wide} FROM hero WHERE height > {n} AND name {op} 'x'", str(n), f"giants {n} " * 200)
        for n, op in enumerate(("=", "<", ">", "<>", ">=", "<=", "LIKE", "NOT LIKE", "IN", "NOT IN"))
    )
    long = tuple(Script(s.sql.replace("IN 'x'", "IN ('x')"), s.key, s.question) for s in long)
    model = FunctionModel(lambda messages: "2: 1")
    ground = pool((*long, *SCRIPTS), model=model)
    found = Published(ground, threshold=0.01, model=model).retrieve("giants by height")
    system, user = model.requests[-1]
    assert 3000 < len(system.content) + len(user.content) < 11_000
    assert [piece.key for piece in found.fragments] == [found.scripts[0].fragments[0]]


@pytest.mark.parametrize(
    ("answer", "choices"),
    [
        ("2: all\n1: 2, 9\nso much", [Choice(20), Choice(10, frozenset("b"))]),
        ("Query 2: all pieces\n- Query 1: pieces 1 and 2", [Choice(20), Choice(10, frozenset("ab"))]),
        ("**2**: all", [Choice(20)]),
        ("2, 1", [Choice(20), Choice(10)]),
        ("1\n2", [Choice(10), Choice(20)]),
        ("<think>1: all</think>2: all", [Choice(20)]),
        ("```\n1: 1\n1: 2\n```", [Choice(10, frozenset("a"))]),
        ("3: all\n0: all\n1: 7", None),
        ("none", []),
        ("none of these, I think", None),
        ("", None),
    ],
)
def test_a_choice_is_read_in_many_forms(answer: str, choices: list[Choice] | None) -> None:
    assert read_choices(answer, [10, 20], [["a", "b"], ["c"]]) == choices


def test_phrases_are_read_in_many_forms() -> None:
    two = ["average height", "publisher is Marvel"]
    for answer in (
        "average height\npublisher is Marvel",
        "Here are the phrases:\n\n- average height\n- publisher is Marvel.",
        '1. "average height"\n2. "publisher is Marvel"',
        "average height, publisher is Marvel",
        "<think>hm\nhm hm</think>\naverage height\naverage height\npublisher is Marvel",
    ):
        assert read_parts(answer) == two, answer
    assert read_parts("") == []
    assert len(read_parts("\n".join(f"phrase {n}" for n in range(30)))) == 8


def test_the_learned_one_asks_its_model_once() -> None:
    model = _model("2, 1")
    ground = pool(model=model)
    first = make_retriever("learned", ground).retrieve(QUESTION)
    found = make_retriever("learned_llm", ground).retrieve(QUESTION)
    assert len(model.requests) == 1
    assert "filter" in found.milliseconds
    assert found.ranking[0] == first.ranking[1]
    assert set(found.ranking) == set(first.ranking)


def test_unknown_names_and_missing_models_are_said() -> None:
    with pytest.raises(UsageError):
        make_retriever("nearest", pool())
    with pytest.raises(UsageError):
        make_retriever("no.such.module:thing", pool())
    with pytest.raises(ModelUnavailable):
        make_retriever("published_llm", pool())


def test_a_retriever_of_ones_own_is_named_by_its_function() -> None:
    assert make_retriever(f"{__name__}:mine", pool()).name == "mine"


def mine(ground: Pool) -> TaskRetriever:
    return Masked(ground, "mine")


def test_a_history_without_questions_is_searched_by_descriptions() -> None:
    bare = tuple(Script(script.sql, script.key) for script in SCRIPTS)
    ground = pool(bare)
    for name in ("learned", "bm25", "mqs", "mqs_filter"):
        assert make_retriever(name, ground).retrieve("average height of hero").fragments, name


def test_the_threshold_of_dail_is_the_likeness_of_skeletons() -> None:
    """From 0 up every script has the shape wanted; above all that is alike, none but the nearest counts."""
    question = "Who is the tallest hero?"
    number = {
        least: len(make_retriever("dail", pool(), threshold=least).retrieve(question).scripts)
        for least in (0.0, 0.85, 1.0)
    }
    assert number[0.0] == 5 > number[1.0]
    assert len(make_retriever("dail", pool()).retrieve(question).scripts) == number[0.85]


def test_the_model_of_dail_is_told_the_dialect_of_the_history() -> None:
    told: list[str] = []
    own = pool(model=FunctionModel(lambda messages: told.append(messages[0].content) or "SELECT 1"))
    for dialect in ("duckdb", None):
        own.store.set_meta(dialect=dialect)
        make_retriever("dail_llm", own).retrieve("Who is the tallest hero?")
    assert ["duckdb" in text for text in told] == [True, False]
    assert not any("SQLite" in text for text in told)
