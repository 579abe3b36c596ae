"""Files of the same name in different folders are different sources."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlore
from sqlore.history import SourceNames


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".sqlore").mkdir()
    return tmp_path


def test_a_name_is_kept_however_the_file_is_reached(home: Path) -> None:
    a, b = _write(home / "q/x/log.csv", "a"), _write(home / "q/y/log.csv", "b")
    names = SourceNames(home / ".sqlore")
    assert names.name(a, a.parent) == "log.csv"
    assert names.name(b, b.parent) == "y/log.csv"
    again = SourceNames(home / ".sqlore", names.text())
    assert [again.name(one, home / "q") for one in (a, b)] == ["log.csv", "y/log.csv"]


def test_the_whole_path_is_the_last_resort(home: Path) -> None:
    files = [_write(home / place / "a/b.sql", "x") for place in ("", "1", "2/1")]
    names = SourceNames(home / ".sqlore")
    found = [names.name(one, one.parent) for one in files]
    assert found == ["b.sql", "a/b.sql", "1/a/b.sql"]


def test_a_file_that_was_moved_keeps_its_name(home: Path) -> None:
    old = _write(home / "queries/report.sql", "SELECT 1")
    names = SourceNames(home / ".sqlore")
    names.name(old, old.parent)
    old.unlink()
    new = _write(home / "sql/report.sql", "SELECT 1")
    assert SourceNames(home / ".sqlore", names.text()).name(new, new.parent) == "report.sql"


def test_folder_and_store_may_be_moved_together(home: Path) -> None:
    names = SourceNames(home / ".sqlore")
    names.name(_write(home / "a/q.sql", "x"), home / "a")
    names.name(_write(home / "b/q.sql", "x"), home / "b")
    there = home.rename(home.with_name("elsewhere"))
    moved = SourceNames(there / ".sqlore", names.text())
    assert moved.name(there / "b/q.sql", there / "b") == "b/q.sql"


@pytest.mark.parametrize("apart", [False, True])
def test_the_runs_and_the_rejected_of_two_teams_are_both_kept(home: Path, apart: bool) -> None:
    import sqlite3

    with sqlite3.connect(home / "shop.db") as db:
        db.execute("CREATE TABLE t (a INT)")
    teams = [home / "ann", home / "bob"]
    for number, team in enumerate(teams):
        _write(team / "q.sql", f"-- all\nSELECT a FROM t WHERE a > 1;\nSELECT {number} FROM WHERE;\n")
    with sqlore.open(f"sqlite:///{home / 'shop.db'}", home=home / ".sqlore") as lore:
        for sources in [[one] for one in teams] if apart else [teams]:
            lore.learn(*sources)
        lore.learn(*reversed(teams))
        (item,) = [one for one in lore.store.items() if one.kind == "condition"]
        assert (item.support, item.runs) == (1, 2)
        assert sorted(one.script.key for one in lore.store.rejected()) == ["bob/q.sql:3", "q.sql:3"]
