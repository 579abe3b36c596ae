"""Words and phrases that the taking apart of questions turns on: measures, references, ellipses."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["SUPERLATIVE", "head_noun", "is_measure", "measured", "merged", "refers_back"]

SUPERLATIVE: Final = (
    r"\b(?:most|least|highest|lowest|largest|smallest|biggest|longest|shortest|oldest|youngest|tallest|heaviest|"
    r"lightest|latest|earliest|newest|best|worst|fastest|slowest|cheapest|greatest|fewest|strongest|weakest|first|last)\b"
)
_MEASURE: Final = re.compile(
    r"\b(?:number|count|average|mean|total|sum|percent\w*|proportion|share|rate|ratio|amount|maximum|minimum|max|"
    rf"min|median|how many|how much|what percentage)\b|{SUPERLATIVE}|'s [a-z]|\bthe \w+(?: \w+)? of\b",
    re.I,
)
_BACK: Final = re.compile(
    r"\b(?:it|its|they|them|their|that|those|these|this|such|there|said|he|she|his|her|him|the former|"
    r"the latter|both|the same|one|ones)\b",
    re.I,
)
_RELATIVE: Final = re.compile(
    r"\b(?:\w+s|people|children|men|women|those|ones?|all) that\b|\bthose (?:who|with|whose|from|in)\b", re.I
)
_PREPOSITION_WORDS: Final = """
    among in of for by from with without at on to over between before after within under during as
"""
_PREPOSITIONS: Final = frozenset(_PREPOSITION_WORDS.split())
_VERBS: Final = frozenset(("is", "are", "was", "were", "have", "has", "had", "do", "does", "did"))
#: Prepositions that may stand in each other's place.
_LIKE: Final = {
    "without": "with",
    "with": "without",
    "before": "after",
    "after": "before",
    "among": "of",
    "for": "of",
    "under": "over",
    "over": "under",
}
_NOUNS: Final = {
    "heavier": "weight",
    "lighter": "weight",
    "taller": "height",
    "shorter": "height",
    "older": "age",
    "younger": "age",
    "longer": "length",
}
_MODIFIER: Final = re.compile(
    r"\b(?:with|without|that|who|whose|which|having|have|in|from|of|on|at|by|published|created|born|made|living|"
    r"issued|opened|where|located|for|taken|held|approved|and|or|to|enrolled|weighing|aged|older|younger|between|"
    r"hired|working|written|released)\b",
    re.I,
)


def is_measure(text: str) -> bool:
    """Whether the words name a quantity of their own.

    >>> is_measure("the average height of heroes"), is_measure("Ann's weight"), is_measure("that among girls")
    (True, True, False)
    """
    return bool(_MEASURE.search(text)) and not re.match(
        r"(?:that|those|among|in|by|with|without|for)\b", text, re.I
    )


def measured(text: str, comparative: str | None) -> str:
    """What is compared: of "how many kilos heavier is the strongest hero" the weight of the strongest hero.

    >>> measured("the strongest hero", "heavier"), measured("the share of girls", "higher")
    ('the weight of the strongest hero', 'the share of girls')
    """
    noun = _NOUNS.get((comparative or "").lower())
    if noun is None or re.search(
        r"\b(?:average|mean|number|total|percentage|share|rate|weight|height|age)\b", text, re.I
    ):
        return text
    return f"the {noun} of {text}"


def merged(whole: str, tail: str) -> str:
    """A phrase said in full that only says what differs from the one before it.

    >>> merged("the average height of heroes among villains", "that among good ones")
    'the average height of heroes among good ones'
    >>> merged("the number of heroes with blue eyes", "no eye colour")
    'the number of heroes with no eye colour'
    >>> merged("how many are good", "bad")
    'how many are bad'
    """
    tail = re.sub(r"^(?:that|those|what is it|what about|the ones?)\s+", "", tail.strip(), flags=re.I)
    words = tail.split()
    if not words:
        return whole
    first = words[0].lower()
    spots = list(re.finditer(r"[\w'-]+", whole))
    if first in _PREPOSITIONS or first in _VERBS:
        for wanted in (first, _LIKE.get(first)):
            at = [m.start() for m in spots if m[0].lower() == wanted]
            if at:
                return whole[: at[-1]] + tail
        return f"{whole} {tail}"
    ends = [m.end() for m in spots if m[0].lower() in _PREPOSITIONS or m[0].lower() in _VERBS]
    return f"{whole[: ends[-1]]} {tail}" if ends else f"{whole} {tail}"


def refers_back(clause: str) -> bool:
    """Whether a clause can only be understood from what was said before it.

    >>> refers_back("how many of those heroes can fly"), refers_back("how many heroes can fly")
    (True, False)
    """
    return bool(_BACK.search(_RELATIVE.sub(" ", clause)))


def head_noun(phrase: str) -> str | None:
    """The noun of a group of rows, with nothing that narrows it; None where nothing narrows it twice.

    >>> head_noun("the female heroes with red hair"), head_noun("all heroes")
    ('heroes', None)
    """
    match = _MODIFIER.search(phrase)
    front = (phrase[: match.start()] if match else phrase).split()
    front = [word for word in front if word.lower() not in ("the", "all", "a", "an", "any")]
    if not front or match is None:
        return None
    return front[-1]
