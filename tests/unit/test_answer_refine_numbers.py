"""Wishes whose numbers are said in words are granted by the same rule as those in digits."""

from __future__ import annotations

import pytest

from sqlore.answer.refine.change import Refiner
from sqlore.catalog import catalog_from_schema
from sqlore.errors import ModelUnavailable
from sqlore.model import Column, Schema, Table

SCHEMA = Schema((Table("loan", (Column("amount", "INTEGER"), Column("date", "TEXT"))),), "sqlite")
SQL = "SELECT COUNT(*) FROM loan l WHERE l.amount < 100000 AND l.date >= '1996-01-01'"


@pytest.fixture
def refiner() -> Refiner:
    """Without a model: what no rule grants is refused."""
    return Refiner(catalog_from_schema(SCHEMA), "sqlite")


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("200000", "200000"),
        ("200 thousand", "200000"),
        ("under 200 thousand", "200000"),
        ("less than 1.5 million", "1500000"),
        ("only below 3k", "3000"),
        ("250,000", "250000"),
    ],
)
def test_numbers_in_words(refiner: Refiner, words: str, value: str) -> None:
    number = next(one.number for one in refiner.items(SQL) if one.sql == "l.amount < 100000")
    assert refiner.wish(SQL, number, words).after == SQL.replace("100000", value)


@pytest.mark.parametrize("words", ["over 200 thousand", "at most 200 thousand"])
def test_another_comparison_is_for_the_model(refiner: Refiner, words: str) -> None:
    number = next(one.number for one in refiner.items(SQL) if one.sql == "l.amount < 100000")
    with pytest.raises(ModelUnavailable):
        refiner.wish(SQL, number, words)
