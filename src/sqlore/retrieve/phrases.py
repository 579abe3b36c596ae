"""Phrases of a question, without a language model.

Component-level retrieval compares parts of the question with the fragments' descriptions (BIRD-History,
section 4; Cerebra, section 4.2). The papers ask an LLM for the parts. Here grammar words do the cutting: a
question is noun groups held together by prepositions, verbs of asking and relative words, and the groups
next to each other ("full name" of "the superhero") are what a formula or a filter is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from sqlore.retrieve.words import STOPWORDS

PhraseKind = Literal["quoted", "group", "linked", "cue"]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A part of a question: ``question[start:end]`` holds it, `text` is what is compared."""

    text: str
    start: int
    end: int
    kind: PhraseKind = "group"


_QUOTED: Final = re.compile(r"\"([^\"]+)\"|“([^”]+)”|‘([^’]+)’|(?<!\w)'([^']+(?:'\w[^']*)*)'(?!\w)|`([^`]+)`")
_TOKEN: Final = re.compile(r"\d+(?:[.,:/-]\d+)*%?|[^\W_]+(?:[-_'’.][^\W_]+)*|[,;:?!()]", re.UNICODE)

_LINK_WORDS: Final = "of in on at for with by from to within under over per and or between"
_BREAK_WORDS: Final = """
    , ; : ? ! ( ) which what who whom whose that where when how if then among than as because while is are
    was were be been being do does did has have had can could would should will please list show give tell
    find name state provide identify mention indicate write calculate determine display return get me us
"""
_ARTICLE_WORDS: Final = """
    the a an all any its their his her these those this some there it they many much down include
    also
"""
_LINKS: Final = frozenset(_LINK_WORDS.split())
_BREAKS: Final = frozenset(_BREAK_WORDS.split())
_ARTICLES: Final = frozenset(_ARTICLE_WORDS.split())

#: Formulations that call for a shape of SQL rather than name a thing.
_CUES: Final = re.compile(
    r"""\b(?:
        how\ many(?:\ [\w-]+){1,2} | (?:the\ )?(?:total\ )?number\ of(?:\ [\w-]+){1,3}
      | (?:for|by|of|in)\ (?:each|every)(?:\ [\w-]+){1,2} | per\ [\w-]+
      | (?:percentage|percent|proportion|ratio|rate|share)\ of(?:\ [\w-]+){1,5}
      | (?:average|mean|total|sum\ of|difference\ between|difference\ in)(?:\ [\w-]+){1,4}
      | (?:more|less|fewer|greater|higher|lower|older|younger|larger|later|earlier|taller|shorter)
        \ than(?:\ [\w.-]+){1,3}
      | (?:at\ (?:least|most)|between|before|after|since|until|above|below|over|under|exceeding)
        \ (?:the\ )?(?:[\w.-]+\ ){0,1}\d[\w.,/-]*(?:\ (?:and|to)\ \d[\w.,/-]*)?(?:\ [a-z]+)?
      | (?:top|first|last|bottom)\ (?:\d+|two|three|five|ten)(?:\ [\w-]+){1,2}
      | (?:the\ )?(?:most|least|highest|lowest|largest|smallest|biggest|longest|shortest|oldest|youngest
        |tallest|heaviest|latest|earliest|newest|best|worst|fastest|slowest|cheapest|greatest|fewest)
        (?:\ [\w-]+){1,3}
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def phrases(question: str, limit: int = 8) -> tuple[Phrase, ...]:
    """The 0 to `limit` parts of `question` worth comparing with fragments, in the order they stand there.

    Quoted strings, then cues ("percentage of", "for each", "more than 5"), then linked groups, then single
    groups, until the limit is reached; a phrase inside a longer one is left out.

    >>> [phrase.text for phrase in phrases("Among the male heroes, who has the highest strength?")]
    ['male heroes', 'highest strength']
    >>> [phrase.text for phrase in phrases("What is the eye colour of superheroes from 'Dark Horse Comics'?")]
    ['eye colour of superheroes', "superheroes from 'Dark Horse Comics'"]
    """
    quoted = list(_quoted(question))
    groups = list(_groups(question, quoted))
    linked = list(_linked(question, groups))
    cues = [Phrase(_trim(m[0]), m.start(), m.end(), "cue") for m in _CUES.finditer(question)]
    chosen: list[Phrase] = []
    for phrase in [*cues, *linked, *groups, *quoted]:
        inside = any(other.start <= phrase.start and phrase.end <= other.end for other in chosen)
        if not inside and len(phrase.text) > 1 and len(chosen) < limit:
            chosen.append(phrase)
    return tuple(sorted(chosen, key=lambda phrase: (phrase.start, phrase.end)))


def _quoted(question: str) -> Iterator[Phrase]:
    for match in _QUOTED.finditer(question):
        text = next(group for group in match.groups() if group is not None).strip()
        if text:
            yield Phrase(text, match.start(), match.end(), "quoted")


def _groups(question: str, quoted: list[Phrase]) -> Iterator[Phrase]:
    """Noun groups: runs of words between grammar words; a quoted string counts as one word."""
    start = end = -1
    skip_to = 0
    for match in _TOKEN.finditer(question):
        if match.start() < skip_to:
            continue
        inside = next((q for q in quoted if q.start <= match.start() < q.end), None)
        word = match[0].lower()
        if inside is None and (word in _LINKS or word in _BREAKS or word in _ARTICLES):
            if start >= 0:
                yield Phrase(question[start:end], start, end)
            start = -1
            continue
        if start < 0:
            start = inside.start if inside else match.start()
        end = skip_to = inside.end if inside else match.end()
    if start >= 0:
        yield Phrase(question[start:end], start, end)


def _linked(question: str, groups: list[Phrase]) -> Iterator[Phrase]:
    """Two neighbouring groups with only prepositions and articles between them."""
    for left, right in pairwise(groups):
        between = question[left.end : right.start].lower().split()
        joined = between and all(word in _LINKS or word in _ARTICLES for word in between)
        if joined and any(word in _LINKS for word in between):
            text = " ".join([left.text, *(w for w in between if w in _LINKS), right.text])
            yield Phrase(text, left.start, right.end, "linked")


def _trim(text: str) -> str:
    """A cue without the grammar words that its pattern dragged in at the ends."""
    words = text.split()
    while words and words[0].lower() in _ARTICLES:
        words.pop(0)
    while len(words) > 1 and words[-1].lower() in STOPWORDS:
        words.pop()
    return " ".join(words).rstrip(".,")
