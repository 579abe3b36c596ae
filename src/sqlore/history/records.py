"""From records with named columns to scripts: what JSON, JSONL, CSV, TSV and Parquet share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from sqlore.history.asking import warns
from sqlore.history.columns import map_columns
from sqlore.history.comments import leading_comment, read_comment, to_time
from sqlore.model import Rejected, RejectReason, Script

__all__ = ["OnColumns", "Origin", "Record", "scripts_of"]

_SAMPLE = 50
OnColumns = Callable[[str, Mapping[str, str], Sequence[str]], None]
"""Is told a source, the column that each field is read from, and the columns that are not read."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where scripts are read from and what the caller said of them."""

    source: str
    dialect: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    on_columns: OnColumns | None = None

    def reject(self, text: str, reason: RejectReason, message: str, line: int | None) -> Rejected:
        """Something at `line` of this source that gives no script."""
        script = Script(
            text, key=f"{self.source}:{line or 1}", source=self.source, line=line, dialect=self.dialect
        )
        return Rejected(script, reason, message, line)


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a source and the line (from 1) at which it starts."""

    values: Mapping[str, Any]
    line: int


def scripts_of(records: Iterable[Record | Rejected], origin: Origin) -> Iterator[Script | Rejected]:
    """A script for each record; which column holds what is decided on the first fifty.

    Raises `SourceError` where no column holds SQL, `UsageError` where `origin.columns` names no field.

    >>> list(scripts_of([Record({"sql": "SELECT 1", "id": 7}, 1)], Origin("a.json")))[0].key
    '7'
    """
    iterator = iter(records)
    head = list(islice(iterator, _SAMPLE))
    sample = [record.values for record in head if isinstance(record, Record)]
    if not sample:
        yield from (item for item in chain(head, iterator) if isinstance(item, Rejected))
        return
    mapping = map_columns(sample, origin.columns, where=origin.source)
    if origin.on_columns is not None:
        names = dict.fromkeys(name for values in sample for name in values)
        unread = [str(name) for name in names if name not in mapping.values()]
        origin.on_columns(origin.source, mapping, unread)
    for record in chain(head, iterator):
        yield record if isinstance(record, Rejected) else _script(record, mapping, origin)


def _script(record: Record, mapping: Mapping[str, str], origin: Origin) -> Script | Rejected:
    def text(field: str) -> str | None:
        return _text(record.values.get(mapping[field])) if field in mapping else None

    sql = record.values.get(mapping["sql"])
    if not isinstance(sql, str):
        kind = "has no SQL" if sql is None else f"has {type(sql).__name__} where SQL was expected"
        return origin.reject("", "empty", f"the record {kind} in column {mapping['sql']}", record.line)
    # Nobody described the record: the comment at the top of its SQL may.
    described = any(field in mapping for field in ("question", "comment"))
    note = read_comment(leading_comment(sql))
    when = record.values.get(mapping["time"]) if "time" in mapping else note.time
    question = text("question") or (None if described and text("comment") else note.question)
    comment = text("comment") or (None if described and text("question") else note.comment)
    if question and warns(question):  # a title may say that the query is not to be used: nobody asks that
        question, comment = None, " ".join(filter(None, (question, comment)))
    return Script(
        sql,
        key=text("key") or f"{origin.source}:{record.line}",
        question=question,
        comment=comment,
        evidence=text("evidence") or note.evidence,
        author=text("author") or note.author,
        time=to_time(when),
        runs=_runs(record.values.get(mapping["runs"])) if "runs" in mapping else note.runs or 1,
        source=origin.source,
        line=record.line,
        dialect=text("dialect") or origin.dialect,
        database=text("database") or note.database,
    )


def _text(value: object) -> str | None:
    """A value as one line of text, blanks folded; None where it is empty."""
    if value is None or isinstance(value, dict | list):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return " ".join(str(value).split()) or None


def _runs(value: object) -> int:
    try:
        return max(int(float(str(value))), 1)
    except (ValueError, OverflowError):
        return 1
