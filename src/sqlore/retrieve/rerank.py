"""A language model's say in what is retrieved: one call that keeps, drops and orders. Off by default.

For those who have a strong model (the published retriever always asks one: BIRD-History, section 4). The
best candidates go to it as a numbered list; it answers with the numbers of those that are needed. What it
says is evidence, not a verdict: it changes our odds and does not replace them.

    kept      odds times 6 for the first it names, down to 3 for the last
    dropped   odds divided by 4

So a piece that was nearly certain survives being dropped (.95 becomes .83), and one that was unlikely does
not win by being kept (.05 becomes .14 to .24). An answer that cannot be read changes nothing, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlore.errors import ModelError, ModelUnavailable
from sqlore.model import Message

if TYPE_CHECKING:
    from sqlore.llm import ChatModel
    from sqlore.model import KnowledgeItem, Usage

__all__ = [
    "CANDIDATES",
    "Judge",
    "ModelFilter",
    "Verdict",
    "as_line",
    "moved",
    "read_numbers",
    "without_thoughts",
]

#: Candidates that the model is shown: what is needed is nearly always among so many.
CANDIDATES: Final = 20
_FIRST, _LAST, _DROPPED = 6.0, 3.0, 0.25
_SQL: Final = 180
_WORDS: Final = 100
_ANSWER_TOKENS: Final = 120

_TASK: Final = """\
A new question is to be answered with one SQL query. Numbered pieces of SQL from old queries on the same \
database are given, each with its kind and its meaning. Which of them does the new query need?
Answer with one line: the numbers of the needed pieces, the most important first, like 4, 1, 7.
Leave out what does not fit the question. Of pieces that do the same job take one.
If none fits, answer none."""

_THOUGHTS: Final = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_TURN: Final = re.compile(r"<\|[^<>\n]{0,40}\|>|\[/?INST\]|</?s>|`{3,}", re.IGNORECASE)
_SPACE: Final = re.compile(r"\s+")
_DROPPING: Final = re.compile(
    r"\b(?:drop(?:ped)?|not needed|leave out|left out|removed?|unneeded|irrelevant)\b[^\n\]]*\]?",
    re.IGNORECASE,
)
_LIST: Final = re.compile(r"\[\s*(\d[\d\s,]*)\]")
_LABEL: Final = re.compile(r"^[\W_]*(?:[a-z][a-z _]{0,40}\W*[:=])?\W*", re.IGNORECASE)
_LINE: Final = re.compile(r"(\d+(?:(?:\W|and)+\d+)*)(?:\W*|\s*[(–—-].*)", re.IGNORECASE)
_ITEM: Final = re.compile(r"^\W*(\d+)\s*[.):–—-]+\s*[^\W\d]")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the model said of a list: the places of those it keeps, in its order; None where it said nothing
    that can be used, and `note` then says why."""

    kept: tuple[int, ...] | None
    note: str = ""
    usage: Usage | None = None


#: Candidates, best first, and whether some script is withheld, to a verdict.
Judge = Callable[[str, "Sequence[KnowledgeItem]", bool], Verdict]


class ModelFilter:
    """Asks `model` once a question, at temperature 0. The same list is not asked about twice in a row.

    With `mask` a remote model sees skeletons and names only: no value of the database.
    """

    def __init__(self, model: ChatModel, *, mask: bool = False) -> None:
        self.model = model
        self.mask = mask and model.remote
        self._last: tuple[list[Message], Verdict] | None = None

    def __call__(self, question: str, items: Sequence[KnowledgeItem], withheld: bool = False) -> Verdict:
        """The verdict on `items`; descriptions are not shown where scripts are `withheld`: they tell values.

        Raises `ModelUnavailable`; any other failure is a verdict with a note.
        """
        pieces = [_piece(item, masked=self.mask, described=not withheld) for item in items]
        messages = asked_about(question, pieces)
        last = self._last
        if last is not None and last[0] == messages:
            return Verdict(last[1].kept, last[1].note)
        verdict = self._ask(messages, len(items))
        self._last = (messages, verdict)
        return verdict

    def _ask(self, messages: list[Message], count: int) -> Verdict:
        try:
            answer = self.model.chat(messages, max_tokens=_ANSWER_TOKENS)
        except ModelUnavailable:
            raise
        except ModelError as error:
            return Verdict(None, f"the filter's model gave no answer ({error.message}): ranked without it")
        kept = read_numbers(answer.text, count)
        note = "" if kept is not None else "the filter's answer could not be read: ranked without it"
        return Verdict(kept, note, answer.usage)


def asked_about(question: str, pieces: Sequence[str]) -> list[Message]:
    """The one request."""
    lines = [f"{number}. {piece}" for number, piece in enumerate(pieces, start=1)]
    ask = "\n".join([f"Question: {as_line(question, 1000)}", "", "Pieces:", *lines, "", "Needed:"])
    return [Message("system", _TASK), Message("user", ask)]


def _piece(item: KnowledgeItem, *, masked: bool, described: bool) -> str:
    """One candidate on one line; masked it has a skeleton and a name, which hold no value."""
    sql = item.skeleton if masked else item.sql
    words = item.name if masked or not described else item.description or item.name
    scripts = f"in {item.support} {'query' if item.support == 1 else 'queries'}"
    used = "from a made-up query" if item.synthetic else scripts
    return f"{item.kind}: {as_line(sql, _SQL)} ({as_line(words, _WORDS)}; {used})"


def as_line(text: str, most: int) -> str:
    """Text of people as one line that starts no turn of its own."""
    text = _SPACE.sub(" ", _TURN.sub(" ", text)).strip()
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def without_thoughts(answer: str) -> str:
    """An answer without what a model thought aloud before it; a thought that was cut off is none."""
    return _THOUGHTS.sub("", answer)


def read_numbers(answer: str, count: int) -> tuple[int, ...] | None:
    """The places (from 0) that an answer names, in its order; None where it cannot be read.

    Numbers that several lines begin with count, or a list in brackets, or the last line of numbers; numbers
    in a sentence do not.

    >>> read_numbers("Needed: 3, 1 and 9", 5)
    (2, 0)
    >>> read_numbers("Let me see.\\n2. the join\\n4. the condition", 5)
    (1, 3)
    >>> read_numbers("none", 5), read_numbers("I would take 3 of them", 5)
    ((), None)
    """
    said = _DROPPING.sub("", without_thoughts(answer))
    lines = [line for line in said.splitlines() if line.strip()]
    listed = [match[1] for match in map(_ITEM.match, lines) if match]
    if len(listed) > 1:
        return _places(listed, count) or None
    if bracketed := _LIST.search(said):
        return _places(re.findall(r"\d+", bracketed[1]), count) or None
    tail: list[str] = []
    for line in reversed(lines):
        rest = _LABEL.sub("", line).strip()
        if not tail and rest.strip(" .`\"'*[]{}").lower() in ("none", "no piece", "no pieces", "nothing"):
            return ()
        match = _LINE.fullmatch(rest)
        numbers = re.findall(r"\d+", match[1]) if match else []
        if tail and len(numbers) != 1:  # a number a line is one list; lines of several are one answer each
            break
        tail = numbers + tail
        if len(numbers) > 1:
            break
    return _places(tail or listed, count) or None


def _places(numbers: Sequence[str], count: int) -> tuple[int, ...]:
    return tuple(dict.fromkeys(n - 1 for n in map(int, (text[:6] for text in numbers)) if 0 < n <= count))


def moved(scores: Sequence[float], kept: Sequence[int]) -> list[float]:
    """The scores after a verdict: odds times a factor, as the module says.

    >>> [round(score, 2) for score in moved([0.95, 0.5, 0.5, 0.05], [2, 1])]
    [0.83, 0.75, 0.86, 0.01]
    """
    step = (_FIRST - _LAST) / max(1, len(kept) - 1)
    factors = {place: _FIRST - rank * step for rank, place in enumerate(kept)}
    return [_times(score, factors.get(place, _DROPPED)) for place, score in enumerate(scores)]


def _times(chance: float, factor: float) -> float:
    chance = min(max(chance, 1e-9), 1 - 1e-6)
    return chance * factor / (chance * factor + 1 - chance)
