"""Known questions with other values on a real database: what is answered without a model, and what is not."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from tests.store_helpers import WordEmbedder

from sqlore.answer import ask
from sqlore.answer.asked_before import words_of
from sqlore.answer.remarks import UNKNOWN_WORDS
from sqlore.answer.reuse import Reuser
from sqlore.catalog import Catalog, build_catalog
from sqlore.config import Settings, load_settings
from sqlore.engines import Engine, connect
from sqlore.errors import ModelUnavailable
from sqlore.evals.execution.names import check_names, read_name
from sqlore.knowledge import Store, learn
from sqlore.llm import FunctionModel, NoModel
from sqlore.model import Draft, Script, Trust
from sqlore.retrieve import Retriever

BY_PUBLISHER = (
    "SELECT count(*) FROM hero JOIN publisher p ON p.id = publisher_id WHERE p.name = 'Marvel Comics'"
)
HISTORY = (
    Script(BY_PUBLISHER, "q1", "How many heroes did Marvel Comics publish?"),
    Script("SELECT name FROM hero WHERE height > 180", "q2", "Show the names of heroes taller than 180 cm"),
    Script("SELECT name FROM hero ORDER BY height DESC LIMIT 3", "q3", "List the three tallest heroes"),
    Script(
        'SELECT name FROM hero WHERE eye = "blue" AND born = 1962',
        "q4",
        "Which heroes with blue eyes of 1962?",
    ),
    Script("SELECT name FROM hero WHERE name LIKE '%ulk%'", "q5", "Which heroes have 'ulk' in their name?"),
    Script(
        "SELECT count(*) FROM hero WHERE born = 1962 OR born < 1900",
        "q6",
        "How many heroes were born in 1962?",
    ),
    Script("SELECT name FROM hero WHERE day >= '1962-05-01'", "q7", "Heroes since 1962-05-01"),
    Script("SELECT height * 100 FROM hero WHERE name = 'Hulk'", "q8", "What are 100 times Hulk in height?"),
    Script("SELECT count(*) FROM hero WHERE born = 1962 AND day > '1962-01-01'", "q9", "Who began in 1962?"),
)
# Each script is used a second time, for other values and in other words: what stands alone is not continued.
AGAIN = (
    Script(BY_PUBLISHER.replace("Marvel Comics", "O''Neil Press"), "w1", "O'Neil Press: the count of heroes"),
    Script("SELECT name FROM hero WHERE height > 100", "w2", "Names above a height of 100"),
    Script("SELECT name FROM hero ORDER BY height DESC LIMIT 1", "w3", "Who is the tallest hero by height?"),
    Script(
        'SELECT name FROM hero WHERE eye = "green" AND born = 1940', "w4", "Born 1940, eye green: hero name"
    ),
    Script("SELECT name FROM hero WHERE name LIKE '%las%'", "w5", "Hero name like las"),
    Script("SELECT name FROM hero WHERE day >= '1940-01-01'", "w7", "Hero name from the day 1940-01-01 on"),
    Script("SELECT height * 100 FROM hero WHERE name = 'Flash'", "w8", "Height of hero Flash in other units"),
)
# What is asked in the same words is answered all the same; with other values only what is sound.
UNSOUND = (
    Script("SELECT name FROM hero WHERE height < 150", "u1", "Which heroes have a height below 150?"),
    Script(
        "SELECT count(*) FROM hero WHERE born = 1962 AND eye = 'blue'", "u2", "Number of heroes born in 1962"
    ),
    Script("SELECT count(*) FROM hero WHERE born = 1940 AND eye = 'blue'", "u3", "Blue eyes in 1940"),
    Script("SELECT name FROM hero WHERE eye = 'blue'", "u4", "Which villains were defeated by blue?"),
    Script("SELECT name FROM hero WHERE eye = 'green'", "u5", "Names of heroes with green eyes"),
    Script("SELECT sum(id) FROM hero WHERE eye = 'blue'", "u6", "How many heroes have an eye that is blue?"),
    Script("SELECT sum(id) FROM hero WHERE eye = 'green'", "u7", "Sum of hero ids by eye green"),
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    path = tmp_path / "heroes.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(
            "CREATE TABLE publisher (id INTEGER PRIMARY KEY, name TEXT);"
            "CREATE TABLE hero (id INTEGER PRIMARY KEY, name TEXT, height INTEGER, eye TEXT, born INTEGER,"
            " day TEXT, publisher_id INTEGER REFERENCES publisher(id));"
            "INSERT INTO publisher VALUES (1, 'Marvel Comics'), (2, 'DC Comics'), (3, 'O''Neil Press');"
            "INSERT INTO hero VALUES (1, 'Hulk', 244, 'green', 1962, '1962-05-01', 1),"
            " (2, 'Flash', 183, 'blue', 1940, '1940-01-01', 2),"
            " (3, 'Storm', 180, 'blue', 1975, '1975-05-01', 1);"
        )
    db.close()
    with connect(f"sqlite:///{path}") as opened:
        yield opened


@pytest.fixture
def catalog(engine: Engine) -> Catalog:
    return build_catalog(engine)


@pytest.fixture
def store(catalog: Catalog) -> Iterator[Store]:
    with Store.create(":memory:") as made:
        learn(made, (*HISTORY, *AGAIN, *UNSOUND), catalog=catalog, dialect="sqlite", embedder=WordEmbedder())
        yield made


@pytest.fixture
def reuser(store: Store, catalog: Catalog) -> Reuser:
    return Reuser(store.texts(), catalog, "sqlite")


@pytest.mark.parametrize(
    ("question", "key", "sql"),
    [
        ("How many heroes did DC Comics publish?", "q1", BY_PUBLISHER.replace("Marvel", "DC")),
        ("how many heroes did the dc comics publish", "q1", BY_PUBLISHER.replace("Marvel", "DC")),
        (
            "How many heroes did O'Neil Press publish?",
            "q1",
            BY_PUBLISHER.replace("Marvel Comics", "O''Neil Press"),
        ),
        (
            "What are the names of heroes taller than 200 cm?",
            "q2",
            "SELECT name FROM hero WHERE height > 200",
        ),
        (
            "What are the names of heroes taller than .5 cm?",
            "q2",
            "SELECT name FROM hero WHERE height > 0.5",
        ),
        ("List the two tallest heroes.", "q3", "SELECT name FROM hero ORDER BY height DESC LIMIT 2"),
        (
            "Which heroes with green eyes of 1940?",
            "q4",
            'SELECT name FROM hero WHERE eye = "green" AND born = 1940',
        ),
        ('Which heroes have "tor" in their name?', "q5", "SELECT name FROM hero WHERE name LIKE '%tor%'"),
        ("Heroes since 1975-01-31", "q7", "SELECT name FROM hero WHERE day >= '1975-01-31'"),
        ("What are 100 times Storm in height?", "q8", "SELECT height * 100 FROM hero WHERE name = 'Storm'"),
        ("How many heroes did Marvel Comics publish?", "q1", BY_PUBLISHER),
    ],
)
def test_a_known_question_with_other_values(reuser: Reuser, question: str, key: str, sql: str) -> None:
    found = reuser.find(question)
    assert found is not None
    assert (found.key, found.sql) == (key, sql)


@pytest.mark.parametrize(
    ("question", "why"),
    [
        (
            "How many heroes with blue eyes did DC Comics publish?",
            "words that the known question does not have",
        ),
        ("How many heroes did DC Comics not publish?", "one more word"),
        ("How many heroes did Image Comics publish?", "no such value"),
        ("How many heroes did Storm publish?", "a value of another column"),
        ("What are the names of heroes taller than Hulk cm?", "not a number"),
        ("What are the names of heroes taller than 1940 cm?", "a year for a number"),
        ("What are the names of heroes smaller than 190 cm?", "another comparison"),
        ("Which heroes with green eyes of 40?", "a number for a year"),
        ("Which heroes have 'xyz' in their name?", "contained in no value"),
        ("Heroes since 1975-01", "a month for a day"),
        ("What are the names of heroes taller than !200 cm?", "one more sign"),
        ("What are the names of heroes taller than –200 cm?", "a negative number"),
        ("Which heroes have 'to_' in their name?", "a wildcard"),
        ("What are 200 times Storm in height?", "arithmetic is no parameter"),
        ("Who began in 1975?", "the year is a part of a date of the script too"),
        ("Who is the tallest?", "nothing alike"),
        ("Which heroes have a height below 190?", "a script that is used once"),
        ("Number of heroes born in 1975", "its SQL has a value that its question does not say"),
        ("Number of heroes born in 1962", "the same, with the same value"),
        ("Which villains were defeated by green?", "its SQL has nothing of its question"),
        ("How many heroes have an eye that is green?", "its SQL adds up keys"),
        ("", "nothing"),
    ],
)
def test_nothing_is_said_where_anything_is_not_certain(reuser: Reuser, question: str, why: str) -> None:
    assert reuser.find(question) is None, why


def test_withheld_scripts_are_not_used(reuser: Reuser) -> None:
    known = reuser.find("How many heroes did DC Comics publish?")
    assert known is not None
    assert reuser.find("How many heroes did DC Comics publish?", {"q1"}) is None
    assert reuser.find("How many heroes did DC Comics publish?", {known.script}) is None


def test_a_script_that_is_used_once(reuser: Reuser, store: Store, catalog: Catalog) -> None:
    known = reuser.find("Which heroes have a height below 150?")
    assert known is not None, "the same values"
    assert known.changed == ()
    question = "Which heroes have a height below 190?"
    assert reuser.find(question) is None
    (item,) = [i for i in store.items(kind="query") if known.script in i.scripts]
    store.set_trust(item.id, "verified", "somebody")
    verified = Reuser(store.texts(), catalog, "sqlite").find(question)
    assert verified is not None
    assert verified.sql == "SELECT name FROM hero WHERE height < 190"


def test_uses_that_are_withheld_do_not_count(reuser: Reuser) -> None:
    question = "How many heroes did DC Comics publish?"
    assert reuser.find(question) is not None
    assert reuser.find(question, {"w1"}) is None


def test_scripts_that_disagree(store: Store, catalog: Catalog) -> None:
    other = Script(
        BY_PUBLISHER.replace("count(*)", "count(DISTINCT hero.name)").replace("Marvel", "DC"),
        "q20",
        "How many heroes did DC Comics publish?",
    )
    learn(store, [other], catalog=catalog, dialect="sqlite", embedder=WordEmbedder())
    reuser = Reuser(store.texts(), catalog, "sqlite")
    assert reuser.find("How many heroes did O'Neil Press publish?") is None
    assert reuser.find("How many heroes did O'Neil Press publish?", {"q20"}) is not None


def asked(question: str, engine: Engine, catalog: Catalog, store: Store, reuse: str) -> tuple[Draft, int]:
    model = FunctionModel(lambda _: "SELECT 'from the model'")
    draft = ask(
        question,
        engine=engine,
        catalog=catalog,
        model=model,
        retriever=Retriever(store, WordEmbedder(), catalog),
        store=store,
        settings=Settings(reuse=reuse),
    )
    return draft, len(model.requests)


def test_the_pipeline_answers_without_the_model(engine: Engine, catalog: Catalog, store: Store) -> None:
    draft, calls = asked("How many heroes did DC Comics publish?", engine, catalog, store, reuse="all")
    assert calls == 0
    assert draft.result is not None
    assert draft.result.rows == ((1,),)
    assert draft.notes == ("reused script q1 of the history with other values: Marvel Comics -> DC Comics",)
    assert {citation.status for citation in draft.citations} == {"cited"}
    assert draft.usage.calls == 0


def test_the_model_is_asked_where_nothing_is_known_or_reuse_is_off(
    engine: Engine, catalog: Catalog, store: Store
) -> None:
    for question, reuse in (
        ("How many heroes did DC Comics publish?", "known"),
        ("How many heroes did Image Comics publish?", "all"),
    ):
        draft, calls = asked(question, engine, catalog, store, reuse)
        assert calls == 1
        assert draft.sql == "SELECT 'from the model'"
        assert draft.notes == ()


def test_an_evaluation_can_switch_it() -> None:
    settings = Settings()
    check_names(["history", "history+reuse=true"], settings, ())
    assert read_name("history+reuse=true").settings_over(settings).reuse == "all"
    assert read_name("history").settings_over(settings).reuse == "none", "the model is measured"
    assert read_name("history").settings_over(Settings(reuse="known")).reuse == "known"


# ------------------------------------------------------------------ the same words


def known(
    question: str, engine: Engine, catalog: Catalog, store: Store, exclude: Collection[str] = ()
) -> tuple[Draft, int]:
    """As asked by default."""
    model = FunctionModel(lambda _: "SELECT 'from the model'")
    retriever = Retriever(store, WordEmbedder(), catalog)
    draft = ask(
        question,
        engine=engine,
        catalog=catalog,
        model=model,
        retriever=retriever,
        store=store,
        settings=Settings(),
        exclude=exclude,
    )
    return draft, len(model.requests)


def taught(store: Store, catalog: Catalog, *scripts: Script) -> None:
    learn(store, scripts, catalog=catalog, dialect="sqlite", embedder=WordEmbedder())


def judge(store: Store, key: str, trust: Trust) -> None:
    (script,) = {text.script for text in store.texts() if text.key == key}
    (item,) = [one for one in store.items(kind="query") if script in one.scripts]
    store.set_trust(item.id, trust, "somebody")


def test_the_same_words_are_answered_by_their_script_by_default(
    engine: Engine, catalog: Catalog, store: Store
) -> None:
    for question in (
        "How many heroes did Marvel Comics publish?",
        "  how many HEROES did marvel comics publish",
    ):
        draft, calls = known(question, engine, catalog, store)
        assert (" ".join(draft.sql.split()), calls) == (BY_PUBLISHER, 0)
        assert draft.result is not None
        assert draft.result.rows == ((2,),)
        assert draft.reused is not None
        assert draft.reused.key == "q1"
        assert "script q1" in draft.notes[0]
        assert {citation.status for citation in draft.citations} == {"cited"}


def test_what_a_script_leaves_out_of_its_own_question_is_told(
    engine: Engine, catalog: Catalog, store: Store
) -> None:
    question = "How many heroes were there per eye in 2024?"
    taught(store, catalog, Script("SELECT eye, COUNT(*) FROM hero GROUP BY eye", question=question))
    draft, calls = known(question, engine, catalog, store)
    assert (calls, draft.reused is not None) == (0, True)
    assert "2024" in [one.phrase for one in draft.uncovered]


def test_a_question_of_unknown_words_is_answered_with_a_note(
    engine: Engine, catalog: Catalog, store: Store
) -> None:
    draft, calls = known("Show me the numbers", engine, catalog, store)
    assert (calls, UNKNOWN_WORDS in draft.notes) == (1, True)


@pytest.mark.parametrize("reuse", ["known", "all"])
def test_its_own_question_is_found_whatever_its_sql_says(
    engine: Engine, catalog: Catalog, store: Store, reuse: str
) -> None:
    """That something is said that the SQL does not show is the analyst's matter: it is the saved answer."""
    draft, calls = asked("Number of heroes born in 1962!", engine, catalog, store, reuse)
    assert calls == 0
    assert draft.reused is not None
    assert draft.reused.key == "u2"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("status = 'paid'", "status != 'paid'", False),
        ("status = 'paid'", "status <> 'paid'", False),
        ("status paid", "status !paid", False),
        ("status paid", "status ≠ paid", False),
        ("a < 5", "a <= 5", False),
        ("a > 5", "a >= 5", False),
        ("a > 5", "a > .5", False),
        ("a > 5", "a > -5", False),
        ("a > 5", "a > \u20135", False),
        ("a > 5", "a > \u22125", False),
        ("a > -5", "a > \u20135", True),
        ("a > 5", "a > \u2014 5", False),
        ("2010-2012", "2010 2012", False),
        ("2010\u20132012", "2010-2012", True),
        ("amount 5", "amount-5", False),
        ("label x", "label -x", False),
        ("people who use .NET", "people who use net", False),
        ("How many?!", "how many!", True),
        ("heroes \u2014 all of them", "Heroes, all of them!", True),
        ("a full-time job", "a full time job", True),
    ],
)
def test_signs_are_not_punctuation(one: str, other: str, same: bool) -> None:
    assert (words_of(one) == words_of(other)) is same


@pytest.mark.parametrize(
    "question",
    [
        "How many heroes did DC Comics publish?",
        "How many heroes did Marvel Comics not publish?",
        "Heroes since 1962-05-02",
        "Show the names of heroes taller than -180 cm",
        "Show the names of heroes taller than –180 cm",
        "Show the names of heroes taller than .180 cm",
        "Show the names of heroes taller than !180 cm",
        "Show the names of heroes taller than >= 180 cm",
    ],
)
def test_other_words_or_values_are_asked_of_the_model(
    engine: Engine, catalog: Catalog, store: Store, question: str
) -> None:
    draft, calls = known(question, engine, catalog, store)
    assert (calls, draft.reused, draft.notes) == (1, None, ())


def test_what_is_withheld_answers_nothing(engine: Engine, catalog: Catalog, store: Store) -> None:
    draft, calls = known("How many heroes did Marvel Comics publish?", engine, catalog, store, {"q1"})
    assert (calls, draft.reused, draft.notes) == (1, None, ())


def test_of_several_the_one_that_ran_last_answers_and_the_others_are_named(
    engine: Engine, catalog: Catalog, store: Store
) -> None:
    question = "Who is tall?"
    old = Script(
        "SELECT name FROM hero WHERE height > 190", "old.sql:1", question, author="ann", time="2020-01-01"
    )
    new = Script(
        "SELECT name FROM hero WHERE height >= 183", "new.sql:1", question, author="bob", time="2024-05-01"
    )
    gone = Script("SELECT nosuch FROM hero", "gone.sql:1", question, time="2025-01-01")
    taught(store, catalog, new, old, gone)
    draft, calls = known(question, engine, catalog, store)
    assert (" ".join(draft.sql.split()), calls) == (new.sql, 0)
    assert draft.reused is not None
    assert (draft.reused.author, draft.reused.time[:10]) == ("bob", "2024-05-01")
    assert draft.reused.others == ("gone.sql:1", "old.sql:1")
    assert "new.sql:1 (bob, 2024-05-01)" in draft.notes[0]
    assert "old.sql:1" in draft.notes[0]
    judge(store, "old.sql:1", "verified")
    assert " ".join(known(question, engine, catalog, store)[0].sql.split()) == old.sql


def test_what_does_not_run_or_is_deprecated_is_not_used_and_that_is_said(
    engine: Engine, catalog: Catalog, store: Store
) -> None:
    taught(store, catalog, Script("SELECT nosuch FROM hero", "gone.sql:1", "Which nosuch are there?"))
    draft, calls = known("which nosuch are there", engine, catalog, store)
    assert (calls, draft.reused) == (1, None)
    assert "gone.sql:1" in draft.notes[0]
    assert "nosuch" in draft.notes[0]
    with pytest.raises(ModelUnavailable, match=r"gone\.sql:1 answers .* no column nosuch.*no model is set"):
        ask(
            "which nosuch are there",
            engine=engine,
            catalog=catalog,
            model=NoModel(),
            retriever=Retriever(store, WordEmbedder(), catalog),
            store=store,
        )
    judge(store, "q1", "deprecated")
    draft, calls = known("How many heroes did Marvel Comics publish?", engine, catalog, store)
    assert (calls, draft.reused) == (1, None)
    assert "deprecated" in draft.notes[0]


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT count(*) FROM hero WHERE name = :name", "it has a parameter :name; say in the question"),
        ("SELECT count(*) FROM hero WHERE height % 2 = %s", "it has a parameter %s; say in the question"),
        ("{{ config(a=1) }} SELECT name FROM {{ ref('hero') }}", "it is a template ({{ …); learn the SQL"),
        ("SELECT TOP 5 name FROM hero", "it is written in T-SQL"),
    ],
)
def test_a_script_that_no_database_runs_as_it_stands_is_said_to_be_one(
    engine: Engine, catalog: Catalog, store: Store, sql: str, says: str
) -> None:
    taught(
        store,
        catalog,
        Script(sql, "p.sql:1", "Which ones of them?", dialect="tsql" if "TOP" in sql else None),
    )
    draft, calls = known("which ones of them", engine, catalog, store)
    assert (calls, draft.reused) == (1, None)
    assert draft.notes[0].startswith(f"script p.sql:1 answers this question, but {says}")


@pytest.mark.parametrize(
    ("given", "means"),
    [(True, "all"), (False, "none"), ("1", "all"), ("0", "none"), ("known", "known"), ("all", "all")],
)
def test_the_old_values_of_the_setting_go_on_working(
    monkeypatch: pytest.MonkeyPatch, given: object, means: str
) -> None:
    monkeypatch.setenv("SQLORE_REUSE", str(given))
    assert load_settings().reuse == means
