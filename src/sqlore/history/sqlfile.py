"""Scripts of a `.sql` file: its statements, each with what the comment above it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from sqlore.history.comments import Note, read_comment
from sqlore.history.decode import is_junk
from sqlore.history.records import Origin
from sqlore.model import Rejected, Script

__all__ = ["sql_scripts"]

# One query a line, a tab, the database: the gold files of Spider and BIRD.
_GOLD_LINE = re.compile(r"\s*(?:SELECT|WITH)\b[^\t]*\t\s*(?P<database>\w[\w.-]*)\s*", re.I)
_HEADER = re.compile(r"(?:[ \t]*(?:--[^\n]*|#[^\n]*|(?>/\*.*?\*/)[ \t\r]*)(?:\n|\Z))+(?=[ \t\r]*\n)", re.S)
_SHOWN = 500


def sql_scripts(lines: Iterable[str], origin: Origin) -> Iterator[Script | Rejected]:
    """The statements of a file in order; runs of lines that are not text give one rejection each.

    >>> found = list(sql_scripts(["-- How many plans?\\n", "SELECT COUNT(*) FROM plan;\\n"], Origin("a.sql")))
    >>> found[0].question, found[0].key
    ('How many plans?', 'a.sql:2')
    """
    all_lines = list(lines)
    if _is_gold(all_lines):
        yield from _gold_scripts(all_lines, origin)
        return
    number, header = 0, Note()
    for junk, group in groupby(all_lines, key=is_junk):
        block = list(group)
        if junk:
            shown = "".join(block)[:_SHOWN]
            message = f"{len(block)} line(s) of binary data, not text"
            yield origin.reject(shown, "unreadable", message, number + 1)
        else:
            text = "".join(block)
            header = header if number else _file_header(text)
            yield from _statements(text, number, header, origin)
        number += len(block)


def _statements(text: str, offset: int, header: Note, origin: Origin) -> Iterator[Script]:
    from sqlore.sql import split_statements

    for statement in split_statements(text, origin.dialect):
        note = read_comment(statement.comment)
        line = statement.line + offset
        yield Script(
            statement.sql,
            key=f"{origin.source}:{line}",
            question=note.question,
            comment=note.comment,
            evidence=note.evidence,
            author=note.author or header.author,
            time=note.time or header.time,
            runs=note.runs or 1,
            source=origin.source,
            line=line,
            dialect=origin.dialect,
            database=note.database or header.database,
        )


def _file_header(text: str) -> Note:
    """The comment that a blank line sets apart at the top of a file: its author and date hold throughout."""
    lead = _HEADER.match(text)
    return read_comment(lead.group()) if lead else Note()


def _is_gold(lines: list[str]) -> bool:
    filled = [line for line in lines[:50] if line.strip()]
    return bool(filled) and all(_GOLD_LINE.fullmatch(line) for line in filled)


def _gold_scripts(lines: list[str], origin: Origin) -> Iterator[Script | Rejected]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        sql, _, database = line.strip().rpartition("\t")
        if not sql:
            yield origin.reject(line.strip(), "unreadable", "no tab between query and database", number)
            continue
        yield Script(
            sql.strip(),
            key=f"{origin.source}:{number}",
            source=origin.source,
            line=number,
            dialect=origin.dialect,
            database=database.strip(),
        )
