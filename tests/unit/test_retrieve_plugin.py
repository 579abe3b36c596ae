"""The retriever as a part of somebody else's pipeline: a path, a number of shots, pairs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import sqlore
from evals_helpers import SCHEMA, SCRIPTS
from sqlore.catalog import Catalog, ColumnValues, ValueIndex, catalog_from_schema
from sqlore.errors import StoreError, UsageError
from sqlore.knowledge import Store
from sqlore.model import Retrieval, Script
from sqlore.retrieve import Retriever
from sqlore.retrieve.shots import filled
from store_helpers import WordEmbedder, teach

QUESTION = "How many heroes taller than 190 are published by Marvel?"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "comics.sqlore"
    with Store.create(path) as store:
        catalog = Catalog(SCHEMA, values=ValueIndex([ColumnValues("publisher", "title", ("Marvel", "DC"))]))
        teach(store, *SCRIPTS, catalog=catalog, embedder=WordEmbedder())
        store.save_catalog(catalog.to_json())
    return path


@pytest.fixture
def retriever(file: Path) -> Iterator[Retriever]:
    with Retriever(file, WordEmbedder()) as opened:
        yield opened


def keys(found: Retrieval) -> list[str]:
    return [ranked.script.script.key for ranked in found.scripts]


def test_a_few_lines_in_another_pipeline(file: Path) -> None:
    pairs = sqlore.Retriever(str(file), WordEmbedder()).retrieve(QUESTION, shots=3).pairs
    assert len(pairs) == 3
    written = {script.sql: script.question for script in SCRIPTS}
    assert all(written[sql] == question for question, sql in pairs)


def test_a_number_of_shots_is_filled_or_all_there_are(retriever: Retriever) -> None:
    for shots in range(10):
        found = keys(retriever.retrieve(QUESTION, shots=shots))
        assert len(found) == len(set(found))
        # 4 and 5 are two texts of one script, and one is enough
        assert len(found) == min(shots, len(SCRIPTS) - 1)


def test_the_cover_comes_first_and_the_rest_after_it(retriever: Retriever) -> None:
    cover = keys(retriever.retrieve(QUESTION))
    filled = keys(retriever.retrieve(QUESTION, shots=6))
    assert 0 < len(cover) < 6
    assert filled[: len(cover)] == cover
    found = retriever.retrieve(QUESTION, shots=6)
    scores = [ranked.score for ranked in found.scripts[: len(cover)]]
    assert scores == sorted(scores, reverse=True)


def test_shots_take_no_withheld_script(retriever: Retriever) -> None:
    withheld = {script.key for script in SCRIPTS[:3]}
    found = retriever.retrieve(QUESTION, shots=7, exclude=withheld)
    assert set(keys(found)).isdisjoint(withheld)
    assert len(found.scripts) == 3


def test_shots_keep_to_a_budget_that_is_given(retriever: Retriever) -> None:
    assert len(retriever.retrieve(QUESTION, shots=6, budget=70).scripts) < 6
    assert retriever.retrieve(QUESTION, shots=6, budget=1).scripts == ()


def test_long_scripts_fill_the_shots_where_no_budget_is_given() -> None:
    wide = ", ".join(f"height + {n}" for n in range(900))
    with Store.create(":memory:") as store:
        long = [Script(f"SELECT {wide} FROM hero WHERE id = {n} AND name {op} 'x'", str(n), f"hero {n}")
                for n, op in enumerate(("=", "<", ">", "<>"))]  # fmt: skip
        teach(store, *long, catalog=catalog_from_schema(SCHEMA), embedder=WordEmbedder())
        retriever = Retriever(store, WordEmbedder())
        assert len(retriever.retrieve("hero", shots=3).scripts) == 3
        assert retriever.retrieve("hero").scripts == ()


def test_the_catalog_of_the_store_finds_values(retriever: Retriever) -> None:
    assert [value.value for value in retriever.retrieve(QUESTION).values] == ["Marvel"]


def test_descriptions_stand_in_for_questions() -> None:
    with Store.create(":memory:") as store:
        teach(store, Script("SELECT AVG(height) FROM hero", "1"),
              catalog=catalog_from_schema(SCHEMA), embedder=WordEmbedder())  # fmt: skip
        ((question, sql),) = Retriever(store, WordEmbedder()).retrieve("average height", shots=1).pairs
    assert "average" in question.lower()
    assert sql == "SELECT AVG(height) FROM hero"


def test_what_cannot_be_is_said(file: Path, retriever: Retriever) -> None:
    with pytest.raises(UsageError):
        retriever.retrieve(QUESTION, shots=-1)
    with pytest.raises(StoreError):
        Retriever(file.with_name("missing.sqlore"))


def test_a_store_that_was_given_stays_open(file: Path) -> None:
    with Store.open(file) as store:
        with Retriever(store, WordEmbedder()) as retriever:
            retriever.retrieve(QUESTION)
        assert store.scripts()


def test_what_fills_up_adds_to_what_is_shown(retriever: Retriever) -> None:
    """While a piece that may be needed is not shown, each further script brings most of them for its size."""
    asked = retriever.look_up("How many are there?")
    items, scores = asked.snapshot.items_of_text, np.full(len(asked.snapshot.items), 0.4, dtype=np.float32)
    near = np.maximum(asked.dense, asked.lexical)
    shown = set(items[0])
    for row in filled(asked, [0], scores, number=4, budget=10**6):
        worth = [
            len(set(items[text]) - shown) * (1 + near[text]) / (3 + len(items[text]))
            for text in range(len(near))
        ]
        assert worth[row] > 0
        assert worth[row] == pytest.approx(max(worth))
        shown |= set(items[row])
