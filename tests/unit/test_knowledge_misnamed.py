"""Scripts that name what the database does not have: learned, marked, told, and not shown to a model."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlore.embed
from cli_helpers import Command, fresh_shop
from store_helpers import WordEmbedder


def test_a_column_that_is_not_there_is_learned_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh_shop(tmp_path, monkeypatch)
    monkeypatch.setattr(sqlore.embed, "load_embedder", lambda name: WordEmbedder())
    wrong = "-- loyal customers please\nSELECT nosuch FROM customer WHERE segment = 'ENT';\n"
    (tmp_path / "history" / "wrong.sql").write_text(wrong)
    sqlore_ = Command(capsys)
    learn = ("learn", "--db", "shop.sqlite", "--history", "history")
    done = sqlore_(*learn)
    assert done.code == 0
    said = "Learned, but 1 script names what the database does not have: column customer.nosuch (wrong.sql:2)"
    assert said in done.err
    assert "database does not have" not in sqlore_(*learn).err, "it is told of what is new"
    more = "SELECT id FROM nowhere;\nSELECT id FROM orders WHERE amount > 3;"
    (tmp_path / "history" / "more.sql").write_text(more)
    report = sqlore_(*learn, "--json").json
    assert report["misnamed"] == [{"script": "more.sql:1", "what": "table nowhere"}]
    found = sqlore_("retrieve", "loyal customers please", "--db", "shop.sqlite", "--json").json
    assert "nosuch" not in str(found)
