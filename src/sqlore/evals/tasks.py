"""Retrieval tasks: a question, and the knowledge that its SQL needs and the history holds.

Two sources. A file in BIRD-History's format (appendix A.1), whose gold comes with it; and leave-one-out over
any history: each script's question asked of the others, gold being its own fragments that occur elsewhere.
A relation counts by its join edges, and the whole query is not counted: a query is found as a script.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlore.errors import SourceError, UsageError
from sqlore.evals.gold import GoldReader
from sqlore.knowledge.records import script_hash
from sqlore.model import Fragment, ParsedScript

__all__ = [
    "Dropped",
    "History",
    "RawTask",
    "Task",
    "leave_one_out",
    "made_of",
    "read_tasks",
    "records_in",
    "records_of",
    "scored",
    "tasks_of",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Task:
    """One question with its gold.

    `gold` are fragments' keys (``kind: skeleton``); `exclude` the keys of the scripts that may not be used;
    `unmatched` gold keys, as written, that could be matched with no fragment of the history: they are in
    `gold` as well, for not finding them is a miss.
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


@dataclass(frozen=True, slots=True)
class Dropped:
    """A script or a record that makes no task, and why."""

    question_id: str
    database: str
    reason: str


#: Why something makes no task.
NO_QUESTION: Final = "it has no question"
NOTHING_SHARED: Final = "no other script has anything of it"
NO_KNOWLEDGE: Final = "no knowledge is named that it needs"
ONLY_QUERIES: Final = "the knowledge that it needs is whole queries, which are not counted"


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


def leave_one_out(
    history: History,
    *,
    questions: Mapping[str, str] | None = None,
    on_dropped: Callable[[Dropped], None] | None = None,
) -> list[Task]:
    """A task for each script with a question whose SQL has something in common with another script.

    `questions` maps script keys to questions where the history itself was stripped of them. Scripts that the
    store cannot tell apart (same SQL, same words) are withheld together. `on_dropped` is told of each script
    that makes no task.
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
        elif on_dropped is not None:
            on_dropped(Dropped(key, history.database, NOTHING_SHARED if asked else NO_QUESTION))
    return tasks


def read_tasks(path: str | Path, *, on_bad: Callable[[SourceError], None] | None = None) -> list[RawTask]:
    """The tasks of a file in BIRD-History's format: JSON list, or JSON lines.

    A record that is no task does not take the others with it: `on_bad` is given the error that names it.
    Raises that error where there is no `on_bad`, or no task is left; `UsageError` where the file is missing,
    `SourceError` where it is something else.
    """
    return made_of(path, lambda place, record: _raw(record, place + 1, str(path)), on_bad)


def made_of(
    path: str | Path, make: Callable[[int, Any], T], on_bad: Callable[[SourceError], None] | None
) -> list[T]:
    """What `make` makes of the records of a file, each with its place from 0.

    A record of which it makes nothing (`SourceError`) does not take the others with it: `on_bad` is given the
    error. Raises the first one where there is no `on_bad`, or nothing is left; and what `records_of` raises.
    """
    made, bad = [], list[SourceError]()
    for place, record in enumerate(records_of(path, on_bad=bad.append)):
        try:
            made.append(make(place, record))
        except SourceError as error:
            bad.append(error)
    if bad and (on_bad is None or not made):
        raise bad[0]
    for reason in bad:
        on_bad(reason)  # type: ignore[misc]  # without it the first was raised
    return made


def records_of(path: str | Path, *, on_bad: Callable[[SourceError], None] | None = None) -> list[Any]:
    """The records of a file of tasks: a JSON list, or JSON lines.

    Raises `UsageError` where the file is missing or cannot be read, `SourceError` where it is not JSON; of a
    line alone `on_bad` is told, where there is one.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}", hint="give a file of tasks") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", where=str(path)) from error
    return records_in(text, str(path), on_bad=on_bad)


def records_in(text: str, where: str, *, on_bad: Callable[[SourceError], None] | None = None) -> list[Any]:
    """The records of the text of a file, as `records_of` reads them."""
    if text.lstrip().startswith("["):
        found: list[Any] = _json(text, where)
        return found
    records = []
    for number, line in enumerate(text.split("\n"), 1):  # other breaks, such as U+2028, stand in texts
        try:
            if line.strip():
                records.append(_json(line, f"{where}:{number}"))
        except SourceError as error:
            if on_bad is None:
                raise
            on_bad(error)
    return records


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"not JSON: {error}", where=where) from error


def _raw(record: Any, number: int, where: str) -> RawTask:
    try:
        found = record["question_id"], record["db_id"], record["question"], record["history_knowledge"]
        name = _of(found[0], str, int)
        sql = _of(record.get("SQL") or record.get("sql") or "", str)
        knowledge = {
            key: tuple(_of(one, str, int) for one in (ids if isinstance(ids, list) else [ids]))
            for key, ids in dict(found[3]).items()
        }
        task = RawTask(name, _of(found[1], str), _of(found[2], str), sql, knowledge)
        if not (task.database.strip() and task.question.strip()):
            raise ValueError("db_id or question is empty")
        # half a surrogate is no character: nothing could be asked or written with it
        "".join((name, task.database, task.question, sql, *knowledge)).encode()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        named = (
            f" ({record['question_id']})" if isinstance(record, Mapping) and "question_id" in record else ""
        )
        raise SourceError(
            f"task {number}{named} is not in BIRD-History's format: {error!r}",
            where=where,
            hint="each has question_id, db_id, question, SQL and history_knowledge {skeleton: [ids]}",
        ) from error
    return task


def _of(value: Any, *kinds: type) -> str:
    """The value as text, if it is of one of the kinds."""
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise TypeError(f"{value!r:.60} is no {' or '.join(kind.__name__ for kind in kinds)}")
    return str(value)


def tasks_of(
    raw: Iterable[RawTask],
    history: History,
    reader: GoldReader,
    *,
    on_dropped: Callable[[Dropped], None] | None = None,
) -> list[Task]:
    """The tasks of this history's database, their gold spelled as the history's fragments are.

    A task that needs nothing is none, and `on_dropped` is told of it. An id that repeats gets a number.
    """
    tasks = []
    seen: dict[str, int] = defaultdict(int)
    for one in raw:
        if one.database.lower() != history.database.lower():
            continue
        seen[one.question_id] += 1
        many = seen[one.question_id]
        name = one.question_id if many == 1 else f"{one.question_id}~{many}"
        gold: set[str] = set()
        unmatched = []
        for written, scripts in one.knowledge.items():
            keys = reader.keys(written, scripts)
            gold |= keys
            if not keys <= history.scripts_of.keys():
                unmatched.append(written)
        if gold:
            what = (name, one.database, one.question, one.sql, frozenset(gold))
            tasks.append(Task(*what, unmatched=tuple(unmatched)))
        elif on_dropped is not None:
            on_dropped(Dropped(name, one.database, ONLY_QUERIES if one.knowledge else NO_KNOWLEDGE))
    return tasks
