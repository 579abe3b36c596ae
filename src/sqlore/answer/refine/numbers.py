"""Numbers as people say them: 200 thousand, 1.5 million, 2k; and on which side of them things shall lie."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

__all__ = ["compared", "in_digits"]

_TIMES: Final = {
    "hundred": 2, "k": 3, "thousand": 3, "m": 6, "mio": 6, "mn": 6, "million": 6, "bn": 9, "billion": 9,
}  # fmt: skip
_SAID: Final = re.compile(
    r"(?<![\w.,])(?P<n>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:(?P<short>k|m|mio|mn|bn)|\s+(?P<long>hundred|thousand|mio|million|bn|billion)s?)?(?![\w])",
    re.IGNORECASE,
)
_SIDES: Final = (
    ("<", re.compile(r"\b(?:under|below|(?:less|fewer|lower|smaller) than|before|at most|up to)\s+", re.I)),
    (">", re.compile(r"\b(?:over|above|(?:more|greater|higher|larger) than|after|at least|from)\s+", re.I)),
)
_INCLUSIVE: Final = re.compile(r"\b(?:at most|up to|at least|from)\s", re.I)


def in_digits(words: str) -> str:
    """The words with each number in digits.

    >>> in_digits("under 200 thousand"), in_digits("1.5 million"), in_digits("2k"), in_digits("200,000")
    ('under 200000', '1500000', '2000', '200000')
    >>> in_digits("24m2 in 3 thousandths"), in_digits("a1k"), in_digits("only 2016")
    ('24m2 in 3 thousandths', 'a1k', 'only 2016')
    """
    return _SAID.sub(_digits, words)


def _digits(found: re.Match[str]) -> str:
    times = (found["short"] or found["long"] or "").lower()
    number = Decimal(found["n"].replace(",", ""))
    if not times:
        return found["n"].replace(",", "")
    return f"{(number.scaleb(_TIMES[times])).normalize():f}"


def compared(words: str, sql: str) -> str | None:
    """The words without the one that says on which side of a value things shall lie, where the SQL of a
    condition says the same; None where it says something else, which no rule can change.

    >>> compared("under 200000", "x < 100000"), compared("over 5", "x < 3"), compared("only 7", "x = 3")
    ('200000', None, 'only 7')
    >>> compared("at least 5", "x >= 3"), compared("at least 5", "x > 3")
    ('5', None)
    """
    for side, pattern in _SIDES:
        found = pattern.search(words)
        if found is None or not words[found.end() :][:1].isdigit():
            continue
        operators = re.findall(r"<=|>=|<>|!=|[<>=]", sql)
        wanted = f"{side}=" if _INCLUSIVE.match(found.group()) else side
        return words[: found.start()] + words[found.end() :] if operators == [wanted] else None
    return words
