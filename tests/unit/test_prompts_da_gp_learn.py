"""A cold database warmed up: its examples are synthetic scripts, and real scripts stand before them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

import sqlore.llm.base
from cli_helpers import Command, clean_environment, serving
from sqlore.answer import cite
from sqlore.config import Settings
from sqlore.errors import SourceError
from sqlore.interfaces.cli.margin import citation_text, margin_lines
from sqlore.knowledge import Store
from sqlore.llm import FunctionModel
from sqlore.model import Message
from sqlore.prompts.da_gp_learn import SOURCE
from sqlore.workspace import Workspace
from store_helpers import WordEmbedder, content

TRAINING = """
database: school
ddl: |
  CREATE TABLE pupil (pupil_id INTEGER PRIMARY KEY, name TEXT, town TEXT, born TEXT, marks INTEGER);
pairs:
  - question: How many pupils live in Bree?
    sql: SELECT COUNT(*) FROM pupil WHERE town = 'Bree'
  - question: Who has the best marks?
    sql: SELECT name FROM pupil ORDER BY marks DESC LIMIT 1
  - question: How many marks has each town?
    sql: SELECT town, SUM(marks) FROM pupil GROUP BY town
"""
COUNT = "SELECT COUNT(*) FROM ship WHERE port = 'Oslo'"
BEST = "SELECT name FROM ship ORDER BY tons DESC LIMIT 1"
SUM = "SELECT port, SUM(tons) FROM ship GROUP BY port"
ANSWERS = {"COUNT(*)": COUNT, "DESC LIMIT": BEST, "SUM(marks)": SUM}
QUESTIONS = {
    COUNT: "How many ships are in Oslo?",
    BEST: "Which ship is the heaviest?",
    SUM: "How many tons are in each port?",
}


def good(messages: Sequence[Message]) -> str:
    """A model that does what it is asked."""
    task = messages[-1].content
    sql = task.split("Query: ")[-1].split("\n")[0]
    if "Which question" in task:
        return QUESTIONS[sql]
    return next(f"```sql\n{made}\n```" for part, made in ANSWERS.items() if part in sql)


def never(messages: Sequence[Message]) -> str:
    raise AssertionError("the model is asked again")


def make_fleet(folder: Path) -> Path:
    path = folder / "fleet.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE ship (ship_id INTEGER PRIMARY KEY, name TEXT, port TEXT, tons INT)")
        ports = ["Oslo", "Bergen", "Molde"]
        rows = [(n, f"Ship {n}", ports[n % 3], 100 + 10 * n) for n in range(30)]
        db.executemany("INSERT INTO ship VALUES (?, ?, ?, ?)", rows)
    db.close()
    (folder / "school.yaml").write_text(TRAINING, encoding="utf-8")
    return path


Open = Callable[..., Workspace]


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Open]:
    path = make_fleet(tmp_path)
    opened: list[Workspace] = []

    def open_(said: Callable[[Sequence[Message]], str] = good) -> Workspace:
        settings = Settings(db=str(path), home=tmp_path / "home", training=tmp_path / "school.yaml")
        lore = Workspace(settings)
        lore.__dict__["model"] = FunctionModel(said)
        lore.__dict__["embedder"] = WordEmbedder()
        opened.append(lore)
        return lore

    yield open_
    for lore in opened:
        lore.close()


def history(folder: Path, *scripts: tuple[str, str]) -> Path:
    path = folder / "history.jsonl"
    rows = [{"question": question, "sql": sql} for question, sql in scripts]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def review_file(folder: Path) -> Path:
    (path,) = (folder / "home" / "prepared").glob("da_gp-fleet-*.yaml")
    return path


def edit(folder: Path, number: int, **changes: Any) -> None:
    path = review_file(folder)
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    data["exemplars"][number].update(changes)
    path.write_text(yaml.safe_dump(data), encoding="utf-8")


def skeleton(store: Store, text: str) -> Any:
    return next(item for item in store.items() if item.skeleton == text)


# ------------------------------------------------------------------ cold


def test_a_cold_store_is_warmed(fleet: Open) -> None:
    lore = fleet()
    report, ready = lore.warm()
    assert (report.chosen, report.adapted, report.approved, report.learned.new) == (3, 3, 0, 3)
    assert ready.review is not None
    scripts = lore.store.scripts()
    assert [script.script.question for script in scripts] == list(QUESTIONS.values())
    assert all(script.synthetic and script.trust == "unverified" for script in scripts)
    assert all(item.support == item.runs == 0 and item.synthetic for item in lore.store.items())
    stats = lore.store.stats()
    assert (stats.scripts, stats.synthetic, stats.runs) == (3, 3, 0)
    assert stats.items == stats.synthetic_items > 3
    assert lore.store.health(WordEmbedder()).ok
    found = lore.retrieve("How many ships are in Molde?")
    assert found.scripts[0].script.script.sql == COUNT
    assert found.items[0].item.synthetic


def test_warming_again_asks_nobody_and_changes_nothing(fleet: Open, tmp_path: Path) -> None:
    lore = fleet()
    lore.warm()
    before = content(lore.store_file)
    report, _ = fleet(never).warm()
    assert (report.learned.new, report.learned.folded, report.learned.known, report.removed) == (0, 0, 3, 0)
    assert content(lore.store_file) == before


def test_a_stopped_warming_goes_on(fleet: Open) -> None:
    asked = 0

    def stops(messages: Sequence[Message]) -> str:
        nonlocal asked
        asked += 1
        if asked > 3:
            raise KeyboardInterrupt
        return good(messages)

    lore = fleet(stops)
    with pytest.raises(KeyboardInterrupt):
        lore.warm()
    assert not lore.learned, "no empty store is left behind"
    again = fleet()
    again.warm()
    assert len(again.model.requests) == 6 - 3  # type: ignore[attr-defined]


def test_citations_say_that_a_script_is_synthetic(fleet: Open) -> None:
    lore = fleet()
    lore.warm()
    cited = cite(COUNT, lore.store, "sqlite", lore.catalog.schema)
    assert {(one.status, one.support, one.synthetic) for one in cited} == {("cited", 0, True)}
    assert (
        citation_text(cited[1])
        .split(" · ")[0]
        .endswith("synthetic, unverified: a model wrote it, nobody has run it")
    )
    assert [status for _, status, _ in margin_lines(COUNT, cited[1:])] == ["near", "", "near"]


# ------------------------------------------------------------------ a person's review


def test_what_a_person_approved_is_verified_and_may_be_all(fleet: Open, tmp_path: Path) -> None:
    fleet().warm()
    edit(tmp_path, 1, approved=True)
    report, _ = fleet(never).warm(approved=True)
    assert (report.approved, report.removed) == (1, 2)
    lore = fleet()
    (kept,) = lore.store.scripts()
    assert (kept.script.sql, kept.trust, kept.synthetic) == (BEST, "verified", True)
    assert not [item for item in lore.store.items() if "group by" in item.skeleton]
    assert lore.store.health(WordEmbedder()).ok
    assert lore.store.fts_search("port", "item") == []


def test_what_a_person_changed_takes_the_place_of_the_old(fleet: Open, tmp_path: Path) -> None:
    fleet().warm()
    edit(tmp_path, 0, sql=COUNT.replace("Oslo", "Molde"), question="How many ships are in Molde?")
    report, _ = fleet(never).warm()
    assert report.removed == 1
    texts = fleet().store.texts()
    assert sorted(text.sql for text in texts) == sorted([COUNT.replace("Oslo", "Molde"), BEST, SUM])
    edit(tmp_path, 0, sql="SELECT nothing FROM ship", question="How many ships are in Molde?")
    report, _ = fleet(never).warm()
    assert (report.adapted, report.removed) == (2, 1)


def test_what_a_person_rejected_is_neither_learned_nor_made_again(fleet: Open, tmp_path: Path) -> None:
    fleet().warm()
    edit(tmp_path, 1, rejected=True, by="Ann", at="2026-03-04T05:06:07+00:00")
    report, ready = fleet(never).warm()
    assert (report.adapted, report.rejected, report.removed) == (2, 1, 1)
    assert sorted(text.sql for text in fleet().store.texts()) == sorted([COUNT, SUM])
    assert BEST not in [shot.sql for shot in ready.shots]
    kept = yaml.safe_load(review_file(tmp_path).read_text(encoding="utf-8"))["exemplars"][1]
    assert (kept["rejected"], kept["by"], kept["approved"]) == (True, "Ann", False)
    edit(tmp_path, 1, rejected=False)
    assert fleet(never).warm()[0].learned.new == 1


def test_an_example_is_approved_or_rejected(fleet: Open, tmp_path: Path) -> None:
    fleet().warm()
    edit(tmp_path, 0, rejected=True, approved=True)
    with pytest.raises(SourceError, match="not both"):
        fleet(never).warm()
    edit(tmp_path, 0, rejected="yes", approved=False)
    with pytest.raises(SourceError, match="`rejected` is true or false"):
        fleet(never).warm()


def test_who_approved_is_kept_and_an_approval_can_be_taken_back(fleet: Open, tmp_path: Path) -> None:
    fleet().warm()
    text = review_file(tmp_path).read_text(encoding="utf-8")
    said = "approved: true\n  by: Ann\n  at: 2026-03-04 05:06:07"  # YAML reads a moment there
    review_file(tmp_path).write_text(text.replace("approved: false", said, 1), encoding="utf-8")
    fleet(never).warm()
    lore = fleet()
    [script] = [one for one in lore.store.scripts() if one.trust == "verified"]
    item = lore.store.item_by_key("query", script.skeleton)
    assert item is not None
    assert [(one.who, one.new) for one in lore.store.history(item.id)] == [("Ann", "verified")]
    edit(tmp_path, 0, approved=False, by="Ben")
    fleet(never).warm()
    last = fleet().store.history(item.id)[-1]
    assert (last.who, last.new) == ("Ben", "unverified")


def test_examples_elsewhere_are_found_again(fleet: Open, tmp_path: Path) -> None:
    fleet().warm(review=tmp_path / "mine.yaml")
    assert [one.sql for one in fleet().examples.entries().values()] == [COUNT, BEST, SUM]
    fleet(never).warm()
    assert fleet().examples.path == review_file(tmp_path)


# ------------------------------------------------------------------ real scripts come


def test_real_scripts_stand_before_synthetic_ones(fleet: Open, tmp_path: Path) -> None:
    lore = fleet()
    lore.warm()
    real = "SELECT COUNT(ship_id) FROM ship WHERE port = 'Bergen'"
    lore.learn(history(tmp_path, ("How many ships are in Bergen?", real)))
    stats = lore.store.stats()
    assert (stats.scripts, stats.synthetic, stats.runs) == (4, 3, 1)
    port = skeleton(lore.store, "ship.port = <val>")
    assert (port.support, port.synthetic, port.sql) == (1, False, "ship.port = 'Bergen'")
    assert port.literals == ((("Bergen",), 1),)
    assert len(port.scripts) == 1
    found = lore.retrieve("How many ships are in Molde?", shots=4)
    order = [ranked.script.synthetic for ranked in found.scripts]
    assert order == [False, True, True, True]
    assert found.scripts[0].script.script.sql == real
    scores = {r.item.skeleton: r.score for r in lore.retriever.rank("How many ships are in Molde?")}
    assert scores["count(ship.ship_id)"] > scores["count(*)"]
    (said,) = [c for c in cite(COUNT, lore.store, "sqlite", lore.catalog.schema) if c.kind == "condition"]
    assert (said.support, said.synthetic, said.new_values) == (1, False, ("Oslo",))
    assert lore.store.items()[0].support == 1
    assert lore.store.items()[-1].support == 0


def test_warming_a_store_that_knows_the_scripts_takes_nothing_from_them(fleet: Open, tmp_path: Path) -> None:
    lore = fleet()
    lore.learn(history(tmp_path, (QUESTIONS[COUNT], COUNT), ("Tons a port?", SUM)))
    before = {script.skeleton: script for script in lore.store.scripts()}
    lore.warm()
    after = {script.skeleton: script for script in lore.store.scripts()}
    assert len(after) == 3
    for name, script in before.items():
        assert (after[name].synthetic, after[name].script) == (False, script.script)
    assert [text.synthetic for text in lore.store.texts()] == [False, False, True, True]
    assert skeleton(lore.store, "sum(ship.tons)").support == 1


def test_a_synthetic_script_that_somebody_runs_is_theirs(fleet: Open, tmp_path: Path) -> None:
    lore = fleet()
    lore.warm()
    path = history(tmp_path, (QUESTIONS[COUNT], COUNT))
    assert lore.learn(path).new == 1
    assert lore.learn(path).known == 1
    (script,) = lore.store.scripts([1])
    assert (script.synthetic, script.variants, script.script.source) == (False, 1, path.name)
    report, _ = fleet(never).warm()
    assert report.removed == 0
    again = fleet()
    assert again.store.scripts([1])[0].script.runs == 1
    assert again.store.stats().synthetic == 2
    assert again.store.forget_synthetic(SOURCE) == 2
    assert [one.script.sql for one in again.store.scripts()] == [COUNT]
    assert again.store.health(WordEmbedder()).ok


def test_names_are_not_learned_from_a_model(fleet: Open) -> None:
    def names(messages: Sequence[Message]) -> str:
        return good(messages).replace("SUM(tons)", "SUM(tons) AS net_profit")

    QUESTIONS[SUM.replace("SUM(tons)", "SUM(tons) AS net_profit")] = "Profit a port?"
    lore = fleet(names)
    lore.warm()
    assert lore.store.namings() == []
    assert skeleton(lore.store, "sum(ship.tons)").aliases == ()


# ------------------------------------------------------------------ an older store, the command


def test_a_store_of_the_first_format_is_brought_up_to_date(tmp_path: Path) -> None:
    from sqlore.knowledge.store import schema as store_schema

    path = tmp_path / "old.sqlore"
    with sqlite3.connect(path) as db:
        store_schema.MIGRATIONS[0](db)
        db.execute(f"PRAGMA application_id = {store_schema.APPLICATION_ID}")
        db.execute("PRAGMA user_version = 1")
        db.execute("INSERT INTO items (id, hash, kind, form, skeleton, support, runs) VALUES"
                   " (1, 1, 'query', 'query', 'a', 1, 1), (2, 2, 'query', 'query', 'b', 1, 1)")  # fmt: skip
        db.execute("INSERT INTO scripts (id, item, runs, synthetic) VALUES (1, 1, 1, 1), (2, 2, 1, 0)")
        db.execute("INSERT INTO variants (id, script, sql) VALUES (1, 1, 'a'), (2, 2, 'b')")
        db.execute("INSERT INTO sightings VALUES (1, 0, 0, 1, 1, NULL, NULL), (2, 0, 0, 2, 1, NULL, NULL)")
        db.execute("INSERT INTO fragments VALUES (1, 1, 0, 1, NULL, NULL), (2, 2, 0, 1, NULL, NULL)")
    db.close()
    with Store.open(path, read_only=True) as store:
        assert [(item.support, item.runs, item.synthetic) for item in store.items()] == [
            (1, 1, False),
            (0, 0, True),
        ]
        assert [(text.sql, text.synthetic) for text in store.texts()] == [("a", True), ("b", False)]


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_fleet(tmp_path)
    clean_environment(monkeypatch, tmp_path)
    monkeypatch.setattr(sqlore.llm.base, "ALLOW_MODEL_REQUESTS", True)
    monkeypatch.setenv("SQLORE_TRAINING", "school.yaml")
    command = Command(capsys)
    with serving() as endpoint:
        endpoint.replies = [said for sql, question in QUESTIONS.items() for said in (sql, question)]
        warm = ["warm", "--db", "fleet.sqlite", "--model", endpoint.spec, "--review", "mine.yaml", "--json"]
        first = command(*warm).json
        asked = len(endpoint.requests)
        again = command(*warm).json
        assert len(endpoint.requests) == asked
    assert first["new"] == again["known"] == first["synthetic"] == first["chosen"] == 3
    assert (tmp_path / "mine.yaml").is_file()
    assert first["review"] == "mine.yaml"
    listed = command("knowledge", "list", "--json").json
    assert {item["synthetic"] for item in listed["items"]} == {True}
