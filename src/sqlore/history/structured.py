"""Records of JSON and JSON Lines, as far as the file is whole.

A file cut off in the middle gives all its complete objects and one rejection with the line of the cut;
a malformed line of JSON Lines gives one rejection and the rest goes on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from sqlore.history.columns import looks_like_sql, names_sql
from sqlore.history.paraphrases import expand, is_paraphrase_entry
from sqlore.history.records import Origin, Record
from sqlore.model import Rejected

__all__ = ["json_lines", "json_records"]

_BLANK_OR_COMMA = re.compile(r"[\s,]*")
_LIST_START = re.compile(r'"[^"]*"\s*:\s*\[\s*(?=\{)')
_DECODER = json.JSONDecoder(strict=False)
_SHOWN = 2000


def json_records(text: str, origin: Origin) -> Iterator[Record | Rejected]:
    """Records of a JSON text: an array of objects or of SQL strings, an object that holds such an array,
    an object of objects or of SQL strings by key, or objects one after the other.

    >>> [r.values for r in json_records('[{"sql": "SELECT 1"}, "SELECT 2"]', Origin("a.json"))]
    [{'sql': 'SELECT 1'}, {'sql': 'SELECT 2'}]
    """
    start = _BLANK_OR_COMMA.match(text).end()  # type: ignore[union-attr]
    if text[start : start + 1] == "[":
        yield from _items(text, start + 1, origin)
        return
    if text[start : start + 1] == "{":
        wrapped = _wrapped(text, start)
        if isinstance(wrapped, list):
            yield from wrapped
            return
        if isinstance(wrapped, int):
            yield from _items(text, wrapped, origin)
            return
    yield from _items(text, start, origin)


def json_lines(lines: Iterable[str], origin: Origin) -> Iterator[Record | Rejected]:
    """One JSON object a line; blank lines are skipped.

    >>> found = list(json_lines(['{"sql": "SELECT 1"}', '{"sql": "SEL'], Origin("a.jsonl")))
    >>> found[0].line, found[1].reason, found[1].line
    (1, 'unreadable', 2)
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, strict=False)
        except (json.JSONDecodeError, RecursionError) as error:
            message = f"line {number} is not JSON: {error}"
            yield origin.reject(line.strip()[:_SHOWN], "unreadable", message, number)
            continue
        yield from _records_of(value, number, origin)


def _items(text: str, position: int, origin: Origin) -> Iterator[Record | Rejected]:
    """The values from `position` on, one after the other, up to the end of the array or the first fault."""
    line, counted = 1, 0
    while True:
        position = _BLANK_OR_COMMA.match(text, position).end()  # type: ignore[union-attr]
        line, counted = line + text.count("\n", counted, position), position
        if position >= len(text):
            if text.lstrip()[:1] == "[":
                yield origin.reject("", "unreadable", "the file ends in the middle of its array", line)
            return
        if text[position] in "]}":
            return
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (json.JSONDecodeError, RecursionError) as error:
            message = f"the file is cut off or malformed from line {line} on: {error}"
            yield origin.reject(text[position : position + _SHOWN], "unreadable", message, line)
            return
        yield from _records_of(value, line, origin)
        position = end


def _wrapped(text: str, start: int) -> list[Record | Rejected] | int | None:
    """The records of an object that wraps them, or where its list starts when the object is cut off."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError):
        match = _LIST_START.search(text, start)
        return match.end() if match and match.start() < start + 1000 else None
    if text[end:].strip():
        return None  # several objects, one after the other
    lists = [item for item in value.values() if isinstance(item, list) and item and isinstance(item[0], dict)]
    scalars = any(isinstance(item, str) for item in value.values())
    if lists and not scalars:
        return [Record(item, 1) for item in max(lists, key=len) if isinstance(item, dict)]
    if value and all(isinstance(item, dict) for item in value.values()):
        return [Record({"id": key, **item}, 1) for key, item in value.items()]
    if value and all(map(looks_like_sql, value.values())) and not any(map(names_sql, value)):
        return [Record({"id": key, "sql": item}, 1) for key, item in value.items()]
    return None


def _records_of(value: Any, line: int, origin: Origin) -> Iterator[Record | Rejected]:
    if isinstance(value, dict):
        if is_paraphrase_entry(value):
            yield from (Record(item, line) for item in expand(value))
        else:
            yield Record(value, line)
    elif isinstance(value, str):
        yield Record({"sql": value}, line)
    else:
        shown = json.dumps(value)[:_SHOWN]
        yield origin.reject(shown, "unreadable", f"a {type(value).__name__} is not a record", line)
