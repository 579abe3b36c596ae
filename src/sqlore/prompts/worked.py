"""Examples that are worked in several turns, and what a model says in such turns.

All steps of a question are one conversation: the examples show every step, and each step of the question goes
on where the one before it ended. So the examples are the same, byte for byte, for all questions and for all
steps, and a model's prefix cache reads them once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlore.model import Message
from sqlore.prompts.base import Prompt
from sqlore.prompts.text import as_data, tokens

__all__ = ["Worked", "fitting_worked", "go_on", "listed", "said_lines", "worked_tokens", "worked_turns"]

_NUMBER: Final = re.compile(r"^[\s>*\-•`]*(?:\d{1,2}\s*[.):]\s*)?[\s*`]*")
_LIST: Final = re.compile(r"^\[.*\]$", re.DOTALL)
_IN_LIST: Final = re.compile(r"""(?<=[\[,])\s*(["'])(.*?)\1\s*(?=[,\]])""")
_QUOTED: Final = re.compile(r"""(["'])((?:(?!\1).)*)\1""")


@dataclass(frozen=True, slots=True)
class Worked:
    """One example: `turns` are what is asked and what is answered; the question comes before the first."""

    database: str
    schema: str
    question: str
    turns: tuple[tuple[str, str], ...]


def worked_turns(examples: Sequence[Worked]) -> list[Message]:
    """The examples as turns; a schema is said where the database changes."""
    messages: list[Message] = []
    last: tuple[str, str] | None = None
    for one in examples:
        lead = f"Question: {one.question}\n"
        if (one.database, one.schema) != last:
            lead = f"Database {one.database}:\n{one.schema}\n\n{lead}"
            last = one.database, one.schema
        for asked, answered in one.turns:
            messages += [Message("user", lead + asked), Message("assistant", answered)]
            lead = ""
    return messages


def worked_tokens(examples: Sequence[Worked]) -> int:
    """About how many tokens the examples take.

    >>> worked_tokens([Worked("school", "CREATE TABLE pupil (name);", "Who?", (("SQL:", "SELECT 1"),))])
    22
    """
    return sum(tokens(message.content) for message in worked_turns(examples))


def fitting_worked(examples: Sequence[Worked], room: int) -> list[Worked]:
    """Those of `examples`, the first first, that fit in `room` tokens; one that does not is passed over."""
    taken: list[Worked] = []
    for one in examples:
        if worked_tokens(sorted([*taken, one], key=lambda each: each.database)) <= room:
            taken.append(one)
    return taken


def go_on(
    messages: Sequence[Message],
    said: str,
    asked: str,
    *,
    stop: tuple[str, ...] = (),
    most: int | None = None,
    then: Callable[[str], Prompt] | None = None,
) -> Prompt:
    """The conversation with what was said in its last step, and the next step asked for."""
    turn = (Message("assistant", said), Message("user", asked))
    return Prompt((*messages, *turn), stop=stop, then=then, most=most)


def listed(lines: Sequence[str]) -> str:
    """Lines with their numbers.

    >>> listed(["Which huts", "are open?"])
    '1. Which huts\\n2. are open?'
    """
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def said_lines(said: str, room: int, *, ends: Iterable[str] = ()) -> list[str]:
    """The lines of a model's answer without numbers, bullets and labels, as many as fit in `room` tokens.

    A list in brackets is one too. A line that begins with one of `ends` (the next step, that nobody asked for
    yet) ends it. A line that comes again is left out: small models repeat themselves.

    >>> said_lines("Here are the parts:\\n1. **Which huts**\\n- are open?\\nSQL: SELECT 1", 50, ends=["SQL:"])
    ['Which huts', 'are open?']
    >>> said_lines('["Which huts", "are open?"]', 50)
    ['Which huts', 'are open?']
    """
    text = said.strip()
    if _LIST.match(text):
        text = "\n".join(match[2] for match in _IN_LIST.finditer(text)) or text[1:-1]
    stops = tuple(end.lower() for end in ends)
    found: dict[str, None] = {}
    for raw in text.splitlines():
        line = as_data(_NUMBER.sub("", raw, count=1), 300).rstrip("*`").strip()
        if stops and line.lower().startswith(stops):
            break
        if line and not line.endswith(":"):
            found.setdefault(_unquoted(line), None)
    return _within(list(found), room)


def _unquoted(line: str) -> str:
    whole = _QUOTED.fullmatch(line)
    return whole[2] if whole else line


def _within(lines: Sequence[str], room: int) -> list[str]:
    taken: list[str] = []
    for line in lines:
        if tokens(listed([*taken, line])) > room:
            break
        taken.append(line)
    return taken
