"""A question is taken apart by how it is said: no model is asked.

"By how much does A exceed B", "among those who ..., what percentage ...", "which X are in A but not in B":
such words tell the parts and what is done with them. What stands in a part only by reference ("than that
among villains") is said in full. A question that none of these ways of asking fits is left whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from sqlore.answer.least_to_most_plan import Operation, Output, Part, Plan, part
from sqlore.answer.least_to_most_words import (
    SUPERLATIVE,
    head_noun,
    is_measure,
    measured,
    merged,
    refers_back,
)

__all__ = ["taken_apart", "worth_asking"]

_ASKING: Final = (
    r"(?:who|what|which|how|by how|by what|for which|for how|whose|identify|calculate|compute|list|give|find|"
    r"is|are|was|were|does|do|did|count|determine|name|state|show|where|when|in which|in what|provide)"
)
_SCOPE: Final = re.compile(
    rf"(?P<lead>among|of|for|in|within|out of|counting only|considering only|considering|across)\s+"
    rf"(?P<scope>.+?),\s+(?P<rest>{_ASKING}\b.+)",
    re.I | re.S,
)
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_INSTRUCTION: Final = re.compile(
    r"(?:please\s+)?(?:give|return|list|provide|state|indicate|show|include|answer|report)\b", re.I
)
_CLAUSES: Final = re.compile(rf",?\s+and\s+(?={_ASKING}\b)|,\s+(?={_ASKING}\b)", re.I)
_UNIT: Final = r"(?:much|many(?:\s+[\w-]+){1,2}?|(?:large|big|great|wide)\b.*?)"
_MORE: Final = (
    r"(?:more|higher|greater|larger|bigger|heavier|taller|older|longer|later|faster|stronger|above|over|"
    r"better|richer|warmer|further|ahead)"
)
_LESS: Final = (
    r"(?:less|fewer|lower|smaller|lighter|shorter|younger|earlier|slower|weaker|below|under|worse|poorer|"
    r"colder|behind)"
)
_IT: Final = r"(?:it|that|this|the first|the former|this figure|that figure|this number|that number)"
_EXCEEDS: Final = r"(?:exceed|exceeds|surpass|surpasses|top|outnumber)"
_REQUEST: Final = (
    r"(?:what(?:'s| is| was| are)|calculate|find|compute|give|determine|tell me|show|return|state)"
)

#: Words of a question, and words in it that join clauses, from which on a model is asked for its parts.
_LONG: Final = 15
_JOINED: Final = 2
_JOINTS: Final = re.compile(
    r"\b(?:and|or|but|who|whose|whom|that|which|among|along with|as well as|than|with|having|where)\b", re.I
)


def taken_apart(question: str) -> Plan | None:
    """The plan of a question; None where it is best asked whole.

    >>> plan = taken_apart("Among the tall heroes, how many more are good than bad?")
    >>> [one.question for one in plan.parts], plan.outputs[0].operation
    (['Among the tall heroes, how many are good?', 'Among the tall heroes, how many are bad?'], '-')
    >>> taken_apart("How many heroes are there?") is None
    True
    """
    asked, told = _sentences(question)
    scoped = _SCOPE.fullmatch(asked)
    scope, rest = ("", asked) if scoped is None else (f"{scoped['lead']} {scoped['scope']}", scoped["rest"])
    plan = _lists(rest, scope) if not told else None
    plan = plan or _values(rest, scope, told)
    return plan or _lookup(question) or _within(scoped, told)


def worth_asking(question: str) -> bool:
    """Whether a question that is said in none of the known ways may still have several in it.

    >>> worth_asking("How many heroes are tall?")
    False
    >>> worth_asking("Which heroes that fly are taller than the average one, and which team has most?")
    True
    """
    return len(question.split()) >= _LONG and len(_JOINTS.findall(question)) >= _JOINED


def _sentences(question: str) -> tuple[str, str]:
    """What is asked, and the sentence after it that says what to give."""
    text = " ".join(question.split())
    said = _SENTENCE.split(text)
    told = ""
    if len(said) > 1 and _INSTRUCTION.match(said[-1]):
        told = said.pop()
    return " ".join(said).rstrip(" .?!"), told


# ------------------------------------------------------------------ values


class _Parts:
    """The parts found so far; one that is asked twice is there once."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        self.parts: list[Part] = []

    def add(self, asked: str, *, scoped: bool = True, number: bool = True) -> int:
        one = part(asked, self.scope if scoped else "", number=number)
        if one not in self.parts:
            self.parts.append(one)
        return self.parts.index(one)


def _values(rest: str, scope: str, told: str) -> Plan | None:
    """One row of values: formulas of what the parts give."""
    made = _Parts(scope)
    outputs: list[Output] = []
    last = ""  # what "it" is
    for clause in (piece.strip(" ,") for piece in _CLAUSES.split(rest)):
        found = _back(clause, last, outputs, made) or _formula(clause, made)
        if found is None:
            clause = (
                merged(last, clause) if last and re.match(r"what is it\b|what about\b", clause) else clause
            )
            if refers_back(clause):
                return None
            found = Output(made.add(clause, number=False))
            last = clause
        outputs.append(found)
    computed = any(one.operation for one in outputs)
    if not computed and (len(outputs) < 2 or not all(_single(one.question) for one in made.parts)):
        return None
    if told and len(outputs) == 1:
        return None  # something else is wanted beside the one value
    return Plan("values", tuple(made.parts), tuple(outputs))


def _single(question: str) -> bool:
    """Whether a question has one value for an answer."""
    return bool(
        re.search(
            r"\b(?:how many|how much|what percentage|percent|average|number of|total)\b", question, re.I
        )
    )


def _back(clause: str, last: str, outputs: list[Output], made: _Parts) -> Output | None:
    """A clause about what the clause before it gave: "by how much does it exceed B"."""
    if not last or not outputs:
        return None
    second = re.search(r"\bthe (?:second|latter|other)\b", clause, re.I)
    if second and len(outputs) > 1 and re.search(rf"{_EXCEEDS}|minus|than", clause, re.I):
        return Output(outputs[-2].left, "-", outputs[-1].left)
    patterns: tuple[tuple[str, Operation, bool], ...] = (
        (rf"by (?:how|what) {_UNIT} (?:does|do|did) {_IT} {_EXCEEDS} (?P<b>.+)", "-", False),
        (rf"(?:by )?how {_UNIT} (?:is {_IT} )?{_MORE} (?:is {_IT} )?than (?P<b>.+)", "-", False),
        (rf"(?:by )?how {_UNIT} (?:is {_IT} )?{_LESS} (?:is {_IT} )?than (?P<b>.+)", "-", True),
        (
            rf"how many times (?:(?:higher|larger|greater|more) is {_IT} than )?(?P<b>.+?)(?: is {_IT})?",
            "/",
            False,
        ),
    )
    for pattern, operation, turned in patterns:
        match = re.fullmatch(pattern, clause, re.I)
        if match:
            other = match["b"]
            whole = is_measure(other) and not other.lower().startswith(("that ", "the same "))
            right = made.add(other if whole else merged(last, other), scoped=not whole)
            left = outputs[-1].left
            return Output(right, operation, left) if turned else Output(left, operation, right)
    return None


_BE: Final = r"(?:is|are|was|were|do|does|did)"
_SIZE: Final = r"(?:large|high|big|many|much|great|heavy|tall|old)"
_FORMULAS: Final[tuple[tuple[str, Operation, bool], ...]] = (
    (rf"by (?:how|what) {_UNIT} (?:does|do|did) (?P<a>.+?) {_EXCEEDS} (?P<b>.+)", "-", False),
    (rf"by (?:how|what) {_UNIT} {_BE} (?P<a>.+?) {_MORE} (?P<t>.*?)than (?P<b>.+)", "-", False),
    (rf"by (?:how|what) {_UNIT} {_BE} (?P<a>.+?) {_LESS} (?P<t>.*?)than (?P<b>.+)", "-", True),
    (rf"(?:{_REQUEST} )?the difference (?:between|in) (?P<a>.+) and (?P<b>.+)", "-", False),
    (rf"how (?:much|many) (?:[\w-]+ ){{0,2}}(?P<c>{_MORE}) {_BE} (?P<a>.+?) than (?P<b>.+)", "-", False),
    (rf"how (?:much|many) (?:[\w-]+ ){{0,2}}(?P<c>{_LESS}) {_BE} (?P<a>.+?) than (?P<b>.+)", "-", True),
    (r"(?P<a>how many) more (?P<t>.+?) than (?P<b>.+)", "-", False),
    (r"(?P<a>how many) (?:fewer|less) (?P<t>.+?) than (?P<b>.+)", "-", True),
    (rf"(?:{_REQUEST} )?the ratio (?:of|between) (?P<a>.+) (?:to|and) (?P<b>.+)", "/", False),
    (rf"(?:{_REQUEST} )?(?P<a>.+?) divided by (?P<b>.+)", "/", False),
    (rf"(?:{_REQUEST} )?(?P<a>.+?) minus (?P<b>.+)", "-", False),
    (rf"how many times (?:as {_SIZE} as )?(?P<b>the .+) {_BE} (?P<a>.+)", "/", False),
    (rf"how many times {_MORE} {_BE} (?P<a>.+) than (?P<b>.+)", "/", False),
)  # fmt: skip


def _formula(clause: str, made: _Parts) -> Output | None:
    """A difference or a ratio of two parts that the clause says, each of them in full."""
    for pattern, operation, turned in _FORMULAS:
        for match in _matches(pattern, clause):
            groups = match.groupdict()
            one = f"{groups['a']} {groups.get('t') or ''}".strip()
            two = groups["b"].strip()
            one, two = measured(one, groups.get("c")), measured(two, groups.get("c"))
            if not is_measure(two):
                two = merged(one, two)
            if not (is_measure(one) and is_measure(two)) or one == two:
                continue
            left, right = made.add(one), made.add(two, scoped=not re.search(r"\b(?:over all|overall)\b", two))
            return Output(right, operation, left) if turned else Output(left, operation, right)
    return None


def _matches(pattern: str, clause: str) -> Iterable[re.Match[str]]:
    """The ways in which a clause fits a pattern: "A and B" may be cut at any "and", whole phrases first."""
    whole = re.fullmatch(pattern, clause, re.I)
    if whole is None:
        return []
    found = [whole]
    shorter = pattern.replace("(?P<a>.+) ", "(?P<a>.+?) ")
    other = re.fullmatch(shorter, clause, re.I)
    if other is not None and other.span("a") != whole.span("a"):
        found.append(other)
    return sorted(found, key=lambda m: not (is_measure(m["a"]) and is_measure(m["b"])))


# ------------------------------------------------------------------ lists


def _lists(rest: str, scope: str) -> Plan | None:
    """What one list has and another has not, or what two have in common."""
    no = r"(?:doesn't|does not|don't|do not|didn't|did not|isn't|is not|aren't|are not|hasn't|haven't)"
    verbs = r"(?P<verb>have|has|play|teach|use|offer|own|take|speak|get)"
    match = re.fullmatch(
        rf"(?P<what>(?:which|what) .+?) (?:does|do|did|has|have) (?P<a>.+?) {verbs}? ?"
        rf"(?:that|which) (?P<b>.+?) {no}(?: \w+)?",
        rest,
        re.I,
    )
    if match:
        verb = match["verb"] or "have"
        asked = [f"{match['what']} does {match[side]} {verb}" for side in "ab"]
        return Plan("except", tuple(part(one, scope, number=False) for one in asked))
    match = re.fullmatch(
        r"(?P<a>(?:which|what|who|list|find|name|show|give) .+?),? but not (?P<b>.+)", rest, re.I
    )
    if match:
        return Plan(
            "except",
            tuple(part(one, scope, number=False) for one in (match["a"], merged(match["a"], match["b"]))),
        )
    match = re.fullmatch(
        r"(?P<what>(?:which|what) .+?) (?:do|did|are|have|were) (?:both )?(?P<a>.+?) and (?P<b>.+?)"
        r" (?:both )?(?P<verb>have in common|share|both have|have both)",
        rest,
        re.I,
    )
    if match:
        asked = [f"{match['what']} does {match[side]} have" for side in "ab"]
        return Plan("intersect", tuple(part(one, scope, number=False) for one in asked))
    return None


# ------------------------------------------------------------------ a value looked up, a set


_NAME: Final = r"(?:[A-Z0-9][\w.'-]*)(?: [A-Z0-9][\w.'-]*)*"
_THING: Final = r"\w+(?: (?!from|of|in|by|that|who|with)\w+)?"
_LOOKUPS: Final = (
    # the same group as Amazo
    (re.compile(rf"\bthe same (?P<what>[\w ]+?) as (?P<of>{_NAME})"), "of"),
    # in the region with the highest income, from the publisher that published the slowest hero
    (
        re.compile(
            rf"\b(?:in|from|by|of|at|for|to|with) the (?P<what>{_THING}) "
            rf"(?P<of>(?:that|which|who|with|where|having) [^,?]*?{SUPERLATIVE}[^,?]*)"
        ),
        "with",
    ),
    # created by the publisher of Hellboy
    (re.compile(rf"\b(?:in|from|by|at|to) the (?P<what>{_THING}) of (?P<of>{_NAME})"), "of"),
)


def _lookup(question: str) -> Plan | None:
    """A value that has to be found before the rest can be asked: "the same team as Ann"."""
    for pattern, form in _LOOKUPS:
        match = pattern.search(question)
        if match is None:
            continue
        what, of = match["what"].strip(), match["of"].strip()
        start, end = match.span("what")[0], match.span("of")[1]
        lead = question[: match.start("what")]
        lead = re.sub(r"\bthe same \Z", "the ", lead)
        asked = f"What is the {what} of {of}?" if form == "of" else f"Which {what} {_has(of)}?"
        outer = f"{lead}{what} {{}}{question[end:]}"
        if start < end and len(outer.split()) > 4:
            return Plan("lookup", (Part(asked), Part(outer)))
    return None


def _has(clause: str) -> str:
    """``with the highest income`` as what is asked of a thing: ``has the highest income``."""
    word, _, rest = clause.partition(" ")
    return f"has {rest}" if word.lower() in ("with", "having") else rest


def _within(scoped: re.Match[str] | None, told: str) -> Plan | None:
    """A question about the rows of a set: the set alone, and the question about all rows."""
    if scoped is None or scoped["lead"].lower() not in (
        "among",
        "of",
        "out of",
        "counting only",
        "considering only",
    ):
        return None
    scope, rest = scoped["scope"].strip(), scoped["rest"].strip()
    noun = head_noun(scope)
    if noun is None or refers_back(rest):
        return None
    end = f" {told}" if told else ""
    return Plan("within", (Part(f"List {scope}."), Part(f"Among {noun}, {rest}?{end}")))
