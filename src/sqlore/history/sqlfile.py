"""Scripts of a `.sql` file: its statements, each with what the comment above it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from sqlore.history.comments import Note, read_comment
from sqlore.history.decode import is_junk
from sqlore.history.records import Origin
from sqlore.model import Rejected, Script

if TYPE_CHECKING:
    from sqlore.sql import Statement

__all__ = ["sql_scripts"]

# One query a line, a tab, the database: the gold files of Spider and BIRD.
_GOLD_LINE = re.compile(r"\s*(?:SELECT|WITH)\b[^\t]*\t\s*(?P<database>\w[\w.-]*)\s*", re.I)
_HEADER = re.compile(r"(?:[ \t]*(?:--[^\n]*|#[^\n]*|(?>/\*.*?\*/)[ \t\r]*)(?:\n|\Z))+(?=[ \t\r]*\n)", re.S)
_SHOWN = 500
_BACKGROUND = 400


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
    number, file = 0, _File(origin)
    for junk, group in groupby(all_lines, key=is_junk):
        block = list(group)
        if junk:
            shown = "".join(block)[:_SHOWN]
            message = f"{len(block)} line(s) of binary data, not text"
            yield origin.reject(shown, "unreadable", message, number + 1)
        else:
            yield from file.scripts("".join(block), number)
        number += len(block)


class _File:
    """What holds for the statements of a file beyond their own comments.

    `header` is the block at its top that stands apart from the first statement or its comment: its author
    and date hold throughout, its words are background for every statement. `section` is the last block that
    stood so further down: it holds up to the next.
    """

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.header = self.section = Note()

    def scripts(self, text: str, offset: int) -> Iterator[Script]:
        """The statements of a text that begins `offset` lines below the top of the file."""
        from sqlore.sql import split_statements

        for number, statement in enumerate(split_statements(text, self.origin.dialect)):
            sections, note = list(statement.sections), read_comment(statement.comment)
            is_heading = False
            if number == offset == 0:
                if sections:
                    self.header = read_comment(sections.pop(0))
                elif statement.comment and _HEADER.match(text):
                    # It may be meant for this statement alone: what it asks is nobody else's question.
                    self.header, is_heading = replace(note, lines=[note.comment or ""]), True
            if sections:
                self.section = read_comment("\n".join(sections))
            yield self._script(statement, note, offset, of_file=not is_heading)

    def _script(self, statement: Statement, note: Note, offset: int, *, of_file: bool) -> Script:
        line = statement.line + offset
        section, header = self.section, self.header
        return Script(
            statement.sql,
            key=f"{self.origin.source}:{line}",
            question=note.question,
            comment=note.comment,
            evidence=_background(note.evidence, _words(section), _words(header) if of_file else None),
            author=note.author or section.author or header.author,
            time=note.time or section.time or header.time,
            runs=note.runs or 1,
            source=self.origin.source,
            line=line,
            dialect=self.origin.dialect,
            database=note.database or section.database or header.database,
        )


def _words(note: Note) -> str:
    """All words of a note, line by line, cut at a few hundred characters."""
    text = "\n".join(filter(None, (*note.lines, note.evidence)))
    if len(text) <= _BACKGROUND:
        return text
    return text[:_BACKGROUND].rsplit(None, 1)[0].rstrip(" ,;:") + " …"


def _background(*texts: str | None) -> str | None:
    return "\n".join(dict.fromkeys(filter(None, texts))) or None


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
