"""Questions with their SQL, to be asked and scored by execution.

From a file (BIRD-History, BIRD, Spider, KaggleDBQA: JSON or JSON lines with `question`, `SQL` or `query`,
and mostly `db_id`, `question_id`, `difficulty`), or from a history, whose own questions are asked of its
other scripts.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from sqlore.errors import SourceError, SqlError, UsageError
from sqlore.evals.gold import kind_of, split_kind
from sqlore.evals.metrics import SCORED_KINDS
from sqlore.evals.tasks import made_of, records_in, scored
from sqlore.history.decode import lines_of
from sqlore.model import ParsedScript, Schema, Script
from sqlore.sql import parse_script

__all__ = [
    "SIZES",
    "Question",
    "described",
    "difficulties",
    "drawn",
    "hinted",
    "leave_one_out",
    "only_these",
    "read_questions",
    "same_sql",
    "skeleton_of",
    "unique",
]

#: Where nobody has said how difficult a task is: by the pieces of knowledge that its SQL is made of.
SIZES: Final = ((2, "1-2 pieces"), (4, "3-4 pieces"), (6, "5-6 pieces"), (10**9, "7+ pieces"))


@dataclass(frozen=True, slots=True)
class Question:
    """One task; `sql` is gold.

    `knowledge` are the keys of BIRD-History's `history_knowledge`. `exclude` are the keys of the scripts that
    may not be used; `kinds` and `skeleton` are read off the gold SQL once its schema is known (`described`).
    """

    id: str
    database: str
    question: str
    sql: str
    difficulty: str = ""
    evidence: str = ""
    knowledge: tuple[str, ...] = ()
    exclude: frozenset[str] = frozenset()
    kinds: tuple[str, ...] = field(default=(), compare=False)
    skeleton: str = field(default="", compare=False)


def read_questions(
    path: str | Path, *, on_bad: Callable[[SourceError], None] | None = None
) -> list[Question]:
    """The tasks of a file; an id that is not there is the task's place, counted from 0, as BIRD does.

    A record that is no task does not take the others with it: `on_bad` is given the error that names it.
    Raises that error where there is no `on_bad`, or no task is left; `UsageError` for a file that is not
    there, `SourceError` for one of another kind.
    """
    return unique(made_of(path, lambda place, record: _question(record, place, str(path)), on_bad))


def unique(questions: Sequence[Question]) -> list[Question]:
    """The questions with an id of their own in their database, by which their results are kept."""
    seen: dict[tuple[str, str], int] = defaultdict(int)
    out = []
    for one in questions:
        seen[one.database, one.id] += 1
        many = seen[one.database, one.id]
        out.append(one if many == 1 else replace(one, id=f"{one.id}~{many}"))
    return out


def _question(record: Any, place: int, where: str) -> Question:
    try:
        asked = record["question"]
        number = next((record[n] for n in ("question_id", "id", "instance_id") if n in record), place)
        sql = next((record[n] for n in ("SQL", "sql", "query") if isinstance(record.get(n), str)), "")
    except (KeyError, TypeError, AttributeError) as error:
        lacks = f"it has no {error.args[0]}" if isinstance(error, KeyError) else "it is no object"
        raise SourceError(
            f"record {place + 1} is not a task: {lacks}",
            where=where,
            hint="each has a question, its SQL as SQL or query, and db_id where there are several databases",
        ) from error
    return Question(
        str(number),
        str(record.get("db_id") or ""),
        str(asked),
        sql,
        str(record.get("difficulty") or record.get("hardness") or "").strip(),
        str(record.get("evidence") or ""),
        tuple(map(str, record.get("history_knowledge") or ())),
    )


def difficulties(sources: Iterable[str | Path]) -> dict[tuple[str, str], str]:
    """(database, key) -> how difficult a history's own records say a script is, where they say it.

    A history is read in whatever encoding it is in, and not every record of it has a question.
    """
    found = {}
    for source in sources:
        if not Path(source).is_file() or Path(source).suffix not in (".json", ".jsonl"):
            continue
        try:
            with Path(source).open("rb") as stream:
                records = records_in("".join(lines_of(stream)), str(source), on_bad=lambda error: None)
        except (SourceError, OSError):
            continue
        kept = [one for one in enumerate(records) if isinstance(one[1], Mapping)]
        bare = {"question": "", "history_knowledge": ()}
        read = [_question({**bare, **record, **bare}, place, str(source)) for place, record in kept]
        found.update({(one.database, one.id): one.difficulty for one in unique(read) if one.difficulty})
    return found


def leave_one_out(
    scripts: Mapping[str, Sequence[Script]], difficulty: Mapping[tuple[str, str], str]
) -> list[Question]:
    """A task for each script that has a question, asked of the others; `scripts` by database."""
    out: list[Question] = []
    for database, own in scripts.items():
        for one in own:
            if one.text:
                hard, evidence = difficulty.get((database, one.key), ""), one.evidence or ""
                told = Question(one.key, database, one.text, one.sql, hard, evidence)
                out.append(replace(told, exclude=frozenset({one.key})))
    return out


def hinted(task: Question) -> Question:
    """The task with its evidence as a part of the question.

    >>> hinted(Question("1", "d", "How many?", "", evidence="all of them")).question
    'How many? (all of them)'
    """
    if not task.evidence.strip():
        return task
    return replace(task, question=f"{task.question} ({task.evidence.strip()})")


def only_these(questions: Sequence[Question], path: str | Path) -> list[Question]:
    """The tasks whose ids a file names: a JSON list, an object of lists by database, or an id a line.

    In place of a list there may be an object that has one under ``supported_question_ids``. Raises
    `UsageError` where the file cannot be read or names none of the tasks.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        found = json.loads(text) if text.lstrip().startswith(("[", "{")) else text.split()
        if isinstance(found, Mapping):
            lists = {name: one.get("supported_question_ids", ()) if isinstance(one, Mapping) else one
                     for name, one in found.items()}  # fmt: skip
            wanted = {(name.lower(), str(number)) for name, ids in lists.items() for number in ids}
            kept = [one for one in questions if (one.database.lower(), one.id) in wanted]
        else:
            ids = set(map(str, found))
            kept = [one for one in questions if one.id in ids]
    except (OSError, UnicodeDecodeError, ValueError, TypeError) as error:
        raise UsageError(f"question ids cannot be read: {error}", where=str(path)) from error
    if not kept:
        raise UsageError("none of the tasks has one of these ids", where=str(path))
    return kept


def drawn(questions: Sequence[Question], limit: int | None, seed: int) -> list[Question]:
    """So many of them at random, in their order; a larger limit takes the same ones and more."""
    order = list(range(len(questions)))
    random.Random(seed).shuffle(order)
    chosen = set(order[:limit])
    return [one for number, one in enumerate(questions) if number in chosen]


def same_sql(sql: str) -> str:
    """What two spellings of one SQL text have in common: case, blanks and quotes do not count.

    >>> same_sql('SELECT "a" FROM t;') == same_sql("select 'a'\\nfrom T")
    True
    """
    return re.sub(r"[\s;]+", "", sql.lower().replace('"', "'").replace("`", "'"))


def described(
    questions: Sequence[Question],
    history: Sequence[ParsedScript] = (),
    *,
    dialect: str | None = None,
    schema: Schema | None = None,
    run_as: str | None = None,
) -> list[Question]:
    """The tasks with what their gold SQL tells: kinds of knowledge, difficulty, and scripts to withhold.

    `dialect` is that of the history; `run_as` that of the database, where it is another: the skeleton is
    what the database runs, for answers are compared by it.

    Withheld is every script of `history` that says the same as gold: the same text, or the same query
    whatever its aliases and layout are called, values included. The kinds are those of the task's own
    `knowledge`, else of the fragments of its SQL.
    """
    texts: dict[str, set[str]] = defaultdict(set)
    queries: dict[str, set[str]] = defaultdict(set)
    for one in history:
        texts[same_sql(one.script.sql)].add(one.script.key)
        for query in _whole(one):
            queries[query].add(one.script.key)
    out = []
    for task in questions:
        try:
            gold = parse_script(task.sql, dialect, schema)
        except SqlError:
            gold = None
        twins = set(texts.get(same_sql(task.sql), ())) if task.sql.strip() else set()
        for query in _whole(gold) if gold else ():
            twins |= queries.get(query, set())
        pieces = {f.key for f in scored(gold.fragments)} if gold else set()
        out.append(
            replace(
                task,
                exclude=task.exclude | twins,
                kinds=_kinds(task.knowledge or tuple(pieces)),
                difficulty=task.difficulty or _size(len(task.knowledge or pieces)),
                skeleton=skeleton_of(task.sql, run_as, schema)
                if run_as not in (None, dialect)
                else gold.skeleton
                if gold
                else "",
            )
        )
    return out


def skeleton_of(sql: str, dialect: str | None, schema: Schema | None) -> str:
    """The skeleton of the whole query; empty where it cannot be read."""
    try:
        return parse_script(sql, dialect, schema).skeleton
    except SqlError:
        return ""


def _whole(parsed: ParsedScript) -> list[str]:
    """The query with its values, by which scripts of the same meaning are known."""
    return [f.canonical for f in parsed.fragments if f.kind == "query" and f.scope == "main"]


def _kinds(keys: Iterable[str]) -> tuple[str, ...]:
    found = set()
    for key in keys:
        kind, text = split_kind(key)
        found.add(kind or kind_of(text))
    return tuple(kind for kind in SCORED_KINDS if kind in found)


def _size(pieces: int) -> str:
    return next(name for most, name in SIZES if pieces <= most)
