"""What a language model does in the published retriever: name the question's parts, filter and rerank.

The jobs are the paper's (appendix C.2.2, C.2.3), the words are ours, and so is the form of the answer: lines
that a small model can write without a slip, in place of nested JSON.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlore.errors import ModelRefusal
from sqlore.model import Message

if TYPE_CHECKING:
    from sqlore.llm import ChatModel
    from sqlore.retrieve.baselines.base import Pool

__all__ = ["Choice", "chosen_by_model", "parts_by_model", "read_choices"]

_PARTS_AT_MOST: Final = 8
_PARTS: Final = """\
Cut the question into the phrases that an SQL author has to find a formula, a filter, a join or a sorting for.
One phrase a line, at most six, in the question's own words, nothing else."""
_FILTER: Final = """\
You pick from old SQL queries what helps to write a new one. Old queries are numbered, and so are the pieces.
Answer with one line for each query that helps, the most useful first: its number and a colon, then the word
all, or the numbers of the pieces that help. Take a piece only once. Leave out what does not help.
Example of an answer:
4: all
2: 1, 3"""
_BULLET: Final = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s*")
_LINE: Final = re.compile(r"^\W*(?:query\s*)?(\d+)\s*[:.)-]\s*(all\b|[\d,; and]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Choice:
    """Text number `row` is kept: whole, or these of its fragments (keys)."""

    row: int
    fragments: frozenset[str] | None = None


def parts_by_model(model: ChatModel, question: str) -> list[str]:
    """The phrases of the question that the model names; none where it does not answer as asked."""
    try:
        answer = model.chat([Message("system", _PARTS), Message("user", question)], max_tokens=120).text
    except ModelRefusal:
        return []
    lines = (_BULLET.sub("", line).strip(" \"'.") for line in answer.splitlines())
    return [line for line in lines if 1 < len(line) < 100][:_PARTS_AT_MOST]


def chosen_by_model(model: ChatModel, pool: Pool, question: str, rows: Sequence[int]) -> list[Choice]:
    """The candidates that the model keeps, in its order; all of them where its answer cannot be read."""
    if not rows:
        return []
    shown = [_candidate(pool, number, row) for number, row in enumerate(rows, start=1)]
    ask = f"New question: {question}\n\n" + "\n\n".join(shown)
    try:
        answer = model.chat([Message("system", _FILTER), Message("user", ask)], max_tokens=200).text
    except ModelRefusal:
        return [Choice(row) for row in rows]
    fragments = [pool.shown(row).fragments for row in rows]
    return read_choices(answer, rows, fragments) or [Choice(row) for row in rows]


def _candidate(pool: Pool, number: int, row: int) -> str:
    text = pool.snapshot.texts[row]
    pieces = [f"  {n}. {key}" for n, key in enumerate(pool.shown(row).fragments, start=1)]
    return "\n".join([f"Query {number}: {text.words}", f"  {' '.join(text.sql.split())}", *pieces])


def read_choices(answer: str, rows: Sequence[int], fragments: Sequence[Sequence[str]]) -> list[Choice]:
    """The model's lines as choices; numbers that stand for nothing are passed over.

    >>> read_choices("2: all\\n1: 2, 9\\nso much", [10, 20], [["a", "b"], ["c"]])
    [Choice(row=20, fragments=None), Choice(row=10, fragments=frozenset({'b'}))]
    """
    found: dict[int, Choice] = {}
    for line in answer.splitlines():
        match = _LINE.match(line)
        number = int(match[1]) - 1 if match else -1
        if match is None or not 0 <= number < len(rows) or rows[number] in found:
            continue
        if match[2].lower() == "all":
            found[rows[number]] = Choice(rows[number])
            continue
        wanted = {int(n) - 1 for n in re.findall(r"\d+", match[2])}
        held = frozenset(key for n, key in enumerate(fragments[number]) if n in wanted)
        if held:
            found[rows[number]] = Choice(rows[number], held)
    return list(found.values())
