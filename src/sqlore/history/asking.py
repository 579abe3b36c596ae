"""Whether words ask for something, warn of something, or only remark.

A question ends with ``?``, or begins as one does: an interrogative ("which plans"), an auxiliary with its
subject ("are there"), an imperative with its object ("list all plans"). The same words begin remarks too
("Report of May", "write off small change", "count by status", "is the old version"): those ask for nothing.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["asks", "asks_within", "reads_like_a_question", "warning_in", "warns"]

_NUMBERS: Final = r"\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty|hundred"
_BE: Final = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might)(?:n't)?"
_OBJECT: Final = (
    r"(?:all|the|every|each|only|any|both|either|a|an|me|us|him|her|them|our|my|your|their|its|his"
    r"|this|that|these|those|which|what|how|who|whom|whose|where|when|whether|if|why|top|first|last|up|out"
    rf"|distinct|different|unique|{_NUMBERS})"
)
_FORMS: Final = (
    r"(?:what|which|who|whom|whose)(?:'s)?\s",
    r"how\s+(?:many|much|often|long|far|old|big|large|high|low|fast|frequently|frequent|well|likely|late"
    rf"|early|soon|strong|strongly|few|recent|recently|about|come|{_BE})\b",
    rf"(?:when|where|why)(?:\s+and\s+\w+)?\s+{_BE}\s",
    r"(?:is|are|was|were)\s+there\b",
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may)"
    r"\s+(?:we|you|i|they|he|she|it|any|anyone|anybody)\s+\w",
    # Verbs that name nothing else.
    r"(?:find|get|give|display|calculate|compute|determine|identify|retrieve|fetch|provide|compare|extract"
    r"|enumerate|mention|indicate|describe|tell|show|list|count|rank|select)"
    r"\s+(?!(?:of|off|by|per|with|to|as|in|from|is|are|was|were|rid|back|not|on|at|and|or|for|has|had|have"
    r"|prices?|room)\b)[\w\"'`#$%(]",
    # Verbs that are as often nouns.
    rf"(?:return|report|name|state|total|sum|average|group|plot|select)\s+{_OBJECT}\b",
    r"write\s+(?:me\s+)?(?:a|an|the|some)?\s*(?:sql|select|short|single)?\s*"
    r"(?:query|queries|statement|script)\b",
    rf"top\s+(?:{_NUMBERS}|[a-z]+s)\b",
    r"(?:i|we|he|she|they)\s+(?:want|need|wants|needs|would\s+like|'d\s+like)\s+to\s+(?:know|see)\b",
    r"(?:in|from|on|for|at|of|to|by|with|under|until|since)\s+(?:what|which|whose|how\s+(?:many|much|long))\s",
)
_ASKS: Final = re.compile(
    rf"(?:please,?\s+)?(?:also\s+|then\s+|now\s+|and\s+|so\s+)?(?:{'|'.join(_FORMS)})", re.I
)
# "For each plan, count ..." asks behind its comma.
_LEAD_IN: Final = re.compile(
    r"(?:for|in|of|on|among|between|from|after|before|since|under|over|during|if|to|within|given)\b", re.I
)
_QUESTION_MARK: Final = re.compile(r"[\w)\"'\]%]\s?\?+(?=\s|$)")
_SENTENCE_LENGTH: Final = 400
_SENTENCE: Final = re.compile(r"(?:^|[.:!?;>-]\s+|\(\s*)")
_LABEL: Final = (
    r"(?=\s*(?:$|[:!.,;(\[–—-]|\b(?:version|query|script|numbers|figures|result|copy|code|filter|join)\b))"
)
_LOOK_OUT: Final = r"[\W_]*(?:(?:please|nb|note|warning|careful|attention|caution|achtung)\b[\W_]*)*"
_NOT: Final = r"(?:do\s+not|don'?t|never|stop|must\s+not|should\s+not|cannot\s+be)\s+(?:\w+\s+)?"
_IS: Final = r"(?:is\s+|was\s+|this\s+is\s+|now\s+)*"
_WORSE: Final = "deprecated|obsolete|out\\s?dated|superseded|replaced\\s+by|fixme|wip"
# Where a title may begin with the same word ("deprecated plans by month") it takes the end of the words.
_REASON: Final = r"(?=\s*(?:$|[^\w\s]|(?:by|since|as|because|use|see|in|and|now|do)\b))"
# What says that the SQL beside it is not to be relied on.
_DISOWNS_FORMS: Final = (
    rf"{_NOT}(?:us(?:e|ed|ing)|run|running|rely|trust|copy|execute|reuse)\b"
    r"|(?:does|do|did|will|can)\s*(?:not|n'?t)\s+(?:run|work|compile|finish|execute|parse|match|terminate|tie)\b"
    r"|(?:doesn'?t|didn'?t|won'?t|can'?t|cannot|don'?t)\s+(?:run|work|compile|finish|execute|parse|match|tie)\b"
    r"|(?:no\s+longer|not)\s+(?:used|in\s+use|needed|valid|correct|right|working|maintained|supported|up\s+to)\b"
    rf"|{_IS}(?:old|wrong|incorrect|broken|buggy|unused|retired|legacy|stale|abandoned|draft){_LABEL}"
)
_WARNS: Final = re.compile(
    rf"{_LOOK_OUT}(?:{_DISOWNS_FORMS}|{_NOT}(?:edit|change|touch|delete|share|send|modify)\b"
    rf"|{_IS}(?:{_WORSE}|todo|xxx)\b|{_IS}(?:scratch|hack){_LABEL})",
    re.I,
)
_DISOWNS: Final = re.compile(rf"{_LOOK_OUT}(?:{_DISOWNS_FORMS}|{_IS}(?:{_WORSE})\b{_REASON})", re.I)
# Within a sentence only capitals warn: "customers who do not use the app" are a title.
_LOUD: Final = re.compile(r"(?<=[a-z]\s)(?:DO NOT|DON'T|NEVER) (?:USE|TRUST|RELY|RUN|REUSE)\b")
_BREAK: Final = re.compile(r"^|(?:[.:!?;>|\[(]|\s[-–—])\s*", re.M)


def asks(text: str) -> bool:
    """Whether words begin as a question or a request begins.

    >>> asks("show revenue by plan"), asks("report of May"), asks("does not run")
    (True, False, False)
    """
    text = text.lstrip(" \t\"'(*-")
    if _ASKS.match(text):
        return True
    return _LEAD_IN.match(text) is not None and any(
        _ASKS.match(text, comma.end()) for comma in re.finditer(r",\s+", text)
    )


def warns(text: str) -> bool:
    """Whether words say that something is not to be used any more, is wrong, or does not run.

    >>> warns("DO NOT USE, counts upgrades"), warns("old customers by region"), warns("old version")
    (True, False, True)
    """
    return _WARNS.match(text) is not None


def warning_in(text: str | None) -> str:
    """The words with which somebody says that the SQL beside them is not to be relied on; empty for none.

    >>> warning_in("revenue by plan (do not use, counts upgrades)"), warning_in("Deprecated since May")
    ('do not use, counts upgrades', 'Deprecated since May')
    >>> [warning_in(text) for text in ("do not edit: it is made by dbt", "deprecated plans by month", None)]
    ['', '', '']
    """
    if not text:
        return ""
    starts = (found.end() for found in _BREAK.finditer(text))
    start = next((one for one in starts if _DISOWNS.match(text, one)), None)
    if start is None:
        loud = _LOUD.search(text)
        start = loud.start() if loud else None
    return text[start:].strip(" \t\n*=-_()[]") if start is not None else ""


def asks_within(text: str) -> bool:
    """Whether one of the sentences of a line is a question, words behind it or not.

    >>> asks_within("slide 8: What share was late? Without Sundays"), asks_within("late (new?) orders")
    (True, False)
    """
    behind = 0
    for mark in _QUESTION_MARK.finditer(text):
        if mark.end() == len(text.rstrip(" \t\"')")):
            return True
        before = text[max(behind, mark.start() - _SENTENCE_LENGTH) : mark.start() + 1]
        if any(asks(before[start.end() :]) for start in _SENTENCE.finditer(before)):
            return True
        behind = mark.end()
    return False


def reads_like_a_question(text: str) -> bool:
    """Whether words ask for something and do not warn.

    >>> reads_like_a_question("How many plans are active"), reads_like_a_question("revenue by plan")
    (True, False)
    >>> reads_like_a_question("deprecated, which one is right?")
    False
    """
    return not warns(text) and (asks(text) or asks_within(text))
