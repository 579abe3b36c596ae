"""Tasks made by program: right, checked, the same after a kill; and what they are built from."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlglot import parse_one

from sqlore.errors import SourceError, UsageError
from sqlore.evals.build.bench import Bench, open_bench
from sqlore.evals.build.cook import Cook
from sqlore.evals.build.frame import tables_of, text_of
from sqlore.evals.build.generate import build, rich_file
from sqlore.evals.build.journal import Journal
from sqlore.evals.build.material import Kit, materials, swapped
from sqlore.evals.build.pieces import Keys, parts_of, paths_from, pieces_of
from sqlore.evals.build.recipes import RECIPES
from sqlore.evals.build.validate import Validator, agreements, read_candidates
from sqlore.evals.build.wording import own_words, several
from sqlore.evals.tasks import read_tasks
from sqlore.model import Column, ForeignKey, Schema, Table
from sqlore.sql import parse_script
from support import data_dir

SCHEMA = Schema(
    (
        Table("hero", (Column("id", primary_key=True), Column("name"), Column("eye_id"), Column("hair_id")),
              foreign_keys=(ForeignKey(("eye_id",), "colour", ("id",)),)),
        Table("colour", (Column("id", primary_key=True), Column("colour"))),
        Table("power", (Column("hero_id"), Column("power"))),
    )
)  # fmt: skip


@pytest.fixture(scope="module")
def heroes() -> Iterator[Bench]:
    database = data_dir("bird", "databases", "superhero.sqlite")
    with open_bench([data_dir("bird", "dev.json")], str(database)) as bench:
        yield bench


@pytest.fixture(scope="module")
def kit(heroes: Bench) -> Kit:
    return materials(heroes)


def pieces(sql: str):
    return pieces_of(parse_script(sql, "sqlite", SCHEMA))


def test_the_way_to_a_table_is_a_part_of_what_is_meant() -> None:
    keys = Keys(SCHEMA)
    texts = set()
    for column in ("eye_id", "hair_id"):
        one = pieces(f"SELECT h.name FROM hero h JOIN colour c ON h.{column} = c.id WHERE c.colour = 'Blue'")
        assert one is not None
        (part,) = parts_of(one, "hero", keys)
        assert (part.single, part.whole, tables_of(part.paths.values())) == (True, True, 2)
        texts.add(part.text)
    assert len(texts) == 2


def test_rows_of_several_conditions_on_one_other_row_stay_together() -> None:
    one = pieces(
        "SELECT COUNT(h.id) FROM hero h JOIN power p ON p.hero_id = h.id "
        "WHERE p.power = 'Speed' AND p.hero_id > 3 AND h.name = 'x'"
    )
    assert one is not None
    found = {part.single: len(part.conditions) for part in parts_of(one, "hero", Keys(SCHEMA))}
    assert found == {True: 1, False: 2}
    assert [step.single for way in paths_from(one, "hero", Keys(SCHEMA)).values() for step in way] == [False]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM hero WHERE eye_id IN (SELECT id FROM colour)",
        "SELECT h.name FROM hero h LEFT JOIN colour c ON h.eye_id = c.id",
        "SELECT h.name FROM hero h JOIN colour c ON h.eye_id = c.id JOIN colour d ON h.hair_id = d.id",
        "SELECT name FROM hero UNION SELECT colour FROM colour",
    ],
)
def test_scripts_that_are_not_plain_give_no_pieces(sql: str) -> None:
    assert pieces(sql) is None


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many superheroes are owned by Marvel?", "superheroes that are owned by Marvel"),
        ("Count the fastest superheroes.", "fastest superheroes"),
        ("What is the average height of the superheroes from Marvel?", "superheroes from Marvel"),
        ("Provide the full names of vampire heroes.", "vampire heroes"),
        ("How many superheroes did DC Comics publish?", ""),
        ("Among the superheroes with blue eyes, how many of them are bad?", ""),
        ("List the names of the superheroes with the most powers.", ""),
        ("How many powers does Amazo hero have?", ""),
    ],
)  # fmt: skip
def test_the_words_of_a_question_for_its_rows(question: str, words: str) -> None:
    assert own_words(question, "superheroes") == words


def test_plurals_keep_their_unit() -> None:
    assert [several(words) for words in ("weight in kg", "name", "eye colour")] == [
        "weights in kg",
        "names",
        "eye colours",
    ]


def test_another_value_is_of_the_value_index_and_takes_its_place_in_the_words(kit: Kit) -> None:
    (material,) = [one for one in kit.materials if one.anchor == "superhero"]
    blue = next(one for one in material.parts if one.words == "superheroes that have blue eyes")
    known = {value for column in kit.bench.catalog.values.columns for value in column.values}
    for seed in range(20):
        other = swapped(blue, kit, random.Random(seed))
        assert other is not None
        (condition,) = other.part.conditions
        value = condition.expression.name
        assert value in known - {"Blue"}
        assert other.words == f"superheroes that have {value.lower()} eyes"


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_gives_tasks_that_pass(kit: Kit, heroes: Bench, recipe: str) -> None:
    validator = Validator(heroes)
    from sqlore.evals.build.bench import Candidate

    (material,) = [one for one in kit.materials if one.anchor == "superhero"]
    for seed in range(120):
        dish = RECIPES[recipe](Cook(kit, material, random.Random(seed)))
        if dish is None:
            continue
        sql = text_of(dish.query, "sqlite")
        assert 2 <= len(dish.used) <= 6
        assert dish.question[-1] in "?."
        if validator.check(Candidate("1", "superhero", dish.question, sql, "", dish.used)).passed:
            return
    pytest.fail("nothing passes")


def test_a_formula_of_the_history_stays_as_it_is(kit: Kit, heroes: Bench) -> None:
    (material,) = [one for one in kit.materials if one.anchor == "superhero"]
    annotator = Validator(heroes).annotator
    assert len(material.shares) > 3
    for share in (*material.shares, *material.amounts):
        sql = text_of(kit.builder.select("superhero", [share.placed], [material.parts[0].part]), "sqlite")
        found = [item for item in annotator.annotate(sql).items if item.kind == "calculation"]
        assert any(share.script in item.scripts for item in found), sql


def test_a_build_and_what_it_writes(heroes: Bench, tmp_path: Path) -> None:
    out = tmp_path / "tasks.json"
    report = build(heroes, 12, out)
    tasks = json.loads(out.read_text(encoding="utf-8"))
    rich = json.loads(rich_file(out).read_text(encoding="utf-8"))
    assert report.kept == len(tasks) == len(rich) == 12
    assert report.attempts == sum(report.ends.values())
    assert len({task["question"] for task in tasks}) == 12
    assert list(tasks[0]) == ["question_id", "db_id", "question", "SQL", "history_knowledge", "used"]
    for task, more in zip(tasks, rich, strict=True):
        assert 2 <= len(task["used"]) <= 6
        assert parse_one(task["SQL"], read="sqlite").sql("sqlite", pretty=True) == task["SQL"]
        for piece in more["knowledge"]:
            key = f"{piece['kind']}: {piece['skeleton']}"
            assert task["history_knowledge"][key] == piece["scripts"]
            for start, end in piece["spans"]:
                assert task["SQL"][start:end].strip() == task["SQL"][start:end] != ""
    assert len(read_tasks(out)) == 12
    validator = Validator(heroes)
    again = [validator.check(one) for one in read_candidates(out)]
    assert all(verdict.passed for verdict in again)
    agreed = agreements(validator, read_candidates(out))
    assert (agreed["exact"], agreed["extra"], agreed["missing"]) == (12, 0, 0)


def test_a_build_that_was_killed_goes_on(heroes: Bench, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    build(heroes, 8, whole)
    build(heroes, 3, parts)
    journal = parts.with_suffix(".attempts.jsonl")
    with journal.open("a", encoding="utf-8") as lines:
        lines.write('{"attempt": 99, "rec')  # killed in the middle of a line
    build(heroes, 8, parts)
    assert parts.read_bytes() == whole.read_bytes()
    assert journal.read_bytes() == whole.with_suffix(".attempts.jsonl").read_bytes()
    rejected = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()[1:]]
    assert all(one["findings"] for one in rejected if one["end"] == "rejected")
    with pytest.raises(UsageError, match="another seed"):
        build(heroes, 8, parts, seed=1)


def test_a_journal_keeps_texts_whatever_breaks_they_have(tmp_path: Path) -> None:
    attempt = {"question": "Which\u2028one,\u2029or\x85other?"}
    with Journal(tmp_path / "j.jsonl", {"seed": 0}) as journal:
        journal.add(attempt)
    with Journal(tmp_path / "j.jsonl", {"seed": 0}) as journal:
        assert journal.attempts == [attempt]


def test_a_journal_of_something_else(tmp_path: Path) -> None:
    file = tmp_path / "x.attempts.jsonl"
    file.write_text("not JSON\n", encoding="utf-8")
    with pytest.raises(SourceError, match="not a journal"), Journal(file, {"seed": 0}):
        pass


def test_a_history_that_gives_nothing(tmp_path: Path, heroes: Bench) -> None:
    history = tmp_path / "few.sql"
    history.write_text("SELECT COUNT(id) FROM superhero;", encoding="utf-8")
    with (
        open_bench([history], heroes.engine.url) as bench,
        pytest.raises(UsageError, match="too few plain scripts"),
    ):
        build(bench, 3, tmp_path / "tasks.json")
