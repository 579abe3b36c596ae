"""Words of questions that say how something is asked, not what: no piece of SQL is known by them."""

from __future__ import annotations

from typing import Final

from sqlore.catalog.names import word_set
from sqlore.catalog.text import STOP_WORDS
from sqlore.retrieve.words import STOPWORDS, tokens

__all__ = ["QUANTITIES", "SAYS_NOTHING", "says_something"]

_MONTHS: Final = word_set(
    """january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec"""
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

#: What calls for a function: questions about anything begin with "how much" and "the number of".
QUANTITIES: Final = word_set(
    """much many number numbers count counts total totals sum average averages mean percentage percentages
    percent proportion share each every per"""
)


def says_something(phrase: str) -> bool:
    """Whether a phrase of a question has a word that may be known.

    >>> [says_something(phrase) for phrase in ("much", "we", "How many active customers", "in 2025")]
    [False, False, True, True]
    """
    return any(word not in SAYS_NOTHING | QUANTITIES for word in tokens(phrase))
