"""Questions in parts on a real database: reused, written, mended, put together by program or model."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.store_helpers import WordEmbedder

from sqlore.answer import ask
from sqlore.answer.least_to_most.compose import CannotCompose, values
from sqlore.answer.least_to_most.lookup import looked_up
from sqlore.answer.least_to_most.plan import Output
from sqlore.catalog import Catalog, build_catalog
from sqlore.config import Settings
from sqlore.engines import Engine, connect
from sqlore.knowledge import Store, learn
from sqlore.llm import FunctionModel
from sqlore.model import Draft, Message, RankedScript, Retrieval, Rows, Script, StoredScript
from sqlore.prompts import PromptContext
from sqlore.prompts.ltmp_history import LeastToMostHistory, Step, parts_said
from sqlore.prompts.ltmp_history_parts import PastParts
from sqlore.retrieve import Retriever

TALL = "SELECT COUNT(*) FROM hero WHERE height > 200"
AVERAGE = "SELECT AVG(T1.height) FROM hero AS T1 JOIN side AS T2 ON T1.side_id = T2.id WHERE T2.side = 'Good'"
BAD = AVERAGE.replace("Good", "Bad")
HISTORY = (
    Script(
        AVERAGE,
        "q1",
        "Calculate the average height of heroes whose side is Good",
    ),
    Script(TALL, "q2", "How many heroes are taller than 200?"),
    Script("SELECT name FROM hero WHERE height > 190", "q3", "List the names of heroes taller than 190"),
    Script(
        "SELECT T2.power FROM hero AS T1 JOIN power AS T2 ON T1.id = T2.hero_id WHERE T1.name = 'Hulk'",
        "q4",
        "Which powers does Hulk have?",
    ),
    Script(
        "SELECT T2.side FROM hero AS T1 JOIN side AS T2 ON T1.side_id = T2.id WHERE T1.name = 'Hulk'",
        "q5",
        "What is the side of Hulk?",
    ),
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    path = tmp_path_factory.mktemp("heroes") / "heroes.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(
            "CREATE TABLE side (id INTEGER PRIMARY KEY, side TEXT);"
            "CREATE TABLE hero (id INTEGER PRIMARY KEY, name TEXT, height INTEGER,"
            " side_id INTEGER REFERENCES side(id));"
            "CREATE TABLE power (hero_id INTEGER REFERENCES hero(id), power TEXT);"
            "INSERT INTO side VALUES (1, 'Good'), (2, 'Bad');"
            "INSERT INTO hero VALUES (1, 'Hulk', 244, 1), (2, 'Flash', 183, 1), (3, 'Bane', 203, 2),"
            " (4, 'Joker', 193, 2);"
            "INSERT INTO power VALUES (1, 'Strength'), (1, 'Leaping'), (2, 'Speed'), (3, 'Strength');"
        )
    db.close()
    with connect(f"sqlite:///{path}") as opened:
        yield opened


@pytest.fixture(scope="module")
def catalog(engine: Engine) -> Catalog:
    return build_catalog(engine)


@pytest.fixture(scope="module")
def store(catalog: Catalog) -> Iterator[Store]:
    with Store.create(":memory:") as made:
        learn(made, HISTORY, catalog=catalog, embedder=WordEmbedder(), dialect="sqlite")
        yield made


Asked = Callable[..., tuple[Draft, FunctionModel]]


@pytest.fixture
def asked(engine: Engine, catalog: Catalog, store: Store) -> Asked:
    """Asks with a model that knows some questions; an answer may be a list, given one after the other."""

    def run(
        question: str, answers: Mapping[str, str | list[str]], *, strategy: str | None = None, **options: Any
    ) -> tuple[Draft, FunctionModel]:
        left = {key: [said] if isinstance(said, str) else list(said) for key, said in answers.items()}

        def reply(messages: Sequence[Message]) -> str:
            for message in reversed(messages):
                wanted = next((key for key in left if message.content.rstrip().endswith(key)), None)
                if wanted:
                    return left[wanted].pop(0) if len(left[wanted]) > 1 else left[wanted][0]
            return "I do not know."

        model = FunctionModel(reply)
        draft = ask(
            question,
            engine=engine,
            catalog=catalog,
            model=model,
            retriever=Retriever(store, WordEmbedder(), catalog),
            store=store,
            settings=Settings(home=Path(), repairs=1, **({"strategy": strategy} if strategy else {})),
            **options,
        )
        return draft, model

    return run


def rows(draft: Draft) -> list[tuple[Any, ...]]:
    assert draft.result is not None, [(one.sql, one.error) for one in draft.attempts]
    return list(draft.result.rows)


def test_parts_that_the_history_knows_need_no_model(asked: Asked) -> None:
    draft, model = asked(
        "By how much does the average height of heroes whose side is Good exceed the average height of "
        "heroes whose side is Bad?",
        {},
    )
    assert rows(draft) == [(213.5 - 198.0,)]
    assert model.requests == []
    assert draft.usage.calls == 0
    assert [("script q1" in note) for note in draft.notes] == [True, True]
    assert "'Bad'" in draft.sql
    assert draft.sql.startswith("WITH ")
    assert {citation.status for citation in draft.citations} >= {"cited"}


def test_parts_are_what_happens_unless_the_setting_says_otherwise(asked: Asked) -> None:
    question = (
        "By how much does the average height of heroes whose side is Good exceed the average height of "
    )
    question += "heroes whose side is Bad?"
    at_once, model = asked(question, {question: "SELECT 15.5"}, strategy="history")
    assert at_once.sql == "SELECT 15.5"
    assert len(model.requests) == 1
    assert asked(question, {})[0].sql.startswith("WITH ")


def test_a_part_that_is_withheld_is_written_by_the_model(asked: Asked) -> None:
    draft, model = asked(
        "By how much does the average height of heroes whose side is Good exceed the average height of "
        "heroes whose side is Bad?",
        {
            "What is the average height of heroes whose side is Good?": AVERAGE,
            "What is the average height of heroes whose side is Bad?": BAD,
        },
        exclude=["q1"],
    )
    assert rows(draft) == [(15.5,)]
    assert len(model.requests) == 2
    systems = {request[0].content for request in model.requests}
    assert len(systems) == 1  # rules and schema are the same bytes for every part
    assert all("written by the model" in note for note in draft.notes)


def test_a_part_is_asked_as_history_asks_a_question(asked: Asked, engine: Engine, catalog: Catalog) -> None:
    _, model = asked("How many times the number of good heroes is the number of bad heroes?", {})
    plain = FunctionModel(lambda messages: "SELECT 1")
    ask("How many heroes?", engine=engine, catalog=catalog, model=plain, strategy="history")
    assert model.requests[0][0] == plain.requests[0][0]


def test_a_part_that_gives_no_number_is_asked_again(asked: Asked) -> None:
    heaviest = "What is the height of the tallest good hero?"
    draft, model = asked(
        "How many centimetres taller is the tallest good hero than the tallest bad hero?",
        {
            heaviest: "SELECT name FROM hero WHERE side_id = 1 ORDER BY height DESC LIMIT 1",
            "What is the height of the tallest bad hero?": "SELECT MAX(height) FROM hero WHERE side_id = 2",
            "Answer with SQL only.": "SELECT name, max(height) FROM hero WHERE side_id = 1",
        },
    )
    assert rows(draft) == [(41,)]
    assert len(model.requests) == 3


def test_a_part_with_an_error_is_mended(asked: Asked) -> None:
    draft, _ = asked(
        "What is the number of good heroes minus the number of bad heroes?",
        {
            "What is the number of good heroes?": "SELECT COUNT(*) FROM hero WHERE goodness = 1",
            "What is the number of bad heroes?": "SELECT COUNT(*) FROM hero WHERE side_id = 2",
            "Answer with SQL only.": "SELECT COUNT(*) FROM hero WHERE side_id = 1",
        },
    )
    assert rows(draft) == [(0,)]
    assert any(attempt.error and "goodness" in attempt.error for attempt in draft.attempts)


def test_several_values_and_what_is_computed_of_them(asked: Asked) -> None:
    draft, _ = asked(
        "How many heroes are taller than 200, how many are taller than 185, and by how many does the first "
        "exceed the second?",
        {"How many are taller than 185?": "SELECT COUNT(*) FROM hero WHERE height > 185"},
    )
    assert rows(draft) == [(2, 3, -1)]


def test_a_ratio_of_whole_numbers_is_no_whole_number(asked: Asked) -> None:
    draft, _ = asked(
        "What is the ratio of the number of tall heroes to the number of small heroes?",
        {
            "What is the number of tall heroes?": "SELECT COUNT(*) FROM hero WHERE height > 200",
            "What is the number of small heroes?": "SELECT COUNT(*) FROM hero WHERE height < 245",
        },
    )
    assert rows(draft) == [(0.5,)]


def test_what_one_list_has_and_another_has_not(asked: Asked) -> None:
    draft, model = asked("Which powers does Hulk have that Bane doesn't?", {})
    assert rows(draft) == [("Leaping",)]
    assert model.requests == []


def test_the_rows_of_a_set(asked: Asked) -> None:
    draft, _ = asked(
        "Among the heroes with the most common power, how many are taller than 210?",
        {
            "List the heroes with the most common power.": "SELECT T1.name FROM hero AS T1 JOIN power AS T2 "
            "ON T1.id = T2.hero_id WHERE T2.power = 'Strength' ORDER BY T1.name",
            "Among heroes, how many are taller than 210?": "SELECT COUNT(*) FROM hero WHERE height > 210",
        },
    )
    assert rows(draft) == [(1,)]
    assert "IN (SELECT id FROM" in draft.sql


def test_a_part_about_a_set_is_taken_apart_again(asked: Asked) -> None:
    draft, model = asked(
        "Among the good heroes with the power of Strength, how many more are above 180 than above 250?",
        {
            "List the good heroes with the power of Strength.": "SELECT T1.name FROM hero AS T1 "
            "JOIN power AS T2 ON T1.id = T2.hero_id WHERE T2.power = 'Strength' AND T1.side_id = 1",
            "Among heroes, how many are above 180?": "SELECT COUNT(*) FROM hero WHERE height > 180",
            "Among heroes, how many are above 250?": "SELECT COUNT(*) FROM hero WHERE height > 250",
        },
    )
    assert rows(draft) == [(1,)]
    assert len(model.requests) == 3  # the set is asked for once


def test_a_value_that_is_looked_up_first_stays_a_query(asked: Asked) -> None:
    draft, model = asked(
        "What is the average height of the heroes of the same side as Bane?",
        {
            "What is the average height of the heroes of the side Bad?": BAD,
        },
    )
    assert rows(draft) == [(198.0,)]
    assert "'Bad'" not in draft.sql
    assert "'Bane'" in draft.sql
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("sql", "value", "column", "becomes"),
    [
        (
            "SELECT name FROM hero WHERE height > 5 LIMIT 5",
            5,
            "height",
            "WITH found AS (SELECT 1) SELECT name FROM hero"
            " WHERE height > (SELECT height FROM found) LIMIT 5",
        ),
        (
            "WITH a AS (SELECT * FROM hero WHERE side = 'Bad') SELECT COUNT(*) FROM a",
            "Bad",
            "side",
            "WITH found AS (SELECT 1), a AS (SELECT * FROM hero WHERE side = (SELECT side FROM found))"
            " SELECT COUNT(*) FROM a",
        ),
        (
            "SELECT 'Bad', CASE WHEN side = 'Bad' THEN 'Bad' END FROM hero WHERE kind = 'Bad'",
            "Bad",
            "side",
            "WITH found AS (SELECT 1) SELECT 'Bad', CASE WHEN side = (SELECT side FROM found) THEN 'Bad' END"
            " FROM hero WHERE kind = 'Bad'",
        ),
        (
            "SELECT name FROM hero WHERE height BETWEEN 198 AND 300",
            Decimal("198.00"),
            "height",
            "WITH found AS (SELECT 1) SELECT name FROM hero"
            " WHERE height BETWEEN (SELECT height FROM found) AND 300",
        ),
        ("SELECT name FROM hero LIMIT 5", 5, "height", "is not asked for"),
        ("SELECT height * 5 FROM hero", 5, "height", "is not asked for"),
        ("SELECT name FROM hero WHERE side = 'Bad' AND kind = 'Bad'", "Bad", "label", "several columns"),
    ],
)
def test_only_what_is_compared_is_looked_up(sql: str, value: object, column: str, becomes: str) -> None:
    step = Step("found", "?", "SELECT 1", Rows((column,), ((value,),)))
    if "SELECT" in becomes:
        assert looked_up(step, sql, 0, "sqlite") == becomes
        return
    with pytest.raises(CannotCompose, match=becomes):
        looked_up(step, sql, 0, "sqlite")


def test_decimals_are_numbers() -> None:
    steps = [Step(name, "?", "SELECT 1", Rows(("n",), ((Decimal("1.50"),),))) for name in ("one", "two")]
    assert "one.value / two.value" in values(steps, [Output(0, "/", 1)])


def test_several_questions_about_a_value_that_is_looked_up(asked: Asked) -> None:
    draft, _ = asked(
        "What is the average height of the heroes of the same side as Bane, and how many have that side?",
        {
            "What is the average height of the heroes of the side Bad?": BAD,
            "How many have the side Bad?": "SELECT COUNT(*) FROM hero AS T1 JOIN side AS T2 "
            "ON T1.side_id = T2.id WHERE T2.side = 'Bad'",
        },
    )
    assert rows(draft) == [(198.0, 2)]
    assert "'Bad'" not in draft.sql


def test_a_masked_model_is_told_no_value_that_was_looked_up(
    engine: Engine, catalog: Catalog, store: Store
) -> None:
    model = FunctionModel(lambda messages: "SELECT COUNT(*) FROM hero")
    model.remote = True
    draft = ask(
        "What is the average height of the heroes of the same side as Bane?",
        engine=engine,
        catalog=catalog,
        model=model,
        retriever=Retriever(store, WordEmbedder(), catalog),
        store=store,
        strategy="ltmp_history",
        settings=Settings(home=Path(), mask=True),
    )
    assert rows(draft) == [(4,)]
    assert len(model.requests) == 1
    assert not any("Bad" in message.content for message in model.requests[0])


HARD = (
    "Show the names of the heroes with a height that is more than the average and whose side has at least "
    "two powers, the first of them first."
)
PARTS = "1. What is the average height of heroes?\n2. List the sides with the number of their powers."


def test_the_model_takes_apart_and_puts_together(asked: Asked) -> None:
    draft, model = asked(
        HARD,
        {
            "What is the average height of heroes?": "SELECT AVG(height) AS mean FROM hero",
            "List the sides with the number of their powers.": "SELECT T1.side_id, COUNT(*) AS n "
            "FROM hero AS T1 JOIN power AS T2 ON T1.id = T2.hero_id GROUP BY T1.side_id",
            "only where they are needed.": "SELECT name FROM hero WHERE height > "
            "(SELECT mean FROM height_heroes) AND side_id IN (SELECT side_id FROM sides_powers WHERE n >= 2)",
            HARD: PARTS,
        },
    )
    assert rows(draft) == [("Hulk",)]
    assert draft.sql.startswith("WITH ")
    composing = model.requests[-1][-1].content
    assert "sides_powers(side_id, n)" in composing
    assert "rows: (1, 3), (2, 1)" in composing


def test_what_cannot_be_put_together_is_asked_whole(asked: Asked) -> None:
    plain = "SELECT name FROM hero ORDER BY name LIMIT 1"
    draft, model = asked(
        HARD,
        {
            "What is the average height of heroes?": "SELECT AVG(height) AS mean FROM hero",
            "List the sides with the number of their powers.": "SELECT nothing FROM nowhere",
            HARD: [PARTS, plain],
        },
    )
    assert rows(draft) == [("Bane",)]
    assert draft.sql == plain
    assert any(note.startswith("the question was asked whole") for note in draft.notes)
    assert any("nowhere" in attempt.sql for attempt in draft.attempts)  # what was tried is told
    assert model.requests[-1][-1].content.endswith(f"Question: {HARD}")


def test_parts_without_a_table_in_common_are_asked_whole(asked: Asked) -> None:
    question = "Among the sides with good heroes in them and no power, how many are there?"
    draft, _ = asked(
        question,
        {
            "List the sides with good heroes in them and no power.": "SELECT side FROM side",
            "Among sides, how many are there?": "SELECT COUNT(DISTINCT power) FROM power",
            question: "SELECT COUNT(*) FROM side",
        },
    )
    assert rows(draft) == [(2,)]


def test_a_simple_question_is_asked_whole_at_once(asked: Asked) -> None:
    draft, model = asked(
        "How many heroes are there?", {"How many heroes are there?": "SELECT COUNT(*) FROM hero"}
    )
    assert rows(draft) == [(4,)]
    assert len(model.requests) == 1
    assert draft.notes == ()


def test_without_a_history_it_is_the_plain_prompt(engine: Engine, catalog: Catalog) -> None:
    model = FunctionModel(lambda messages: "SELECT COUNT(*) FROM hero")
    question = "What is the number of good heroes minus the number of bad heroes?"
    draft = ask(question, engine=engine, catalog=catalog, model=model, strategy="ltmp_history")
    assert len(model.requests) == 1
    assert rows(draft) == [(4,)]


def test_the_model_names_a_value_that_is_needed_first(asked: Asked) -> None:
    draft, model = asked(
        HARD,
        {
            "What is the average height of heroes?": "SELECT AVG(height) FROM hero",
            "Which heroes are taller than 205.75?": "SELECT name FROM hero WHERE height > 205.75",
            HARD: "1. What is the average height of heroes?\n2. Which heroes are taller than #1?",
        },
    )
    assert rows(draft) == [("Hulk",)]
    assert "205" not in draft.sql
    assert len(model.requests) == 3


def test_past_subqueries_show_how_a_question_is_taken_apart(catalog: Catalog) -> None:
    past = PastParts(catalog)
    above = "SELECT name FROM hero WHERE height > (SELECT AVG(height) FROM hero)"
    assert past.of(above) == (
        "What is the average height of heroes?",
        "What is the name of heroes whose height is more than #1?",
    )
    script = StoredScript(1, Script(above, question="Who is taller than average?"), "", "")
    plain = StoredScript(2, Script(TALL, question="How many are taller than 200?"), "", "")
    retrieval = Retrieval(HARD, (), (RankedScript(plain, 1.0), RankedScript(script, 0.5)))
    strategy = LeastToMostHistory(past)
    context = PromptContext(HARD, "hero(id, name)", "sqlite", "heroes", retrieval)
    messages = strategy.parts_prompt(context).messages
    assert messages[0] == strategy.prompt(context).messages[0]
    assert any("Who is taller than average?" in message.content for message in messages)
    assert not any("taller than 200" in message.content for message in messages)


def test_a_model_that_names_one_part_has_taken_nothing_apart() -> None:
    assert parts_said("1. How many lamps are broken?") == ()
    assert parts_said("1. Who dances with #2?\n2. Who sings?") == ()
    assert parts_said("- Who sings?\n- Who sings?\n- Who dances with #1?") == (
        "Who sings?",
        "Who dances with #1?",
    )
