"""Words of questions, and those of them that no SQL has to answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from sqlore.catalog.names import word_set
from sqlore.retrieve.words import stem, tokens

__all__ = ["LINKS", "RELATIVE", "TO_A_NUMBER", "are_figures", "initials_in", "stems_in"]

#: After a number: a share or a factor, which a formula writes in its own way.
RELATIVE: Final = frozenset(("%", "percent", "percentage", "th", "nd", "st", "rd", "s"))

#: Words within a phrase: "eligible for loans".
LINKS: Final = word_set("of for in on at with by from to the a an and or between")
#: Words that lead to a number.
TO_A_NUMBER: Final = word_set(
    """after before since until over under above below than between least most more less fewer greater higher
    lower older younger at exceeding from"""
)

#: Letters of initials at least: two stand for too much.
_INITIALS: Final = 3
#: Numbers, dates, times, and spans of time as functions of dates have them.
_FIGURE: Final = re.compile(
    r"[-+]?\d*[.,]?\d+(?:[-.,:/ T]+\d+)*[-.:/ Z]*(?:(?:day|week|month|quarter|year|hour)s?)?", re.I
)
#: What functions of dates have beside them.
_FORMAT: Final = re.compile(r"(?:%[A-Za-z][-:/. ]*)+|now|start of \w+|day|week|month|quarter|year", re.I)


def stems_in(*texts: str | None) -> Iterator[str]:
    """The stems of all words of the texts; names are taken apart.

    >>> sorted(stems_in("eye_colour", None, "A13: unemployment rates '96"))
    ['96', 'a13', 'colour', 'eye', 'rate', 'unemployment']
    """
    for text in texts:
        for word in tokens((text or "").replace("_", " ")):
            yield stem(word)


def initials_in(question: str, names: Collection[str]) -> list[tuple[int, int]]:
    """Where the words of a question stand whose initials are one of `names`.

    >>> initials_in("How much monthly recurring revenue is there?", {"mrr", "n"})
    [(9, 34)]
    """
    words = list(re.finditer(r"[^\W\d_]+", question))
    letters = "".join(match[0][0].lower() for match in words)
    found = []
    for name in names:
        at = letters.find(name) if len(name) >= _INITIALS and len(letters) == len(words) else -1
        if at >= 0:
            found.append((words[at].start(), words[at + len(name) - 1].end()))
    return found


def are_figures(values: Iterable[str]) -> bool:
    """Whether literals are numbers or dates, all of them but for the formats of dates.

    >>> [are_figures(one) for one in (["5", "-0.5"], ["2020-01%"], ["%Y", "2020"], ["now", "-30 days"])]
    [True, True, True, True]
    >>> [are_figures(one) for one in (["OWNER"], ["5", "F"], ["3M"], ["%Y"], [])]
    [False, False, False, False, False]
    """
    plain = [value for one in values if not _FORMAT.fullmatch(value := one.strip())]
    return bool(plain) and all(_FIGURE.fullmatch(value.strip("%_")) for value in plain)
