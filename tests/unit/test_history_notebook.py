"""Jupyter notebooks as histories: which cells are read, and what is the question of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqlore.errors import SourceError
from sqlore.history import read_history
from sqlore.model import Rejected, Script

INVOICES = """\
import pandas as pd
# How much is the average invoice by insurance?
df = pd.read_sql('''SELECT ins, AVG(total) AS avg FROM invoice
                    GROUP BY ins''', con)
print("Select the rows you want")"""
CELLS: list[tuple[str, str]] = [
    ("markdown", "# Appointments\n\nHow many *no-shows* were there, see [the wiki](http://x)?"),
    ("code", "%load_ext sql\nimport pandas as pd"),
    ("code", "%%sql result <<\nSELECT COUNT(*) FROM appointment WHERE st = 4;\nSELECT id FROM visit;"),
    ("code", INVOICES),
    ("code", "n = %sql SELECT MAX(id) FROM visit"),
    ("code", "-- who is the chief?\nSELECT boss FROM doctor"),
    ("code", "q = f'SELECT id FROM visit WHERE day = {day}'\n!ls"),
    ("raw", "SELECT raw FROM nothing"),
    ("code", "%%time\ndf.plot("),
]


def notebook(folder: Path, cells: list[tuple[str, str]]) -> Path:
    """A notebook as Jupyter writes it: a source is a list of lines."""
    made = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
        | ({"outputs": [{"text": ["SELECT printed FROM output"]}]} if kind == "code" else {})
        for kind, text in cells
    ]
    path = folder / "analysis.ipynb"
    path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


def test_each_piece_of_sql_with_its_question(tmp_path: Path) -> None:
    found = [one for one in read_history(notebook(tmp_path, CELLS)) if isinstance(one, Script)]
    assert [(one.key, " ".join(one.sql.split()), one.question) for one in found] == [
        ("analysis.ipynb:3", "SELECT COUNT(*) FROM appointment WHERE st = 4",
         "How many no-shows were there, see the wiki?"),
        ("analysis.ipynb:3.2", "SELECT id FROM visit", None),
        ("analysis.ipynb:4", "SELECT ins, AVG(total) AS avg FROM invoice GROUP BY ins",
         "How much is the average invoice by insurance?"),
        ("analysis.ipynb:5", "SELECT MAX(id) FROM visit", None),
        ("analysis.ipynb:6", "SELECT boss FROM doctor", "who is the chief?"),
    ]  # fmt: skip
    assert list(read_history(tmp_path)) == found


def test_a_notebook_without_sql_says_what_is_read(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no SQL") as caught:
        list(read_history(notebook(tmp_path, CELLS[:2])))
    assert "%%sql" in str(caught.value.hint)


@pytest.mark.parametrize("text", ['{"cells": [{"cell_type": "co', "[]", '{"a": 1}'])
def test_what_is_no_notebook_is_kept_with_its_reason(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(text)
    [found] = read_history(path)
    assert isinstance(found, Rejected)
    assert "no notebook" in found.message
