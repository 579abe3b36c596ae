"""From scripts to parsed scripts, in order, in this process or over a pool, each text only once."""

from __future__ import annotations

import multiprocessing
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from sqlore.errors import NotAQuery, ParseError, SqlError, UsageError
from sqlore.history.comments import says_nothing
from sqlore.history.decode import is_junk
from sqlore.history.source import read_history
from sqlore.model import ParsedScript, Rejected, RejectReason, Schema, Script

__all__ = ["MAX_CHARACTERS", "parse_all", "read_and_parse"]

#: A longer text is data with some SQL around it: parsing it would take minutes and teach nothing.
MAX_CHARACTERS = 4_000_000
#: How the message of a rejection begins that is sqlore's own fault and not the script's.
FAULT = "sqlore failed on it"
_POOL_FROM = 2_000
_BATCH = 250
_REMEMBERED = 20_000
_WORD = re.compile(r"\w+|[^\w\s]")

Outcome = ParsedScript | Rejected

Schemas = Schema | Mapping[str, Schema] | None
"""The schema of the scripts, or that of each database they are about, by its name."""


def read_and_parse(
    source: str | Path,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    dialect: str | None = None,
    database: str | None = None,
    schema: Schemas = None,
    workers: int = 1,
    max_characters: int = MAX_CHARACTERS,
) -> Iterator[ParsedScript | Rejected]:
    """Reads a history and takes each of its scripts apart: `read_history`, then `parse_all`.

    Raises what `read_history` raises; a script that cannot be read is a `Rejected` and stops nothing.
    """
    found = read_history(source, format=format, columns=columns, dialect=dialect, database=database)
    return parse_all(found, dialect=dialect, schema=schema, workers=workers, max_characters=max_characters)


def parse_all(
    scripts: Iterable[Script | Rejected],
    *,
    dialect: str | None = None,
    schema: Schemas = None,
    workers: int = 1,
    max_characters: int = MAX_CHARACTERS,
) -> Iterator[ParsedScript | Rejected]:
    """A `ParsedScript` or `Rejected` for each script, in their order, lazily.

    With `workers` above 1 and more than two thousand scripts the work goes to a process pool; a program
    that asks for it must have its ``if __name__ == "__main__"`` guard.

    >>> next(parse_all([Script("SELEKT a FRM t", key="7")])).reason
    'unparsable'
    """
    parser = _Parser(dialect, schema, max_characters)
    iterator = iter(scripts)
    if workers <= 1:
        yield from map(parser, iterator)
        return
    head = list(islice(iterator, _POOL_FROM + 1))
    if len(head) <= _POOL_FROM:
        yield from map(parser, head)
    else:
        yield from _in_pool(chain(head, iterator), parser, workers)


class _Parser:
    """Parses a script; a text seen before is not parsed again."""

    def __init__(self, dialect: str | None, schema: Schemas, max_characters: int) -> None:
        self._dialect, self._schema, self._max = dialect, schema, max_characters
        self._memo: dict[tuple[str, str | None, str | None], Outcome] = {}

    def __reduce__(self) -> tuple[type[_Parser], tuple[str | None, Schemas, int]]:
        return _Parser, (self._dialect, self._schema, self._max)  # without what it remembers

    def __call__(self, script: Script | Rejected) -> Outcome:
        if isinstance(script, Rejected):
            return script
        key = (script.sql, script.dialect, script.database)
        known = self._memo.get(key)
        if known is not None:
            return _for_other(known, script)
        outcome = self._parse(script)
        if len(self._memo) >= _REMEMBERED:
            del self._memo[next(iter(self._memo))]
        self._memo[key] = outcome
        return outcome

    def _schema_of(self, script: Script) -> Schema | None:
        if self._schema is None or isinstance(self._schema, Schema):
            return self._schema
        return self._schema.get(script.database or "")

    def _parse(self, script: Script) -> Outcome:
        from sqlore.sql import parse_script

        sql = script.sql
        if len(sql) > self._max:
            message = f"{len(sql):,} characters; the limit is {self._max:,}"
            return Rejected(script, "too_long", message, script.line)
        if says_nothing(sql):
            return Rejected(script, "empty", "there is no statement", script.line)
        if is_junk(sql):
            return Rejected(script, "unreadable", "binary data, not text", script.line)
        try:
            return parse_script(script, script.dialect or self._dialect, self._schema_of(script))
        except NotAQuery as error:
            return _rejected(script, "not_a_query", error)
        except ParseError as error:
            advice = _advice(script, script.dialect or self._dialect or "")
            return _rejected(script, "unparsable", error, f"{_spot(script.sql, error)}{advice}")
        except UsageError as error:  # the record names a dialect that nobody knows
            return Rejected(script, "unparsable", error.message, script.line)
        except RecursionError:
            return Rejected(script, "unparsable", "it is nested too deeply", script.line)
        except Exception as error:  # a fault of ours in one script must not stop the others: kept and shown
            message = f"{FAULT}: {type(error).__name__}: {error}"
            return Rejected(script, "unparsable", message, script.line)


def _for_other(known: Outcome, script: Script) -> Outcome:
    """The outcome of the same text for another script: a fault is where that one stands."""
    if isinstance(known, ParsedScript):
        return replace(known, script=script)
    within = (known.line or 0) - (known.script.line or 0)
    return replace(known, script=script, line=None if script.line is None else script.line + within)


def _rejected(script: Script, reason: RejectReason, error: SqlError, more: str = "") -> Rejected:
    """With the line in the source: the script's own, and the line of the fault within it."""
    line = script.line
    if line is not None and error.line is not None:
        line += error.line - 1
    return Rejected(script, reason, f"{error.message}{more}", line)


def _spot(sql: str, error: SqlError) -> str:
    """Where in its line the fault is: at which word, where the message does not quote it."""
    if error.column is None or error.position is None:
        return ""
    word = _WORD.match(sql, error.position)
    at = f" at {word[0]!r}" if word and word[0] not in error.message else ""
    return f"{at} (column {error.column})"


def _advice(script: Script, dialect: str) -> str:
    """The option that helps, where the text can be read in another dialect."""
    from sqlore.sql.parse import readable_in

    other = readable_in(script.sql, dialect)
    return f"; it can be read with --dialect {other}" if other else ""


_worker: _Parser | None = None


def _start_worker(parser: _Parser) -> None:
    global _worker
    _worker = parser


def _parse_batch(batch: list[Script | Rejected]) -> list[Outcome]:
    assert _worker is not None
    return [_worker(script) for script in batch]


def _in_pool(scripts: Iterator[Script | Rejected], parser: _Parser, workers: int) -> Iterator[Outcome]:
    """Batches in order, a few ahead of what is asked for; when the pool breaks, the rest is done here."""
    batches = iter(lambda: list(islice(scripts, _BATCH)), [])
    waiting: deque[tuple[list[Script | Rejected], Future[list[Outcome]]]] = deque()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _start_worker, (parser,)) as pool:
        try:
            for batch in batches:
                waiting.append((batch, pool.submit(_parse_batch, batch)))
                if len(waiting) > 2 * workers:
                    yield from waiting[0][1].result()
                    waiting.popleft()
            while waiting:
                yield from waiting[0][1].result()
                waiting.popleft()
        except BrokenProcessPool:
            left = chain.from_iterable(batch for batch, _ in waiting)
            yield from map(parser, chain(left, scripts))
        finally:
            pool.shutdown(cancel_futures=True)
