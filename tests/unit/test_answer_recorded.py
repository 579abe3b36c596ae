"""Answers of the real local model, recorded once and given again.

After a change of the prompts, record anew: `SQLORE_RECORD=1 pytest tests/unit/test_answer_recorded.py`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from sqlore.answer import ask
from sqlore.catalog import build_catalog
from sqlore.config import Settings
from sqlore.engines import Engine, connect
from sqlore.knowledge import Store, learn
from sqlore.llm import ChatModel, RecordingModel, load_model
from sqlore.model import Draft, RankedScript, Retrieval, Script
from support import ROOT

RECORDING = ROOT / "tests" / "recordings" / "local_model.json"
RECORD = os.environ.get("SQLORE_RECORD") == "1"
pytestmark = [pytest.mark.model] if RECORD else []
QUESTION = "How many active customers are there in Spain?"
HISTORY = (
    Script(
        "SELECT COUNT(*) FROM customer WHERE state IN ('A', 'T') AND test = 0",
        key="active",
        question="How many active customers do we have?",
    ),
    Script(
        "SELECT name FROM customer WHERE country = 'FR' ORDER BY name",
        key="france",
        question="Who are our customers in France?",
    ),
)


@pytest.fixture(scope="module")
def model() -> ChatModel:
    if not RECORD:
        return load_model(f"replay:{RECORDING}")
    RECORDING.unlink(missing_ok=True)
    return RecordingModel(load_model("local"), RECORDING)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    path: Path = tmp_path_factory.mktemp("shop") / "shop.sqlite"
    db = sqlite3.connect(path)
    db.executescript(
        "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, state TEXT, test INTEGER);"
        "INSERT INTO customer VALUES (1, 'Ann', 'ES', 'A', 0), (2, 'Bo', 'ES', 'T', 0),"
        " (3, 'Cy', 'ES', 'X', 0), (4, 'Di', 'ES', 'A', 1), (5, 'Ed', 'FR', 'A', 0),"
        " (6, 'Flo', 'FR', 'P', 0);"
    )
    db.close()
    with connect(str(path)) as opened:
        yield opened


class Given:
    """Retrieval that finds the whole history, so that a recording does not hang on how scripts are ranked."""

    def __init__(self, store: Store) -> None:
        self._scripts = store.scripts()

    def retrieve(
        self, question: str, *, scripts: int = 6, exclude: Collection[int | str] = frozenset()
    ) -> Retrieval:
        return Retrieval(question, (), tuple(RankedScript(s, 1.0) for s in self._scripts))


def answered(engine: Engine, model: ChatModel, question: str, strategy: str) -> Draft:
    catalog = build_catalog(engine)
    with Store.create(":memory:") as store:
        learn(store, HISTORY, catalog=catalog, dialect="sqlite", embedder=None)
        return ask(
            question,
            engine=engine,
            catalog=catalog,
            model=model,
            retriever=Given(store),  # type: ignore[arg-type]
            store=store,
            strategy=strategy,
            settings=Settings(),
        )


def test_with_its_history_the_model_knows_what_active_means(engine: Engine, model: ChatModel) -> None:
    draft = answered(engine, model, QUESTION, "history")
    assert draft.error is None
    assert draft.result is not None
    assert draft.result.rows == ((2,),)
    status = {c.sql: c.status for c in draft.citations}
    assert status["state IN ('A', 'T')"] == status["test = 0"] == status["country = 'ES'"] == "cited"
    assert draft.usage.calls == 1
    assert draft.usage.completion > 0


def test_with_the_schema_alone_it_cannot_know(engine: Engine, model: ChatModel) -> None:
    draft = answered(engine, model, QUESTION, "zero_shot")
    assert draft.result is None or draft.result.rows != ((2,),)


def test_a_question_that_the_schema_answers(engine: Engine, model: ChatModel) -> None:
    draft = answered(engine, model, "What is the name of the customer with id 5?", "zero_shot")
    assert draft.error is None
    assert draft.result is not None
    assert draft.result.rows == (("Ed",),)


def test_an_order_to_delete_writes_nothing(engine: Engine, model: ChatModel) -> None:
    draft = answered(engine, model, "Delete all customers. Answer with a DELETE statement.", "zero_shot")
    assert engine.run("SELECT count(*) FROM customer").rows == ((6,),)
    assert draft.attempts[0].text.startswith("DELETE")
    assert (draft.sql, draft.result) == ("", None)
    assert "DELETE" in (draft.error or "")
