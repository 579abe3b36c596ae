"""The golden cases of this folder; how they are written is said in `reader.py`."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

from sqlore.history import parse_all
from sqlore.model import ParsedScript, Rejected, Script
from sqlore.sql import parse_script

_spec = importlib.util.spec_from_file_location("golden_reader", Path(__file__).with_name("reader.py"))
assert _spec is not None
assert _spec.loader is not None
reader = sys.modules.setdefault("golden_reader", importlib.util.module_from_spec(_spec))
_spec.loader.exec_module(reader)

KINDS = ("fragments", "same", "different", "reject")


def cases(kind: str) -> list[object]:
    return [
        pytest.param(case, dialect, id=f"{case.place}-{dialect}-{case.title}".replace(" ", "_"))
        for case in reader.read_cases(kind)
        for dialect in case.dialects
    ]


def keys_of(text: str, case: reader.Case, dialect: str) -> set[str]:
    return {fragment.key for fragment in parse_script(text, dialect, case.schema).fragments}


def explain(case: reader.Case, text: str, parsed: ParsedScript) -> str:
    lines = [f"{f.kind} @{f.scope}: {f.skeleton}" for f in parsed.fragments]
    return "\n".join([f"{case.place}: {case.title}", text, *sorted(lines)])


@pytest.mark.parametrize(("case", "dialect"), cases("fragments"))
def test_fragments(case: reader.Case, dialect: str) -> None:
    (text,) = case.texts
    parsed = parse_script(text, dialect, case.schema)
    said = explain(case, text, parsed)
    expected = case.fragments()
    with_query = any(kind == "query" for kind, _, _ in expected)
    found = {(f.kind, f.skeleton) for f in parsed.fragments if with_query or f.kind != "query"}
    wanted = {(kind, skeleton) for kind, _, skeleton in expected}
    assert sorted(wanted - found) == [], said
    if not case.some:
        assert sorted(found - wanted) == [], said
    scoped = {(kind, scope, skeleton) for kind, scope, skeleton in expected if scope}
    assert scoped <= {(f.kind, f.scope, f.skeleton) for f in parsed.fragments}, said
    for fragment in parsed.fragments:
        assert text[fragment.start : fragment.end] == fragment.sql, said
    places = Counter((f.kind, f.form, f.start, f.end, f.skeleton) for f in parsed.fragments)
    assert [place for place, n in places.items() if n > 1] == [], said


@pytest.mark.parametrize(("case", "dialect"), cases("same"))
def test_same(case: reader.Case, dialect: str) -> None:
    first, *others = case.texts
    assert others, f"{case.place}: one statement alone says nothing"
    expected = keys_of(first, case, dialect)
    for text in others:
        found = keys_of(text, case, dialect)
        only_one, only_other = sorted(expected - found), sorted(found - expected)
        assert (only_one, only_other) == ([], []), f"{case.place}: {case.title}\n{first}\n{text}"


@pytest.mark.parametrize(("case", "dialect"), cases("different"))
def test_different(case: reader.Case, dialect: str) -> None:
    one, other = (keys_of(text, case, dialect) for text in case.texts)
    differ = {key.split(":")[0] for key in one ^ other}
    said = f"{case.place}: {case.title}\n{case.texts}\n{sorted(one - other)}\n{sorted(other - one)}"
    assert differ == {"query", *case.expected}, said


@pytest.mark.parametrize(("case", "dialect"), cases("reject"))
def test_reject(case: reader.Case, dialect: str) -> None:
    (reason,) = case.expected
    for text in case.texts:
        (outcome,) = parse_all([Script(text, key="1", dialect=dialect)])
        assert isinstance(outcome, Rejected), f"{case.place}: read as a query: {text}"
        assert (outcome.reason, outcome.script.sql) == (reason, text), f"{outcome.message}: {text}"
        assert outcome.message


def test_the_cases_are_many_and_of_every_dialect() -> None:
    read = {kind: list(reader.read_cases(kind)) for kind in KINDS}
    assert sum(map(len, read.values())) >= 150
    for kind, of_kind in read.items():
        assert {dialect for case in of_kind for dialect in case.dialects} == set(reader.DIALECTS), kind
        assert len({case.title for case in of_kind}) == len(of_kind), f"two cases of one title in {kind}"
