"""Review by people: blind judgements, a discussion, a senior, and what comes of it."""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path

import pytest

from cli_helpers import Command, clean_environment
from sqlore.errors import SourceError, UsageError
from sqlore.evals.build.bench import Candidate
from sqlore.evals.build.review import CRITERIA, Edit, Judgement, Outcome, ReviewFolder, digest_of
from sqlore.evals.build.review_merge import final_records, merge, open_tasks
from support import ROOT

GOLDEN = ROOT / "tests" / "golden" / "bench"
TASKS = [
    Candidate(
        "1", "library", "How many novels are there?", "SELECT COUNT(id) FROM book WHERE genre = 'novel'"
    ),
    Candidate("2", "library", "Which books are long?", "SELECT title FROM book WHERE pages > 300"),
    Candidate("3", "library", "List the genre.", "SELECT DISTINCT genre FROM book"),
    Candidate("4", "library", "How many members are there?", "SELECT COUNT(id) FROM member"),
]


def judged(task: Candidate, *no: str, edit: Edit | None = None) -> Judgement:
    answers = {name: name not in no for name in CRITERIA}
    return Judgement(task.id, digest_of(task), answers, edit=edit or Edit())


def reviewed(folder: Path) -> ReviewFolder:
    """Three annotators: of one mind on 1 (stays) and 4 (goes); 2 and 3 are to be discussed."""
    made = ReviewFolder(folder, TASKS)
    new = Edit(question="List all genres.")
    for name, said in {
        "anna": [judged(TASKS[0]), judged(TASKS[1], "unique"), judged(TASKS[2]), judged(TASKS[3], "natural")],
        "ben": [
            judged(TASKS[0]),
            judged(TASKS[1]),
            judged(TASKS[2], edit=new),
            judged(TASKS[3], "unique"),
        ],
        "cem": [judged(TASKS[0]), judged(TASKS[1], "unique"), judged(TASKS[2]), judged(TASKS[3], "natural")],
    }.items():
        notes = made.annotator(name)
        for one in said:
            notes.set(one)
    return made


def test_states_of_tasks(tmp_path: Path) -> None:
    merged = merge(reviewed(tmp_path))
    assert [one.state for one in merged.tasks] == ["kept", "open", "open", "dropped"]
    assert merged.names == ("anna", "ben", "cem")
    assert merged.agreement["valid"].full.value == 0.75
    assert merged.agreement["natural"].full.value == 0.75
    assert merged.agreement["consistent"].fleiss.value is None  # nobody ever said no
    assert set(merged.agreement["valid"].cohen) == {(0, 1), (0, 2), (1, 2)}


def test_discussion_and_senior_settle_what_is_open(tmp_path: Path) -> None:
    made = reviewed(tmp_path)
    assert [one.task.id for one in open_tasks(made, "open")] == ["2", "3"]
    discussion = made.discussion
    discussion.set(Outcome("2", digest_of(TASKS[1]), None, "what is long?"))
    discussion.set(Outcome("3", digest_of(TASKS[2]), True, edit=Edit(question="List all genres.")))
    assert open_tasks(made, "open") == []
    (left,) = open_tasks(made, "senior")
    assert (left.task.id, left.comment) == ("2", "what is long?")
    made.senior.set(Outcome("2", digest_of(TASKS[1]), False, by=("dora",)))
    merged = merge(made)
    assert [(one.state, one.by) for one in merged.tasks] == [
        ("kept", "annotators"),
        ("dropped", "senior"),
        ("kept", "discussion"),
        ("dropped", "annotators"),
    ]
    records = [{"question_id": int(t.id), "db_id": "library", "SQL": t.sql, "extra": 1} for t in TASKS]
    assert [
        (one["question_id"], one["question"], one["extra"]) for one in final_records(merged, records)
    ] == [
        (1, TASKS[0].question, 1),
        (3, "List all genres.", 1),
    ]


def test_changed_sql_needs_its_knowledge_anew(tmp_path: Path) -> None:
    made = reviewed(tmp_path)
    made.discussion.set(Outcome("2", digest_of(TASKS[1]), True, edit=Edit(sql="SELECT title FROM book")))
    with pytest.raises(UsageError, match="found anew"):
        final_records(merge(made), [{"question_id": t.id} for t in TASKS])


def test_nobody_sees_what_others_said_before_all_are_done(tmp_path: Path) -> None:
    made = reviewed(tmp_path)
    made.annotator("dan").set(judged(TASKS[0]))
    with pytest.raises(UsageError, match="not done yet: dan"):
        open_tasks(made, "open")
    assert [one.state for one in merge(made).tasks] == ["kept", "waiting", "waiting", "waiting"]
    (tmp_path / "annotators" / "ben.json").write_text("broken", encoding="utf-8")
    assert made.annotator("anna").missing == []  # another's file is not even read
    for text, told in {
        "broken": "not JSON: Expecting value in line 1, column 1",
        "[]": "not a list of entries",
        "{}": "has no tasks",
        '{"tasks": [{"question_id": "1"}]}': "has no ",
    }.items():
        (tmp_path / "annotators" / "ben.json").write_text(text, encoding="utf-8")
        with pytest.raises(SourceError, match=f"not a file of a review: .*{told}") as caught:
            made.annotator("ben")
        assert "mend it" in (caught.value.hint or "")
        assert "Error" not in caught.value.message


def test_what_was_said_of_another_text_does_not_count(tmp_path: Path) -> None:
    reviewed(tmp_path)
    changed = [Candidate("1", "library", "Count the poems.", TASKS[0].sql), *TASKS[1:]]
    made = ReviewFolder(tmp_path, changed)
    assert [task.id for task in made.annotator("anna").missing] == ["1"]
    with pytest.raises(KeyError):
        made.annotator("anna").set(judged(TASKS[0]))


def test_names_and_ids(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no name for a file"):
        ReviewFolder(tmp_path, TASKS).annotator("../anna")
    with pytest.raises(UsageError, match="repeat"):
        ReviewFolder(tmp_path, [TASKS[0], TASKS[0]])
    with pytest.raises(UsageError, match="nobody has judged"):
        merge(ReviewFolder(tmp_path, TASKS))


# ------------------------------------------------------------------ in the terminal


@pytest.fixture
def sqlore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    clean_environment(monkeypatch, tmp_path)
    with sqlite3.connect(tmp_path / "library.sqlite") as connection:
        connection.executescript((GOLDEN / "library.sql").read_text(encoding="utf-8"))
    connection.close()
    records = [
        {"question_id": int(t.id), "db_id": "library", "question": t.question, "SQL": t.sql}
        for t in TASKS[:3]
    ]
    (tmp_path / "tasks.json").write_text(json.dumps(records), encoding="utf-8")
    return Command(capsys)


REVIEW = ("bench", "review", "--tasks", "tasks.json", "--reviews", "said")
DB = ("--db", "library.sqlite")


def says(patch: pytest.MonkeyPatch, *lines: str) -> None:
    patch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_review_from_beginning_to_end(
    sqlore: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(monkeypatch, "y", "y", "y", "what", "y", "y", "n", "long can be anything", "y")
    done = sqlore(*REVIEW, *DB, "--annotator", "anna")
    assert done.code == 0
    assert "5 rows" in done.out  # those of the second task are at hand
    assert "another wording for the question" in done.out  # help, where a line is no answer
    assert "anna: 1 task left" in done.err
    blind = (tmp_path / "said" / "annotators" / "anna.json").read_text(encoding="utf-8")
    assert "long can be anything" in blind

    says(monkeypatch, "y", "question List all genres.", "y", "y")
    assert "anna: done" in sqlore(*REVIEW, *DB, "--annotator", "anna").err
    says(monkeypatch, *["y"] * 9)
    done = sqlore(*REVIEW, *DB, "--annotator", "ben")
    assert "anything" not in done.out

    says(monkeypatch, "c we cannot say", "?", "y")
    done = sqlore(*REVIEW, *DB, "--discuss")
    assert "anna: not unique: long can be anything" in done.out
    assert "the discussion: done" in done.err
    says(monkeypatch, "?", "sql SELECT nothing", "sql SELECT title FROM book WHERE pages > 400", "y")
    done = sqlore(*REVIEW, *DB, "--senior", "dora")
    assert "the discussion: no agreement: we cannot say" in done.out
    assert "it does not run" in done.out
    assert "3 rows" in done.out

    refused = sqlore(*REVIEW, "--report", "--out", "final.json")
    assert refused.code == 2
    assert "found anew" in refused.err
    history = ("--history", str(GOLDEN / "history.json"))
    done = sqlore(*REVIEW, *DB, *history, "--report", "--out", "final.json", "--json")
    assert done.json["states"] == {"kept": 3}
    assert done.json["agreement"]["valid"]["full_agreement"]["value"] == pytest.approx(2 / 3, abs=1e-6)
    final = json.loads((tmp_path / "final.json").read_text(encoding="utf-8"))
    assert [one["question"] for one in final][2] == "List all genres."
    assert "condition: book.pages > <val>" in final[1]["history_knowledge"]
    assert "| valid |" in (tmp_path / "said" / "report.md").read_text(encoding="utf-8")
    assert "Gwet's AC1" in sqlore(*REVIEW, "--report").out


def test_later_and_quit(sqlore: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, "skip", "y", "y", "y", "quit")
    assert "anna: 2 tasks left" in sqlore(*REVIEW, *DB, "--annotator", "anna").err


def test_what_is_to_be_done(sqlore: Command) -> None:
    assert sqlore(*REVIEW, *DB).code == 2
    assert sqlore(*REVIEW, *DB, "--discuss", "--report").code == 2
    assert "result rows" in sqlore(*REVIEW, "--annotator", "anna").err
    assert "nobody has judged" in sqlore(*REVIEW, "--report").err
