"""DA-GP on a real database: samples that pass and fail, prompts, kill and resume, a person's corrections."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from sqlore.answer import ask
from sqlore.catalog import Catalog, Entry, build_catalog
from sqlore.config import Settings
from sqlore.engines import Engine, connect
from sqlore.errors import ModelRefusal, SourceError, UsageError
from sqlore.interfaces.cli.waiting import Stages
from sqlore.llm import Answer, FunctionModel, NoModel
from sqlore.model import Message
from sqlore.prompts import PromptContext, Setup, load_strategy, prepare_strategy
from sqlore.prompts.da_gp_ask import QUESTION_TRIES, TRIES, said_question
from sqlore.prompts.da_gp_check import Bench, Unfit
from sqlore.prompts.da_gp_prompt import PreparedAdapted, Told
from sqlore.prompts.da_gp_review import Entry as Adapted
from sqlore.prompts.da_gp_schema import domain_schema, told_within
from sqlore.prompts.few_shot import Shot
from sqlore.prompts.text import tokens

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
Said = Callable[[Sequence[Message]], str]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / "fleet.sqlite"
    with sqlite3.connect(path) as db:
        db.execute(
            "CREATE TABLE ship (ship_id INTEGER PRIMARY KEY, name TEXT, port TEXT, built DATE, tons INT)"
        )
        ports = ["Oslo", "Bergen", "Bodø", "Narvik", "Molde"]
        rows = [(n, f"Ship {n}", ports[n % 5], f"19{60 + n}-05-01", 100 + 10 * n) for n in range(30)]
        db.executemany("INSERT INTO ship VALUES (?, ?, ?, ?, ?)", rows)
    db.close()
    with connect(f"sqlite:///{path}") as opened:
        yield opened


@pytest.fixture
def catalog(engine: Engine) -> Catalog:
    return build_catalog(engine, entries=[Entry("ship", "tons", description="weight of the empty ship")])


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "school.yaml").write_text(TRAINING, encoding="utf-8")
    return Settings(home=tmp_path / "home", training=tmp_path / "school.yaml")


def good(messages: Sequence[Message]) -> str:
    """A model that does what it is asked."""
    task = messages[-1].content
    if "Which question" in task:
        sql = task.split("Query: ")[-1].split("\n")[0]
        return f"Question: {QUESTIONS.get(sql, 'What about it?')}\n\nThat is all."
    pattern = task.split("Query: ")[-1].split("\n")[0]
    return next(f"```sql\n{sql};\n```" for part, sql in ANSWERS.items() if part in pattern)


def prepare(engine: Engine, catalog: Catalog, settings: Settings, said: Said = good) -> PreparedAdapted:
    model = FunctionModel(said)
    ready = prepare_strategy("da_gp", catalog, model, settings, engine=engine)
    assert isinstance(ready, PreparedAdapted)
    return ready


def sql_of(ready: PreparedAdapted) -> list[str]:
    return [one.sql for one in ready.shots]


def review_file(settings: Settings) -> Path:
    (path,) = (settings.home / "prepared").glob("da_gp-fleet-*.yaml")
    return path


def never(messages: Sequence[Message]) -> str:
    raise AssertionError("the model is asked again")


# ------------------------------------------------------------------ the three stages


def test_a_question_is_answered_with_adapted_examples(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    def said(messages: Sequence[Message]) -> str:
        if messages[-1].content.endswith("Question: How many ships are in Molde?"):
            return COUNT.replace("Oslo", "Molde")
        return good(messages)

    model = FunctionModel(said)
    draft = ask(
        "How many ships are in Molde?",
        engine=engine,
        catalog=catalog,
        model=model,
        strategy="da_gp",
        settings=settings,
    )
    assert draft.result is not None
    assert draft.result.rows == ((6,),)
    turns = model.requests[-1]
    assert [turn.role for turn in turns] == ["system", *["user", "assistant"] * 3, "user"]
    assert turns[1].content.startswith("Database fleet:\nCREATE TABLE ship (\n  ship_id INTEGER")
    assert turns[1].content.endswith("Question: How many ships are in Oslo?")
    assert [turn.content for turn in turns[2:7]] == [
        COUNT,
        "Question: Which ship is the heaviest?",
        BEST,
        "Question: How many tons are in each port?",
        SUM,
    ]
    assert "CREATE TABLE" not in turns[-1].content
    assert len(model.requests) == 3 + 3 + 1


def test_what_the_model_is_asked(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    model = FunctionModel(good)
    prepare_strategy("da_gp", catalog, model, settings, engine=engine)
    assert len({request[0] for request in model.requests}) == 1, "one stable part for all"
    assert "tons INT, -- weight of the empty ship; from 100 to 390" in model.requests[0][0].content
    first, second = model.requests[0][1].content, model.requests[1][1].content
    assert "CREATE TABLE pupil (pupil_id, name, town, born, marks" in first
    assert "Query: SELECT COUNT(*) FROM pupil WHERE town = 'Bree'" in first
    assert "How many pupils" not in first, "the pattern comes without its question"
    assert f"Query: {COUNT}" in second


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("I cannot do that.", "holds no SQL"),
        ("SELECT COUNT(*) FROM boat WHERE port = 'Oslo'", "does not run"),
        ("DELETE FROM ship", "does not run"),
        ("SELECT COUNT(*) FROM ship WHERE port = 'Rome'", "gives nothing"),
        ("SELECT name, port, built FROM ship WHERE tons > 1 ORDER BY built LIMIT 3", "is built otherwise"),
        ("SELECT COUNT(*) FROM ship WHERE port IN ('Oslo', 'Rome')", "names a value that is not there"),
    ],
)
def test_a_bad_sample_is_counted_and_sampled_again(
    engine: Engine, catalog: Catalog, settings: Settings, bad: str, why: str
) -> None:
    asked: list[str] = []

    def said(messages: Sequence[Message]) -> str:
        asked.append(messages[-1].content)
        if "Bree" in asked[-1] and sum("Bree" in one for one in asked) < 3:
            return bad
        return good(messages)

    ready = prepare(engine, catalog, settings, said)
    assert sql_of(ready) == [COUNT, BEST, SUM]
    assert ready.failed == {why: 2}
    assert ready.report == f"3 of 3 examples adapted; samples that failed: 2 ({why})"


JOINED = """
database: school
ddl: |
  CREATE TABLE pupil (pupil_id INTEGER PRIMARY KEY, name TEXT, town TEXT, born TEXT, marks INTEGER);
  CREATE TABLE town (town TEXT PRIMARY KEY, mayor TEXT);
pairs:
  - question: How many pupils have Ann as their mayor?
    sql: SELECT COUNT(*) FROM pupil JOIN town ON pupil.town = town.town WHERE town.mayor = 'Ann'
"""


def test_what_the_model_cannot_write_is_put_over_by_program(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    def said(messages: Sequence[Message]) -> str:
        task = messages[-1].content
        return COUNT.replace("Oslo", "Rome") if "Bree" in task and "Write a query" in task else good(messages)

    ready = prepare(engine, catalog, settings, said)
    made, *others = sql_of(ready)
    assert re.fullmatch(r"SELECT COUNT\(\*\) FROM ship WHERE port = '(Oslo|Bergen|Bodø|Narvik|Molde)'", made)
    assert others == [BEST, SUM]
    assert ready.failed["gives nothing"] == TRIES


def test_with_masked_values_only_the_model_writes(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    masked = settings.model_copy(update={"mask": True})
    model = FunctionModel(lambda messages: "no")
    ready = prepare_strategy("da_gp", catalog, model, masked, engine=engine)
    assert isinstance(ready, PreparedAdapted)
    assert ready.adapted == 0
    assert not any("Oslo" in message.content for request in model.requests for message in request)


def test_where_nothing_passes_the_original_stays(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    assert settings.training is not None
    joined = "  - question: How" + JOINED.split("- question: How")[1]
    Path(settings.training).write_text(
        JOINED.split("pairs:")[0] + "pairs:" + TRAINING.split("pairs:")[1] + joined, encoding="utf-8"
    )

    def said(messages: Sequence[Message]) -> str:
        return COUNT.replace("Oslo", "Rome") if "pupil JOIN" in messages[-1].content else good(messages)

    told: list[tuple[str, int, int]] = []
    ready = prepare_strategy(
        "da_gp",
        catalog,
        FunctionModel(said),
        settings,
        engine=engine,
        on_progress=lambda *step: told.append(step),
    )
    assert isinstance(ready, PreparedAdapted)
    assert sql_of(ready) == [BEST, SUM]
    (stays,) = [one.sql for one in ready.kept]
    assert "town.mayor = 'Ann'" in stays
    said_last = (
        "2 of 3 examples adapted, 1 stay those of other databases; samples that failed: "
        f"{TRIES} (is built otherwise)"
    )
    assert told == [
        *(("adapting examples", n, 3) for n in range(3)),
        (f"{said_last}; to review: {review_file(settings)}", 3, 3),
    ]
    turns = ready.prompt(PromptContext("Which is oldest?", "", "sqlite", "fleet")).messages
    assert turns[1].content.startswith("Database school:\nCREATE TABLE pupil")
    assert turns[3].content.startswith("Database fleet:\nCREATE TABLE ship")
    entries = yaml.safe_load(review_file(settings).read_text("utf-8"))["exemplars"]
    (entry,) = [one for one in entries if "mayor" in one["pattern"]]
    assert (entry["sql"], entry["failed"]) == ("", {"is built otherwise": TRIES})


def test_samples_get_freer(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    warmth: list[tuple[float, int]] = []

    class Watched(FunctionModel):
        def chat(self, messages: Sequence[Message], **options: Any) -> Answer:
            warmth.append((options["temperature"], options["seed"]))
            return super().chat(messages, **options)

    model = Watched(lambda messages: "no")
    ready = prepare_strategy("da_gp", catalog, model, settings, engine=engine)
    assert isinstance(ready, PreparedAdapted)
    assert ready.adapted == 0
    first = warmth[:TRIES]
    assert first[0] == (0.0, 0)
    assert [seed for _, seed in first] == list(range(TRIES))
    assert sorted(first) == first
    assert first[-1][0] == 1.0
    last = ready.prompt(PromptContext("Which?", "", "sqlite", "fleet")).messages[-1].content
    assert last.startswith("Database fleet:\nCREATE TABLE ship (")


def test_no_two_examples_are_the_same(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    more = "  - question: Lowest?\n    sql: SELECT town, MIN(marks) FROM pupil GROUP BY town\n"
    assert settings.training is not None
    Path(settings.training).write_text(TRAINING + more, encoding="utf-8")

    def said(messages: Sequence[Message]) -> str:
        task = messages[-1].content
        return SUM if "Query: SELECT town, MIN" in task and "Write a query" in task else good(messages)

    ready = prepare(engine, catalog, settings, said)
    assert sql_of(ready) == [COUNT, BEST, SUM, "SELECT port, MIN(tons) FROM ship GROUP BY port"]
    assert ready.failed == {"is there already": TRIES}


def test_a_question_has_the_values_of_its_sql(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    def said(messages: Sequence[Message]) -> str:
        return "How many ships are there?" if f"Query: {COUNT}" in messages[-1].content else good(messages)

    ready = prepare(engine, catalog, settings, said)
    assert ready.shots[0].question == "How many ships are there?", "the first, where none names it"
    assert ready.failed == {"leaves out a value": QUESTION_TRIES}


def test_without_a_question_the_original_stays(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    def said(messages: Sequence[Message]) -> str:
        return COUNT if f"Query: {COUNT}" in messages[-1].content else good(messages)

    ready = prepare(engine, catalog, settings, said)
    assert sql_of(ready) == [BEST, SUM]
    assert len(ready.kept) == 1
    assert ready.failed == {"is no question": QUESTION_TRIES}


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("How many are there?", "How many are there?"),
        ("Here is the question:\n\n- **Question:** Who is it?", "Who is it?"),
        ('"List all ships."', "List all ships."),
        ("SELECT a FROM b", ""),
        ("\n\n", ""),
        ("```\n```", ""),
    ],
)
def test_the_question_in_an_answer(said: str, question: str) -> None:
    assert said_question(said) == question


def test_the_command_says_what_came_of_it(
    engine: Engine, catalog: Catalog, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    for quiet in (False, False, True):
        with Stages(quiet=quiet) as report:
            model = FunctionModel(good, "quiet" if quiet else "loud")
            prepare_strategy("da_gp", catalog, model, settings, engine=engine, on_progress=report)
        said.append("".join(capsys.readouterr().err.split("\n")))
    assert "3 of 3 examples adapted; to review:" in said[0]
    assert "adapted; to review" not in said[1], "nothing new the second time"
    assert said[2] == "", "--json says nothing"


# ------------------------------------------------------------------ what passes


@pytest.mark.parametrize(
    ("sql", "pattern", "why"),
    [
        ("SELECT port FROM ship WHERE tons > 100", "SELECT a FROM t WHERE b > 1", None),
        ("SELECT tons - tons FROM ship", "SELECT a - b FROM t", "gives nothing"),
        ("SELECT port FROM ship WHERE port = 'Oslo'", "SELECT a FROM t WHERE b = 'x'", "the same"),
        ("SELECT name FROM ship WHERE port IN ('Oslo', 'Rome')", "SELECT a FROM t WHERE b IN ('x')", "value"),
        ("SELECT name FROM ship WHERE port LIKE 'B%'", "SELECT a FROM t WHERE b LIKE 'x%'", None),
        ("SELECT name, port FROM ship WHERE tons > 130", "SELECT a FROM t WHERE b = 'x'", None),
        ("SELECT name FROM ship WHERE port = 'Oslo' AND tons > 130", "SELECT a FROM t", "is built otherwise"),
        ("SELECT name FROM ship; DROP TABLE ship", "SELECT a FROM t", "does not run"),
    ],
)  # fmt: skip
def test_what_may_be_an_example(
    engine: Engine, catalog: Catalog, sql: str, pattern: str, why: str | None
) -> None:
    bench = Bench(engine, catalog)
    if why is None:
        assert bench.fit(f"{sql};\n", pattern) == sql
        return
    with pytest.raises(Unfit, match=why):
        bench.fit(sql, pattern)


def test_what_may_be_an_example_in_another_dialect(tmp_path: Path) -> None:
    path = tmp_path / "fleet.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute("""CREATE TABLE ship (id INTEGER, "Home Port" TEXT, built DATE)""")
        db.execute("INSERT INTO ship VALUES (1, 'Oslo', '1960-05-01'), (2, 'Bodø', '1961-05-01')")
    with connect(f"duckdb:///{path}") as engine:
        bench = Bench(engine, build_catalog(engine))
        pattern = "SELECT a FROM t WHERE b = 'x'"
        for good_one in ("\"Home Port\" = 'Oslo'", "built = '1960-05-01'", "id = '1'"):
            sql = f"SELECT id FROM ship WHERE {good_one}"
            assert bench.fit(sql, pattern) == sql
        with pytest.raises(Unfit, match="a value that is not there"):
            bench.fit("SELECT id FROM ship WHERE \"Home Port\" IN ('Oslo', 'Rome')", pattern)
        with pytest.raises(Unfit, match="does not run"):
            bench.fit("SELECT id FROM ship WHERE built = 'spring'", pattern)


def test_a_refusal_is_a_sample_that_failed(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    refused = 0

    def said(messages: Sequence[Message]) -> str:
        nonlocal refused
        if refused < 2 or (f"Query: {COUNT}" in messages[-1].content and refused < 3):
            refused += 1
            raise ModelRefusal("no")
        return good(messages)

    ready = prepare(engine, catalog, settings, said)
    assert sql_of(ready) == [COUNT, BEST, SUM]
    assert ready.failed == {"holds no SQL": 2, "is no question": 1}


# ------------------------------------------------------------------ kill, resume, review


@pytest.mark.parametrize("calls", range(6))
def test_it_goes_on_where_it_was_stopped(
    engine: Engine, catalog: Catalog, settings: Settings, calls: int
) -> None:
    left = calls

    def killed(messages: Sequence[Message]) -> str:
        nonlocal left
        if not left:
            raise KeyboardInterrupt
        left -= 1
        return good(messages)

    with pytest.raises(KeyboardInterrupt):
        prepare(engine, catalog, settings, killed)
    model = FunctionModel(good)
    resumed = prepare_strategy("da_gp", catalog, model, settings, engine=engine)
    assert len(model.requests) == 6 - calls
    assert isinstance(resumed, PreparedAdapted)
    assert sql_of(resumed) == [COUNT, BEST, SUM]
    file = yaml.safe_load(review_file(settings).read_text("utf-8"))
    assert [one["sql"] for one in file["exemplars"]] == [COUNT, BEST, SUM]
    assert prepare(engine, catalog, settings, never) == resumed


def change(settings: Settings, number: int, **more: object) -> None:
    path = review_file(settings)
    data = yaml.safe_load(path.read_text("utf-8"))
    data["exemplars"][number].update(more)
    path.write_text(yaml.safe_dump(data), encoding="utf-8")


def test_what_a_person_settled_is_not_made_again(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    prepare(engine, catalog, settings)
    change(settings, 0, approved=True)
    change(settings, 1, question="Which ship weighs most?")  # edited, not approved
    other = FunctionModel(good, "another model")
    ready = prepare_strategy("da_gp", catalog, other, settings, engine=engine)
    assert isinstance(ready, PreparedAdapted)
    assert [one.question for one in ready.shots] == [
        "How many ships are in Oslo?",
        "Which ship weighs most?",
        "How many tons are in each port?",
    ]
    assert len(other.requests) == 2, "only the third is made by the other model"
    again = yaml.safe_load(review_file(settings).read_text("utf-8"))["exemplars"]
    assert again[0]["approved"] is True
    assert again[1]["question"] == "Which ship weighs most?"


def test_with_all_approved_no_model_is_needed(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    first = prepare(engine, catalog, settings)
    for number in range(3):
        change(settings, number, approved=True)
    ready = prepare_strategy("da_gp", catalog, NoModel(), settings, engine=engine)
    assert isinstance(ready, PreparedAdapted)
    assert ready.shots == first.shots


def test_a_person_may_write_what_the_model_could_not(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    prepare(engine, catalog, settings, lambda m: "no" if "Bree" in m[-1].content else good(m))
    change(settings, 0, sql=COUNT, question="How many ships lie in Oslo?")
    ready = prepare(engine, catalog, settings, never)
    assert ready.shots[0].question == "How many ships lie in Oslo?"
    assert ready.kept == ()


def test_a_person_s_sql_that_does_not_run_is_said(
    engine: Engine, catalog: Catalog, settings: Settings
) -> None:
    prepare(engine, catalog, settings)
    change(settings, 0, sql="SELECT COUNT(*) FROM boats", approved=True)
    ready = prepare(engine, catalog, settings, never)
    assert sql_of(ready) == [BEST, SUM]
    assert ready.failed == {"does not run": 1}
    entry = yaml.safe_load(review_file(settings).read_text("utf-8"))["exemplars"][0]
    assert entry["problem"] == "does not run: there is no table boats"
    assert entry["sql"] == "SELECT COUNT(*) FROM boats"
    change(settings, 0, sql=COUNT)
    assert sql_of(prepare(engine, catalog, settings, never)) == [COUNT, BEST, SUM]
    assert "problem" not in yaml.safe_load(review_file(settings).read_text("utf-8"))["exemplars"][0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exemplars: [", "not YAML"),
        ("database: fleet", "needs `exemplars`"),
        ("exemplars: [{source: a, patern: b}]", "no 'patern'"),
        ("exemplars: [{source: a, pattern: b, approved: perhaps}]", "true or false"),
        ("exemplars: [{source: a, pattern: b, sql: [1]}]", "'sql' is a text"),
    ],
)
def test_a_broken_file_is_an_error_and_stays(
    engine: Engine, catalog: Catalog, settings: Settings, text: str, message: str
) -> None:
    prepare(engine, catalog, settings)
    path = review_file(settings)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=message) as error:
        prepare(engine, catalog, settings)
    assert str(path) in (error.value.where or "")
    assert path.read_text("utf-8") == text


def test_without_a_database_it_says_so(catalog: Catalog, settings: Settings) -> None:
    with pytest.raises(UsageError, match="needs one"):
        prepare_strategy("da_gp", catalog, FunctionModel(good), settings)


def test_without_a_folder_nothing_is_written(
    engine: Engine, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    from sqlore.prompts.training_set import training_set

    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    load_strategy("da_gp").prepare(
        catalog, training_set(settings.training), FunctionModel(good), Setup(engine=engine)
    )
    assert sorted(tmp_path.rglob("*")) == before


# ------------------------------------------------------------------ schema, budget, mask


def test_the_schema_tells_values_and_ranges(catalog: Catalog) -> None:
    lines = domain_schema(catalog).splitlines()
    assert lines[0] == "CREATE TABLE ship ("
    (port,) = [line for line in lines if line.startswith("  port TEXT")]
    assert port.count("'") == 8, "four values"
    (built,) = [line for line in lines if line.startswith("  built DATE")]
    assert built.count("-05-01'") == 4
    assert "  tons INT, -- weight of the empty ship; from 100 to 390" in lines
    assert "  PRIMARY KEY (ship_id)" in lines


@pytest.mark.parametrize("room", [40, 60, 90, 200])
def test_the_schema_keeps_to_its_room(catalog: Catalog, room: int) -> None:
    text, whole = told_within(catalog, room)
    assert tokens(text) <= room
    assert whole == ("tons INT" in text)


@pytest.mark.parametrize("budget", [800, 1000, 3000])
def test_the_budget_is_kept(engine: Engine, catalog: Catalog, settings: Settings, budget: int) -> None:
    small = settings.model_copy(update={"prompt_tokens": budget})
    ready = prepare(engine, catalog, small)
    assert ready.shots
    messages = ready.prompt(PromptContext("Which is oldest?", "", "sqlite", "fleet", budget=budget)).messages
    assert sum(tokens(m.content) for m in messages) <= budget


def test_masked_no_value_leaves(engine: Engine, catalog: Catalog, settings: Settings) -> None:
    class Remote(FunctionModel):
        remote = True

    model = Remote(good)
    masked = settings.model_copy(update={"mask": True})
    ready = prepare_strategy("da_gp", catalog, model, masked, engine=engine)
    prompt = ready.prompt(PromptContext("Which is oldest?", "", "sqlite", "fleet", mask=True))
    stable = model.requests[0][0].content + "".join(m.content for m in prompt.messages)
    assert "ship" in stable
    for value in ("Oslo", "Bergen", "390", "-05-01"):
        assert value not in stable
    assert "How many ships are in <val>?" in stable


def test_masked_a_text_in_double_quotes_is_a_value(engine: Engine, catalog: Catalog) -> None:
    sql = "SELECT COUNT(*) FROM ship WHERE port = \"Bergen\" AND name LIKE '%star%'"
    entry = Adapted("school", "SELECT 1", sql, "How many star ships are in Bergen?")
    original = Shot("school", "", "How many?", "SELECT 1")
    ready = PreparedAdapted.of(Told.of(catalog, Setup(mask=True)), [original], [entry], mask=True)
    (shot,) = ready.shots
    assert shot.question == "How many <val> ships are in <val>?"
    assert "bergen" not in shot.sql.lower()
