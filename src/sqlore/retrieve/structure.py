"""What shape of SQL a question calls for, and what shape a skeleton has.

The paper's error analysis (BIRD-History, section 5.4) blames generic fragments such as ``limit`` and
``distinct`` for most of the wrong retrievals: they belong to a question only where its words call for them.
A *trait* is such a shape. The question's words are read for traits, the skeleton is read for traits, and
the two sets are compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

#: Trait: the formulations of a question that call for it, as patterns.
_CALLS: Final = r"""
count: how many, number of, count, amount of, times, numbers of, frequen\w+
average: average, mean, avg, typical, on average
sum: total, sum, altogether, in all, overall, combined, accumulat\w+
maximum: max\w*, highest, largest, most, latest, longest, greatest, biggest
minimum: min\w*, lowest, least, smallest, earliest, shortest, fewest, first
ratio: percent\w*, proportion, ratio, rate, share, per, average, possibility
percent: percent\w*, proportion, rate, possibility, how much faster
difference: differen\w+, how much (?:more|less|higher|lower), gap, more than, deviat\w+
date: year, years, month, monthly, annual\w*, day, days, date, age, old, older, oldest, young\w*, born, in
    (?:19|20)\d\d, (?:19|20)\d\d, time, how long
case: percent\w*, proportion, ratio, state whether, whether, differen\w+, compar\w+, times, is
    (?:it|he|she|the)
top: highest, lowest, most, least, largest, smallest, biggest, longest, shortest, oldest, youngest, eldest,
    tallest, heaviest, lightest, latest, earliest, newest, best, worst, fastest, slowest, cheapest,
    greatest, fewest, top, first, last, max\w*, min\w*, bottom, leading, recent, strongest, weakest,
    richest, poorest, busiest, more, ranked?, highest\w*
descending: highest, most, largest, biggest, longest, tallest, heaviest, latest, newest, best, greatest,
    top, max\w*, youngest, recent, descending, expensive, last, slowest, more, strongest, richest, busiest
ascending: lowest, least, smallest, shortest, earliest, oldest, eldest, cheapest, fewest, first, min\w*,
    worst, fastest, ascending, alphabetical\w*, lightest, bottom, poorest
sorted: order, sort\w*, rank\w*, descending, ascending, alphabetical\w*, top, from (?:the )?\w+est to
distinct: distinct, different, unique, all the, list, kinds?, types?, what are, various
group: each, every, per, most, least, fewest, respective\w*, by \w+ of, more than, at least, for all,
    group\w*
null: missing, without, no, not, none, unknown, never, don't, doesn't, didn't, haven't, hasn't, empty,
    still, yet, have, has, null
like: start\w*, begin\w*, end\w*, contain\w*, includ\w*, like, named?, word, called, surname, in
    (?:19|20)\d\d
between: between, from \S+ to, range, in the \d+s, \d{4}\s*-\s*\d{4}, during
greater: more, over, above, greater, older, after, at least, exceed\w*, higher, larger, since, later,
    longer, taller, not less, or more, bigger, beyond
less: less, under, below, fewer, younger, before, at most, lower, smaller, until, earlier, shorter, no more,
    not more, cheaper, prior
not: not, no, never, except, other than, exclud\w*, without, non, isn't, aren't, don't, doesn't, didn't,
    neither
in: or, either, and, both
above_average: above\W+average, below\W+average, than (?:the )?average, average
"""


def _formulations(table: str) -> Mapping[str, re.Pattern[str]]:
    joined = re.sub(r"\n +", " ", table.strip())
    pairs = (line.split(": ", 1) for line in joined.splitlines())
    return {
        trait: re.compile(r"\b(?:" + "|".join(words.split(", ")) + r")\b", re.IGNORECASE)
        for trait, words in pairs
    }


#: Trait -> pattern over the question.
CALLS: Final[Mapping[str, re.Pattern[str]]] = _formulations(_CALLS)

#: Trait -> what a skeleton that has it looks like.
SHAPES: Final[Mapping[str, re.Pattern[str]]] = {
    "count": re.compile(r"\bcount\("),
    "average": re.compile(r"\bavg\(|\bsum\(.*/ count\("),
    "sum": re.compile(r"\bsum\((?!case|iif)"),
    "maximum": re.compile(r"\bmax\("),
    "minimum": re.compile(r"\bmin\("),
    "ratio": re.compile(r" / "),
    "percent": re.compile(r"\* <val>"),
    "difference": re.compile(r"(?<![-\w]) - "),
    "date": re.compile(r"strftime|\bdate\(|julianday|datetime|\byear\(|extract\(|date_|birth|substr\(.*date"),
    "case": re.compile(r"\bcase when|\biif\("),
    "top": re.compile(r"^order by .* limit <val>|^limit|\bmax\(|\bmin\("),
    "descending": re.compile(r"\bdesc\b|\bmax\("),
    "ascending": re.compile(r"\basc\b|\bmin\("),
    "sorted": re.compile(r"^order by (?!.*limit)"),
    "distinct": re.compile(r"\bdistinct\b"),
    "group": re.compile(r"^group by|^partition by|^order by (?:count|sum|avg)\("),
    "null": re.compile(r"is (?:not )?null"),
    "like": re.compile(r"\blike\b"),
    "between": re.compile(r"\bbetween\b"),
    "greater": re.compile(r"(?<!<) >=? "),
    "less": re.compile(r" <=?(?!>) (?!val)"),
    "not": re.compile(r"<> |\bnot\b"),
    "in": re.compile(r" in \(<val>\)"),
    "above_average": re.compile(r"[<>]=? .*\bavg\("),
}

TRAITS: Final[tuple[str, ...]] = tuple(SHAPES)


def called(question: str) -> frozenset[str]:
    """The traits that the words of `question` call for.

    >>> sorted(called("Which team has the highest average height?") & {"top", "average", "distinct", "like"})
    ['average', 'top']
    """
    return frozenset(trait for trait, pattern in CALLS.items() if pattern.search(question))


@lru_cache(maxsize=200_000)
def traits(skeleton: str) -> frozenset[str]:
    """The traits of a skeleton.

    >>> sorted(traits("order by count(superhero.id) desc limit <val>"))
    ['count', 'descending', 'group', 'top']
    """
    return frozenset(trait for trait, pattern in SHAPES.items() if pattern.search(skeleton))
