"""What tests of execution accuracy share: a small database, its history, tasks, and models that know gold."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cli_helpers import make_sqlite
from sqlore.config import Settings
from sqlore.evals.execution.folder import RunFolder
from sqlore.evals.execution.plan import ExecutionPlan
from sqlore.evals.execution.run import ExecutionRun
from sqlore.llm import Answer, FunctionModel
from sqlore.model import Message, Usage
from store_helpers import WordEmbedder

HEROES = (
    "CREATE TABLE hero (id INTEGER PRIMARY KEY, name TEXT, height REAL, side TEXT)",
    "INSERT INTO hero VALUES (1, 'Ann', 180, 'good'), (2, 'Bob', 180, 'bad'), (3, 'Eve', 170.5, 'good'),"
    " (4, 'Max', 165, 'good'), (5, 'Zoe', 190, 'bad')",
)
TASKS: tuple[dict[str, Any], ...] = (
    {"question_id": 7, "question": "How many heroes are good?", "difficulty": "simple",
     "SQL": "SELECT COUNT(*) FROM hero WHERE side = 'good'"},
    {"question_id": 8, "question": "Name the heroes from tallest to smallest", "difficulty": "moderate",
     "SQL": "SELECT name FROM hero ORDER BY height DESC"},
    {"question_id": 9, "question": "Who is one of the tallest two?", "difficulty": "simple",
     "SQL": "SELECT name FROM hero ORDER BY height DESC LIMIT 2"},
    {"question_id": 10, "question": "What is the average height?", "difficulty": "simple",
     "SQL": "SELECT AVG(height) FROM hero"},
)  # fmt: skip
#: Task 9 is tied where LIMIT cuts: it is asked, and does not count.
TIED = "9"


def heroes(path: Path) -> Path:
    """The database of heroes, made where it is not there."""
    return path if path.exists() else make_sqlite(path, HEROES)


def tasks_file(path: Path, database: str = "hero", records: Sequence[Mapping[str, Any]] = TASKS) -> Path:
    """A file of tasks in BIRD's format."""
    path.write_text(json.dumps([{"db_id": database, **one} for one in records]), encoding="utf-8")
    return path


def question_in(messages: Sequence[Message]) -> str:
    """The question that a prompt ends with."""
    return messages[-1].content.rpartition("Question: ")[2].strip()


def knowing(answers: Mapping[str, str], *, prompt: int = 100, cached: int = 60) -> FunctionModel:
    """A model that answers the questions it knows, and says nothing of use to the others."""

    def answer(messages: Sequence[Message]) -> Answer:
        text = answers.get(question_in(messages), "I do not know.")
        return Answer(text, Usage(prompt, cached, 10, 0.5, 1))

    return FunctionModel(answer, "knowing")


def gold_answers(records: Sequence[Mapping[str, Any]] = TASKS) -> dict[str, str]:
    """Gold by question."""
    return {one["question"]: one["SQL"] for one in records}


def started(
    folder: Path, plan: ExecutionPlan, model: Any = None, *, say: Callable[[str], None] = lambda line: None
) -> ExecutionRun:
    """A run with an embedder that needs no model, in a folder that may hold it already."""
    if not (folder / "run.json").exists():
        RunFolder.start(folder, {}, {})
    model = model if model is not None else knowing({})
    settings = Settings(repairs=0, home=folder / "home", query_timeout=5)
    return ExecutionRun(plan, RunFolder(folder), model, settings, WordEmbedder, say=say)
