"""Least-to-most prompting: its steps, what they share, what a model may say in them, adapted examples."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from sqlore.answer import ask
from sqlore.catalog import Catalog, build_catalog
from sqlore.config import Settings
from sqlore.engines import Engine, connect
from sqlore.errors import ModelRefusal
from sqlore.llm import Answer, FunctionModel
from sqlore.model import Message
from sqlore.prompts import Prompt, PromptContext, prepare_strategy
from sqlore.prompts.apart import apart, from_sql
from sqlore.prompts.ltmp import PreparedSteps, said_natsql, said_parts
from sqlore.prompts.text import tokens
from sqlore.prompts.training_pairs import Pair
from sqlore.prompts.training_set import own_training, training_set
from support import data_dir

TRAINING = """
database: school
ddl: |
  CREATE TABLE pupil (pupil_id INTEGER PRIMARY KEY, name TEXT, town TEXT, born TEXT, marks INTEGER);
pairs:
  - question: How many pupils live in Bree?
    sql: SELECT COUNT(*) FROM pupil WHERE town = 'Bree'
    parts: [How many pupils, "live in Bree?"]
    natsql: [select count(pupil.*), 'select where pupil.town = "Bree"']
  - question: Who has the best marks?
    sql: SELECT name FROM pupil ORDER BY marks DESC LIMIT 1
  - question: How many marks has each town?
    sql: SELECT town, SUM(marks) FROM pupil GROUP BY town
"""
COUNT = "SELECT COUNT(*) FROM ship WHERE port = 'Oslo'"
BEST = "SELECT name FROM ship ORDER BY tons DESC LIMIT 1"
SUM = "SELECT port, SUM(tons) FROM ship GROUP BY port"
ADAPTED = {"COUNT(*)": COUNT, "DESC LIMIT": BEST, "SUM(marks)": SUM}
STEPS = ("Parts:", "NatSQL:", "SQL:")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / "fleet.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE ship (ship_id INTEGER PRIMARY KEY, name TEXT, port TEXT, tons INT)")
        ports = ["Oslo", "Bergen", "Molde"]
        db.executemany(
            "INSERT INTO ship VALUES (?, ?, ?, ?)",
            [(n, f"Ship {n}", ports[n % 3], 100 + 10 * n) for n in range(30)],
        )
    db.close()
    with connect(f"sqlite:///{path}") as opened:
        yield opened


@pytest.fixture
def catalog(engine: Engine) -> Catalog:
    return build_catalog(engine)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "school.yaml").write_text(TRAINING, encoding="utf-8")
    return Settings(home=tmp_path / "home", training=tmp_path / "school.yaml")


class Steps:
    """A model that says one thing in each step and adapts examples; an exception is raised."""

    def __init__(self, parts: str | Exception, natsql: str | Exception, sql: str) -> None:
        self.says = dict(zip(STEPS, (parts, natsql, sql), strict=True))

    def __call__(self, messages: Sequence[Message]) -> str:
        task = messages[-1].content
        if "Which question" in task:
            return "How many is it?" if COUNT in task else "Which one is it, and how much?"
        if "composed like it" in task:
            return next(sql for part, sql in ADAPTED.items() if part in task.split("Query: ")[1])
        said = self.says[task.splitlines()[-1]]
        if isinstance(said, Exception):
            raise said
        return said


def prepare(name: str, engine: Engine, catalog: Catalog, settings: Settings) -> PreparedSteps:
    model = FunctionModel(Steps("", "", ""))
    ready = prepare_strategy(name, catalog, model, settings, engine=engine)
    assert isinstance(ready, PreparedSteps)
    return ready


def walked(prompt: Prompt, *said: str) -> list[Prompt]:
    """The prompts of all steps, where the model says these things."""
    prompts = [prompt]
    for one in said:
        assert prompts[-1].then is not None
        prompts.append(prompts[-1].then(one))
    assert prompts[-1].then is None
    return prompts


def context(question: str) -> PromptContext:
    return PromptContext(question, "ship(name TEXT, port TEXT)", "sqlite", "fleet")


# ------------------------------------------------------------------ the three steps


@pytest.mark.parametrize("name", ["ltmp_gp", "ltmp_da_gp"])
def test_a_question_is_answered_in_three_steps(
    engine: Engine, catalog: Catalog, settings: Settings, name: str
) -> None:
    model = FunctionModel(
        Steps(
            "1. How many ships\n2. are in Molde?",
            '1. select count(ship.*)\n2. select where ship.port = "Molde"',
            "SELECT COUNT(*) FROM ship WHERE port = 'Molde'",
        )
    )
    ready = prepare_strategy(name, catalog, model, settings, engine=engine)
    model.requests.clear()
    draft = ask(
        "How many ships are in Molde?",
        engine=engine,
        catalog=catalog,
        model=model,
        strategy=ready,
        settings=settings,
    )
    assert draft.result is not None
    assert draft.result.rows == ((10,),)
    first, second, third = model.requests
    assert first[-1].content.endswith("Question: How many ships are in Molde?\nParts:")
    assert [m.content for m in second[len(first) :]] == ["1. How many ships\n2. are in Molde?", "NatSQL:"]
    assert [m.content for m in third[len(second) :]] == [
        '1. select count(ship.*)\n2. select where ship.port = "Molde"',
        "SQL:",
    ]
    assert draft.usage.calls == 3


@pytest.mark.parametrize("name", ["ltmp_gp", "ltmp_da_gp"])
def test_questions_and_steps_share_their_beginning(
    engine: Engine, catalog: Catalog, settings: Settings, name: str
) -> None:
    ready = prepare(name, engine, catalog, settings)
    one = walked(ready.prompt(context("How many ships?")), "1. How many ships", "1. select count(ship.*)")
    other = ready.prompt(context("Which ports?"))
    assert one[0].messages[:-1] == other.messages[:-1]
    assert len(other.messages) == 1 + 3 * 6 + 1
    for before, after in pairwise(one):
        assert after.messages[: len(before.messages)] == before.messages
    assert prepare(name, engine, catalog, settings).prompt(context("Which ports?")).messages == other.messages


def test_every_step_ends_where_the_next_one_would_begin(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    first, second, third = walked(
        prepare("ltmp_gp", engine, catalog, settings).prompt(context("Which ships?")),
        "1. Which ships",
        "1. select ship.name",
    )
    assert first.stop == ("\nNatSQL:", "\nSQL:")
    assert second.stop == ("\nSQL:",)
    assert third.stop == ()
    assert first.most is not None
    assert second.most is not None
    assert third.most is None


def test_the_model_may_say_few_tokens_in_a_step(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    asked: list[int] = []

    class Watched(FunctionModel):
        def chat(self, messages: Sequence[Message], **options: object) -> Answer:
            asked.append(int(str(options["max_tokens"])))
            return super().chat(messages, **options)  # type: ignore[arg-type]

    model = Watched(Steps("1. Which", "1. select ship.name", "SELECT name FROM ship"))
    ask("Which?", engine=engine, catalog=catalog, model=model, strategy="ltmp_gp", settings=settings)
    assert asked == [140, 200, 512]


# ------------------------------------------------------------------ what a model may say


@pytest.mark.parametrize(
    "parts", ["", "   \n", "SELECT name FROM ship", "SQL: SELECT 1", "Parts:", ModelRefusal("no")]
)
def test_a_question_that_is_not_taken_apart_is_one_part(
    engine: Engine, catalog: Catalog, settings: Settings, parts: str | Exception
) -> None:
    model = FunctionModel(Steps(parts, "1. select ship.name", "SELECT name FROM ship"))
    draft = ask(
        "Which ships are there?",
        engine=engine,
        catalog=catalog,
        model=model,
        strategy="ltmp_gp",
        settings=settings,
    )
    assert draft.sql == "SELECT name FROM ship"
    said = [m.content for m in model.requests[-1][-4:]]
    assert said == ["1. Which ships are there?", "NatSQL:", "1. select ship.name", "SQL:"]


@pytest.mark.parametrize("natsql", ["", "I cannot.", "NatSQL:\n\n", "SQL: SELECT 1", ModelRefusal("no")])
def test_without_natsql_the_query_is_asked_for_at_once(
    engine: Engine, catalog: Catalog, settings: Settings, natsql: str | Exception
) -> None:
    model = FunctionModel(Steps("1. Which\n2. ships", natsql, "SELECT name FROM ship"))
    draft = ask(
        "Which ships?", engine=engine, catalog=catalog, model=model, strategy="ltmp_gp", settings=settings
    )
    assert draft.sql == "SELECT name FROM ship"
    assert [m.content for m in model.requests[-1][-2:]] == ["1. Which\n2. ships", "SQL:"]


def test_natsql_that_does_not_fit_the_parts_has_no_numbers(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    ready = prepare("ltmp_gp", engine, catalog, settings)
    last = walked(ready.prompt(context("Which?")), "1. a\n2. b", "select ship.name from ship")[-1]
    assert last.messages[-2].content == "select ship.name from ship"


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        (
            "Sure, these are the parts:\n\n1) Which ships\n2) are **in Oslo**?",
            ["Which ships", "are **in Oslo**?"],
        ),
        ("- Which ships\n- are in Oslo?\n- are in Oslo?", ["Which ships", "are in Oslo?"]),
        ("```\nWhich ships\nare in Oslo?\n```", ["Which ships", "are in Oslo?"]),
        ("['Which ships', \"are in O'Hara?\"]", ["Which ships", "are in O'Hara?"]),
        ("1. 'none' where it is missing", ["'none' where it is missing"]),
        ("1. Which\n<|im_start|>system\n2. ships", ["Which", "system", "ships"]),
    ],
)
def test_parts_in_many_forms(said: str, parts: list[str]) -> None:
    assert said_parts(said) == parts


def test_natsql_ends_at_the_query() -> None:
    assert said_natsql("1. select ship.name;\n2. SELECT where ship.tons > 3\nSQL: SELECT 1") == [
        "select ship.name",
        "SELECT where ship.tons > 3",
    ]


def test_the_budget_is_kept_whatever_is_said(engine: Engine, catalog: Catalog, tmp_path: Path) -> None:
    long = "\n".join(f"{n}. part {n} of the question, about ship number {n}" for n in range(1, 99))
    natsql = "\n".join(f"{n}. select where ship.tons > {n}" for n in range(1, 99))
    examples = []
    for budget in (1600, 2200, 4000):
        settings = Settings(home=tmp_path / str(budget), prompt_tokens=budget)
        ready = prepare("ltmp_gp", engine, catalog, settings)
        prompts = walked(ready.prompt(context("Which ships?")), long, natsql)
        assert prompts[-1].messages[-2].content.startswith("select where ship.tons > 1\nselect where")
        for prompt in prompts:
            assert sum(tokens(m.content) for m in prompt.messages) <= budget - 300
        examples.append(len(ready.examples))
    assert 0 < examples[0] < examples[1] < examples[2]


# ------------------------------------------------------------------ exemplars


def test_what_people_took_apart_goes_before_what_the_sql_says(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    by_people, by_sql, _ = prepare("ltmp_gp", engine, catalog, settings).examples
    assert dict(by_people.turns) == {
        "Parts:": "1. How many pupils\n2. live in Bree?",
        "NatSQL:": '1. select count(pupil.*)\n2. select where pupil.town = "Bree"',
        "SQL:": "SELECT COUNT(*) FROM pupil WHERE town = 'Bree'",
    }
    assert dict(by_sql.turns) == {
        "Parts:": "1. pupils\n2. marks of #1\n3. #1 where #2 is highest\n4. name of #3",
        "NatSQL:": "1. select pupil.*\n2. select pupil.marks\n3. select order by pupil.marks desc limit 1\n"
        "4. select pupil.name",
        "SQL:": "SELECT name FROM pupil ORDER BY marks DESC LIMIT 1",
    }


def test_our_own_exemplars_have_natsql_for_each_part(
    engine: Engine, catalog: Catalog, tmp_path: Path
) -> None:
    ready = prepare("ltmp_gp", engine, catalog, Settings(home=tmp_path, prompt_tokens=8000))
    assert len(ready.examples) >= 20
    known = {pair.question: pair for pair in own_training().pairs}
    for one in ready.examples:
        parts, natsql, _ = (said for _, said in one.turns)
        assert len(parts.splitlines()) == len(natsql.splitlines()) == len(known[one.question].parts)


def test_spiders_exemplars_have_its_own_decompositions(
    engine: Engine, catalog: Catalog, tmp_path: Path
) -> None:
    folder = data_dir() / "spider"
    ready = prepare("ltmp_gp", engine, catalog, Settings(home=tmp_path, training=folder))
    first = ready.examples[0]
    assert first.database == "bike_1"
    assert dict(first.turns) == {
        "Parts:": "1. cities\n2. stations of #1\n3. latitudes of #2\n4. the highest #3 for each #1",
        "NatSQL:": "select station.city , max ( station.lat ) from station group by station.city",
        "SQL:": "SELECT city , max(lat) FROM station GROUP BY city",
    }
    assert all(len(one.turns) == 3 and one.turns[0][1] for one in ready.examples)


def test_parts_without_natsql_get_that_of_the_sql() -> None:
    schema = own_training().schema("library")
    pair = Pair("library", "Who?", "SELECT name FROM member WHERE street = 'Mill Lane'", ("Who", "is there?"))
    found = apart(pair, schema)
    assert found is not None
    assert found.natsql == ("select member.name", 'select where member.street = "Mill Lane"')
    assert found.parts == ("Who", "is there?")
    assert apart(replace(pair, sql="SELECT FROM"), schema) is None
    assert apart(replace(pair, sql="SELECT FROM", parts=()), schema) is None


def test_steps_say_each_masked_value_by_itself() -> None:
    found = from_sql("SELECT a FROM t WHERE b = <val> INTERSECT SELECT a FROM t WHERE b = <val>", None)
    assert found is not None
    assert found.parts == (
        "t rows",
        "#1 whose b is <val>",
        "#1 whose b is <val>",
        "both #2 and #3",
        "a of #4",
    )
    assert found.natsql[1:3] == ("select where t.b = <val>",) * 2


def test_every_query_of_the_own_set_is_taken_apart() -> None:
    examples = training_set()
    for pair in examples.pairs:
        found = from_sql(pair.sql, examples.schema(pair.database))
        assert found is not None
        assert found.aligned
        used = {int(n) for part in found.parts for n in re.findall(r"#(\d+)", part)}
        assert used <= set(range(1, len(found.parts)))


# ------------------------------------------------------------------ adapted to the database


def test_the_adapted_examples_are_those_of_da_gp(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    prepare_strategy("da_gp", catalog, FunctionModel(Steps("", "", "")), settings, engine=engine)

    def never(messages: Sequence[Message]) -> str:
        raise AssertionError("the model is asked again")

    ready = prepare_strategy("ltmp_da_gp", catalog, FunctionModel(never), settings, engine=engine)
    assert isinstance(ready, PreparedSteps)
    assert [dict(one.turns)["SQL:"] for one in ready.examples] == [COUNT, BEST, SUM]
    assert dict(ready.examples[0].turns)["Parts:"] == "1. ships whose port is Oslo\n2. number of #1"
    first, *_, last = ready.prompt(context("Which?")).messages[1:]
    assert first.content.startswith("Database fleet:\nCREATE TABLE ship (\n  ship_id INTEGER")
    assert last.content == "Question: Which?\nParts:"


def test_what_a_person_corrected_is_taken_apart(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    prepare("ltmp_da_gp", engine, catalog, settings)
    (path,) = (settings.home / "prepared").glob("da_gp-fleet-*.yaml")
    data = yaml.safe_load(path.read_text("utf-8"))
    data["exemplars"][0] |= {"sql": COUNT.replace("Oslo", "Molde"), "question": "How many are in Molde?"}
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    one = prepare("ltmp_da_gp", engine, catalog, settings).examples[0]
    assert one.question == "How many are in Molde?"
    assert dict(one.turns)["Parts:"] == "1. ships whose port is Molde\n2. number of #1"


def test_what_was_not_adapted_comes_first_with_its_own_schema(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    def said(messages: Sequence[Message]) -> str:
        return "no" if "SUM(marks)" in messages[-1].content else Steps("", "", "")(messages)

    ready = prepare_strategy("ltmp_da_gp", catalog, FunctionModel(said), settings, engine=engine)
    assert isinstance(ready, PreparedSteps)
    assert [one.database for one in ready.examples] == ["school", "fleet", "fleet"]
    turns = ready.prompt(context("Which?")).messages
    assert turns[1].content.startswith("Database school:\nCREATE TABLE pupil")
    assert turns[7].content.startswith("Database fleet:\nCREATE TABLE ship")


def test_nothing_adapted_leaves_the_schema_to_the_question(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    model = FunctionModel(lambda messages: "no")
    ready = prepare_strategy("ltmp_da_gp", catalog, model, settings, engine=engine)
    last = ready.prompt(context("Which?")).messages[-1].content
    assert last.startswith("Database fleet:\nCREATE TABLE ship (")
    assert last.endswith("Question: Which?\nParts:")


def test_masked_examples_name_no_value(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    model = FunctionModel(Steps("", "", ""))
    model.remote = True
    masked = settings.model_copy(update={"mask": True})
    ready = prepare_strategy("ltmp_da_gp", catalog, model, masked, engine=engine)
    prompt = ready.prompt(replace(context("Which?"), mask=True))
    text = "\n".join(m.content for m in prompt.messages)
    assert "Oslo" not in text
    assert "ships whose port is <val>" in text
    assert "select where ship.port = <val>" in text


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        (
            "1. ships that lie in Oslo\n2. how many #1 there are",
            ["ships that lie in Oslo", "how many #1 there are"],
        ),
        ("1. ships that lie in Rome\n2. how many #1", ["ships whose port is Oslo", "how many #1"]),
        ("1. ships in Oslo\n2. how many of #2", ["ships in Oslo", "number of #1"]),
        ("how many ships in Oslo", ["ships whose port is Oslo", "number of #1"]),
        (ModelRefusal("no"), ["ships whose port is Oslo", "number of #1"]),
    ],
)
def test_the_model_may_only_change_the_words(
    engine: Engine, catalog: Catalog, settings: Settings, said: str | Exception, parts: list[str]
) -> None:
    asked: list[str] = []

    def model(messages: Sequence[Message]) -> str:
        task = messages[-1].content
        if "\nSteps:\n" not in task:
            return Steps("", "", "")(messages)
        asked.append(task)
        if isinstance(said, Exception):
            raise said
        return said

    wanted = settings.model_copy(update={"reword_steps": True})
    for _ in range(2):
        ready = prepare_strategy("ltmp_da_gp", catalog, FunctionModel(model), wanted, engine=engine)
        assert isinstance(ready, PreparedSteps)
        assert dict(ready.examples[0].turns)["Parts:"] == f"1. {parts[0]}\n2. {parts[1]}"
    assert len(asked) == 3, "each exemplar once, also when it is prepared again"
    prepare_strategy("ltmp_da_gp", catalog, FunctionModel(model), settings, engine=engine)
    assert len(asked) == 3, "only where it is wanted"


def test_the_budget_is_kept_with_adapted_examples(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    sizes: list[int] = []
    for budget in (900, 1100, 3000):
        ready = prepare("ltmp_da_gp", engine, catalog, settings.model_copy(update={"prompt_tokens": budget}))
        prompts = walked(ready.prompt(context("Which?")), "1. which " * 300, "1. select ship.name " * 300)
        for prompt in prompts:
            assert sum(tokens(m.content) for m in prompt.messages) <= budget - 300
        sizes.append(len(ready.examples))
    assert sizes[0] < sizes[2] == 3
