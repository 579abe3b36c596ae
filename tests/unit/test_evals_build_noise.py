"""Noise in a history, a history that grows, and the curves over both."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from sqlglot import parse_one

from cli_helpers import Command, clean_environment, serving
from library_bench import GOLDEN, make_library
from sqlore.embed import load_embedder
from sqlore.engines import connect
from sqlore.errors import SqlError, SqloreError, UsageError
from sqlore.evals.build import mutate
from sqlore.evals.build.noise import KINDS, Noise, Spoiler, noisy, replayed, write_history
from sqlore.evals.history_curves import CurvePlan, Variant, retrieval_curve, variants
from sqlore.evals.history_curves_execution import execution_curve
from sqlore.evals.history_curves_report import curves_json, curves_sheets
from sqlore.evals.setting import Setting
from sqlore.evals.tasks import leave_one_out
from sqlore.history import read_history
from sqlore.llm import FunctionModel, base
from sqlore.model import Column, Schema, Script, Table
from sqlore.sql import parse_script

SCHEMA = Schema(
    (Table("book", (Column("id"), Column("title"), Column("pages"))), Table("loan", (Column("id"),)))
)
SQL = (
    "SELECT MAX(b.pages) FROM book AS b JOIN loan AS l ON l.id = b.id WHERE b.pages > 10 ORDER BY title DESC"
)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return make_library(tmp_path)


def scripts() -> list[Script]:
    return [one for one in read_history(GOLDEN / "history.json") if isinstance(one, Script)]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (mutate.other_operator, "b.pages > 10 became b.pages >= 10"),
        (mutate.other_aggregate, "MAX(b.pages) became MIN(b.pages)"),
        (mutate.dropped_condition, "without WHERE b.pages > 10"),
        (mutate.other_direction, "sorted the other way: title"),
        (mutate.missing_join, None),  # nothing of loan is used but in the join itself
    ],
)
def test_one_change_and_what_it_was(change: mutate.Change, told: str | None) -> None:
    tree = parse_one(SQL, read="sqlite")
    found = change(tree, SCHEMA, random.Random(0))
    assert found == told if told is None else str(found).startswith(told)
    assert (tree.sql("sqlite") == SQL) is (told is None)


def test_another_column_is_one_of_the_same_table() -> None:
    for seed in range(8):
        tree = parse_one("SELECT title FROM book WHERE pages > 10", read="sqlite")
        assert mutate.other_column(tree, SCHEMA, random.Random(seed))
        names = [column.name for column in tree.find_all(mutate.exp.Column)]
        assert set(names) <= {"id", "title", "pages"}
        assert Counter(names) != Counter(["title", "pages"])


def test_noise_is_what_its_kind_says(library: Path) -> None:
    with connect(str(library)) as engine:
        spoiler = Spoiler(scripts(), dialect="sqlite", schema=engine.schema(), engine=engine)
        made, truth = noisy(spoiler, 0.5)
        assert len(made) == 2 * len(truth) == 2 * len(scripts())
        texts = {one.key: one.sql for one in made}
        for one in truth:
            assert texts[one.key] != texts[one.of]
            if one.kind == "syntax_error":
                with pytest.raises(SqlError):
                    parse_script(texts[one.key], "sqlite")
            elif one.kind == "failed":
                parse_script(texts[one.key], "sqlite")
                with pytest.raises(SqloreError):
                    engine.run(texts[one.key])
            else:
                assert engine.run(texts[one.key]).rows != engine.run(texts[one.of]).rows
    assert {one.kind for one in truth} <= set(KINDS)
    assert max(Counter(one.kind for one in truth).values()) <= len(truth) / 2
    places = [one.key for one in made]
    assert all(places.index(one.key) < places.index(one.of) for one in truth)


def test_less_noise_is_a_part_of_more_and_the_seed_decides(library: Path) -> None:
    with connect(str(library)) as engine:
        schema = engine.schema()
    first, again, other = (Spoiler(scripts(), schema=schema, seed=seed) for seed in (0, 0, 1))
    few, many = noisy(first, 0.2)[1], noisy(again, 0.5)[1]
    assert many[: len(few)] == few
    assert noisy(other, 0.5)[1] != many
    with pytest.raises(UsageError, match="no more than"):
        noisy(first, 0.99)
    with pytest.raises(UsageError, match="no part"):
        noisy(first, 1)


def test_an_older_version_is_older(library: Path) -> None:
    dated = [
        Script("SELECT title FROM book WHERE pages > 10 AND genre = 'novel'", "a", time="2025-03-01T10:00:00")
    ]
    with connect(str(library)) as engine:
        made = Spoiler(dated, schema=engine.schema(), engine=engine).noise(3)
    times = {noise.kind: script.time for script, noise in made}
    assert times["superseded"] == "2024-12-31T10:00:00"
    assert times["near_miss"] == "2025-03-01T09:55:00"


def test_a_history_grows_in_time_or_in_its_order() -> None:
    dated = [
        Script("", "b", time="2025-02"),
        Script("", "a", time="2025-01"),
        Script("", "c", time="2025-03"),
    ]
    assert [one.key for one in replayed(dated, 0.67)] == ["a", "b"]
    assert [one.key for one in replayed([*dated, Script("", "d")], 0.5)] == ["b", "a"]
    assert len(replayed(dated, 0.01)) == 1
    with pytest.raises(UsageError):
        replayed(dated, 0)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    script = Script(
        "SELECT 1", "7", "How many?", None, "a hint", "anna", "2025-03-01T10:00:00", 3, database="d"
    )
    file, truth = write_history(tmp_path / "h.jsonl", [script], [Noise("8", "7", "failed", "x")])
    (found,) = read_history(file)
    assert isinstance(found, Script)
    names = ("sql", "key", "question", "evidence", "author", "time", "runs", "database")
    assert all(getattr(found, name) == getattr(script, name) for name in names)
    assert json.loads(truth.read_text(encoding="utf-8"))[0]["of"] == "7"


# ------------------------------------------------------------------ curves


def plan(library: Path, **more: object) -> CurvePlan:
    return CurvePlan(
        (str(GOLDEN / "history.json"),), library.parent, str(library), databases=("library",), **more
    )  # type: ignore[arg-type]


def test_curves_of_retrieval(library: Path) -> None:
    curve = plan(library, growth=(0.3, 1.0), noise=(0.0, 0.5))
    made = variants(curve)
    assert [(one.name, sum(one.scripts.values()), len(one.noise)) for one in made] == [
        ("growth-030", round(0.3 * len(scripts())), 0),
        ("growth-100", len(scripts()), 0),
        ("noise-000", len(scripts()), 0),
        ("noise-050", 2 * len(scripts()), len(scripts())),
    ]
    points = retrieval_curve(curve, made, [Setting("bm25"), Setting("gold")], load_embedder())
    found = {(point.variant.name, point.name): point for point in points}
    gold = {name: found[name, "gold"] for name in ("growth-030", "growth-100", "noise-050")}
    assert gold["growth-100"].rates["f1"].value == gold["growth-100"].reachable == 1
    assert gold["growth-030"].rates["recall"].value < 0.7
    assert found["growth-100", "bm25"].rates == found["noise-000", "bm25"].rates
    assert found["noise-050", "bm25"].misled
    assert found["noise-000", "bm25"].misled == 0
    assert len({point.tasks for point in points}) == 1
    assert [sheet.title for sheet in curves_sheets(points)][:2] == [
        "F1 as the history grows",
        "Histories as the history grows",
    ]
    assert curves_json(points)["points"][0].keys() >= {
        "axis",
        "share",
        "f1",
        "reachable",
        "misled",
        "interval",
    }


def test_noise_of_a_script_is_withheld_with_it(library: Path) -> None:
    from sqlore.evals.history_curves import _withholding
    from sqlore.evals.tasks import History

    parsed = [parse_script(one, "sqlite") for one in scripts()]
    task = leave_one_out(History("library", parsed))[0]
    variant = Variant(
        "noise", 0.5, library, {}, (Noise("x", task.question_id, "failed", ""), Noise("y", "?", "failed", ""))
    )
    (withheld,) = _withholding([task], variant)
    assert withheld.exclude == task.exclude | {"x"}


def test_curves_of_execution(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlore.config import load_settings

    clean_environment(monkeypatch, library.parent)
    sql = "SELECT COUNT(id) FROM book WHERE genre = 'poems'"
    task = {"question_id": 1, "db_id": "library", "question": "How many books are poems?", "SQL": sql}
    tasks = library.parent / "tasks.json"
    tasks.write_text(json.dumps([task]), encoding="utf-8")
    asked: list[str] = []

    def answer(messages: object) -> str:
        asked.append(str(messages))
        return sql

    curve = plan(library, growth=(0.5, 1.0))
    model, settings = FunctionModel(answer), load_settings()
    what = (
        curve,
        variants(curve),
        ["history"],
        [str(tasks)],
        model,
        settings,
        lambda: load_embedder(),
    )
    points = execution_curve(*what)
    assert [point.rates["execution_accuracy"].value for point in points] == [1, 1]
    number = len(asked)
    assert number >= 2
    assert execution_curve(*what) == points  # gone on with: nothing is asked again
    assert len(asked) == number
    assert curves_sheets(points)[0].title == "Execution accuracy as the history grows"


# ------------------------------------------------------------------ in the terminal


@pytest.fixture
def sqlore(library: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    clean_environment(monkeypatch, library.parent)
    return Command(capsys)


HISTORY = ("--history", str(GOLDEN / "history.json"), "--db", "library.sqlite")


def test_a_noisy_history_as_a_file(sqlore: Command, tmp_path: Path) -> None:
    done = sqlore(
        "bench", "history", *HISTORY, "--noise", "50", "--replay", "60", "--out", "noisy.jsonl", "--json"
    )
    assert done.code == 0
    kept = round(0.6 * len(scripts()))
    assert done.json["scripts"] == 2 * kept
    assert sum(done.json["noise"].values()) == kept
    assert len(list(read_history(tmp_path / "noisy.jsonl"))) == 2 * kept
    assert "no noise" in sqlore("bench", "history", *HISTORY, "--out", "clean.jsonl").out


def test_curves_as_files(sqlore: Command, tmp_path: Path) -> None:
    ask = ("eval", "curves", *HISTORY, "--out", "curves", "--retrievers", "bm25,random")
    done = sqlore(*ask, "--leave-one-out", "--replay", "50,100", "--noise", "0,40")
    assert done.code == 0
    assert "F1 as noise in the history rises" in done.out
    names = sorted(
        str(file.relative_to(tmp_path / "curves")) for file in (tmp_path / "curves").rglob("*.svg")
    )
    assert names == ["plots/f1_growth.svg", "plots/f1_noise.svg"]
    assert (tmp_path / "curves" / "histories" / "noise-040.truth.json").exists()
    assert "![f1_growth](plots/f1_growth.svg)" in (tmp_path / "curves" / "curves.md").read_text(
        encoding="utf-8"
    )


def test_execution_asks_tasks_that_say_nothing_of_knowledge(
    sqlore: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "ALLOW_MODEL_REQUESTS", True)
    sql = "SELECT COUNT(id) FROM book WHERE genre = 'poems'"
    task = {"question_id": 1, "db_id": "library", "question": "How many books are poems?", "SQL": sql}
    (tmp_path / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")
    ask = ("eval", "curves", *HISTORY, "--tasks", "tasks.json", "--out", "curves", "--no-plots", "--json")
    with serving() as endpoint:
        endpoint.replies = [sql]
        done = sqlore(
            *ask, "--measure", "execution", "--model", endpoint.spec, "--replay", "100", "--noise", ""
        )
    (point,) = done.json["points"]
    assert point["execution_accuracy"] == 1
    assert "history_knowledge" in sqlore(*ask).err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "what is to be asked"),
        (("--leave-one-out", "--noise", "95"), "not a number from 0 to 90"),
        (("--leave-one-out", "--measure", "speed"), "nothing that can be measured"),
        (("--leave-one-out", "--measure", "execution"), "execution needs tasks"),
    ],
)
def test_what_cannot_be_measured(sqlore: Command, more: tuple[str, ...], said: str) -> None:
    done = sqlore("eval", "curves", *HISTORY, "--out", "curves", *more)
    assert done.code == 2
    assert said in done.err
