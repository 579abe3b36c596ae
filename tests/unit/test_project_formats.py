"""What `docs/formats.md` says is so: its examples are read, its lists compared with the code."""

from __future__ import annotations

import json
import re
import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest

from sqlore.catalog import Dictionary, read_dictionary
from sqlore.errors import SourceError
from sqlore.history import FORMATS, has_placeholders, parse_all, read_history
from sqlore.history.columns import FIELDS
from sqlore.history.comments import read_comment
from sqlore.model import ParsedScript, Rejected, Script
from sqlore.prompts.training_set import YamlTraining, own_training
from sqlore.sql import parse_script
from support import ROOT

DOCUMENT = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
BLOCKS = list(re.finditer(r"^```(\w+)\n(.*?)^```$", DOCUMENT, re.M | re.S))
EXAMPLES = [
    (block[1], block[2], after[2])
    for block, after in pairwise(BLOCKS)
    if DOCUMENT[block.end() : after.start()].rstrip().endswith("gives")
]


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a line that begins so."""
    lines = DOCUMENT.split(heading, 1)[1].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|---"))
    found = []
    for line in lines[start + 1 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return found


def quoted(cell: str) -> list[str]:
    return [text.replace("\\|", "|") for text in re.findall(r"`([^`]+)`", cell)]


def check(found: list[Script | Rejected], expected: list[str]) -> None:
    assert len(found) == len(expected)
    for script, line in zip(found, expected, strict=True):
        assert isinstance(script, Script)
        wanted = json.loads(line)
        assert {name: getattr(script, name) for name in wanted} == wanted


def test_there_are_examples() -> None:
    assert [kind for kind, _, _ in EXAMPLES] == ["sql", "csv", "jsonl", "csv"]


@pytest.mark.parametrize(("kind", "text", "gives"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_gives_what_is_said(tmp_path: Path, kind: str, text: str, gives: str) -> None:
    path = tmp_path / f"history.{kind}"
    if kind != "jsonl":
        path.write_text(text, encoding="utf-8")
        check(list(read_history(path)), gives.splitlines())
        return
    for line, expected in zip(
        text.splitlines(), gives.splitlines(), strict=True
    ):  # each is a file of its own
        path.write_text(line, encoding="utf-8")
        check(list(read_history(path)), [expected])


def test_the_formats_are_those_there_are() -> None:
    assert {quoted(row[0])[0]: tuple(quoted(row[1])) for row in rows("# Formats")} == FORMATS


def test_the_columns_are_those_that_are_recognised() -> None:
    listed = {quoted(row[0])[0]: row[1].split(", ") for row in rows("## Records")}
    assert {field: tuple(n.replace("_", "") for n in names) for field, names in listed.items()} == FIELDS


@pytest.mark.parametrize("row", rows("### What a comment says"), ids=lambda row: row[0])
def test_fields_of_a_comment(row: list[str]) -> None:
    values = {"time": "2025-03-01", "runs": "12"}
    labels = [text for text in quoted(row[1]) if text.endswith(":")]
    assert labels
    for label in labels:
        value = values.get(row[0], "anna")
        found = getattr(read_comment(f"-- {label} {value}"), row[0])
        assert str(found) == value, label
    for text in (text for text in quoted(row[1]) if not text.endswith(":")):
        assert getattr(read_comment(f"-- {text}"), row[0]) in ("anna", 12, 3), text


def test_words_that_ask_and_words_that_do_not() -> None:
    said = DOCUMENT.split("### What a comment says")[1].split("\n|")[0]
    asking, others = said.split("The other lines")
    for words in re.findall(r'"([^"]+)"', asking):
        text = " ".join(words.split())
        assert read_comment(f"-- {text} of the customers").question, text
    for words in re.findall(r'"([^"]+)"', others):
        text = " ".join(words.split())
        assert read_comment(f"-- {text}").comment == text, text


@pytest.mark.parametrize("text", [p for row in rows("## Placeholders") for p in quoted(row[1])])
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "tsql", ""])
def test_placeholders_are_literals(text: str, dialect: str) -> None:
    sql = f"SELECT a FROM t WHERE b = {text}"
    assert parse_script(sql, dialect).skeleton == "select t.a from t where t.b = <val>"
    assert has_placeholders(sql)


@pytest.mark.parametrize("text", ["{{ ref('orders') }}", "{{ source('shop', 'orders') }}"])
def test_references_are_tables(text: str) -> None:
    assert text in DOCUMENT
    assert parse_script(f"SELECT a FROM {text}").tables[0].endswith("orders")


@pytest.mark.parametrize("row", rows("## What is not learned"), ids=lambda row: row[0])
def test_reasons(row: list[str]) -> None:
    (reason,) = quoted(row[0])
    for example in quoted(row[2]):
        (outcome,) = parse_all([Script(example)], dialect="sqlite")
        assert isinstance(outcome, Rejected)
        assert outcome.reason == reason


def test_several_statements() -> None:
    (parsed,) = parse_all(
        [Script("DECLARE @n INT = 1; SELECT @n + 1; SELECT count(*) FROM t")], dialect="tsql"
    )
    assert isinstance(parsed, ParsedScript)
    assert "`statement:2`" in DOCUMENT
    assert [f.scope for f in parsed.fragments if f.kind == "calculation"] == ["main", "statement:2"]


def test_the_dictionary(tmp_path: Path) -> None:
    text = re.findall(r"```yaml\n(.*?)```", DOCUMENT.split("## Data dictionary", 1)[1], re.S)[0]
    path = tmp_path / "dictionary.yaml"
    path.write_text(text, encoding="utf-8")
    found = Dictionary(tuple(read_dictionary(path)))
    assert found.describe_table("orders") == "one row an order, test accounts too"
    assert found.value_meanings("orders", "st") == {"3": "shipped", "7": "cancelled"}
    assert found.describe_column("orders", "cust_cd") == "code of the customer in the old system"
    for wrong in ("tables: {orders: {colour: red}}", "tables: {orders: a, orders: b}"):
        path.write_text(f"# wrong\n{wrong}\n", encoding="utf-8")
        with pytest.raises(SourceError) as caught:
            read_dictionary(path)
        assert str(caught.value.where).endswith(":2")


def test_the_training_set(tmp_path: Path) -> None:
    section = DOCUMENT.split("## Training sets", 1)[1]
    (tmp_path / "library.yaml").write_text(re.findall(r"```yaml\n(.*?)```", section, re.S)[0])
    read = YamlTraining([tmp_path / "library.yaml"])
    (database,) = read.databases.values()
    (pair,) = read.pairs
    assert (len(pair.parts), len(pair.natsql)) == (2, 2)
    connection = sqlite3.connect(":memory:")
    database.build(connection)
    assert connection.execute(pair.sql).fetchall() == [("Ada",)]
    connection.close()
    own = own_training()
    words = {7: "seven"}
    assert f"{len(own.pairs)} pairs over {words[len(own.databases)]} small databases" in section
