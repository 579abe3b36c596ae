"""A query as it is edited: by spans of its text, so that everything else stays byte for byte.

A change is a few replacements of text. It is proposed from the tokens and the syntax tree (`off`,
`replace`, `insert`), then the new text is parsed again and compared with the old one fragment by
fragment (`compare`): what was not meant to change has not changed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

__all__ = ["Change", "TextEdit", "applied", "differing", "inverted", "moved", "unified_diff"]

_WORD: Final = re.compile(r"\s+|\w+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TextEdit:
    """``sql[start:end]`` becomes `text`."""

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """Edits of one text, in its order and without overlap, and what a person is told about them.

    `affected` are pieces whose text stays and whose meaning does not: they use a name that was changed.
    """

    before: str
    edits: tuple[TextEdit, ...]
    notes: tuple[str, ...] = ()
    affected: tuple[str, ...] = ()

    @property
    def after(self) -> str:
        """The text after the change."""
        return applied(self.before, self.edits)

    @property
    def spans(self) -> tuple[tuple[int, int, int, int], ...]:
        """(start, end) before and (start, end) after of every edit: what a view marks.

        >>> Change("a b c", (TextEdit(0, 1, "xx"), TextEdit(4, 5))).spans
        ((0, 1, 0, 2), (4, 5, 5, 5))
        """
        found, shift = [], 0
        for edit in self.edits:
            start = edit.start + shift
            found.append((edit.start, edit.end, start, start + len(edit.text)))
            shift += len(edit.text) - (edit.end - edit.start)
        return tuple(found)


def applied(sql: str, edits: Iterable[TextEdit]) -> str:
    """The text with these edits, whose offsets all count in `sql`.

    >>> applied("SELECT a, b FROM t", [TextEdit(8, 11), TextEdit(17, 18, "u")])
    'SELECT a FROM u'
    """
    for edit in reversed(ordered(edits)):
        sql = f"{sql[: edit.start]}{edit.text}{sql[edit.end :]}"
    return sql


def ordered(edits: Iterable[TextEdit]) -> tuple[TextEdit, ...]:
    """The edits by place; those that take nothing away come first where they begin together."""
    return tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))


def inverted(change: Change) -> tuple[TextEdit, ...]:
    """The edits that lead back; their offsets count in the text after the change.

    >>> applied("a c", inverted(Change("a b c", (TextEdit(1, 3),))))
    'a b c'
    """
    return tuple(
        TextEdit(start, end, change.before[old_start:old_end])
        for old_start, old_end, start, end in change.spans
    )


def moved(edits: Iterable[TextEdit], later: Iterable[TextEdit]) -> tuple[TextEdit, ...] | None:
    """Edits of a text as edits of what `later` edits made of it; None where both touch one place.

    >>> moved([TextEdit(10, 12, "x")], [TextEdit(0, 3)])
    (TextEdit(start=7, end=9, text='x'),)
    """
    out = []
    for edit in edits:
        shift = 0
        for other in later:
            if other.end <= edit.start:
                shift += len(other.text) - (other.end - other.start)
            elif other.start < edit.end:
                return None
        out.append(TextEdit(edit.start + shift, edit.end + shift, edit.text))
    return tuple(out)


def differing(before: str, after: str) -> tuple[TextEdit, ...]:
    """The words in which two texts differ, as edits of the first.

    >>> differing("SELECT a FROM t", "SELECT b FROM t")
    (TextEdit(start=7, end=8, text='b'),)
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    starts = [0]
    for word in old:
        starts.append(starts[-1] + len(word))
    return tuple(
        TextEdit(starts[a], starts[b], "".join(new[c:d]))
        for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    )


def unified_diff(before: str, after: str, context: int = 3) -> str:
    """The difference as a unified diff, line by line; empty where there is none.

    >>> print(unified_diff("SELECT a\\nFROM t", "SELECT b\\nFROM t"))
    --- before
    +++ after
    @@ -1,2 +1,2 @@
    -SELECT a
    +SELECT b
     FROM t
    """
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "before", "after", lineterm="", n=context
    )
    return "\n".join(lines)
