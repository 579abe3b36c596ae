"""One question asked of one strategy, and scored: a line of a run's `results.jsonl`."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

from sqlore.errors import (
    ConnectError,
    ModelError,
    ModelRefusal,
    ModelTimeout,
    ModelUnavailable,
    SqloreError,
    UsageError,
)
from sqlore.evals.compare_rows import comparable_rows, judge
from sqlore.evals.execution.arena import Answered, Arena, Contestant
from sqlore.evals.execution.diff import UNTAKEN
from sqlore.evals.execution.folder import Kept
from sqlore.evals.execution.gold import ROWS, Gold, run_anew
from sqlore.evals.execution.tasks import Question, skeleton_of
from sqlore.model import Rows

__all__ = ["answer_line", "gold_line", "scored_sql"]


def answer_line(who: Contestant, task: Question, gold: Gold, place: Arena, kept: Kept) -> dict[str, Any]:
    """Asks and scores. A model that fails on this question gives a wrong answer; one that cannot be reached,
    a lost connection to the database, and a fault of somebody's own strategy (`UsageError`) are raised."""
    started, before, untaken = time.monotonic(), kept.given_again, False
    try:
        said = who.answer(task)
    except (ConnectError, ModelUnavailable, UsageError):
        raise
    except SqloreError as error:
        said = Answered("", error.message)
        untaken = isinstance(error, ModelError) and not isinstance(error, (ModelRefusal, ModelTimeout))
    scored = scored_sql(said, task, gold, place)
    seconds = time.monotonic() - started + kept.given_again - before
    return {
        "strategy": who.name,
        "database": place.database,
        "question_id": task.id,
        "question": task.question,
        "gold": task.sql,
        "sql": said.sql,
        "dialect": place.engine.dialect,
        **(scored | {"why": UNTAKEN} if untaken else scored),
        "counted": gold.status == "ok",
        "ordered": gold.groups is not None,
        "difficulty": task.difficulty,
        "kinds": list(task.kinds),
        "seconds": round(seconds, 3),
        "usage": asdict(said.usage),
        "attempts": [{"sql": one.sql, "error": one.error} for one in said.attempts],
        "scripts": list(said.scripts),
        "withheld": sorted(task.exclude),
        "citations": said.citations,
    }


def scored_sql(said: Answered, task: Question, gold: Gold, place: Arena) -> dict[str, Any]:
    """What comes of the SQL. What its own author gave up with an error is wrong, whatever it would give."""
    out: dict[str, Any] = {"correct": False, "strict": False, "skeleton": False, "valid": False}
    if not said.sql.strip():
        return out | {"error": said.error or "no SQL", "why": "none"}
    read_as = place.engine.dialect, place.catalog.schema
    out["skeleton"] = bool(task.skeleton) and skeleton_of(said.sql, *read_as) == task.skeleton
    if said.error:
        return out | {"error": said.error, "why": "error"}
    try:
        rows = place.engine.run(said.sql, limit=ROWS, timeout=place.settings.query_timeout)
    except ConnectError:
        raise
    except SqloreError as error:
        return out | {"error": error.message, "why": "error"}
    out |= {"valid": True, "error": None}
    if rows.truncated:
        return out | _once_each(said.sql, rows, gold, place)
    judged = judge(rows.rows, gold.rows, gold.groups)
    return out | {"correct": judged.correct, "strict": judged.strict, "why": judged.why}


def _once_each(sql: str, rows: Rows, gold: Gold, place: Arena) -> dict[str, Any]:
    """What comes of more rows than are compared: a set may be told by them, which is all that BIRD wants."""
    if not set(comparable_rows(rows.rows)) <= set(comparable_rows(gold.rows)):
        return {"why": "more"}
    distinct = f"SELECT DISTINCT * FROM (\n{sql.strip().rstrip(';')}\n) AS every_row"
    found = run_anew(place.engine, distinct, place.settings.query_timeout)
    if found is None or found.truncated or not judge(found.rows, gold.rows).correct:
        return {"why": "more"}
    return {"correct": True, "why": "repetition"}


def gold_line(database: str, task: Question, gold: Gold) -> dict[str, Any]:
    """What was found of a task's own SQL: a line of `gold.jsonl`."""
    return {
        "database": database,
        "question_id": task.id,
        "status": gold.status,
        "message": gold.message,
        "rows": len(gold.rows),
        "ordered": gold.groups is not None,
        "question": task.question,
        "gold": task.sql,
    }
