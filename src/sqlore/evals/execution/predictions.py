"""SQL that other systems wrote for the same tasks, in the files that BIRD's and Spider's scripts read."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sqlore.errors import SourceError, UsageError
from sqlore.evals.execution.tasks import Question

__all__ = ["Predicted", "read_predictions"]

_MARK: Final = "----- bird -----"
#: Fields that hold a prediction, whatever stands beside them.
_SQL: Final = (
    *("predicted_sql", "predict_sql", "prediction", "pred_sql", "sql_pred", "pred", "predicted"),
    *("generated_sql", "generated_query", "predicted_query", "pred_query"),
)
#: Fields of a prediction too, but in a task's own record of gold.
_GOLD: Final = ("SQL", "sql", "query")
_QUERY: Final = re.compile(r"[\s(]*(?:select|with)\b", re.IGNORECASE)
_ID: Final = frozenset({"question_id", "instance_id", "id", "idx", "index"})

#: (database, task id) -> the SQL that was predicted
Predicted = dict[tuple[str, str], str]


def read_predictions(path: str | Path, questions: Sequence[Question]) -> Predicted:
    """The predictions of a file, put to the tasks that they belong to.

    BIRD: an object from the task's number to ``SQL\\t----- bird -----\\tdb_id``. Spider: a line of SQL a
    task, in their order, with or without a tab and the database. Also a JSON list of SQL or of records, or
    JSON lines. A task that the file says nothing of is not in the result. `questions` are all tasks of the
    tasks' file, before any is left out, for a place counts from its beginning.

    Raises `UsageError` for a file that cannot be read, `SourceError` for one of no such kind, or one whose
    lines are not those of the tasks.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"predictions cannot be read: {reason}", where=str(path)) from error
    value = _value(text, str(path))
    if isinstance(value, Mapping):
        return _by_number(value, questions, str(path))
    return _in_turn(value, questions, str(path))


def _value(text: str, where: str) -> Any:
    """An object or a list: of the whole file, or of its lines."""
    try:
        if text.lstrip().startswith(("{", "[")):
            return json.loads(text)
    except ValueError as error:
        lines = [line for line in text.split("\n") if line.strip()]
        try:
            return [json.loads(line) for line in lines]
        except ValueError:
            raise SourceError(f"not JSON: {error}", where=where) from error
    return text.removesuffix("\n").split("\n") if text else []  # a line of JSON or SQL may hold a U+2028


def _by_number(found: Mapping[str, Any], questions: Sequence[Question], where: str) -> Predicted:
    """BIRD's object. Its numbers are the tasks' ids, or their places in the file: what fits the databases
    that it names, or else more tasks; ids where both do."""
    split = {str(key): _split(_sql_of(value, where)) for key, value in found.items()}
    ids: dict[str, list[Question]] = {}
    for one in questions:
        ids.setdefault(one.id, []).append(one)
    places = {str(place): [one] for place, one in enumerate(questions)}

    def fits(known: Mapping[str, list[Question]]) -> int:
        return sum(any(_of(one, split[key][1]) for one in known.get(key, ())) for key in split)

    by_id, by_place = fits(ids), fits(places)
    chosen = places if by_place > by_id else ids
    if not max(by_id, by_place):
        raise SourceError("no prediction is for one of the tasks", where=where, hint="keys are question ids")
    return {
        (one.database, one.id): sql
        for key, (sql, database) in split.items()
        for one in chosen.get(key, ())
        if _of(one, database)
    }


def _in_turn(found: Sequence[Any], questions: Sequence[Question], where: str) -> Predicted:
    """A prediction a task in their order, or records that name their task."""
    if found and all(isinstance(one, Mapping) and not _ID.isdisjoint(one) for one in found):
        return _by_name(found, questions, where)
    found = list(found)
    while len(found) > len(questions) and not str(found[-1]).strip():  # blank lines behind the last one
        found.pop()
    if len(found) != len(questions):
        raise SourceError(
            f"{len(found)} predictions for {len(questions)} tasks",
            where=where,
            hint="a line a task in the order of the tasks' file, or an object with question ids",
        )
    out = {}
    for line, (value, one) in enumerate(zip(found, questions, strict=True), 1):
        sql, database = _split(_sql_of(value, where))
        if not _of(one, database):
            message = f"line {line} is for {database}, and the task of this place for {one.database}"
            raise SourceError(message, where=f"{where}:{line}", hint="give the tasks in the same order")
        out[one.database, one.id] = sql
    return out


def _by_name(found: Sequence[Any], questions: Sequence[Question], where: str) -> Predicted:
    """Records that name their task, and where ids repeat their database."""
    tasks: dict[str, list[Question]] = {}
    for one in questions:
        tasks.setdefault(one.id, []).append(one)
    out = {}
    for record in found:
        name = str(next(record[key] for key in record if key in _ID))
        database = str(record.get("db_id") or record.get("database") or "")
        sql, _ = _split(_sql_of(record, where))
        for one in tasks.get(name, ()):
            if not _of(one, database):
                continue
            if (one.database, one.id) in out:
                raise SourceError(f"task {name} is predicted twice", where=where, hint="one record a task")
            out[one.database, one.id] = sql
    if not out:
        raise SourceError("no prediction is for one of the tasks", where=where, hint="their ids differ")
    return out


def _sql_of(value: Any, where: str) -> str:
    """The SQL of a prediction; nothing where a model gave nothing: null, or 0 as BIRD's scripts write it."""
    if isinstance(value, Mapping):
        value = value.get(_field(value, where))
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, (int, float)):
        return ""
    raise SourceError("a prediction is neither SQL nor a record with it", where=where)


def _field(record: Mapping[str, Any], where: str) -> str:
    """The field with the prediction. `SQL`, `sql` and `query` are gold in a record of a task, and count only
    where nothing else could be the prediction.

    >>> _field({"question_id": 1, "SQL": "SELECT 1", "predicted_sql": None}, ""), _field({"sql": ""}, "")
    ('predicted_sql', 'sql')
    """
    named = [name for name in _SQL if name in record]
    plain = [name for name in _GOLD if isinstance(record.get(name, {}), str | None)]
    queries = [name for name, value in record.items() if isinstance(value, str) and _QUERY.match(value)]
    found = named or [*plain, *(name for name in queries if name not in plain)]
    if len(found) == 1 and found[0] in (*_SQL, *_GOLD):
        return found[0]
    raise SourceError(
        f"a record does not say which field is its prediction: {', '.join(map(str, found or record))}",
        where=where,
        hint="call it predicted_sql",
    )


def _split(text: str) -> tuple[str, str]:
    """The SQL and the database that a prediction names, if it does.

    >>> _split("SELECT 1\\t----- bird -----\\tsuperhero"), _split("SELECT 1\\tpets_1"), _split("SELECT a")
    (('SELECT 1', 'superhero'), ('SELECT 1', 'pets_1'), ('SELECT a', ''))
    """
    if _MARK in text:
        sql, _, database = text.partition(_MARK)
        return sql.strip(), database.strip()
    sql, tab, database = text.rpartition("\t")
    if tab and sql.strip() and database.strip().isidentifier() and " " not in database.strip():
        return sql.strip(), database.strip()
    return text.strip(), ""


def _of(one: Question, database: str) -> bool:
    return not database or not one.database or one.database.lower() == database.lower()
