"""What a description says beyond the names: a long one is told in few words.

Data dictionaries are often written, by people or by models, in whole sentences around little news: "The WBC
column in the Laboratory table records the laboratory test results of patients. It is of type real. The
normal range is 3.5 < N < 9.0." In a prompt every word costs, and a text cut after so many letters loses what
stands last. Here the frame goes, sentences without news go, and of the others those with most news stay.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from sqlore.catalog.names import word_set
from sqlore.catalog.text import words

__all__ = ["gist"]

_END: Final = re.compile(r"(?<=[^\W\d_][.!?])['\"]?\s+(?=[A-Z'\"(])|(?<=[\d)\]'\"][.!?])\s+(?=[A-Z])")
_KINDS: Final = r"(?:integer|text|textual|real|date|datetime|numeric|string|float|boolean)"
_KIND: Final = rf"(?:(?:an?\s+)?{_KINDS}(?:\s+type)?\s+)?"
_SAYS: Final = (
    r"(?:represents?|records?|contains?|stores?|holds?|indicates?|describes?|denotes?|shows?|lists?|gives?|is"
    r"|specifies|refers\s+to)"
)
#: Where a column is: ``in the 'cards' table of the 'card_games' database``, ``(db id: menu)``.
_IN: Final = (
    r"(?:\s*\b(?:in|of|from|within)\s+(?:the\s+)?['\"]?[^,.;'\"]{1,60}?['\"]?\s+(?:table|database)"
    r"|\s+\([^()]{1,40}\)|,\s+identified\s+by\s+[^,.;]{1,40},)"
)
_OF_KIND: Final = rf"(?:,?\s+(?:\(\s*|of\s+(?:type\s+)?|an?\s+)?{_KINDS}(?:\s+type)?\s*[,)])"
#: ``The height column in the superhero table represents the``: all of it is known from where it stands.
_FRAME: Final = re.compile(
    rf"^(?:{_IN}+,\s+)?(?:the|this|an?)\s+(?:(?!\b(?:is|of|that)\b)[^,.;]){{0,60}}?"
    rf"\b(?:column|field|table)\b(?:\s+(?:called|named)\s+\S+)?(?:{_IN}|{_OF_KIND})*"
    rf",?\s+(?:which\s+)?{_SAYS}\s+(?:that\s+|whether\s+(?=or\b))?",
    re.I,
)
#: ``Ig A is a column in the Laboratory table``: only what stands before it is news.
_PLACE: Final = re.compile(
    rf"\s+is\s+(?:an?\s+|the\s+)?{_KIND}(?:column|field){_IN}*(?:,?\s+(?:which|that)\s+{_SAYS}\b|(?=[.,;]|$))",
    re.I,
)
#: What is left of a frame in a frame: ``(an) integer type column that represents the``, ``it represents``.
_AGAIN: Final = re.compile(
    rf"^(?:(?:an?\s+)?{_KIND}(?:column|field)\s+(?:that|which)|it)\s+{_SAYS}\s+(?:that\s+)?", re.I
)
_ARTICLE: Final = re.compile(r"^(?:the|an?)\s+", re.I)
#: Sentences that list values: the profile beside a description knows them, and better.
_LISTS: Final = re.compile(
    r"^\W*(?:(?:for|some|an?)\s+example|examples?\b|e\.g\b|such as\b)"
    r"|\bcan\s+be\s+one\s+of\b"
    r"|\bvalues?\b[^.]{0,40}\b(?:are|is|include|includes|can be|following)\b(?!\s+not\b)",
    re.I,
)
#: The first sentence says what a column is, the others what is to be known of it.
_FIRST: Final = 2
#: ``text values representing``: how a value is kept.
_STORED: Final = re.compile(
    rf"^{_KINDS}(?:\s+(?:type|values?|field|entries))*\s+(?:representing|indicating)\s+", re.I
)
_SUCH_AS: Final = re.compile(
    r",?\s+(?:with\s+examples?|such\s+as|exemplified\s+by|like)\b[^.]*['\"][^.]*", re.I
)
#: Words that any description of a column may have.
_FRAME_WORDS: Final = word_set(
    """column columns field fields table tables database type types text integer real date datetime numeric
    number string float value values data record records recorded represent represents store stored stores
    contain contains describe describes indicate indicates denote denotes refer refers call called name named
    use used uses a an the this that these those it its is are was be been of in on to for from with as by and
    or which each whether"""
)


@lru_cache(maxsize=65536)
def gist(text: str, letters: int, known: str = "") -> str:
    """At most about `letters` letters of a description; `known` holds the names that stand beside it.

    A sentence with no word beyond `known` and the usual words of descriptions is left out, the frame of the
    others too; examples stay only where there is room for all. Empty where nothing is news.

    >>> gist("The WBC column in the Laboratory table records the test results of patients. "
    ...      "It is of type real. The normal range is 3.5 < N < 9.0.", 60, "Laboratory WBC")
    'test results of patients. The normal range is 3.5 < N < 9.0'
    >>> gist("This column is called ID and it is of type integer.", 60, "Patient ID")
    ''
    >>> gist("height in cm", 60, "height")
    'height in cm'
    """
    if letters <= 0:
        return ""
    plain = " ".join(text.split())
    parts = [_unframed(part).rstrip(". ") for part in _END.split(plain.strip("'\""))]
    told = [(part, _news(part, known)) for part in parts]
    said = [(part, news) for part, news in told if news]
    if not said:
        return ""
    whole = ". ".join(part for part, _ in said)
    if len(whole) <= letters:
        return whole
    plainly = [(part, news) for part, news in said if not _LISTS.search(part)] or said
    return ". ".join(_fitting(plainly, letters))


def _fitting(parts: list[tuple[str, int]], letters: int) -> list[str]:
    """The sentences with most news that fit together, in their order; at least one, cut where it must be."""
    left, kept = letters, set()
    worth = [news * (1 if number else _FIRST) / (len(part) + 10) for number, (part, news) in enumerate(parts)]
    for number in sorted(range(len(parts)), key=lambda number: -worth[number]):
        if len(parts[number][0]) <= left:
            kept.add(number)
            left -= len(parts[number][0]) + 2
    if not kept:
        first = max(parts, key=lambda part: part[1])[0]
        return [first[: letters - 1].rstrip() + "…"]
    return [parts[number][0] for number in sorted(kept)]


def _unframed(sentence: str) -> str:
    """A sentence without the words that say that a column of a table holds something."""
    bare = sentence.strip()
    for frame in (_FRAME, _AGAIN):
        cut = frame.match(bare)
        if cut and cut.end() < len(bare):
            bare = _ARTICLE.sub("", bare[cut.end() :])
    bare = _SUCH_AS.sub("", _STORED.sub("", bare))
    place = _PLACE.search(bare)
    if place and place.start():
        before = _ARTICLE.sub("", bare[: place.start()])
        after = _ARTICLE.sub("", bare[place.end() :].strip(" .,;"))
        return f"{before}: {after}" if after else before
    return bare


def _news(sentence: str, known: str) -> int:
    """How many words a sentence has that its place does not tell already; examples count as few."""
    told = {word.folded for word in words(known)} | {known.casefold()}
    glued = "".join(sorted(told))
    fresh = {word.folded for word in words(sentence)} - told - _FRAME_WORDS
    news = sum(1 for word in fresh if not (len(word) > 2 and word in glued))
    return min(news, 1) if _LISTS.search(sentence) else news
