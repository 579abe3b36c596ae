"""`sqlore retrieve` as the retriever of another pipeline: a number of shots, another pipeline's format."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlore.llm.base
from cli_helpers import LAID_OUT, REVENUE, Command, clean_environment, make_history, make_sqlite, serving

QUESTION = "What is the revenue of enterprise customers?"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database, its history and what was learned of it."""
    folder = tmp_path_factory.mktemp("shop")
    make_sqlite(folder / "shop.sqlite")
    make_history(folder / "history")
    with pytest.MonkeyPatch.context() as patch:
        clean_environment(patch, folder)
        from sqlore.interfaces.cli.app import run

        assert run(["learn", "--db", "shop.sqlite", "--history", "history", "--json"]) == 0
    return folder


@pytest.fixture
def sqlore_(shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    clean_environment(monkeypatch, shop)
    return Command(capsys)


def test_shots_are_so_many_scripts(sqlore_: Command) -> None:
    for shots in (0, 1, 2, 3):
        found = sqlore_("retrieve", QUESTION, "--shots", shots, "--json").json
        assert len(found["scripts"]) == shots
    assert sqlore_("retrieve", QUESTION, "--shots", 1, "--json").json["scripts"][0]["sql"] == REVENUE


@pytest.mark.parametrize("name", ["dail", "opensearch", "nrep"])
def test_a_format_is_json_on_stdout(sqlore_: Command, name: str) -> None:
    done = sqlore_("retrieve", QUESTION, "--shots", 2, "--format", name)
    assert (done.code, done.err) == (0, "")
    made = done.json
    entries = made["questions"] if name == "opensearch" else made
    assert len(entries) == (1 if name == "opensearch" else 2)
    assert REVENUE in str(entries[0]).replace("\\'", "'")


def test_codes_is_text_on_stdout(sqlore_: Command) -> None:
    done = sqlore_("retrieve", QUESTION, "--shots", 1, "--format", "codes")
    assert done.out.startswith("database schema :\ntable customer , columns = [ customer.")
    assert done.out.endswith(f"\nRevenue of enterprise customers\n{REVENUE} ;\n\n")


def test_an_unknown_format_is_a_usage_error(sqlore_: Command) -> None:
    done = sqlore_("retrieve", QUESTION, "--format", "din")
    assert done.code == 2
    assert done.out == ""
    assert "dail, opensearch, nrep, codes" in done.err


def test_a_filter_asks_the_model_once_and_says_when_it_cannot_be_read(
    sqlore_: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlore.llm.base, "ALLOW_MODEL_REQUESTS", True)
    ask = ("retrieve", QUESTION, "--json")
    plain = sqlore_(*ask).json
    with serving() as endpoint:
        endpoint.replies = ["2", "well, who knows"]
        kept = sqlore_(*ask, "--filter", "--model", endpoint.spec)
        assert len(endpoint.requests) == 1
        assert endpoint.requests[0]["temperature"] == 0
        unread = sqlore_(*ask, "--filter", "--model", endpoint.spec)
    assert kept.err == ""
    scores = {item["id"]: item["score"] for item in kept.json["items"]}
    assert scores[plain["items"][1]["id"]] > plain["items"][1]["score"]
    assert scores.get(plain["items"][0]["id"], 0) < plain["items"][0]["score"]
    assert "ranked without it" in unread.err
    assert unread.json["items"] == plain["items"]


def test_a_draft_counts_what_the_filter_cost(sqlore_: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlore.llm.base, "ALLOW_MODEL_REQUESTS", True)
    with serving() as endpoint:
        endpoint.replies = ["1, 2", REVENUE]
        draft = sqlore_("ask", QUESTION, "--filter", "--model", endpoint.spec, "--json").json
    assert draft["sql"] == LAID_OUT
    assert draft["usage"]["calls"] == 2


def test_how_something_is_asked_is_no_phrase(sqlore_: Command) -> None:
    question = "Why? How much revenue of enterprise customers do we, per year, make?"
    (line,) = [one for one in sqlore_("retrieve", question).out.splitlines() if one.startswith("phrases: ")]
    phrases = line.removeprefix("phrases: ").split(" · ")
    assert any("enterprise customers" in phrase for phrase in phrases)
    assert not {"Why", "we", "year"}.intersection(phrases)
