"""Descriptions in few words: what is news stays, whole, whatever frame a dictionary puts around it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import data_dir

from sqlore.catalog.gist import gist

CASES = [
    (
        "Laboratory GPT",
        "ALT glutamic pyruvic transaminase is a column in the Laboratory table. It is of type integer. "
        "The normal range is N < 60.",
        "ALT glutamic pyruvic transaminase. The normal range is N < 60",
    ),
    (
        "historical high",
        "In the 'Historical' table of the 'coins' database, the 'high' column, of type real, records the "
        "highest price in dollars.",
        "highest price in dollars",
    ),
    (
        "comments PostId",
        "The Post Id column in the comments table is an integer type column that represents the unique id of "
        "the post.",
        "unique id of the post",
    ),
    ("order_line line_total", "net amount in cents", "net amount in cents"),
    ("sets code", "The set code for the set.", ""),
    ("city name", "This column is called name and it is of type text.", ""),
    ("plan tier", "F: free\nP: paid", "F: free P: paid"),
]


@pytest.mark.parametrize(("known", "text", "wanted"), CASES)
def test_what_is_told(known: str, text: str, wanted: str) -> None:
    assert gist(text, 64, known) == wanted


@given(st.text(max_size=300), st.integers(0, 80), st.text(max_size=20))
def test_never_longer_and_always_the_same(text: str, letters: int, known: str) -> None:
    told = gist(text, letters, known)
    assert len(told) <= max(letters, 0)
    assert told == gist(text, letters, known)


def test_no_frame_is_left_of_a_real_dictionary() -> None:
    meanings = json.loads((data_dir() / "bird" / "train_column_meaning.json").read_text(encoding="utf-8"))
    framed = told = 0
    for place, text in meanings.items():
        _, table, column = place.split("|")
        short = gist(text.lstrip("# "), 60, f"{table} {column}").lower()
        told += bool(short)
        framed += "column" in short or "table of the" in short
    assert told > 0.7 * len(meanings)
    assert framed < 0.08 * told
