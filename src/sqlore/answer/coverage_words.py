"""Words of questions that no SQL has to answer."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from sqlore.catalog.names import word_set
from sqlore.catalog.text import STOP_WORDS
from sqlore.retrieve.words import STOPWORDS

__all__ = ["LINKS", "RELATIVE", "SAYS_NOTHING", "TO_A_NUMBER", "initials_in"]

_MONTHS: Final = word_set(
    """january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec"""
)
#: After a number: a share or a factor, which a formula writes in its own way.
RELATIVE: Final = frozenset(("%", "percent", "percentage", "th", "nd", "st", "rd", "s"))

#: Words within a phrase: "eligible for loans".
LINKS: Final = word_set("of for in on at with by from to the a an and or between")
#: Words that lead to a number.
TO_A_NUMBER: Final = word_set(
    """after before since until over under above below than between least most more less fewer greater higher
    lower older younger at exceeding from"""
)

#: How something is asked, and what SQL writes as functions, clauses and joins.
SAYS_NOTHING: Final = (
    STOPWORDS
    | STOP_WORDS
    | _MONTHS
    | word_set(
        """id ids tell distinct different ratio highest lowest high low large larger largest small smaller
        smallest big bigger biggest long longer longest short shorter shortest old older oldest young
        younger youngest early earlier earliest late later latest maximum minimum max min great greater
        greatest amount sort sorted ascending descending alphabetical alphabetically respectively value
        type made make located using use used belong belonging range rated held appear appeared come contain
        include including related live lived work working take taken given got written wrote called
        titled taller tallest heavier heaviest cheaper cheapest higher lower fewer fewest best worst since
        one two three four five six seven eight nine ten eleven twelve dozen hundred thousand million billion
        once twice half double first second third fourth fifth usd dollar dollars cm kg full kind kinds
        people person thing things data database record records information detail details year years month
        months day days date time today now age ages century decade"""
    )
)

#: Letters of initials at least: two stand for too much.
_INITIALS: Final = 3


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
