"""Words of questions and values, folded so that spellings of one thing meet.

Both sides, the database's values and the question, go through the same functions: case, accents, plural and
possessive endings and punctuation do not matter afterwards.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sqlore.catalog.names import word_set

# A run of letters and digits is a word, with inner apostrophes ("o'neil", "player's"); a number keeps its
# thousands separators and decimals; in scripts written without spaces each character is a word.
_UNSPACED: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
WORD: Final = re.compile(
    rf"\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?![^\W_])|\d+\.\d+(?![^\W_]|\.)|[{_UNSPACED}]"
    rf"|[^\W_{_UNSPACED}]+(?:['’][^\W_{_UNSPACED}]+)*"
)

#: Letters that Unicode does not decompose into a base letter and an accent.
_LETTERS: Final = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th"}
)

#: Words that say nothing about a value when they stand alone.
STOP_WORDS: Final = word_set(
    """a about above across after again against all also am among an and any are as at average be because been
    before being below between both but by calculate can compare count could did difference display do does
    doing down during each either else ever every few find first following for from get give had has have
    having he her here hers him his how i identify if in indicate into is it its itself just kindly known last
    least less let list many may me mean mention more most much must my name named names near no nor not
    number of off often on once one only or other our out over own per percent percentage please provide rank
    refer same she should show so some state such sum than that the their them then there these they this
    those through to together too total under until up us versus very was we were what when where whether
    which while who whom whose why will with within would yes you your"""
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text: as written, folded, and where it stands."""

    text: str
    folded: str
    start: int
    end: int


def plain(text: str) -> str:
    """Lower case without accents.

    >>> plain("Łódź SÃO Straße")
    'lodz sao strasse'
    """
    text = text.casefold()
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=65536)
def fold_word(word: str) -> str:
    """One word folded: case, accent, possessive and plural gone, numbers without thousands separators.

    >>> [fold_word(w) for w in ("Comics", "player's", "cities", "boxes", "classes", "bus", "300,000")]
    ['comic', 'player', 'city', 'box', 'class', 'bus', '300000']
    """
    word = plain(word)
    if word[:1].isdigit():
        return word.replace(",", "")
    if word == "non":
        return "not"
    if "'" in word or "’" in word:
        word = re.sub(r"['’]s?$", "", word)
        word = word.replace("'", "").replace("’", "")
    return _singular(word)


def _singular(word: str) -> str:
    if len(word) < 4 or word[-1] != "s" or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "zes", "ches", "shes")) and len(word) > 4:
        return word[:-2] if not word.endswith("ses") or word.endswith("sses") else word[:-1]
    return word[:-1]


def words(text: str) -> list[Word]:
    """The words of a text with their offsets.

    >>> [(w.folded, w.start, w.end) for w in words("Spider-Man's foes")]
    [('spider', 0, 6), ('man', 7, 12), ('foe', 13, 17)]
    """
    return [Word(m.group(), fold_word(m.group()), m.start(), m.end()) for m in WORD.finditer(text)]


def fold(text: str) -> str:
    """The key of a value: its folded words joined; empty where it has none.

    >>> fold("Marvel Comics"), fold("MARVEL  comic"), fold("+")
    ('marvel comic', 'marvel comic', '')
    """
    return " ".join([fold_word(match) for match in WORD.findall(text)])


_QUOTED: Final = re.compile(
    r"""(?<![^\W_])(?:"([^"\n]{1,200})"|'([^'\n]{1,200}(?:'[^\W_][^'\n]*)*)'(?![^\W_])|“([^”\n]{1,200})”"""
    r"""|‘([^’\n]{1,200})’(?![^\W_])|«([^»\n]{1,200})»|`([^`\n]{1,200})`)"""
)


def quoted(text: str) -> list[tuple[int, int]]:
    """Where the quoted parts of a text are, without their quotes.

    >>> text = "players' clubs called 'Bell's Yard' or \\"+\\""
    >>> [text[a:b] for a, b in quoted(text)]
    ["Bell's Yard", '+']
    """
    spans = []
    for match in _QUOTED.finditer(text):
        group = next(i for i in range(1, 7) if match.group(i) is not None)
        spans.append(match.span(group))
    return spans


_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sep", "sept"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY: Final = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_DATES: Final = (
    re.compile(r"\b(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)"),
    re.compile(rf"\b{_DAY}(?:\s+of)?\s+(?P<n>{_MONTH})\.?,?\s+(?P<y>\d{{4}})\b", re.I),
    re.compile(rf"\b(?P<n>{_MONTH})\.?\s+{_DAY},?\s+(?P<y>\d{{4}})\b", re.I),
)


def dates(text: str) -> list[tuple[int, int, str]]:
    """Full dates in a text as (start, end, key), the key folded as an ISO date is.

    >>> [key for _, _, key in dates("on 1994/8/25 or August 25th, 1994, not 3 May 2001")]
    ['1994 08 25', '1994 08 25', '2001 05 03']
    """
    found = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            month = _MONTHS[parts["n"].lower()] if "n" in parts else int(parts["m"])
            if 1 <= month <= 12 and 1 <= int(parts["d"]) <= 31:
                found.append((*match.span(), f"{parts['y']} {month:02d} {int(parts['d']):02d}"))
    return sorted(found)
