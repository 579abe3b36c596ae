"""DIN-SQL: every class of query, what a model may say in each task, the last look, the exemplars."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from sqlore.answer import ask
from sqlore.catalog import Catalog, build_catalog
from sqlore.config import Settings
from sqlore.engines import Engine, connect
from sqlore.errors import ModelRefusal
from sqlore.llm import FunctionModel
from sqlore.model import Column, Draft, ForeignKey, Message, Schema, Table
from sqlore.prompts import Prompt, PromptContext, prepare_strategy
from sqlore.prompts.din_examples import chosen_pairs, query_class, read_query
from sqlore.prompts.din_sql import CORRECT, PreparedDin, said_class
from sqlore.prompts.text import tokens
from sqlore.prompts.training_set import own_training
from support import one_line

QUESTION = "Which ships are heavier than the average?"
RIGHT = "SELECT name FROM ship WHERE tons > (SELECT AVG(tons) FROM ship)"
WRONG = "SELECT tons FROM ship WHERE tons > (SELECT AVG(tons) FROM ship)"
SCHEMA = Schema(
    (
        Table("Port", (Column("PortId", "INTEGER", primary_key=True), Column("Town"))),
        Table(
            "Ship",
            (Column("Name"), Column("PortId"), Column("Tons", "INTEGER")),
            foreign_keys=(ForeignKey(("PortId",), "Port", ("PortId",)),),
        ),
    )
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / "fleet.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE ship (ship_id INTEGER PRIMARY KEY, name TEXT, tons INT)")
        db.executemany("INSERT INTO ship VALUES (?, ?, ?)", [(n, f"Ship {n}", n * n) for n in range(9)])
    db.close()
    with connect(f"sqlite:///{path}") as opened:
        yield opened


@pytest.fixture
def catalog(engine: Engine) -> Catalog:
    return build_catalog(engine)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", repairs=0)


class Tasks:
    """A model that says one thing in each task, by what it is asked for; an exception is raised."""

    def __init__(self, **says: str | Exception) -> None:
        self.says = {
            "Schema links:": says.get("links", "ship.name, ship.tons"),
            "Class:": says.get("kind", "Tables: ship. Queries inside: NESTED\n1. average tons of ships"),
            "NatSQL:": says.get("natsql", "1. select ship.name"),
            "Queries inside:": says.get("inner", "1. SELECT AVG(tons) FROM ship"),
            "SQL:": says.get("sql", RIGHT),
            CORRECT: says.get("correct", RIGHT),
        }
        self.asked: list[str] = []

    def __call__(self, messages: Sequence[Message]) -> str:
        self.asked.append(messages[-1].content.splitlines()[-1])
        said = self.says[self.asked[-1]]
        if isinstance(said, Exception):
            raise said
        return said


@pytest.fixture
def answer(engine: Engine, catalog: Catalog, settings: Settings):  # type: ignore[no-untyped-def]
    def answered(tasks: Tasks) -> tuple[Draft, FunctionModel]:
        model = FunctionModel(tasks)
        draft = ask(
            QUESTION, engine=engine, catalog=catalog, model=model, strategy="din_sql", settings=settings
        )
        return draft, model

    return answered


def prepare(engine: Engine, catalog: Catalog, settings: Settings) -> PreparedDin:
    ready = prepare_strategy("din_sql", catalog, None, settings, engine=engine)
    assert isinstance(ready, PreparedDin)
    return ready


def said_after(model: FunctionModel, asked: str) -> str:
    """What the last request shows as the answer to a task of the question."""
    last = model.requests[-1]
    place = max(n for n, message in enumerate(last) if message.content.endswith(asked))
    return last[place + 1].content


# ------------------------------------------------------------------ the tasks by class


@pytest.mark.parametrize(
    ("kind", "between"),
    [
        ("Tables: ship. No join, no query inside: EASY", []),
        ("EASY", []),
        ("Tables: ship. A join, no query inside: NON-NESTED", ["NatSQL:"]),
        ("non nested", ["NatSQL:"]),
        ("Tables: ship. Queries inside: NESTED\n1. average tons of ships", ["Queries inside:"]),
        ('Label: "NESTED"', ["Queries inside:"]),
        ("", ["NatSQL:"]),
        (ModelRefusal("no"), ["NatSQL:"]),
    ],
)
def test_each_class_has_its_tasks(answer, kind: str | Exception, between: list[str]) -> None:  # type: ignore[no-untyped-def]
    tasks = Tasks(kind=kind)
    draft, model = answer(tasks)
    assert one_line(draft.sql) == RIGHT
    assert draft.result is not None
    assert tasks.asked == ["Schema links:", "Class:", *between, "SQL:", CORRECT]
    for before, after in pairwise(model.requests):
        assert after[: len(before)] == before
    assert model.requests[-1][-2].content == RIGHT


def test_what_was_said_goes_on_as_it_was(answer) -> None:  # type: ignore[no-untyped-def]
    _, model = answer(Tasks())
    assert said_after(model, "Schema links:") == "ship.name, ship.tons"
    assert said_after(model, "Class:") == "Tables: ship. Queries inside: NESTED\n1. average tons of ships"
    assert said_after(model, "Queries inside:") == "1. SELECT AVG(tons) FROM ship"


@pytest.mark.parametrize("links", ["", "\n", ModelRefusal("no")])
def test_without_links_there_are_none(answer, links: str | Exception) -> None:  # type: ignore[no-untyped-def]
    draft, model = answer(Tasks(links=links))
    assert one_line(draft.sql) == RIGHT
    assert said_after(model, "Schema links:") == "none"


@pytest.mark.parametrize("kind", ["NON-NESTED", "NESTED"])
@pytest.mark.parametrize("said", ["", "I do not know.", ModelRefusal("no")])
def test_a_task_that_says_nothing_is_left_out(answer, kind: str, said: str | Exception) -> None:  # type: ignore[no-untyped-def]
    draft, model = answer(Tasks(kind=kind, natsql=said, inner=said))
    assert one_line(draft.sql) == RIGHT
    assert [m.content for m in model.requests[-1][-5:]] == ["Class:", kind, "SQL:", RIGHT, CORRECT]


def test_a_long_reason_for_a_class_is_not_taken_along(answer) -> None:  # type: ignore[no-untyped-def]
    _, model = answer(Tasks(kind="It is " + "really " * 60 + "EASY"))
    assert said_after(model, "Class:") == "No join, no query inside: EASY"


# ------------------------------------------------------------------ the last look


@pytest.mark.parametrize(
    ("correct", "sql"),
    [
        (RIGHT, RIGHT),
        (f"It selects the wrong column:\n```sql\n{RIGHT};\n```", RIGHT),
        ("The query is correct.", WRONG),
        ("", WRONG),
    ],
)
def test_the_last_look_mends_or_keeps(answer, correct: str, sql: str) -> None:  # type: ignore[no-untyped-def]
    draft, _ = answer(Tasks(sql=WRONG, correct=correct))
    assert one_line(draft.sql) == sql


def test_without_a_query_there_is_nothing_to_look_at(answer) -> None:  # type: ignore[no-untyped-def]
    tasks = Tasks(sql="I cannot.")
    draft, _ = answer(tasks)
    assert draft.sql == ""
    assert draft.error is not None
    assert tasks.asked[-2:] == ["SQL:", "SQL:"]


def test_the_last_look_has_no_examples(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    ready = prepare(engine, catalog, settings)
    assert CORRECT not in {asked for one in ready.examples for asked, _ in one.turns}


# ------------------------------------------------------------------ exemplars


def test_the_exemplars_show_every_class(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    ready = prepare(engine, catalog, settings)
    classes = [dict(one.turns)["Class:"].split(": ")[2].split("\n")[0] for one in ready.examples]
    assert {classes.count(kind) for kind in ("EASY", "NON-NESTED", "NESTED")} <= {3, 4}
    kinds = {pair.question: query_class(pair.sql) for pair in own_training().pairs}
    assert classes == [kinds[one.question] for one in ready.examples]
    assert prepare(engine, catalog, settings) == ready


def test_an_exemplar_with_queries_inside(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    ready = prepare(engine, catalog, settings)
    (both,) = (one for one in ready.examples if one.question.startswith("Name the authors who wrote both"))
    assert dict(both.turns) == {
        "Schema links:": "book.author, book.genre, 'novel', 'poetry'",
        "Class:": "Tables: book. Queries inside: NESTED\n1. author of books whose genre is novel\n"
        "2. author of books whose genre is poetry",
        "Queries inside:": "1. SELECT author FROM book WHERE genre = 'novel'\n"
        "2. SELECT author FROM book WHERE genre = 'poetry'",
        "SQL:": "SELECT author FROM book WHERE genre = 'novel' INTERSECT "
        "SELECT author FROM book WHERE genre = 'poetry'",
    }


def test_links_are_spelled_as_the_schema_spells_them() -> None:
    read = read_query(
        "SELECT s.name FROM ship s JOIN port p ON s.portid = p.portid WHERE p.town = 'Oslo' AND tons > 9",
        SCHEMA,
    )
    assert read is not None
    assert read.kind == "NON-NESTED"
    assert set(read.tables) == {"Ship", "Port"}
    assert read.links[:-2] == ("Port.Town", "Ship.Name", "Ship.Tons")
    assert read.links[-2:] == ("Port.PortId = Ship.PortId", "'Oslo'")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM ship WHERE EXISTS (SELECT 1 FROM port WHERE port.portid = ship.portid)",
        "SELECT FROM",
        "DELETE FROM ship",
    ],
)
def test_what_cannot_be_asked_alone_is_no_exemplar(sql: str) -> None:
    assert read_query(sql, SCHEMA) is None


def test_a_query_on_a_step_before_is_not_asked_alone() -> None:
    read = read_query(
        "WITH a AS (SELECT tons FROM ship), b AS (SELECT MAX(tons) AS t FROM a) SELECT t FROM b", SCHEMA
    )
    assert read is not None
    assert [sql for _, sql in read.inner] == ["SELECT tons FROM ship"]


def test_pairs_of_a_class_add_operations() -> None:
    chosen = chosen_pairs(own_training(), own_training().pairs, 3)
    assert [read.kind for _, read in chosen] == ["EASY"] * 3 + ["NON-NESTED"] * 3 + ["NESTED"] * 3
    assert len({pair.database for pair, _ in chosen}) == 1


def test_sub_questions_are_those_after_the_class() -> None:
    said = "Tables: a.\nQueries inside: NESTED\n1. highest a\n2. lowest a\nSQL: SELECT 1"
    assert said_class(said) == ("NESTED", ["highest a", "lowest a"])


# ------------------------------------------------------------------ budget and beginning


def walked(prompt: Prompt, said: str) -> Iterator[Prompt]:
    """The prompts of all tasks, where the model says this in every one."""
    while True:
        yield prompt
        if prompt.then is None:
            return
        prompt = prompt.then(said)


@pytest.mark.parametrize(
    "said",
    [
        "ship.name, " * 300 + "EASY SELECT 1",
        "\n".join(f"{n}. SELECT name FROM ship WHERE tons > {n}" for n in range(30)),
        "NESTED\n" + "\n".join(f"{n}. how many are {n}" for n in range(99)),
        "NESTED\n" + "\n".join(f"SELECT {'name, ' * 9} name FROM ship WHERE tons > {n}" for n in range(20)),
        "SELECT " + "name, " * 300 + "name FROM ship",
    ],
)
def test_the_budget_is_kept_whatever_is_said(
    engine: Engine, catalog: Catalog, tmp_path: Path, said: str
) -> None:
    sizes = []
    for budget in (1500, 2200, 5000):
        settings = Settings(home=tmp_path / str(budget), prompt_tokens=budget)
        ready = prepare(engine, catalog, settings)
        for prompt in walked(ready.prompt(PromptContext(QUESTION, "", "sqlite", "fleet")), said):
            assert sum(tokens(m.content) for m in prompt.messages) <= budget - 300
        sizes.append(len(ready.examples))
    assert sizes[0] < sizes[1] < sizes[2] == 12


def test_questions_share_their_beginning(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    ready = prepare(engine, catalog, settings)
    one = ready.prompt(PromptContext("Which ships?", "", "sqlite", "fleet")).messages
    other = ready.prompt(PromptContext("How many?", "", "sqlite", "fleet")).messages
    assert one[:-1] == other[:-1]
    assert other[-1].content.startswith("Database fleet:\nCREATE TABLE ship (ship_id, name, tons")
