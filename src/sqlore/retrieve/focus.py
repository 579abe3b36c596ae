"""Which words of a question name what its answer is about: by where in the question they stand.

"Which customer rented the most films?" groups by the customer, not by the film, though both are named; "the
average salary of employees per department" groups by the department. Where a word stands tells, and grammar
words say where: no parser. What a column is about is told by its name, or by its table's where its own name
says no more than that it is a key or a name (``customer.id``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from sqlore.retrieve.words import stem, tokens

_TOKEN: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d[\w.,:/%-]*|[,;:?!.()]")
_PRONOUN_WORDS: Final = "which what whose"
_ASKING_WORDS: Final = """
    list name give find show state provide tell identify mention indicate write display return calculate
    compute please get what which who whose
"""
_END_WORDS: Final = """
    is are was were has have had do does did that who whom which with in on at for from to by per than and or
    can could would will should be been whose when where as , ; : ? ! . ( )
"""
_PASSED_WORDS: Final = """
    the a an all any me us please of is are was were names name full id ids number list top first last title
    titles its their different each every
"""
_EACH_WORDS: Final = "each every per by respective"
_EXTREME_WORDS: Final = """
    most least highest lowest largest smallest biggest longest shortest fewest greatest maximum minimum max
    min best worst more fewer over
"""
_RELATIVE_WORDS: Final = "who that which have has"
_LINK_WORDS: Final = "the had having with got made received by as in at is are was were"
_GENERIC_WORDS: Final = "id ids name code key no nbr number num title full first last type"
_STARTS: Final = frozenset((".", ",", "?", "and", "please"))
_PRONOUNS: Final = frozenset(_PRONOUN_WORDS.split())
_ASKING: Final = frozenset(_ASKING_WORDS.split())
_ENDS: Final = frozenset(_END_WORDS.split())
_PASSED: Final = frozenset(_PASSED_WORDS.split())
_EACH: Final = frozenset(_EACH_WORDS.split())
_EXTREMES: Final = frozenset(_EXTREME_WORDS.split())
_RELATIVE: Final = frozenset(_RELATIVE_WORDS.split())
_LINKS: Final = _RELATIVE | frozenset(_LINK_WORDS.split())
#: Words of column names that do not say what a row is.
_GENERIC: Final = frozenset(map(stem, _GENERIC_WORDS.split()))
_NO_ID: Final = frozenset(("valid", "covid"))
_KEYS: Final = ("id", "key", "code", "no", "nbr")
_NEAR, _FAR, _OWNERS, _SHORT = 4, 8, 2, 4


class Focus(NamedTuple):
    """Stems by where they stand: after "which" or "list", after "each" or "per", before "has the most"."""

    asked: frozenset[str]
    apart: frozenset[str]
    owner: frozenset[str]


def focus(question: str) -> Focus:
    """Which words of the question stand where the answer's subject is named.

    >>> focus("Which customer rented the most films?").asked == {"customer", "rent", "most", "film"}
    True
    >>> focus("What is the average salary per department?").apart
    frozenset({'department'})
    >>> focus("Show the age of the player who scored the most goals.").owner
    frozenset({'player'})
    """
    words = _TOKEN.findall(question.lower())
    asked: set[str] = set()
    apart: set[str] = set()
    owner: set[str] = set()
    for place, word in enumerate(words):
        before = words[place - 1] if place else "."
        if word in _EACH or (word in ("all", "different") and before in ("for", "of")):
            apart.update(_noun(words[place + 1 : place + 1 + _NEAR]))
        if word in _PRONOUNS or (word in _ASKING and before in _STARTS):
            asked.update(_noun(words[place + 1 : place + 1 + _FAR]))
        if word in _EXTREMES:
            owner.update(islice(_owner(words[:place]), _OWNERS))
    return Focus(frozenset(asked), frozenset(apart), frozenset(owner))


def _noun(words: Sequence[str]) -> Iterator[str]:
    """The stems up to the first word that ends a noun group."""
    for word in words:
        if word not in _PASSED:
            if word in _ENDS:
                return
            yield stem(word)


def _owner(words: Sequence[str]) -> Iterator[str]:
    """The stems of the noun group before "with the", "that has the" or "who scored the", last one first."""
    left = list(words)
    _drop(left, _LINKS)
    if len(left) > 1 and left[-2] in _RELATIVE:
        left.pop()
        _drop(left, _RELATIVE)
    while left and left[-1] not in _ENDS | _PASSED | _ASKING:
        yield stem(left.pop())


def _drop(words: list[str], those: Collection[str]) -> None:
    while words and words[-1] in those:
        words.pop()


@lru_cache(maxsize=100_000)
def thing(column: str) -> frozenset[str]:
    """The stems of what a column of a table is about.

    >>> sorted(thing("sales.game_platform_id")), sorted(thing("customer.name"))
    (['game', 'platform'], ['customer'])
    """
    table, _, own = column.rpartition(".")
    stems = (stem(_without_id(word)) for word in tokens(own.replace("_", " ")))
    said = frozenset(word for word in stems if not word.isdigit())
    return said - _GENERIC or frozenset(map(stem, tokens(table))) or said


@lru_cache(maxsize=100_000)
def stems_of(column: str) -> frozenset[str]:
    """The stems of the names of a column and its table."""
    return frozenset(stem(_without_id(word)) for word in tokens(column.replace("_", " ")))


def _without_id(word: str) -> str:
    return (
        word[:-2] if len(word) > _SHORT and word.endswith("id") and word not in ("valid", "covid") else word
    )


def is_key(column: str) -> bool:
    """Whether a column's name ends as those of keys do."""
    return column.lower().endswith(_KEYS)


def is_title(column: str) -> bool:
    """Whether a column's name says that it names a row."""
    own = column.rpartition(".")[2].lower()
    return "name" in own or "title" in own


@lru_cache(maxsize=200_000)
def share_said(thing: frozenset[str], words: frozenset[str]) -> float:
    """The share of the stems of a thing that are among `words`; the longer of two may go on.

    >>> share_said(frozenset({"position", "titles"}), frozenset({"posit", "team"}))
    0.5
    """
    return sum(any(map(_same, [own] * len(words), words)) for own in thing) / max(1, len(thing))


def _same(own: str, word: str) -> bool:
    """The same stem, or one begins with the other."""
    long = min(len(own), len(word)) >= _SHORT
    return own == word or (long and (own.startswith(word) or word.startswith(own)))
