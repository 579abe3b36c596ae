"""A known question with its values taken out, and what another question says in their place.

`retrieve.frames` finds values by their spelling, which is enough to rank. Reuse has to be certain: here a
value is what the question and the literals of its own SQL both say, whatever its spelling, and every other
word has to be the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from sqlore.catalog.text import WORD, fold_word

#: Words that one value has at most.
LONGEST: Final = 10

_PIECE: Final = re.compile(
    rf"(?<![\w.])\.\d+(?![\w.])|!(?=\s*[=~<>]|[\w(])|{WORD.pattern}|[^\s\w.,;:?!\"'`()“”‘’«»]"
)
_LITERAL: Final = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|(?<![\w.])\d+(?:\.\d+)?(?![\w.])|--[^\n]*|/\*.*?\*/", re.S
)
#: What stands before a literal that is a parameter: a comparison, a limit; never arithmetic or an argument.
_BEFORE: Final = re.compile(
    r"(?:[=<>]|\b(?:like|between|limit)|\bin\s*\(|"
    r"\bbetween\s+(?:'[^']*'|\"[^\"]*\"|[\d.]+)\s+and)\s*\Z",
    re.I,
)
_AFTER: Final = re.compile(r"\s*(?:[-+*/%]|\|\|)(?!-)")
_NUMERALS: Final = (
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_COUNTED: Final = {word: str(number) for number, word in enumerate(_NUMERALS, 2)}
#: Articles, courtesy and auxiliaries: a question is the same with them and without.
_LIGHT: Final = frozenset(
    ("the", "a", "an", "please", "is", "are", "was", "were", "be", "do", "does", "did", "there", "that")
)
#: How a question begins that asks for what comes next: "Show me", "What are", "List".
_REQUESTS: Final = frozenset(("list", "show", "find", "give", "return", "tell", "display", "provide", "what"))
_REQUEST_TAILS: Final = frozenset(("me", "us", "out", "all"))
_EDGE: Final = " \t\r\n.,;:?!\"'`()“”‘’«»"


@dataclass(frozen=True, slots=True)
class Piece:
    """A word or sign of a question, folded, and where it stands."""

    folded: str
    start: int
    end: int


def pieces(text: str) -> list[Piece]:
    """The words and signs of a text, numerals as digits, without those that say nothing.

    >>> [p.folded for p in pieces("The three films with a '+' label?")]
    ['3', 'film', 'with', '+', 'label']
    >>> [p.folded for p in pieces("rated != .5!")]
    ['rated', '!', '=', '0.5']
    """
    found = []
    for match in _PIECE.finditer(text):
        said = match.group()
        folded = f"0{said}" if said.startswith(".") else fold_word(said)
        if folded not in _LIGHT:
            found.append(Piece(_COUNTED.get(folded, folded), *match.span()))
    return found


def asked_pieces(question: str) -> list[Piece]:
    """The pieces of a question without the words that only ask for the rest.

    >>> [p.folded for p in asked_pieces("Show me the names.")] == [
    ...     p.folded for p in asked_pieces("What are the names?")]
    True
    """
    found = pieces(question)
    start = 0
    if found and found[0].folded in _REQUESTS:
        start = 1
        while start < len(found) and found[start].folded in _REQUEST_TAILS:
            start += 1
    return found[start:]


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal of a script: its text without quotes, where it stands with them, whether it may change."""

    text: str
    start: int
    end: int
    quote: str
    free: bool

    @property
    def core(self) -> str:
        """The text without the wildcards around it."""
        return self.text.strip("%") if self.quote else self.text


def literals(sql: str, is_name: Callable[[str], bool] = lambda _: False) -> list[Literal]:
    """The literals of a script in order; `is_name` tells double-quoted names from strings.

    >>> [(one.text, one.free) for one in literals("SELECT a * 100 FROM t WHERE b = 'x' LIMIT 5")]
    [('100', False), ('x', True), ('5', True)]
    """
    found = []
    for match in _LITERAL.finditer(sql):
        text, quote = match.group(), match.group()[0]
        if text.startswith(("--", "/*")):
            continue
        if quote in "'\"":
            text = text[1:-1].replace(quote * 2, quote)
            if quote == '"' and is_name(text):
                continue
        else:
            quote = ""
        found.append(Literal(text, *match.span(), quote, _is_free(sql, *match.span())))
    return found


def _is_free(sql: str, start: int, end: int) -> bool:
    return bool(_BEFORE.search(sql[max(0, start - 120) : start])) and not _AFTER.match(sql, end)


@dataclass(frozen=True, slots=True)
class Slot:
    """A value of the known question: the literals of the SQL that write it."""

    said: str
    literals: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A question as words and slots (their numbers); `words` are those that every such question has."""

    parts: tuple[str | int, ...]
    slots: tuple[Slot, ...]
    words: frozenset[str]

    @property
    def frame(self) -> tuple[str, ...]:
        """What questions that differ in their values only have in common."""
        return tuple(part if isinstance(part, str) else "" for part in self.parts)


def pattern_of(
    question: str, found: Sequence[Literal], said_as: Callable[[Literal], Iterable[str]]
) -> Pattern | None:
    """The pattern of a question whose SQL has the literals `found`; `said_as` are the words for a literal.

    None where a value of the question is in the SQL a second time in another form, so that changing the one
    would leave the other: a year that is a literal and a part of a date too.
    """
    said = [piece.folded for piece in asked_pieces(question)]
    parts: list[str | int] = list(said)
    slots: list[Slot] = []
    for group in _groups(found):
        places, words = _places(parts, group[0], said_as)
        if places and not (not group[0].quote and (len(group) > 1 or len(places) > 1)):
            for place in reversed(places):
                parts[place : place + len(words)] = [len(slots)]
            slots.append(Slot(" ".join(words), tuple(group)))
    moved = {literal for slot in slots for literal in slot.literals}
    for literal in found:
        if literal not in moved and any(_repeats(literal, slot) for slot in slots):
            return None
    return Pattern(tuple(parts), tuple(slots), frozenset(part for part in parts if isinstance(part, str)))


def _groups(found: Sequence[Literal]) -> list[list[Literal]]:
    """The free literals by their text, the longest first: "New York City" before "York"."""
    groups: dict[str, list[Literal]] = {}
    for literal in found:
        if literal.free and literal.core:
            groups.setdefault(literal.text, []).append(literal)
    texts = Counter(literal.text for literal in found)
    whole = [group for text, group in groups.items() if len(group) == texts[text]]
    return sorted(whole, key=lambda group: -len(group[0].text))


def _places(
    parts: list[str | int], literal: Literal, said_as: Callable[[Literal], Iterable[str]]
) -> tuple[list[int], list[str]]:
    """Where the question says a literal, and in which words."""
    for phrase in (literal.core, *said_as(literal)):
        words = [piece.folded for piece in pieces(phrase)]
        n = len(words)
        places = [i for i in range(len(parts) - n + 1) if n and parts[i : i + n] == words]
        if places and all(b - a >= n for a, b in pairwise(places)):
            return places, words
    return [], []


def _repeats(literal: Literal, slot: Slot) -> bool:
    core = slot.literals[0].core.casefold()
    return literal.text.casefold() == core or (len(core) > 2 and core in literal.text.casefold())


def fillings(pattern: Pattern, asked: Sequence[Piece]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Each way in which a question is the pattern with other values: the pieces [first, stop) of each slot.

    A slot that the pattern has twice has to be the same words both times.

    >>> known = pattern_of("Heroes of Marvel?", literals("SELECT * FROM h WHERE p = 'Marvel'"), lambda _: ())
    >>> list(fillings(known, pieces("heroes of DC Comics")))
    [((2, 4),)]
    """
    yield from _fill(pattern.parts, 0, asked, 0, {})


def _fill(
    parts: Sequence[str | int], at: int, asked: Sequence[Piece], here: int, taken: dict[int, tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], ...]]:
    while at < len(parts) and isinstance(parts[at], str):
        if here >= len(asked) or asked[here].folded != parts[at]:
            return
        at, here = at + 1, here + 1
    if at == len(parts):
        if here == len(asked):
            yield tuple(taken[slot] for slot in sorted(taken))
        return
    slot = parts[at]
    assert isinstance(slot, int)
    left = len(asked) - here - (len(parts) - at - 1)
    for length in range(1, min(left, LONGEST) + 1):
        span = here, here + length
        before = taken.get(slot)
        if before is None:
            yield from _fill(parts, at + 1, asked, span[1], {**taken, slot: span})
        elif _same(asked, before, span):
            yield from _fill(parts, at + 1, asked, span[1], taken)


def _same(asked: Sequence[Piece], a: tuple[int, int], b: tuple[int, int]) -> bool:
    return [p.folded for p in asked[slice(*a)]] == [p.folded for p in asked[slice(*b)]]


def texts_of(question: str, asked: Sequence[Piece], span: tuple[int, int]) -> list[str]:
    """What a question says in a slot: all between the words around it, then without light words at the ends.

    >>> texts_of("Who made 'The Wall'?", pieces("Who made 'The Wall'?"), (2, 3))
    ['The Wall', 'Wall']
    """
    first, stop = span
    start = asked[first - 1].end if first else 0
    end = asked[stop].start if stop < len(asked) else len(question)
    narrow = question[asked[first].start : asked[stop - 1].end]
    before, after = question[start : asked[first].start], question[asked[stop - 1].end : end]
    wide = before.lstrip(_EDGE) + narrow + after.rstrip(_EDGE)
    return list(dict.fromkeys((wide, narrow)))
