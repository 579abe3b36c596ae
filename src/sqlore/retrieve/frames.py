"""The frame of a question: what is left when names, numbers and quoted values are taken out.

"How many heroes of Marvel Comics have blue eyes?" and "How many heroes of DC Comics have green eyes?" are
one frame. The papers mask what links to the schema with a model or a parser (masked question similarity);
here spelling tells: quotes, digits, and capitals inside a sentence.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from sqlore.retrieve.words import stem

_QUOTED: Final = re.compile(r"\"[^\"]+\"|“[^”]+”|‘[^’]+’|(?<!\w)'[^']+'(?!\w)|`[^`]+`")
_NUMBER: Final = re.compile(r"\d[\w.,:/%-]*")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_NAME: Final = re.compile(r"(?<=[a-z,;:] )[A-Z][\w'.-]*(?: [A-Z][\w'.-]*)*")
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_NAMED: Final = "xv"
_COUNTED: Final = "xn"


def frame(question: str) -> list[str]:
    """The stems of the frame, stop words included; ``xv`` stands for a name or value, ``xn`` for a number.

    >>> frame("How many heroes of Marvel Comics are taller than 180 cm?")
    ['how', 'many', 'heroe', 'of', 'xv', 'are', 'taller', 'than', 'xn', 'cm']
    """
    masked = _QUOTED.sub(f" {_NAMED} ", question)
    masked = _NUMBER.sub(f" {_COUNTED} ", masked)
    masked = _NAME.sub(f" {_NAMED} ", masked)
    out: list[str] = []
    for word in map(stem, _WORD.findall(masked.lower())):
        if word != _NAMED or out[-1:] != [_NAMED]:
            out.append(word)
    return out


@lru_cache(maxsize=20_000)
def grams(question: str) -> tuple[str, ...]:
    """The frame's words, pairs and triples; ``^`` and ``$`` are its ends.

    >>> grams("How many?")[4:]
    ('^ how', 'how many', 'many $', '^ how many', 'how many $')
    """
    words = ["^", *frame(question), "$"]
    pairs = (" ".join(group) for group in pairwise(words))
    triples = (" ".join(group) for group in zip(words, words[1:], words[2:], strict=False))
    return (*words, *pairs, *triples)


def counts(question: str) -> tuple[int, int, int, int]:
    """How many years, other numbers, names inside a sentence and quoted parts a question has.

    >>> counts("How many orders did 'Ann' and Bob Roe place in 2012 above 50?")
    (1, 1, 1, 1)
    """
    years = len(_YEAR.findall(question))
    numbers = len(_NUMBER.findall(question))
    return years, max(0, numbers - years), len(_NAME.findall(question)), len(_QUOTED.findall(question))
