"""What a language model does in the published retriever: name the question's parts, filter and rerank.

The jobs are the paper's (section 4; appendix C.2.2, C.2.3): one call extracts keywords, one picks scripts and
pieces among the candidates, the most relevant first, no piece twice, or none at all. The words are ours. So
are two limits, which a model of 1.5B in 8,000 tokens needs: the answer is lines in place of nested JSON, and
the schema is left out (the old queries show the names). Candidates go in by rank as far as the prompt's
budget reaches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlore.errors import ModelError, ModelUnavailable
from sqlore.model import Message
from sqlore.retrieve.rerank import as_line, without_thoughts

if TYPE_CHECKING:
    from sqlore.llm import ChatModel
    from sqlore.retrieve.baselines.base import Pool

__all__ = ["Choice", "chosen_by_model", "parts_by_model", "read_choices", "read_parts"]

_PARTS_AT_MOST: Final = 8
_PART_TOKENS, _CHOICE_TOKENS = 120, 240
#: Characters of the candidates: some 3,000 tokens of SQL and English with the rest of the prompt.
_ROOM: Final = 9500
_CANDIDATES: Final = 20
_SQL, _WORDS, _PIECE, _PIECES = 700, 200, 140, 12

_PARTS: Final = """\
Cut the question into the phrases that an SQL author has to find a formula, a filter, a join or a sorting for.
Whole phrases, not single words: what is measured, each condition, how things are linked, the order wanted.
One phrase a line in the question's own words, usually two to five, never more than eight, nothing else."""
_FILTER: Final = """\
You pick from old SQL queries what helps to write a new one. Old queries are numbered, and so are the pieces.
Answer with one line for each query that helps, the most useful first: its number and a colon, then the word
all, or the numbers of the pieces that help. Take a piece only once. Leave out what does not help.
If no query helps, answer none.
Example of an answer:
4: all
2: 1, 3"""
_BULLET: Final = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s*")
_QUERY: Final = r"\W*(?:query\s*)?(\d+)"
_LINE: Final = re.compile(
    rf"{_QUERY}\W*[:.)=-]\W*(?:(all)\b|(?:pieces?\b\W*)?(\d+(?:(?:\W|and)+\d+)*))", re.IGNORECASE
)
_BARE: Final = re.compile(rf"(?:{_QUERY}\W*)|\W*(?:\d+\W+)+\d+\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Choice:
    """Text number `row` is kept: whole, or these of its fragments (keys)."""

    row: int
    fragments: frozenset[str] | None = None


def parts_by_model(model: ChatModel, question: str) -> list[str]:
    """The phrases of the question that the model names; none where it does not answer as asked.

    Raises `ModelUnavailable`.
    """
    answer = _said(model, _PARTS, as_line(question, 1000), _PART_TOKENS)
    return [] if answer is None else read_parts(answer)


def read_parts(answer: str) -> list[str]:
    """The phrases in an answer: one a line, or with commas between them where there is one line.

    >>> read_parts("Phrases:\\n1. average height\\n2. publisher is Marvel")
    ['average height', 'publisher is Marvel']
    >>> read_parts("average height, heroes of Marvel")
    ['average height', 'heroes of Marvel']
    """
    lines = [line for line in without_thoughts(answer).splitlines() if line.strip(" `")]
    lines = [line for line in lines if not line.rstrip(" *").endswith(":")]
    if len(lines) == 1:
        lines = lines[0].split(",")
    parts = (_BULLET.sub("", line).strip(" \"'.*`,[]") for line in lines)
    return list(dict.fromkeys(part for part in parts if 1 < len(part) < 100))[:_PARTS_AT_MOST]


def chosen_by_model(model: ChatModel, pool: Pool, question: str, rows: Sequence[int]) -> list[Choice] | None:
    """What the model keeps of the candidates, in its order; None where its answer cannot be read.

    Of the rows, best first, as many are shown as fit. Raises `ModelUnavailable`.
    """
    shown = _fitting(pool, rows)
    if not shown:
        return []
    ask = f"New question: {as_line(question, 1000)}\n\n" + "\n\n".join(shown)
    answer = _said(model, _FILTER, ask, _CHOICE_TOKENS)
    if answer is None:
        return None
    rows = rows[: len(shown)]
    return read_choices(answer, rows, [pool.shown(row).fragments[:_PIECES] for row in rows])


def _said(model: ChatModel, task: str, ask: str, tokens: int) -> str | None:
    try:
        return model.chat([Message("system", task), Message("user", ask)], max_tokens=tokens).text
    except ModelUnavailable:
        raise
    except ModelError:
        return None


def _fitting(pool: Pool, rows: Sequence[int]) -> list[str]:
    """The candidates as text, the first of them always."""
    shown: list[str] = []
    left = _ROOM
    for number, row in enumerate(rows[:_CANDIDATES], start=1):
        text = _candidate(pool, number, row)
        left -= len(text)
        if shown and left < 0:
            break
        shown.append(text)
    return shown


def _candidate(pool: Pool, number: int, row: int) -> str:
    snapshot = pool.snapshot
    text = snapshot.texts[row]
    lines = [f"Query {number}: {as_line(text.words, _WORDS)}", f"  {as_line(text.sql, _SQL)}"]
    for n, item in enumerate(snapshot.items_of_text[row][:_PIECES], start=1):
        known = snapshot.items[item]
        lines.append(f"  {n}. {as_line(f'{known.kind}: {known.skeleton} ({known.name})', _PIECE)}")
    return "\n".join(lines)


def read_choices(answer: str, rows: Sequence[int], fragments: Sequence[Sequence[str]]) -> list[Choice] | None:
    """The model's lines as choices; numbers that stand for nothing are passed over.

    Lines without a colon that are numbers alone name whole queries. "none" is no choice at all; None an
    answer with nothing in it that can be read.

    >>> read_choices("2: all\\n1: 2, 9\\nso much", [10, 20], [["a", "b"], ["c"]])
    [Choice(row=20, fragments=None), Choice(row=10, fragments=frozenset({'b'}))]
    >>> read_choices("none", [10], [["a"]]), read_choices("I cannot say", [10], [["a"]])
    ([], None)
    """
    found: dict[int, Choice] = {}
    lines = [line.strip() for line in without_thoughts(answer).splitlines() if line.strip(" `")]
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            if _BARE.fullmatch(line):
                _keep(found, [Choice(rows[n]) for n in _numbers(line) if n < len(rows)])
            continue
        query = int(match[1]) - 1
        if not 0 <= query < len(rows):
            continue
        if match[2]:
            _keep(found, [Choice(rows[query])])
            continue
        wanted = _numbers(match[3])
        held = frozenset(key for n, key in enumerate(fragments[query]) if n in wanted)
        _keep(found, [Choice(rows[query], held)] if held else [])
    if not found and any(line.strip(" .*\"'").lower() == "none" for line in lines):
        return []
    return list(found.values()) or None


def _numbers(text: str) -> list[int]:
    """The numbers in a text as places from 0."""
    return [int(digits[:6]) - 1 for digits in re.findall(r"\d+", text) if int(digits[:6])]


def _keep(found: dict[int, Choice], choices: Sequence[Choice]) -> None:
    for choice in choices:
        found.setdefault(choice.row, choice)
