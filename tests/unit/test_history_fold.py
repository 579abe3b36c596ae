"""Duplicates fold into one script; nothing that is known of them is lost."""

from __future__ import annotations

import pytest

from sqlore.history import collect, fold, has_placeholders, parse_all
from sqlore.model import ParsedScript, Rejected, Script


def parse(*scripts: Script) -> list[ParsedScript | Rejected]:
    return list(parse_all(scripts, dialect="sqlite"))


def test_the_same_script_twice_is_one() -> None:
    text = "SELECT a FROM t WHERE b = 1"
    (folded,) = fold(parse(Script(text, "1", runs=2), Script(text, "2", runs=3)))
    assert (folded.runs, folded.keys, len(folded.variants)) == (5, ("1", "2"), 1)
    assert folded.variants[0].literals == ("1",)


def test_other_case_blanks_and_aliases_are_one() -> None:
    (folded,) = fold(
        parse(
            Script("SELECT x.a FROM t AS x WHERE x.b = 1", "1"),
            Script("select  a\nfrom T where B=1", "2"),
            Script("SELECT t.a FROM t WHERE t.b = 1", "3"),
        )
    )
    assert folded.keys == ("1", "2", "3")
    assert [variant.literals for variant in folded.variants] == [("1",)] * 3


def test_other_literals_are_one_script_with_two_literal_sets() -> None:
    (folded,) = fold(
        parse(
            Script("SELECT a FROM t WHERE b = 'x' AND c IN (1, 2)", "1"),
            Script("SELECT a FROM t WHERE b = 'y' AND c IN (3, 4, 5)", "2"),
        )
    )
    assert [variant.literals for variant in folded.variants] == [("x", "1", "2"), ("y", "3", "4", "5")]


def test_different_knowledge_is_not_folded() -> None:
    found = fold(
        parse(Script("SELECT a FROM t WHERE b > 1", "1"), Script("SELECT a FROM t WHERE b >= 1", "2"))
    )
    assert [folded.keys for folded in found] == [("1",), ("2",)]


def test_two_databases_are_not_folded() -> None:
    found = fold(
        parse(
            Script("SELECT COUNT(*) FROM t", "1", database="Shop"),
            Script("SELECT COUNT(*) FROM t", "2", database="bank"),
            Script("SELECT COUNT(*) FROM t", "3", database="SHOP"),
        )
    )
    assert [folded.keys for folded in found] == [("1", "3"), ("2",)]


def test_everything_known_is_kept() -> None:
    text = "SELECT COUNT(*) FROM t"
    (folded,) = fold(
        parse(
            Script(text, "1", author="anna", time="2025-03-01", runs=4),
            Script(text, "2", question="How many?", author="ben", time="2024-01-01"),
            Script(text, "3", question="Number of t?", author="anna", time="2024-06-01T10:00:00"),
            Script(text, "4", question="How many?", time="last week"),
        )
    )
    assert (folded.runs, folded.authors) == (7, ("anna", "ben"))
    assert folded.questions == ("How many?", "Number of t?")
    assert (folded.first_seen, folded.last_seen) == ("2024-01-01", "2025-03-01")
    assert folded.parsed.script.key == "3", "with a question, then the newest with an understood time"


def test_the_first_of_equals_represents_them() -> None:
    (folded,) = fold(parse(Script("SELECT a FROM t", "1"), Script("SELECT a from t", "2")))
    assert folded.parsed.script.key == "1"


@pytest.mark.parametrize(
    "hole", [":from_dt", "?", "$1", "@p", "%(d)s", "{{ start }}", "'{{ start }}'", "##d##"]
)
def test_values_go_before_placeholders_then_questions_then_time(hole: str) -> None:
    def of(value: str, key: str, question: str | None, time: str) -> Script:
        return Script(f"SELECT a FROM t WHERE d >= {value}", key, question=question, time=time)

    filled = of("'2024-01-01'", "1", None, "2023-01-01"), of("'2025-01-01'", "2", None, "2024-01-01")
    asked = of(hole, "3", "Since when?", "2025-01-01")
    (folded,) = fold(parse(*filled, asked))
    assert folded.parsed.script.key == "2"
    (folded,) = fold(parse(asked, of("'2020-01-01'", "4", "Since 2020?", "2020-01-01"), *filled))
    assert folded.parsed.script.key == "4"
    (folded,) = fold(parse(asked))
    assert folded.parsed.script.key == "3"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ':x', '?', '$1', 'a@b.c', '%s of' FROM t -- :y ?",
        "SELECT a::date, b ? 'k', arr[1:n] FROM t /* {{ x }} */",
        "DECLARE @n INT = 5, @m INT = 6 SELECT a FROM t WHERE b = @n AND c = @m",
        "SELECT @@rowcount, [a:b?] FROM t",
    ],
)
def test_what_only_looks_like_a_placeholder(text: str) -> None:
    assert not has_placeholders(text)


def test_many_holes_take_no_time() -> None:
    for text in ("{{ ", "%(", "##", "[", "@a ", "'"):
        assert has_placeholders(text * 50_000) is (text in ("{{ ", "@a "))


def test_collect_counts_what_was_rejected() -> None:
    history = collect(
        parse(
            Script("SELECT a FROM t", "1"),
            Script("SELECT a FROM t", "2"),
            Script("SELEKT a FRM t", "3"),
            Script("DROP TABLE t", "4"),
            Script("SELEKT b FRM t", "5"),
        )
    )
    assert (len(history.scripts), history.read) == (1, 5)
    assert history.reasons == {"unparsable": 2, "not_a_query": 1}
    assert [item.script.key for item in history.rejected] == ["3", "4", "5"]
