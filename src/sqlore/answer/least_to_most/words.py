"""Words and phrases that the taking apart of questions turns on: measures, references, ellipses."""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "SUPERLATIVE",
    "elliptic",
    "head_noun",
    "is_measure",
    "is_total",
    "measured",
    "merged",
    "narrowed",
    "refers_back",
]

SUPERLATIVE: Final = (
    r"\b(?:most|least|highest|lowest|largest|smallest|biggest|longest|shortest|oldest|youngest|tallest|heaviest|"
    r"lightest|latest|earliest|newest|best|worst|fastest|slowest|cheapest|greatest|fewest|strongest|weakest|first|last)\b"
)
_MEASURE: Final = re.compile(
    r"\b(?:number|count|average|mean|total|sum|percent\w*|proportion|share|rate|ratio|amount|maximum|minimum|max|"
    rf"min|median|how many|how much|what percentage)\b|{SUPERLATIVE}|'s [a-z]|\bthe \w+(?: \w+)? of\b",
    re.I,
)
#: Small letters only: IT is a department.
_BACK: Final = re.compile(
    r"\b(?:it|its|they|them|their|that|those|these|this|such|there|said|he|she|his|her|him|the former|"
    r"the latter|both)\b|\bthe same\b(?! \w+(?:,| and\b| or\b| as\b))"
)
_RELATIVE: Final = re.compile(
    r"\b(?:\w+s|people|children|men|women|those|ones?|all) that\b|"
    r"\bthose (?:who|with|whose|from|in|\w+ing)\b|"
    r"\bwho \w+ (?:his|her|their|his/her|its)\b",
    re.I,
)
_ONE: Final = re.compile(r"\bones?\b", re.I)
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
    r"\b(?:with|without|that|who|whose|which|having|have|in|from|of|on|at|by|born|made|where|for|held|and|or|to|"
    r"older|younger|between|\w+(?:ed|ing))\b",
    re.I,
)
_CONDITION: Final = re.compile(
    r"\b(?:with|without|that|who|whose|which|having|in|from|by|where|and|between)\b", re.I
)
_NESTED: Final = re.compile(rf"{SUPERLATIVE}|\baverage\b", re.I)
_TOTAL: Final = re.compile(
    r"\b(?:how many|number of|count|average|mean|total|sum|percent\w*|proportion|ratio|rate)\b", re.I
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
    for wanted in (first, _LIKE.get(first)):
        at = [spot.start() for spot in spots if spot[0].lower() == wanted]
        if at:
            return whole[: at[-1]] + tail
    if first in _PREPOSITIONS or first in _VERBS:
        return f"{whole} {tail}"
    ends = [spot.end() for spot in spots if spot[0].lower() in _PREPOSITIONS or spot[0].lower() in _VERBS]
    return f"{whole[: ends[-1]]} {tail}" if ends else f"{whole} {tail}"


def elliptic(clause: str) -> str | None:
    """What a clause says that leaves the rest to the one before it; None where it is complete.

    >>> elliptic("how many by the Reds"), elliptic("what is it for girls"), elliptic("how many are tall")
    ('by the Reds', 'for girls', None)
    """
    match = _ELLIPTIC.fullmatch(clause)
    return match[1] if match and match[1].split()[0].lower() in _PREPOSITIONS else None


_ELLIPTIC: Final = re.compile(
    r"(?:how many(?: percent)?|how much|what percentage|what (?:is|was) (?:it|that|the figure)|what about|"
    r"the (?:average|number|percentage|total|share)) (?!of\b)(.+)",
    re.I,
)


def refers_back(clause: str, *, within: bool = False) -> bool:
    """Whether a clause can only be understood from what was said before it.

    `within` a group of rows that was named, "the tallest one" is understood.

    >>> refers_back("how many of those heroes can fly"), refers_back("how many heroes can fly")
    (True, False)
    """
    text = _RELATIVE.sub(" ", clause)
    return bool(_BACK.search(text)) or (not within and bool(_ONE.search(text)))


def is_total(text: str) -> bool:
    """Whether something is computed over many rows: a count, an average, a share."""
    return bool(_TOTAL.search(text))


def narrowed(phrase: str) -> bool:
    """Whether a group of rows takes more than one condition: a set that is worth a query of its own.

    >>> narrowed("the female heroes with red hair"), narrowed("heroes with red hair")
    (True, False)
    """
    match = _MODIFIER.search(phrase)
    front = (phrase[: match.start()] if match else phrase).split()
    told = [word for word in front if word.lower() not in ("the", "all", "a", "an", "any")]
    conditions = len(_CONDITION.findall(phrase)) + max(0, len(told) - 1)
    return conditions > 1 or bool(_NESTED.search(phrase))


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
