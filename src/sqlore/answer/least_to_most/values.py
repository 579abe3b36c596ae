"""Questions for one row of values: what each value is, and what is computed of which."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from sqlore.answer.least_to_most.plan import Operation, Output, Part, Plan, part
from sqlore.answer.least_to_most.words import elliptic, is_measure, measured, merged, refers_back
from sqlore.retrieve.words import stems

__all__ = ["ASKING", "values"]

ASKING: Final = (
    r"(?:who|what|which|how|by how|by what|for which|for how|whose|identify|calculate|compute|list|give|find|"
    r"is|are|was|were|does|do|did|count|determine|name|state|show|where|when|in which|in what|provide)"
)
_CLAUSES: Final = re.compile(
    rf",?\s+and\s+(?={ASKING}\b)|,\s+(?={ASKING}\b)|,\s+(?:and\s+)?(?=the (?:average|number|percentage|\w+ "
    r"(?:average|number|figure|percentage))\b)",
    re.I,
)
_UNIT: Final = r"(?:much|many(?:\s+[\w-]+){0,2}?)"
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
_BE: Final = r"(?:is|are|was|were|do|does|did)"
_SIZE: Final = r"(?:large|high|big|many|much|great|heavy|tall|old)"
_KIND: Final = r"(?:figure|average|number|percentage|share|rate|one|value|total|count)"

Pattern = tuple[str, Operation, bool]
"""What a clause is like, what is computed, and whether the second part stands first in that."""

_FORMULAS: Final[tuple[Pattern, ...]] = (
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
)
_BACKS: Final[tuple[Pattern, ...]] = (
    (rf"by (?:how|what) {_UNIT} (?:does|do|did) {_IT} {_EXCEEDS} (?P<b>.+)", "-", False),
    (rf"(?:by )?how {_UNIT} (?:is {_IT} {_MORE}|{_MORE} is {_IT}) than (?P<b>.+)", "-", False),
    (rf"(?:by )?how {_UNIT} (?:is {_IT} {_LESS}|{_LESS} is {_IT}) than (?P<b>.+)", "-", True),
    (rf"how many times (?P<b>.+) is {_IT}", "/", False),
)
#: What a comparison is said in: "times" is a quotient, per cent of the second no formula that is known here.
_TIMES: Final = re.compile(rf"how many (?:times|folds?)\s+(?:{_MORE}|{_LESS}|{_BE}|does|do|did)\b", re.I)
_PERCENT: Final = re.compile(
    rf"how (?:much|many) (?:percent|per cent|%)\s+(?:{_MORE}|{_LESS})\b"
    r"|by (?:how|what) (?:(?:much|many) )?(?:per ?cent(?:age)?\b|%)(?!\s*points?\b)",
    re.I,
)
_PER: Final = re.compile(rf"how many(?: [\w-]+)? is {_IT} (?:per|for every) (?P<n>10+) (?P<b>.+)", re.I)
_NAMED: Final = re.compile(
    rf"(?:{_REQUEST} )?the (?P<a>\w+) {_KIND} (?P<op>minus|divided by) the (?P<b>\w+) {_KIND}", re.I
)
_SECOND: Final = re.compile(
    rf"\bthe first\b.*(?:{_EXCEEDS}|minus|than).*\bthe (?:second|latter|other)\b", re.I
)
_ONE_VALUE: Final = re.compile(
    r"\b(?:how many|how much|what percentage|percent|average|number of|total)\b", re.I
)
_LEAD: Final = re.compile(r"(?:that|those|the same [\w-]+|what is it)\s+", re.I)
_YEAR: Final = re.compile(r" (?:in|during|since|before|after) (?:19|20)\d\d\Z")


class _Made:
    """The parts and the outputs found so far; a part that is asked twice is there once."""

    def __init__(self, scope: str, before: Part | None) -> None:
        self.scope = scope
        self.parts: list[Part] = [] if before is None else [before]
        self.outputs: list[Output] = [] if before is None else [Output(0)]
        self.last = ""  # what "it" is

    def add(self, asked: str, *, scope: str | None = None, number: bool = True) -> int:
        one = part(asked, self.scope if scope is None else scope, number=number)
        if one not in self.parts:
            self.parts.append(one)
        return self.parts.index(one)


def values(rest: str, scope: str, told: str, *, before: Part | None = None) -> Plan | None:
    """The plan of a question for one row of values; None where it is none, or asks for one plain value.

    `scope` is what is said first ("among the tall heroes"), `told` the sentence that says what to give.
    `before` is a part that is there already, and the first value.
    """
    made = _Made(scope, before)
    for clause in (piece.strip(" ,") for piece in _CLAUSES.split(rest)):
        if _PERCENT.search(clause):
            return None
        found = _back(clause, made) or _formula(clause, made)
        if found is None:
            rest_of_it = elliptic(clause) if made.last else None
            clause = merged(made.last, rest_of_it) if rest_of_it else clause
            if refers_back(clause, within=bool(scope)) or clause.lower().startswith("when "):
                return None
            found = Output(made.add(clause, number=False))
            made.last = clause
        made.outputs.append(found)
    outputs, parts = tuple(made.outputs), tuple(made.parts)
    computed = any(one.operation for one in outputs)
    plain = parts if before is None else parts[1:]
    if not computed and (len(outputs) < 2 or not all(_ONE_VALUE.search(one.question) for one in plain)):
        return None
    if told and len(outputs) == 1:
        return None  # something else is wanted beside the one value
    return Plan("values", parts, outputs)


def _back(clause: str, made: _Made) -> Output | None:
    """A clause about what the clauses before it gave: "by how much does it exceed B"."""
    if not made.last:
        return None
    if len(made.outputs) > 1:
        earlier = _earlier(clause, made)
        if earlier is not None:
            return earlier
    left = made.outputs[-1].left
    per = _PER.fullmatch(clause)
    if per:
        return Output(left, "/", _other(per["b"], made), int(per["n"]))
    for pattern, operation, turned in _BACKS:
        match = re.fullmatch(pattern, clause, re.I)
        if match:
            right = _other(match["b"], made)
            operation = _operation(clause, operation)
            return Output(right, operation, left) if turned else Output(left, operation, right)
    return None


def _earlier(clause: str, made: _Made) -> Output | None:
    """What is computed of two values that are there already: "the first", "the female figure"."""
    if _SECOND.search(clause):
        one, two = made.outputs[-2].left, made.outputs[-1].left
        turned = re.search(rf"\b{_LESS}\b.*\bthan\b", clause, re.I) is not None
        operation = _operation(clause, "-")
        return Output(two, operation, one) if turned else Output(one, operation, two)
    named = _NAMED.fullmatch(clause)
    if named is None:
        return None
    places = [_place(named[side], made) for side in "ab"]
    left, right = places
    if left is None or right is None or left == right:
        return None
    return Output(left, "-" if named["op"].lower() == "minus" else "/", right)


def _place(word: str, made: _Made) -> int | None:
    """The one part that speaks of `word`."""
    wanted = set(stems(word))
    found = [n for n, one in enumerate(made.parts) if wanted <= set(stems(one.question))]
    return found[0] if len(found) == 1 else None


def _other(said: str, made: _Made) -> int:
    """The part that the last one is compared with, said in full or by what differs."""
    short = _LEAD.sub("", said, count=1) if _LEAD.match(said) else said
    if short == said and is_measure(said):
        return made.add(said, scope="")
    first = short.split(" ", 1)[0].lower()
    if made.scope and elliptic(f"what about {short}") and f" {first} " not in f" {made.last} ":
        return made.add(made.last, scope=short)  # "than that among villains": the rows are others
    return made.add(merged(made.last, short))


def _formula(clause: str, made: _Made) -> Output | None:
    """A difference or a ratio of two parts that the clause says, each of them in full."""
    for pattern, operation, turned in _FORMULAS:
        for match in _matches(pattern, clause):
            groups = match.groupdict()
            one = f"{groups['a']} {groups.get('t') or ''}".strip()
            two = groups["b"].strip()
            one, two = measured(one, groups.get("c")), measured(two, groups.get("c"))
            if not is_measure(two):
                two = merged(one, two)
                when = _YEAR.search(two)
                if when and not re.search(r"\b(?:19|20)\d\d\b", one):
                    one += when[0]
            within = bool(made.scope)
            fits = all(is_measure(said) and not refers_back(said, within=within) for said in (one, two))
            if not fits or one == two:
                continue
            left = made.add(one)
            right = made.add(two, scope="" if re.search(r"\b(?:over all|overall)\b", two) else None)
            done = _operation(clause, operation)
            return Output(right, done, left) if turned else Output(left, done, right)
    return None


def _operation(clause: str, found: Operation) -> Operation:
    """What is computed: a quotient where the clause asks for how many times more it is."""
    return "/" if _TIMES.search(clause) else found


def _matches(pattern: str, clause: str) -> Iterable[re.Match[str]]:
    """The ways in which a clause fits a pattern: "A and B" may be cut at any "and", whole phrases first."""
    whole = re.fullmatch(pattern, clause, re.I)
    if whole is None:
        return []
    found = [whole]
    other = re.fullmatch(pattern.replace("(?P<a>.+) ", "(?P<a>.+?) "), clause, re.I)
    if other is not None and other.span("a") != whole.span("a"):
        found.append(other)
    return sorted(found, key=lambda match: not (is_measure(match["a"]) and is_measure(match["b"])))
