"""Retrieval tasks: a question, and the knowledge that its SQL needs and the history holds.

Two sources. A file in BIRD-History's format (appendix A.1), whose gold comes with it; and leave-one-out over
any history: each script's question asked of the others, gold being its own fragments that occur elsewhere.
A relation counts by its join edges, and the whole query is not counted: a query is found as a script.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlore.errors import SourceError, UsageError
from sqlore.evals.gold import GoldReader
from sqlore.knowledge.records import script_hash
from sqlore.model import Fragment, ParsedScript

__all__ = ["History", "RawTask", "Task", "leave_one_out", "read_tasks", "records_of", "scored", "tasks_of"]


@dataclass(frozen=True, slots=True)
class Task:
    """One question with its gold.

    `gold` are fragments' keys (``kind: skeleton``); `exclude` the keys of the scripts that may not be used;
    `unmatched` gold keys, as written, that no fragment of the history has: they are in `gold` as well, for
    not finding them is a miss.
    """

    question_id: str
    database: str
    question: str
    sql: str
    gold: frozenset[str]
    exclude: frozenset[str] = frozenset()
    unmatched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RawTask:
    """A task as its file has it: `knowledge` maps a skeleton, as it is spelled there, to its scripts."""

    question_id: str
    database: str
    question: str
    sql: str
    knowledge: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class History:
    """The parsed scripts of one database; their keys are unique and never empty."""

    database: str
    parsed: Sequence[ParsedScript]
    rejected: int = 0
    scripts_of: Mapping[str, tuple[str, ...]] = field(init=False)
    """Fragment key -> keys of the scripts that hold it."""

    def __post_init__(self) -> None:
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for one in self.parsed:
            for fragment in scored(one.fragments):
                found[fragment.key][one.script.key] = None
        object.__setattr__(self, "scripts_of", {key: tuple(scripts) for key, scripts in found.items()})


def scored(fragments: Iterable[Fragment]) -> list[Fragment]:
    """The fragments that count: no whole query, and a FROM clause only in a script without a join edge."""
    kept = [fragment for fragment in fragments if fragment.kind != "query"]
    if any(fragment.form == "edge" for fragment in kept):
        kept = [f for f in kept if not (f.kind == "relation" and f.form == "clause")]
    return kept


def leave_one_out(history: History, *, questions: Mapping[str, str] | None = None) -> list[Task]:
    """A task for each script with a question whose SQL has something in common with another script.

    `questions` maps script keys to questions where the history itself was stripped of them. Scripts that the
    store cannot tell apart (same SQL, same words) are withheld together.
    """
    twins: dict[int, list[str]] = defaultdict(list)
    for one in history.parsed:
        twins[script_hash(one.script)].append(one.script.key)
    tasks = []
    for one in history.parsed:
        key = one.script.key
        asked = (questions or {}).get(key) or one.script.text
        exclude = frozenset(twins[script_hash(one.script)])
        gold = {f.key for f in scored(one.fragments) if not exclude.issuperset(history.scripts_of[f.key])}
        if asked and gold:
            tasks.append(Task(key, history.database, asked, one.script.sql, frozenset(gold), exclude))
    return tasks


def read_tasks(path: str | Path) -> list[RawTask]:
    """The tasks of a file in BIRD-History's format: JSON list, or JSON lines.

    Raises `UsageError` where the file is missing, `SourceError` where it is something else, with the record.
    """
    return [_raw(record, number, str(path)) for number, record in enumerate(records_of(path), 1)]


def records_of(path: str | Path) -> list[Any]:
    """The records of a file of tasks: a JSON list, or JSON lines.

    Raises `UsageError` where the file is missing or cannot be read, `SourceError` where it is not JSON.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}", hint="give a file of tasks") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", where=str(path)) from error
    return _records(text, str(path))


def _records(text: str, where: str) -> list[Any]:
    try:
        if text.lstrip().startswith("["):
            found: list[Any] = json.loads(text)
            return found
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise SourceError(f"not JSON: {error}", where=where) from error


def _raw(record: Any, number: int, where: str) -> RawTask:
    try:
        knowledge = {
            str(key): tuple(str(one) for one in (ids if isinstance(ids, list) else [ids]))
            for key, ids in dict(record["history_knowledge"]).items()
        }
        sql = record.get("SQL") or record.get("sql") or ""
        return RawTask(str(record["question_id"]), record["db_id"], record["question"], sql, knowledge)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SourceError(
            f"task {number} is not in BIRD-History's format: {error!r}",
            where=where,
            hint="each has question_id, db_id, question, SQL and history_knowledge {skeleton: [ids]}",
        ) from error


def tasks_of(raw: Iterable[RawTask], history: History, reader: GoldReader) -> list[Task]:
    """The tasks of this history's database, their gold spelled as the history's fragments are."""
    tasks = []
    for one in raw:
        if one.database.lower() != history.database.lower():
            continue
        gold: set[str] = set()
        unmatched = []
        for written, scripts in one.knowledge.items():
            keys = reader.keys(written, scripts)
            gold |= keys
            if not keys <= history.scripts_of.keys():
                unmatched.append(written)
        if gold:
            what = (one.question_id, one.database, one.question, one.sql, frozenset(gold))
            tasks.append(Task(*what, unmatched=tuple(unmatched)))
    return tasks
