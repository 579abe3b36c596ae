"""A file of SQL taken apart into its statements, each with the comment above it.

One regular expression finds what matters (quotes, comments, brackets, separators, lines that begin a
query); everything between is passed over, so a file of ten megabytes takes a second or two. What is
written wrongly costs one statement, not the file: a quote that is never closed ends where the next query
clearly begins, and a query that lacks its semicolon ends where the next one begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sqlore.sql.split_comments import comment_text
from sqlore.sql.split_patterns import (
    AFTER_BLANK,
    AFTER_STOP,
    ASSIGNS,
    BLANK_LINE,
    BLOCK,
    BLOCK_WORDS,
    COPY_DATA,
    NO_NESTING,
    VARIABLES,
    block_comment_end,
    is_whole_query,
    pattern_of,
)

__all__ = ["Statement", "split_statements"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: `text[start : start + len(sql)] == sql`, without its semicolon; `line` from 1.

    `comment` is what the comment block above says, or the comment behind it on its own line; `sections` are
    the blocks above that one, set apart by blank lines: headings, definitions. What stands behind a
    template's ``{{ config() }}`` and before its first word of SQL stands above it too.
    """

    sql: str
    start: int
    line: int
    comment: str | None = None
    sections: tuple[str, ...] = field(default=(), repr=False)


def split_statements(text: str, dialect: str | None = None) -> list[Statement]:
    """The statements of `text` in order; what holds only comments is left out.

    Text in quotes, dollar quotes, comments (nested too) and `{{ }}`/`{% %}` is never cut; `GO` lines,
    `DELIMITER` and BEGIN ... END blocks are understood.

    >>> split_statements("-- open bills\\nSELECT ';' FROM bill;\\nSELECT 2")[0]
    Statement(sql="SELECT ';' FROM bill", start=14, line=2, comment='open bills')
    """
    return list(_with_lines(text, _Splitter(text, (dialect or "").lower()).run()))


def _with_lines(text: str, pieces: Iterator[Statement]) -> Iterator[Statement]:
    line, seen = 1, 0
    for piece in pieces:
        line += text.count("\n", seen, piece.start)
        seen = piece.start
        yield replace(piece, line=line)


class _Splitter:
    """Reads the text once. `body` is where the statement at hand begins, None while only comments came."""

    def __init__(self, text: str, dialect: str) -> None:
        self.text = text
        self.dialect = dialect
        self.delimiter = ";"
        self.body: int | None = None
        self.prelude = False  # only template blocks have come of the statement's body
        self.last = 0  # end of the last thing that was no comment
        self.depth = 0
        self.before = 0  # end of the statement before
        self.comments: list[tuple[int, int]] = []  # above the statement
        self.tail: list[tuple[int, int]] = []  # since `last`, inside or behind the statement
        self.block_from = 0  # up to where BEGIN and END are counted
        self.block_depth = 0
        self.first_stop: int | None = None  # of a block: where it ends if it never closes
        self.no_block_until = 0
        self.query_at: int | None = None  # behind T-SQL variables: where their query begins
        self.pending: Statement | None = None

    def run(self) -> Iterator[Statement]:
        position = 1 if self.text.startswith("\ufeff") else 0
        self.last = position
        while True:
            match = pattern_of(self.dialect, self.delimiter).search(self.text, position)
            self._gap(position, match.start() if match else len(self.text))
            if match is None:
                if self.first_stop is None:
                    break
                position = self._reopen_block()
                yield from self._end()
                continue
            if match["query"] is not None:
                if self._lacks_semicolon(match.end()):
                    yield from self._end()
                position = match.end() + 4  # past SELE or WITH, or the same line would be found again
                self._significant(match.end(), position)
                continue
            position, ended = self._take(match)
            if ended:
                yield from self._end()
                position = self._skip_copy_data(position)
        yield from self._end()
        if self.pending is not None:
            yield self.pending

    # ---------------------------------------------------------------- one match

    def _gap(self, start: int, end: int) -> None:
        """Plain text between two matches."""
        found = self.text[start:end]
        stripped = found.strip()
        if stripped:
            self._significant(start + found.index(stripped[0]), start + len(found.rstrip()))

    def _significant(self, start: int, end: int) -> None:
        if self.body is None:
            self.body = start
            self.block_from = start
        self.prelude = False
        self.last = end
        self.tail.clear()

    def _take(self, match: re.Match[str]) -> tuple[int, bool]:
        """Where to go on, and whether a statement ends here."""
        kind = match.lastgroup if match.lastgroup not in ("tag", "new") else None
        if kind == "comment":
            self._comment(match.start(), match.end())
        elif kind == "block":
            return self._block_comment(match.start())
        elif kind == "open":
            return self._broken(match.start())
        elif kind == "quoted":
            if self._swallows(match):
                return self._broken(match.start())
            self._significant(match.start(), match.end())
        elif kind == "stop":
            return match.end(), self._is_end(match.start(), match.end())
        elif kind in ("go", "slash", "send"):
            return match.end(), True
        elif kind == "command":
            return match.end(), False  # of the command line: no SQL
        elif match["delimiter"]:
            self.delimiter = match["new"]
            return match.end(), True
        else:
            self.depth += {"(": 1, ")": -1}.get(match.group(), 0)
            prelude = kind == "jinja" and (self.body is None or self.prelude)
            self._significant(match.start(), match.end())
            self.prelude = prelude
        return match.end(), False

    def _comment(self, start: int, end: int) -> None:
        if self.body is not None:
            (self.comments if self.prelude else self.tail).append((start, end))
        elif self.pending is not None and "\n" not in self.text[self.last : start]:
            if self.pending.comment is None:  # behind the semicolon, on the line of its statement
                self.pending = replace(self.pending, comment=comment_text([self.text[start:end]]))
        else:
            self.comments.append((start, end))

    def _block_comment(self, start: int) -> tuple[int, bool]:
        end = block_comment_end(self.text, start, self.dialect not in NO_NESTING)
        if end < 0:
            return self._broken(start)
        self._comment(start, end)
        return end, False

    def _swallows(self, match: re.Match[str]) -> bool:
        """A text in quotes over blank lines and the head of a query: its quote was likely never closed."""
        inside = match.group()
        if "\n" not in inside or AFTER_BLANK.search(inside) is None:
            return False
        begin = self.text[self.body : self.body + 6].upper() if self.body is not None else ""
        following = self.text[match.end() : match.end() + 1]
        return begin.startswith(("SELECT", "WITH")) or following.isalnum()

    def _broken(self, start: int) -> tuple[int, bool]:
        """A quote or comment that is never closed: go on where the next query begins."""
        found = AFTER_BLANK.search(self.text, start) or AFTER_STOP.search(self.text, start)
        end = found.start() + 1 if found else len(self.text)
        piece = self.text[start:end].rstrip()
        self._significant(start, start + len(piece.removesuffix(self.delimiter).rstrip()))
        self.first_stop = None
        return end, True

    # ---------------------------------------------------------------- where a statement ends

    def _is_end(self, start: int, end: int) -> bool:
        """Whether this semicolon ends the statement, or stands inside a BEGIN ... END block."""
        if self.body is None or self.body < self.no_block_until or not BLOCK.match(self.text, self.body):
            return True
        for match in BLOCK_WORDS.finditer(self.text, self.block_from, start):
            if match["open"]:
                self.block_depth += 1
            elif match.group()[:3].upper() == "END" and not match["other"]:
                self.block_depth -= 1
        self.block_from = end
        if self.block_depth <= 0 and not self._declares(start):
            return True
        self.first_stop = start if self.first_stop is None else self.first_stop
        self._significant(start, end)
        return False

    def _declares(self, start: int) -> bool:
        """The declarations of an anonymous block come before its BEGIN."""
        text = self.text[self.body : start]
        return text[:7].upper() == "DECLARE" and re.search(r"\bBEGIN\b", text, re.IGNORECASE) is None

    def _reopen_block(self) -> int:
        """The block never closed: take its first semicolon for an end after all, and read on from there.

        No later one is believed either, or a file of such blocks would be read once for each.
        """
        assert self.first_stop is not None
        end = self.first_stop
        self.last = end
        self.tail.clear()
        self.no_block_until = len(self.text)
        return end + len(self.delimiter)

    def _lacks_semicolon(self, position: int) -> bool:
        """A line begins a query though the one at hand, already complete, has not ended."""
        if self.body is None or self.depth != 0 or self.first_stop is not None:
            return False
        sql = self.text[self.body : self.last]
        if VARIABLES.match(sql):  # T-SQL's variables belong to the query below them, not to the one after it
            if self.query_at is None:
                self.query_at = None if ASSIGNS.match(self.text, position) else position
                return False
            sql = self.text[self.query_at : self.last]
        return is_whole_query(sql)

    def _skip_copy_data(self, position: int) -> int:
        """The rows behind PostgreSQL's COPY ... FROM stdin are no SQL."""
        if self.pending is None or not COPY_DATA.match(self.pending.sql):
            return position
        end = re.compile(r"^\\\.[ \t\r]*$", re.MULTILINE).search(self.text, position)
        return end.end() if end else position

    # ---------------------------------------------------------------- results

    def _end(self) -> Iterator[Statement]:
        """The statement at hand, if there is one; it is held back for a comment behind it."""
        if self.body is not None:
            sql = self.text[self.body : self.last].rstrip()
            own_line = [span for span in self.tail if "\n" in self.text[self.last : span[0]]]
            behind = [span for span in self.tail if span not in own_line]
            blocks = self._blocks(self.comments) or self._blocks(behind)
            if self.pending is not None:
                yield self.pending
            comment, sections = (blocks[-1], tuple(blocks[:-1])) if blocks else (None, ())
            self.pending = Statement(sql, self.body, 0, comment, sections) if sql else None
            self.before = self.last
            self.comments = own_line
        else:
            self.comments = []
        self.body = None
        self.depth = 0
        self.tail = []
        self.block_depth = 0
        self.first_stop = None
        self.query_at = None

    def _blocks(self, spans: list[tuple[int, int]]) -> list[str]:
        """The words of comments, block by block: a block ends at a blank line, or at what is no comment.

        Of several, one right below the statement before speaks of that one.
        """
        blocks: list[list[tuple[int, int]]] = []
        for span in spans:
            between = self.text[blocks[-1][-1][1] : span[0]] if blocks else ""
            if not blocks or BLANK_LINE.search(between):
                blocks.append([])
            blocks[-1].append(span)
        if self.pending is not None and len(blocks) > 1:
            between = self.text[self.before : blocks[0][0][0]]
            blocks = blocks if "\n" in between.strip(" \t\r").partition("\n")[2] else blocks[1:]
        words = [comment_text([self.text[start:end] for start, end in block]) for block in blocks]
        return [text for text in words if text]
