"""Which column of a table of queries holds what: the SQL, the question, who, when, how often.

Query logs and text-to-SQL collections name their columns in a hundred ways. Names are compared without
case, blanks and punctuation; where several could hold the SQL, the values decide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlore.errors import SourceError, UsageError

__all__ = ["FIELDS", "check_fields", "looks_like_sql", "map_columns", "names_sql"]

#: What a column can be mapped to, and the names it is recognised by, most telling first.
FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "sql": (
        "sql", "sqltext", "sqlquery", "querysql", "querybody", "querytext", "querytxt", "statementtext",
        "sqlstatement", "sqlcode", "goldsql", "rawsql", "fullsql", "querystring", "statement", "stmt",
        "query", "gold", "command", "code", "text", "info", "argument",
    ),
    "question": (
        "question", "nl", "nlquestion", "nlquery", "naturallanguage", "naturallanguagequestion", "utterance",
        "querytitle", "title", "name", "queryname", "purpose", "description", "querydescription", "prompt",
        "query",
    ),
    "comment": ("description", "querydescription", "comment", "comments", "notes", "note", "remarks"),
    "evidence": ("evidence", "hint", "externalknowledge"),
    "author": (
        "author", "user", "username", "useremail", "usename", "rolname", "rolename", "executedby", "owner",
        "ownername", "createdby", "creator", "analyst", "login", "loginname",
    ),
    "time": (
        "time", "timestamp", "created", "createdat", "createdon", "creationdate", "creationtime", "starttime",
        "querystarttime", "startedat", "startdatetime", "executedat", "runat", "ranat", "eventtime",
        "logtime", "lastexecutiontime", "lastrun", "date", "datetime", "ts",
    ),
    "runs": (
        "runs", "calls", "executioncount", "executions", "execcount", "runcount", "timesrun", "numexecutions",
        "countstar", "frequency", "count",
    ),
    "key": (
        "questionid", "queryid", "statementid", "querysetid", "jobid", "scriptid", "id", "key", "uid",
        "index", "idx", "qid",
    ),
    "database": ("dbid", "databasename", "database", "datname", "dbname", "db", "catalog", "schemaname"),
    "dialect": ("dialect", "sqldialect"),
}  # fmt: skip

_ALIASES: Final = {"id": "key", "user": "author", "created": "time", "db": "database"}
_SQL_START = re.compile(
    r"(?:\s|--[^\n]*\n|(?>/\*.*?\*/)|\()*+(?:select|with|insert|update|delete|create|values|declare|explain|set|from)(?=[\s(*\"'\[`])",
    re.I | re.S,
)


def looks_like_sql(value: object) -> bool:
    """Whether a value is text that starts as a statement does, after comments and parentheses.

    >>> looks_like_sql("-- why\\n(SELECT 1)"), looks_like_sql("selected customers")
    (True, False)
    """
    return isinstance(value, str) and _SQL_START.match(value) is not None


def names_sql(name: str) -> bool:
    """Whether a column of this name is one of those that hold SQL.

    >>> names_sql("Query_Text"), names_sql("q1")
    (True, False)
    """
    return _fold(name) in FIELDS["sql"]


def check_fields(given: Mapping[str, str]) -> None:
    """Raises `UsageError` where a caller maps a field that does not exist."""
    for field in given:
        if _ALIASES.get(field, field) not in FIELDS:
            raise UsageError(f"no such field: {field}", hint=f"the fields are {', '.join(FIELDS)}")


def map_columns(
    sample: Sequence[Mapping[str, Any]],
    given: Mapping[str, str] | None = None,
    *,
    where: str | None = None,
) -> dict[str, str]:
    """Field -> column name for records like those of `sample`; `given` goes before what is recognised.

    Raises `UsageError` for an unknown field, `SourceError` where a given column is missing or no column
    holds SQL; `where` names the source in the message.

    >>> map_columns([{"Title": "Top askers", "QueryBody": "SELECT 1", "QuerySetId": 3}])
    {'sql': 'QueryBody', 'key': 'QuerySetId', 'question': 'Title'}
    """
    names = list(dict.fromkeys(name for record in sample for name in record))
    mapping = _given_columns(given or {}, names, where)
    if "sql" not in mapping:
        found = _find_sql(sample, names)
        if found is None:
            raise SourceError(
                f"no column holds SQL; there are: {', '.join(map(str, names[:20])) or 'none'}",
                where=where,
                hint='name the column, as in columns={"sql": "stmt"} or --column sql=stmt',
            )
        mapping["sql"] = found
    for field in ("key", "author", "time", "runs", "database", "dialect", "evidence", "question", "comment"):
        if field not in mapping:
            column = _find(field, names, sample, taken=set(mapping.values()))
            if column is not None:
                mapping[field] = column
    return mapping


def _given_columns(given: Mapping[str, str], names: Sequence[str], where: str | None) -> dict[str, str]:
    check_fields(given)
    folded = {_fold(name): name for name in reversed(names)}
    mapping = {}
    for field, column in given.items():
        field = _ALIASES.get(field, field)
        if column not in names and _fold(column) not in folded:
            raise SourceError(
                f"no column named {column}",
                where=where,
                hint=f"the columns are {', '.join(map(str, names[:20])) or 'none'}",
            )
        mapping[field] = column if column in names else folded[_fold(column)]
    return mapping


def _find_sql(sample: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str | None:
    """The column of a telling name whose values are most often SQL; else any whose values mostly are."""
    known = [name for wanted in FIELDS["sql"] for name in names if _fold(name) == wanted]
    known = [name for name in known if _share(sample, name, lambda v: isinstance(v, str)) > 0]
    shares = {name: _share(sample, name, looks_like_sql) for name in (*known, *names)}
    best_known = max(known, key=lambda name: shares[name], default=None)
    if best_known is not None and shares[best_known] > 0:
        return best_known
    best = max(names, key=lambda name: shares[name], default=None)
    if best is not None and shares[best] >= 0.5:
        return best
    # Known by name, but nothing in the sample reads as SQL: each row will be rejected with its reason.
    telling = FIELDS["sql"][: FIELDS["sql"].index("gold")]
    return best_known if best_known is not None and _fold(best_known) in telling else None


def _find(
    field: str, names: Sequence[str], sample: Sequence[Mapping[str, Any]], *, taken: set[str]
) -> str | None:
    for wanted in FIELDS[field]:
        for name in names:
            if name not in taken and _fold(name) == wanted and _fits(field, name, sample):
                return name
    return None


def _fits(field: str, name: str, sample: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the values are of the kind the field holds: words for a question, a number for runs."""
    values = [record[name] for record in sample if record.get(name) not in (None, "")]
    if not values:
        return False
    if field in ("question", "comment"):
        return any(isinstance(v, str) and not v.strip().isdigit() for v in values)
    if field == "runs":
        return all(str(v).strip().replace(".", "", 1).isdigit() for v in values)
    if field == "database":  # pg_stat_statements' dbid is a number that names nothing
        return not all(str(v).strip().isdigit() for v in values)
    return all(isinstance(v, str | int | float) or hasattr(v, "isoformat") for v in values)


def _share(sample: Sequence[Mapping[str, Any]], name: str, test: Any) -> float:
    return sum(1 for record in sample if test(record.get(name))) / max(len(sample), 1)


def _fold(name: object) -> str:
    return re.sub(r"[\W_]+", "", str(name)).lower()
