"""`sqlore eval retrieval`: from a history to tables, JSON and predictions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli_helpers import Command, clean_environment, make_sqlite
from evals_helpers import ONLY_IN_6, SCHEMA, history, pool, write_comics
from sqlore.evals.ground import GroundPlan, grounds, scripts_by_database
from sqlore.evals.metrics import count
from sqlore.evals.report import as_markdown
from sqlore.evals.retrieval import Comparison, Result, compare
from sqlore.evals.retrieval_run import oracle
from sqlore.evals.setting import Setting, settings_for
from sqlore.evals.sheets import sheets
from sqlore.evals.tasks import leave_one_out
from store_helpers import WordEmbedder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A history over two databases in BIRD's format, with its schemas; a cache of its own."""
    clean_environment(monkeypatch, tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write_comics(tmp_path)
    return tmp_path


@pytest.fixture
def sqlore_(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


HISTORY = ("--history", "dev.json", "--schema", "tables.json")


def test_the_command_compares_and_writes(folder: Path, sqlore_: Command) -> None:
    names = "learned,mqs,gold"
    arguments = ("--leave-one-out", *HISTORY, "--retrievers", names, "--shots", "dynamic,1")
    done = sqlore_("eval", "retrieval", *arguments, "--predictions", "p.jsonl", "--out", "o", "--json")
    assert done.code == 0, done.err
    assert done.json["tasks"] == {"comics": 6, "films": 6}
    results = {(r["retriever"], r["shots"]): r for r in done.json["results"]}
    assert set(results) == {(name, shots) for name in names.split(",") for shots in (None, 1)}
    assert results["gold", None]["f1"] == 1
    assert results["gold", 1]["precision"] == 1 > results["gold", 1]["recall"] > 0
    assert results["learned", None]["interval"]["f1"][0] <= results["learned", None]["f1"]
    lines = [json.loads(line) for line in (folder / "p.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 12 * 6
    assert {"question_id", "retriever", "fragments", "scripts", "ms"} <= set(lines[0])
    assert {line["question_id"][0] for line in lines} == {"c", "f"}
    assert "By number of shots" in (folder / "o" / "retrieval.md").read_text(encoding="utf-8")
    assert json.loads((folder / "o" / "retrieval.json").read_text(encoding="utf-8")) == done.json
    learned, mqs, gold = (results[name, None] for name in names.split(","))
    assert 0 < learned["precision_at_recall"]["0.83"] <= 1
    assert learned["curve"][0][0] == 0.01
    assert sum(one["fragments"] for one in learned["reliability"]) > 12
    assert mqs["curve"]
    assert not mqs["reliability"]
    assert gold["precision_at_recall"] == {"0.83": None}


def test_predictions_can_be_scored_by_others(folder: Path, sqlore_: Command) -> None:
    """The fragments of the file, read by their SQL alone, give the figures of the report."""
    from sqlore.sql import skeleton_of

    only = ("--database", "comics", "--retrievers", "learned_scripts")
    done = sqlore_(
        "eval", "retrieval", "--leave-one-out", *HISTORY, *only, "--predictions", "p.jsonl", "--json"
    )
    tasks = {task.question_id: task.gold for task in leave_one_out(history())}
    right = offered = 0
    for line in (folder / "p.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        keys = {
            f"{f['kind']}: {skeleton_of(f['sql'], f['kind'], 'sqlite', SCHEMA)}" for f in record["fragments"]
        }
        right += len(keys & tasks[record["question_id"][1:]])
        offered += len(keys)
    assert done.json["results"][0]["precision"] == pytest.approx(right / offered, abs=1e-4)


def test_tables_for_people(folder: Path, sqlore_: Command) -> None:
    varied = ("--threshold", "0.2,0.9", "--granularity", "q,c,qc", "--budget", "40")
    only = ("--retrievers", "published,bm25", "--database", "films", *varied)
    done = sqlore_("eval", "retrieval", "--leave-one-out", *HISTORY, *only)
    assert done.code == 0, done.err
    for title in ("as Table 3", "as Table 4", "as Table 6", "as Table 13", "as Table 14", "fixed budget"):
        assert title in done.out


def test_tasks_of_a_file_over_a_database(folder: Path, sqlore_: Command) -> None:
    make_sqlite(
        folder / "comics.sqlite",
        (
            "CREATE TABLE publisher (id INTEGER PRIMARY KEY, title TEXT)",
            "CREATE TABLE hero (id INTEGER PRIMARY KEY, name TEXT, height REAL,"
            " publisher_id INTEGER REFERENCES publisher(id))",
        ),
    )
    task = {
        "question_id": 1,
        "db_id": "comics",
        "question": "How many heroes above 190 did DC publish?",
        "SQL": "",
        "history_knowledge": {"hero.height><val>": ["c7"], "hero.weight = <val>": ["c1"]},
    }
    (folder / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")
    options = ("--history", "dev.json", "--db", "comics.sqlite", "--retrievers", "gold")
    done = sqlore_("eval", "retrieval", "--tasks", "tasks.json", *options, "--json")
    assert done.code == 0, done.err
    assert done.json["tasks"] == {"comics": 1}
    assert done.json["unmatched"] == [{"question_id": "1", "key": "hero.weight = <val>"}]
    assert done.json["results"][0]["recall"] == 0.5, "what nobody can find is a miss, for gold too"


def test_withheld_questions_are_nowhere_in_the_store(folder: Path) -> None:
    plan = GroundPlan(("dev.json",), schema=folder / "tables.json", databases=("comics",), withhold=True)
    (ground,) = _names(plan, folder / "stores")
    assert ground.questions["c6"].startswith("Which publishers")
    assert len(leave_one_out(ground.history, questions=ground.questions)) == 6
    stored = b"".join(file.read_bytes() for file in (folder / "stores").iterdir())
    assert b"giants" not in stored
    assert b"hero" in stored


def test_withheld_comments_within_the_sql_are_nowhere_either(folder: Path) -> None:
    """What somebody wrote beside the columns of a script is no part of a log of bare SQL."""
    (folder / "log.sql").write_text(
        "-- Which giants are there?\nSELECT name, /* the gargantuan ones */ height\nFROM hero -- colossal\n"
        "WHERE height > 200;\n-- How many giants?\nSELECT COUNT(*) FROM hero WHERE height > 210;\n",
        encoding="utf-8",
    )
    plan = GroundPlan(("log.sql",), databases=("comics",), schema=folder / "tables.json", withhold=True)
    (ground,) = _names(plan, folder / "stores")
    assert sorted(ground.questions.values()) == ["How many giants?", "Which giants are there?"]
    assert len(leave_one_out(ground.history, questions=ground.questions)) == 2
    stored = b"".join(file.read_bytes() for file in (folder / "stores").iterdir()).lower()
    for word in (b"giants", b"gargantuan", b"colossal"):
        assert word not in stored
    assert b"height" in stored


def test_every_retriever_is_compared_over_bare_sql(folder: Path, sqlore_: Command) -> None:
    only = ("--database", "comics", "--withhold-questions")
    done = sqlore_("eval", "retrieval", "--leave-one-out", *HISTORY, *only, "--json")
    assert done.code == 0, done.err
    assert done.json["tasks"] == {"comics": 6}
    found = {result["retriever"]: result["recall"] for result in done.json["results"]}
    assert len(found) == 11
    # with no question to be like, the paper's cosine may find nothing in so small a history
    assert all(recall > 0 for name, recall in found.items() if name != "published")


def _names(plan: GroundPlan, cache: Path) -> list[object]:
    return list(grounds(plan, WordEmbedder(), cache=cache))


def test_a_history_is_learned_once(folder: Path) -> None:
    plan = GroundPlan(("dev.json",), schema=folder / "tables.json")
    first, again, other = WordEmbedder(), WordEmbedder(), WordEmbedder(dimension=32)
    for embedder in (first, again, other):
        for ground in grounds(plan, embedder, cache=folder / "stores"):
            assert ground.cost["bytes"] > 0
    assert first.texts == other.texts > 0
    assert again.texts == 0
    assert len(list((folder / "stores").iterdir())) == 4


@pytest.mark.parametrize(
    "arguments",
    [
        ("--history", "dev.json"),
        ("--history", "dev.json", "--leave-one-out", "--tasks", "tasks.json"),
        ("--history", "none.json", "--leave-one-out"),
        ("--history", "dev.json", "--leave-one-out", "--schema", "none.json"),
        ("--history", "dev.json", "--leave-one-out", "--schema", "tables.json", "--db", "a.sqlite"),
        (*HISTORY, "--leave-one-out", "--retrievers", "best"),
        (*HISTORY, "--leave-one-out", "--shots", "0"),
        (*HISTORY, "--leave-one-out", "--shots", "many"),
        (*HISTORY, "--leave-one-out", "--threshold", "2"),
        (*HISTORY, "--leave-one-out", "--granularity", "x"),
        (*HISTORY, "--leave-one-out", "--database", "none"),
        (*HISTORY, "--leave-one-out", "--retrievers", "published_llm", "--model", "none"),
        (*HISTORY, "--tasks", "none.json"),
    ],
)
def test_what_cannot_be_compared_is_said(folder: Path, sqlore_: Command, arguments: tuple[str, ...]) -> None:
    done = sqlore_("eval", "retrieval", *arguments)
    assert done.code in (1, 2)
    assert done.err.startswith("sqlore: ")
    assert done.out == ""


def test_the_upper_bound_needs_the_fewest_scripts() -> None:
    (task,) = (task for task in leave_one_out(history()) if task.question_id == "6")
    whole, one = oracle(pool(), task), oracle(pool(), task, shots=1)
    assert {piece.key for piece in whole.fragments} == task.gold
    assert len(whole.scripts) == 2
    assert len(one.scripts) == len(one.fragments) == 1


def test_only_one_thing_is_varied_at_a_time() -> None:
    found = settings_for(
        ["published", "mqs"], shots=[None, 1], thresholds=[0.5, 0.6], granularities=["q", "qc"], budgets=[90]
    )
    assert len(found) == 4 + 2 + 1 + 2
    assert all(s.retriever == "published" for s in found if s.threshold or s.granularity == "q")


def test_a_limit_draws_the_same_tasks_for_a_seed(folder: Path) -> None:
    plan = GroundPlan(("dev.json",), schema=folder / "tables.json", databases=("comics",))
    drawn = []
    for seed in (1, 1, 2, 3):
        records: list[str] = []
        compare(
            grounds(plan, WordEmbedder(), cache=folder / "stores"),
            settings_for(["random"]),
            limit=2,
            seed=seed,
            sink=lambda record, into=records: into.append(record["question_id"]),
        )
        drawn.append(records)
    assert drawn[0] == drawn[1]
    assert len({tuple(one) for one in drawn}) > 1
    assert {len(one) for one in drawn} == {2}


def test_markdown_has_every_table(folder: Path) -> None:
    plan = GroundPlan(("dev.json",), schema=folder / "tables.json")
    found = compare(grounds(plan, WordEmbedder(), cache=folder / "stores"), settings_for(["bm25", "gold"]))
    text = as_markdown(sheets(found))
    assert text.count("\n## ") + text.startswith("## ") == len(sheets(found))
    assert "| gold | 100.0 [100.0, 100.0] |" in text


def test_learned_anew_nothing_of_the_withheld_script_is_left(folder: Path) -> None:
    plan = GroundPlan(("dev.json",), schema=folder / "tables.json", databases=("comics",))
    for ground in grounds(plan, WordEmbedder(), cache=folder / "stores"):
        with ground.without({"c6"}, WordEmbedder()) as rest:
            words = " ".join(item.description + item.name for item in rest.store.items())
            assert "200" not in words
            assert "180" in words
            assert ONLY_IN_6.isdisjoint(rest.keys)
            assert {text.key for text in rest.snapshot.texts} == {f"c{n}" for n in (1, 2, 3, 4, 5, 7)}
        assert set(ground.pool.keys) >= ONLY_IN_6


def test_learning_anew_asks_the_same_of_what_is_left(folder: Path) -> None:
    plan = GroundPlan(("dev.json",), schema=folder / "tables.json", databases=("comics",))
    records: list[dict[str, object]] = []
    found = compare(
        grounds(plan, WordEmbedder(), cache=folder / "stores"),
        settings_for(["frequent", "gold"]),
        relearn=True,
        sink=records.append,  # type: ignore[arg-type]
    )
    assert [len(result.scores.tasks) for result in found.results] == [6, 6]
    assert found.results[1].scores.f1() == 1, "what is needed is in the other scripts"
    assert all(record["question_id"] not in record["scripts"] for record in records)  # type: ignore[operator]


def test_each_database_keeps_the_keys_of_its_own(tmp_path: Path) -> None:
    """Two databases that number their questions from 0 alike; only a key that repeats in one is renamed."""
    sql = ("SELECT 1 FROM t", "SELECT 2 FROM t", "SELECT 3 FROM t")
    records = [{"question_id": n % 2, "db_id": name, "question": "?", "SQL": one} for name in ("aa", "bb")
               for n, one in enumerate(sql)]  # fmt: skip
    (tmp_path / "dev.json").write_text(json.dumps(records), encoding="utf-8")
    found = scripts_by_database(GroundPlan((tmp_path / "dev.json",)))
    assert {name: [one.key for one in own] for name, own in found.items()} == {
        "aa": ["0", "1", "0~2"],
        "bb": ["0", "1", "0~2"],
    }


def test_what_a_killed_run_left_half_made_is_swept(folder: Path) -> None:
    stores = folder / "stores"
    stores.mkdir()
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        pass
    left = [stores / f"abc.{dead.pid}.partial{end}" for end in ("", "-wal", "-shm")]
    old = stores / f"abd.{os.getpid()}.partial"
    mine = stores / f"abe.{os.getpid()}.partial-wal"
    for file in (*left, old, mine):
        file.touch()
    os.utime(old, (1, 1))
    _names(GroundPlan(("dev.json",), schema=folder / "tables.json", databases=("comics",)), stores)
    assert {file.name for file in stores.iterdir() if "partial" in file.name} == {mine.name}
    _names(GroundPlan(("dev.json",), schema=folder / "tables.json", databases=("films",)), stores)
    assert mine.exists(), "somebody who is still at it"


def test_a_threshold_stands_beside_those_alone_that_have_one() -> None:
    names = ("learned", "bm25", "random", "gold", "published", "mqs", "dail", "my:own", "published_x:own")
    found = settings_for(names, thresholds=[0.9], granularities=["q"])
    told = {one.retriever for one in found if one.threshold is not None}
    assert told == {"published", "mqs", "dail"}
    assert {one.retriever for one in found if one.granularity == "q"} == {"published"}


def test_what_was_handed_over_in_vain_is_seen_by_kind() -> None:
    """No task needs a grouping, and one was handed over: a precision of 0, and not nothing."""
    need = ["output: distinct"]
    counts = count(need, ["dimension: group by a.x", *need])
    result = Result(Setting("bm25"))
    result.by_database["d"].append(counts)
    (sheet,) = (s for s in sheets(Comparison([result], tasks={"d": 1})) if "Table 4" in s.title)
    rows = {row[1]: row[2:] for row in sheet.rows}
    assert rows["dimension"] == ("0.00", "-", "-", "0", "1")
    assert rows["output"] == ("100.00", "100.00", "100.00", "1", "1")
    assert rows["relation"] == ("-", "-", "-", "0", "0")


def test_what_is_not_asked_is_said(folder: Path, sqlore_: Command) -> None:
    """A record that is no task, one that needs nothing, and those of databases that nobody has or wants."""
    good = {
        "question_id": 1,
        "db_id": "comics",
        "question": "How many heroes above 190 did DC publish?",
        "SQL": "",
        "history_knowledge": {"hero.height><val>": ["c7"]},
    }
    other = {"question_id": 2, "db_id": "nosuch"}
    more = (
        {},
        other,
        {"question_id": 3, "history_knowledge": {}},
        {"question_id": 4, "question": None},
        {"question_id": 5, "db_id": "films"},
    )
    records = [good | one for one in more]
    (folder / "tasks.json").write_text(json.dumps(records), encoding="utf-8")
    options = ("--tasks", "tasks.json", *HISTORY, "--retrievers", "bm25", "--database", "comics")
    done = sqlore_("eval", "retrieval", *options, "--database", "absent", "--json")
    assert done.code == 0, done.err
    assert done.json["tasks"] == {"comics": 1}
    assert done.json["without_history"] == {"absent": 0}
    assert done.json["other_databases"] == {"films": 1, "nosuch": 1}
    (dropped,) = done.json["dropped"]
    assert (dropped["question_id"], dropped["db_id"]) == ("3", "comics")
    (bad,) = done.json["bad_tasks"]
    assert "task 4 (4)" in bad
    assert "left out: tasks.json: task 4 (4)" in done.err
    told = sqlore_("eval", "retrieval", *options[:-2]).out
    assert "nosuch: no script that can be read, 1 tasks not asked." in told
    assert "1 make no task (1: no knowledge is named that it needs)." in told


def test_scripts_that_make_no_task_are_counted(folder: Path, sqlore_: Command) -> None:
    records = json.loads((folder / "dev.json").read_text(encoding="utf-8"))
    broken = {**records[0], "question_id": "c99", "SQL": "SELEKT 1 FRM"}
    (folder / "dev.json").write_text(json.dumps([*records, broken]), encoding="utf-8")
    only = ("--retrievers", "bm25", "--database", "comics")
    done = sqlore_("eval", "retrieval", "--leave-one-out", *HISTORY, *only, "--json")
    assert done.json["rejected"] == {"comics": 1}
    assert [one["question_id"] for one in done.json["dropped"]] == ["c3"]
    told = sqlore_("eval", "retrieval", "--leave-one-out", *HISTORY, *only).out
    assert "1 make no task (1: no other script has anything of it)." in told
    assert "1 scripts could not be read." in told
