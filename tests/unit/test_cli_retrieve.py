"""`sqlore retrieve` as the retriever of another pipeline: a number of shots, another pipeline's format."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_helpers import REVENUE, Command, clean_environment, make_history, make_sqlite

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
