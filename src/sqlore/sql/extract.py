"""The statement in a model's answer: out of prose, fences, thoughts and JSON, and nothing made up.

The statement is handed on as the model wrote it, also where it is a DELETE or two statements: to judge is
the work of `check_query`. What must not happen is that a broken or forbidden statement turns into another
one that runs, so a statement is only ever cut where a model ends one: at a semicolon, a blank line, a
line of prose or the end of a block.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, Final

from sqlore.errors import ModelRefusal, SqlError
from sqlore.sql.check.query import check_query
from sqlore.sql.extract_patterns import (
    ANYWHERE,
    BEGIN,
    BLOCK_BEGIN,
    CONTROL,
    CUT,
    DIALECTS,
    FENCE,
    KEYS,
    LINE_START,
    NEXT,
    NOT_SQL,
    ONE_LINE_FENCE,
    QUERY,
    SKIP,
    THOUGHT,
    THOUGHT_END,
)

__all__ = ["extract_sql"]

#: Places where a statement may end that are tried, and characters behind a failure that may still matter.
_MOST_ENDS: Final = 40
_AHEAD: Final = 40


def extract_sql(answer: str, *, dialect: str | None = None) -> str:
    """The SQL statement that `answer` gives.

    Of several fenced blocks it is the last that reads as a query, else the first that looks like SQL.
    Raises `ModelRefusal` where there is none. `dialect` decides what reads as a query; without it the
    common ones are tried.

    >>> extract_sql("With this you count:\\n```sql\\nSELECT count(*) FROM t;\\n```\\nIt is fast.")
    'SELECT count(*) FROM t'
    >>> extract_sql("I cannot answer that.")
    Traceback (most recent call last):
    sqlore.errors.ModelRefusal: the answer holds no SQL
    """
    text = CONTROL.sub("", _without_thoughts(answer.removeprefix("\ufeff"))).replace("\r\n", "\n").strip()
    reads = _Reader(dialect)
    for found in (
        _from_json(text),
        _from_fences(text, reads),
        _continued(text, reads),
        _from_prose(text, reads),
    ):
        if found:
            return found
    raise ModelRefusal(
        "the answer holds no SQL",
        where=" ".join(answer.split())[:200] or "an empty answer",
        hint="ask again, put the question in other words, or use a stronger model",
    )


class _Reader:
    """Says whether a text reads as one query."""

    def __init__(self, dialect: str | None) -> None:
        self.dialects = (dialect,) if dialect else DIALECTS

    def is_query(self, text: str) -> bool:
        return self.read(text) is None

    def read(self, text: str) -> int | None:
        """None for a query, else where reading fails whatever follows; its length where more could help."""
        furthest = 0
        for dialect in self.dialects:
            try:
                check_query(text, dialect, None)
            except SqlError as error:
                furthest = max(furthest, _fails_at(error, text))
            else:
                return None
        return furthest


def _fails_at(error: SqlError, text: str) -> int:
    """The place of an error that every longer text has as well; the parser looks only a little ahead."""
    at = error.position
    if at is None and error.line is not None and error.column is not None:
        at = sum(len(line) + 1 for line in text.split("\n")[: error.line - 1]) + error.column - 1
    # At the beginning stands also what is wrong with a query as a whole.
    return at if at and at + _AHEAD < len(text) else len(text)


def _without_thoughts(text: str) -> str:
    """The answer proper; where only the end of a thought is marked, what follows it."""
    return THOUGHT_END.sub("", THOUGHT.sub("\n", text))


def _tidy(text: str) -> str:
    return text.strip().rstrip("`").rstrip().removesuffix(";").rstrip()


# ---------------------------------------------------------------- JSON


def _from_json(text: str) -> str | None:
    """The statement of `{"sql": ...}`, alone, in a fence, or in the midst of prose."""
    if '"' not in text:
        return None
    decoder = json.JSONDecoder(strict=False)
    position = text.find("{")
    while position >= 0:
        try:
            value, end = decoder.raw_decode(text, position)
        except (json.JSONDecodeError, RecursionError):
            position = text.find("{", position + 1)
            continue
        found = _statement_of(value)
        if found:
            return _tidy(found)
        position = text.find("{", end)
    return None


def _statement_of(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    folded = {str(key).lower(): item for key, item in value.items()}
    for key in KEYS:
        item = folded.get(key)
        if isinstance(item, str) and re.match(rf"\s*{BEGIN}", item, re.IGNORECASE):
            return item
        if isinstance(item, dict):
            return _statement_of(item)
    return None


# ---------------------------------------------------------------- fences


def _from_fences(text: str, reads: _Reader) -> str | None:
    blocks = [
        _tidy(match["body"])
        for match in FENCE.finditer(text)
        if match["language"].lower() not in NOT_SQL and match["body"].strip()
    ]
    blocks = blocks or [_tidy(match["body"]) for match in ONE_LINE_FENCE.finditer(text)]
    for block in reversed(blocks):
        if reads.is_query(block):
            return block
    for block in blocks:
        if BLOCK_BEGIN.match(block):
            return block
    # A prompt may have opened the block and the SELECT itself.
    return next((found for found in (_continued(block, reads) for block in blocks) if found), None)


# ---------------------------------------------------------------- no fences


@dataclass(frozen=True, slots=True)
class _Candidate:
    sql: str
    start: int
    end: int
    is_query: bool
    convincing: bool


def _continued(text: str, reads: _Reader) -> str | None:
    """An answer that goes on after a SELECT the prompt ended with: ` count(*) FROM t`."""
    if re.match(rf"\s*`*{BEGIN}", text, re.IGNORECASE):
        return None
    head = text.split("\n\n")[0]
    # Prose can read as a list of columns, so something that only SQL has must be there.
    if not re.search(r"\bFROM\b", head, re.IGNORECASE) or not re.search(
        r"[(*=]|\w\.\w|[\"`\[]|[A-Z]{4,}", head
    ):
        return None
    found = _candidate("SELECT " + text, 0, reads)
    return found.sql if found.is_query else None


def _from_prose(text: str, reads: _Reader) -> str | None:
    if reads.is_query(_tidy(text)):
        return _tidy(text)
    found = list(_candidates(text, LINE_START, reads))
    if not any(candidate.is_query for candidate in found):
        # The SELECT within a CREATE or an INSERT is not what was said.
        taken = [(one.start, one.end) for one in found if one.convincing and not QUERY.match(one.sql)]
        found += [
            one
            for one in _candidates(text, ANYWHERE, reads)
            if one.is_query and not any(start <= one.start < end for start, end in taken)
        ]
    queries = [candidate for candidate in found if candidate.is_query]
    convincing = [candidate for candidate in queries if candidate.convincing]
    if convincing:
        return convincing[-1].sql
    statements = [candidate for candidate in found if candidate.convincing]
    chosen = (statements or queries)[:1]
    return chosen[0].sql if chosen else None


def _candidates(text: str, pattern: re.Pattern[str], reads: _Reader) -> Iterator[_Candidate]:
    """One after the other; what lies inside a candidate is not another one."""
    position = 0
    while match := pattern.search(text, position):
        candidate = _candidate(text, match.start("begin"), reads)
        # "- SELECT name: the names" is an item of an explanation more often than an answer.
        listed = bool(match.groupdict().get("bullet"))
        yield replace(candidate, convincing=candidate.convincing and not listed)
        position = max(candidate.end, match.end())


def _candidate(text: str, start: int, reads: _Reader) -> _Candidate:
    """The statement that begins at `start`: the longest piece that reads as a query, else up to the first
    place where one may end with all brackets closed."""
    inner, limit = _semicolons(text, start)
    cuts = (match.start() for match in CUT.finditer(text, inner, limit))
    first = list(islice(cuts, _MOST_ENDS))
    if text[start - 1 : start] == "`":  # in backticks on its line: here the nearest end is the right one
        for tick in _ticks(text, start):
            piece = _tidy(text[start:tick])
            if reads.is_query(piece):
                return _Candidate(piece, start, tick, True, _is_convincing(piece))
    furthest = _furthest(text, start, [*first, limit], reads)
    if furthest is not None:
        piece = _tidy(text[start:furthest])
        return _Candidate(piece, start, furthest, True, _is_convincing(piece))
    end = next((cut for cut in chain(first, cuts) if _is_balanced(text[start:cut])), limit)
    piece = _tidy(text[start:end])
    return _Candidate(piece, start, end, False, _is_convincing(piece) and bool(re.search(r"\s", piece)))


def _ticks(text: str, start: int) -> list[int]:
    """The backticks on the line, behind the place."""
    line_end = text.find("\n", start)
    line = text[start + 1 : line_end if line_end >= 0 else None]
    return [start + 1 + match.start() for match in re.finditer("`", line)]


def _furthest(text: str, start: int, ends: list[int], reads: _Reader) -> int | None:
    """The last of the rising `ends` up to which the text reads as a query.

    They are tried at growing distances. Where reading fails within a piece it fails in all longer ones, so
    that an answer of many statements is not read to its end for each of them.
    """
    known: dict[int, int | None] = {}

    def read(end: int) -> int | None:
        if end not in known:
            known[end] = reads.read(_tidy(text[start:end]))
        return known[end]

    number, count = 0, len(ends)
    while number < count:
        failed = read(ends[number])
        if failed is not None and failed < len(_tidy(text[start : ends[number]])):
            count = bisect_right(ends, start + failed)
            break
        number = min(2 * number + 1, count - 1) if number < count - 1 else count
    return next((end for end in reversed(ends[:count]) if read(end) is None), None)


def _semicolons(text: str, start: int) -> tuple[int, int]:
    """Where the last statement begins and where it ends, by semicolons: a statement right behind another
    belongs to the answer too, and only behind it the answer may be cut."""
    inner = start
    for match in SKIP.finditer(text, start):
        if match["stop"]:
            rest = NEXT.match(text[match.end() :])
            if rest is None or not _is_convincing(text[match.end() + rest.end() :]):
                return inner, match.end()
            inner = match.end() + rest.end()
    return inner, len(text)


def _is_balanced(text: str) -> bool:
    depth = 0
    for match in SKIP.finditer(text):
        depth += bool(match["open"]) - bool(match["close"])
    return depth <= 0


def _is_convincing(sql: str) -> bool:
    """Not the start of an English sentence: `Select the rows you want`, `Update it from time to time`."""
    word = re.match(r"[(\s]*(\w+)", sql)
    if word is None or not word[1].istitle():
        return word is not None
    return bool(re.search(r"[(*=<>';]|\d|\w\.\w", sql.split("\n\n")[0].rstrip(".")))
