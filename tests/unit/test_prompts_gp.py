"""The generic prompt on real databases: what is in it, that it is stable, cached, and within its budget."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import pytest

from sqlore.answer import ask
from sqlore.answer.context import prompt_context
from sqlore.catalog import Catalog, build_catalog
from sqlore.config import Settings
from sqlore.engines import Engine, connect
from sqlore.llm import FunctionModel, NoModel
from sqlore.model import Message
from sqlore.prompts import Prepared, Prompt, PromptContext, prepare_strategy
from sqlore.prompts.few_shot import ABOUT
from sqlore.prompts.notebook import Notebook
from sqlore.prompts.text import tokens
from support import data_dir

QUESTION = "How many plants are there in France?"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with connect(f"sqlite:///{data_dir('kaggledbqa', 'databases', 'GeoNuclearData.sqlite')}") as opened:
        yield opened


@pytest.fixture
def catalog(engine: Engine) -> Catalog:
    return build_catalog(engine)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


def prepared(catalog: Catalog, settings: Settings) -> Prepared:
    return prepare_strategy("gp", catalog, NoModel(), settings)


def prompt(ready: Prepared, catalog: Catalog, settings: Settings, question: str = QUESTION) -> Prompt:
    return ready.prompt(prompt_context(question, catalog, None, settings))


def test_the_question_is_answered(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    sql = "SELECT COUNT(*) FROM nuclear_power_plants WHERE Country = 'France'"
    model = FunctionModel(lambda messages: sql)
    draft = ask(QUESTION, engine=engine, catalog=catalog, model=model, strategy="gp", settings=settings)
    assert draft.error is None
    assert draft.result is not None
    assert draft.result.rows[0][0] > 10
    (request,) = model.requests
    assert request[-1].content.endswith(f"Question: {QUESTION}")
    assert "nuclear_power_plants.Country = 'France'" in request[-1].content


def test_its_form(catalog: Catalog, settings: Settings) -> None:
    messages = prompt(prepared(catalog, settings), catalog, settings).messages
    assert [m.role for m in messages] == [
        "system",
        *["user", "assistant"] * ((len(messages) - 2) // 2),
        "user",
    ]
    assert messages[0].content.endswith(ABOUT)
    assert messages[1].content.startswith("Database library:\nCREATE TABLE book (book_id, title,")
    assert messages[2].content.startswith("SELECT author, COUNT(*) FROM book")
    assert messages[3].content.startswith("Question: ")
    target = messages[-1].content
    assert "CREATE TABLE nuclear_power_plants (Id, Name, Latitude," in target
    text = "\n".join(m.content for m in messages)
    assert "TEXT" not in text
    assert "INTEGER" not in text.replace("AS INTEGER", "")


def test_all_but_the_question_is_the_same_for_every_question(catalog: Catalog, settings: Settings) -> None:
    ready = prepared(catalog, settings)
    a, b = (prompt(ready, catalog, settings, q).messages for q in (QUESTION, "Which reactor is the oldest?"))
    assert a[:-1] == b[:-1]
    schema = a[-1].content.split("\n\n")[0]
    assert b[-1].content.startswith(schema)
    assert tokens(schema) > 50


@pytest.mark.parametrize("budget", [900, 1500, 3000])
def test_the_budget_is_kept(catalog: Catalog, tmp_path: Path, budget: int) -> None:
    settings = Settings(home=tmp_path, prompt_tokens=budget)
    messages = prompt(prepared(catalog, settings), catalog, settings).messages
    assert sum(tokens(m.content) for m in messages) <= budget
    assert len(messages) > 4


def test_more_room_shows_more(catalog: Catalog, tmp_path: Path) -> None:
    sizes = []
    for budget in (900, 1500, 3000, 9000):
        settings = Settings(home=tmp_path, prompt_tokens=budget)
        sizes.append(len(prompt(prepared(catalog, settings), catalog, settings).messages))
    assert sizes[0] < sizes[1] < sizes[2] == sizes[3]


def test_what_was_chosen_is_kept_and_read_again(catalog: Catalog, settings: Settings) -> None:
    first = prepared(catalog, settings)
    (file,) = (settings.home / "prepared").iterdir()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    kept = dict(lines)
    kept["exemplars"][0]["question"] = "A question that a person edited?"
    file.write_text("".join(json.dumps(item) + "\n" for item in kept.items()))
    second = prepared(catalog, settings)
    assert "A question that a person edited?" in prompt(second, catalog, settings).messages[1].content
    assert prompt(first, catalog, settings).messages[2:] == prompt(second, catalog, settings).messages[2:]


def test_other_examples_are_chosen_anew(catalog: Catalog, settings: Settings) -> None:
    prepared(catalog, settings)
    spider = settings.model_copy(update={"training": data_dir("spider")})
    messages = prompt(prepared(catalog, spider), catalog, spider).messages
    assert messages[1].content.startswith("Database bike_1:\nCREATE TABLE station (id, name,")
    assert len(list((settings.home / "prepared").iterdir())) == 2


def test_a_schema_too_large_is_cut_to_the_question(tmp_path: Path) -> None:
    path = tmp_path / "wide.sqlite"
    with sqlite3.connect(path) as db:
        for n in range(120):
            columns = ", ".join(f"attribute_{n}_{i} TEXT" for i in range(12))
            db.execute(f"CREATE TABLE table_{n} (id INTEGER PRIMARY KEY, {columns})")
        db.execute("CREATE TABLE penguin (id INTEGER PRIMARY KEY, weight REAL)")
    db.close()
    settings = Settings(home=tmp_path)
    with connect(f"sqlite:///{path}") as engine:
        catalog = build_catalog(engine)
    messages = prompt(prepared(catalog, settings), catalog, settings, "How heavy is each penguin?").messages
    assert sum(tokens(m.content) for m in messages) <= settings.prompt_tokens
    assert "CREATE TABLE penguin" in messages[-1].content
    assert len(messages) > 4


def test_the_examples_are_in_the_dialect_of_the_database(tmp_path: Path) -> None:
    path = tmp_path / "fleet.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE ship (ship_id INTEGER PRIMARY KEY, name TEXT, launched DATE)")
    with connect(f"duckdb:///{path}") as engine:
        catalog = build_catalog(engine)
    settings = Settings(home=tmp_path, prompt_tokens=6000)
    text = "\n".join(m.content for m in prompt(prepared(catalog, settings), catalog, settings).messages)
    assert "You write DuckDB queries" in text
    assert "STRFTIME(CAST(lent_on AS TIMESTAMP), '%Y-%m')" in text
    assert "julianday" not in text.lower()


class Stepwise:
    """A strategy whose first answer is not SQL yet."""

    name = "stepwise"

    def prompt(self, context: PromptContext) -> Prompt:
        ask_parts = (Message("user", f"Take apart: {context.question}"),)
        return Prompt(ask_parts, then=lambda said: Prompt((Message("user", f"SQL for: {said}"),)))


def test_a_strategy_may_ask_in_steps(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    def answer(messages: Sequence[Message]) -> str:
        said = messages[-1].content
        return "how many; in France" if said.startswith("Take apart") else "SELECT 1"

    model = FunctionModel(answer)
    draft = ask(QUESTION, engine=engine, catalog=catalog, model=model, strategy=Stepwise(), settings=settings)
    asked = [request[0].content for request in model.requests]
    assert asked == [f"Take apart: {QUESTION}", "SQL for: how many; in France"]
    assert draft.sql == "SELECT 1"
    assert draft.usage.calls == 2


def test_a_notebook_goes_on_from_its_last_whole_line(tmp_path: Path) -> None:
    notes = Notebook(tmp_path / "new", "step", "model a")
    notes.put("1", ["é"])
    notes.put("2", {"sql": "SELECT 1"})
    assert notes.path is not None
    with notes.path.open("ab") as file:
        file.write(b'["3", "never fini')
    again = Notebook(tmp_path / "new", "step", "model a")
    assert "1" in again
    assert "3" not in again
    assert again["1"] == ["é"]
    again.put("3", 3)
    assert len(Notebook(tmp_path / "new", "step", "model a")) == 3
    assert len(Notebook(tmp_path / "new", "step", "model b")) == 0


def test_a_notebook_without_a_folder_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notes = Notebook(None, "step")
    assert notes.put("1", 1) == notes["1"] == 1
    assert list(tmp_path.iterdir()) == []
