"""A question is taken apart by how it is said: no model is asked.

"By how much does A exceed B", "among those who ..., what percentage ...", "which X are in A but not in B":
such words tell the parts and what is done with them. What stands in a part only by reference ("than that
among villains") is said in full. A question that none of these ways of asking fits is left whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sqlore.answer.least_to_most.plan import Part, Plan, part
from sqlore.answer.least_to_most.values import ASKING, values
from sqlore.answer.least_to_most.words import SUPERLATIVE, head_noun, is_total, merged, narrowed, refers_back
from sqlore.model import ValueMatch
from sqlore.retrieve.words import stems

__all__ = ["looked_up_first", "smaller", "taken_apart", "worth_asking"]

_SCOPE: Final = re.compile(
    rf"(?P<lead>among|of|for|in|at|within|out of|counting only|considering only|considering|across)\s+"
    rf"(?P<scope>.+?),\s+(?P<rest>{ASKING}\b.+)",
    re.I | re.S,
)
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_INSTRUCTION: Final = re.compile(
    r"(?:please\s+)?(?:give|return|list|provide|state|indicate|show|include|answer|report)\b", re.I
)
_SETS: Final = frozenset(("among", "of", "out of", "counting only", "considering only"))
#: Words of a question, and words in it that join clauses, from which on a model is asked for its parts.
_LONG: Final = 22
_JOINED: Final = 3
_JOINTS: Final = re.compile(
    r"\b(?:and|or|but|who|whose|whom|that|which|among|along with|as well as|than|with|having|where)\b", re.I
)


def taken_apart(question: str, found: Sequence[ValueMatch] = ()) -> Plan | None:
    """The plan of a question; None where it is best asked whole. `found` are the values that it names.

    >>> plan = taken_apart("Among the tall heroes, how many more are good than bad?")
    >>> [one.question for one in plan.parts], plan.outputs[0].operation
    (['Among the tall heroes, how many are good?', 'Among the tall heroes, how many are bad?'], '-')
    >>> taken_apart("How many heroes are there?") is None
    True
    """
    asked, told = _sentences(question)
    scoped = _SCOPE.fullmatch(asked)
    scope, rest = ("", asked) if scoped is None else (f"{scoped['lead']} {scoped['scope']}", scoped["rest"])
    return (
        (None if told else _lists(rest, scope))
        or values(rest, scope, told)
        or (None if told else _chained(asked))
        or looked_up_first(asked, found, told)
        or _within(scoped, told)
    )


def worth_asking(question: str) -> bool:
    """Whether a question that is said in none of the known ways may still have several in it.

    >>> worth_asking("How many heroes are tall?")
    False
    >>> worth_asking(
    ...     "Show the name and the team of the heroes who can fly and are taller than the average hero, with "
    ...     "the number of powers that each of them has."
    ... )
    True
    """
    return len(question.split()) >= _LONG and len(_JOINTS.findall(question)) >= _JOINED


def _sentences(question: str) -> tuple[str, str]:
    """What is asked, and the sentence after it that says what to give."""
    said = _SENTENCE.split(" ".join(question.split()))
    told = ""
    if len(said) > 1 and _INSTRUCTION.match(said[-1]):
        told = said.pop()
    return " ".join(said).rstrip(" .?!"), told


# ------------------------------------------------------------------ lists

_NO: Final = r"(?:doesn't|does not|don't|do not|didn't|did not|isn't|is not|aren't|are not|hasn't|haven't)"
_HAVE: Final = r"(?P<verb>have|has|play|teach|use|offer|own|take|speak|get)"
_NOT_THAT: Final = re.compile(
    rf"(?P<what>(?:which|what) .+?) (?:does|do|did|has|have) (?P<a>.+?) {_HAVE}? ?"
    rf"(?:that|which) (?P<b>.+?) {_NO}(?: \w+)?",
    re.I,
)
_BUT_NOT: Final = re.compile(
    r"(?P<a>(?:which|what|who|list|find|name|show|give) .+?),? but not (?P<b>.+)", re.I
)
_BOTH: Final = re.compile(
    r"(?P<what>(?:which|what) .+?) (?:do|did) (?:both )?(?P<a>.+?) and (?P<b>.+?) (?:both )?"
    r"(?:have in common|share|have)",
    re.I,
)


def _lists(rest: str, scope: str) -> Plan | None:
    """What one list has and another has not, or what two have in common."""
    match = _NOT_THAT.fullmatch(rest) or _BOTH.fullmatch(rest)
    if match:
        verb = match.groupdict().get("verb") or "have"
        asked = [f"{match['what']} does {match[side]} {verb}" for side in "ab"]
        how = "except" if match.re is _NOT_THAT else "intersect"
    else:
        match = _BUT_NOT.fullmatch(rest)
        if match is None or f" {match['b'].split()[0].lower()} " not in match["a"].lower():
            return None  # what is not wanted has to be said in the words of what is
        asked, how = [match["a"], merged(match["a"], match["b"])], "except"
    parts = tuple(part(one, scope, number=False) for one in asked)
    return Plan("except" if how == "except" else "intersect", parts)


# ------------------------------------------------------------------ a value that is looked up first

_NAME: Final = r"(?:[A-Z0-9][\w.'-]*)(?: [A-Z0-9][\w.'-]*)*"
_THING: Final = r"\w+(?: (?!from|of|in|by|that|who|with|where)\w+)?"
#: The same group as Amazo.
_SAME: Final = re.compile(rf"\bthe (?P<same>same )(?P<what>[\w ]+?) as (?P<of>{_NAME})")
#: In the region with the highest income, from the publisher that published the slowest hero.
_EXTREME: Final = re.compile(
    rf"\b(?:in|from|by|of|at|for|to|with) the (?P<what>{_THING}) "
    rf"(?P<of>(?:that|which|with|where|having) [^,?]*?{SUPERLATIVE}"
    r"(?:(?!\b(?:divided|minus|exceed|and)\b)[^,?])*)",
    re.I,
)
#: Created by the publisher of Hellboy.
_OF_NAME: Final = re.compile(rf"\b(?:in|from|by|at|to) the (?P<what>{_THING}) of (?P<of>{_NAME})")
_LOOKUPS: Final = (_SAME, _EXTREME, _OF_NAME)


def looked_up_first(question: str, found: Sequence[ValueMatch] = (), told: str = "") -> Plan | None:
    """A value that has to be found before the rest can be asked: "the same team as Ann".

    `found` are the values that the question names: "the city of Paris" is Paris, there is nothing to find.
    Where the rest is of one row ("the name of the tallest hero's team") one query does it.
    `told` is a sentence of the question that says what to give.

    >>> plan = looked_up_first("How many heroes are in the same team as Ann?")
    >>> [one.question for one in plan.parts]
    ['What is the team of Ann?', 'How many heroes are in the team {}?']
    """
    for pattern in _LOOKUPS:
        match = pattern.search(question)
        if match is None or match["what"].lower() in ("one", "ones"):
            continue
        what, of = match["what"].strip(), match["of"].strip()
        end = match.start("of") + len(of)
        before = re.sub(r"\bsame \Z", "", question[: match.start("what")])
        outer = _resolved(f"{before}{what} {{}}{question[end:].rstrip(' .?!')}", what)
        if pattern is _OF_NAME and not _owned(what, match.start("of"), found):
            continue
        if pattern is _EXTREME and not is_total(outer):
            continue
        return _with_value(Part(_asked_for(what, of)), outer, told)
    return None


def _owned(what: str, start: int, found: Sequence[ValueMatch]) -> bool:
    """Whether the name at `start` is that of a thing which has a `what`: a value, of another column."""
    columns = [value.column for value in found if value.start <= start < value.end]
    return bool(columns) and not any(set(stems(what)) & set(stems(column)) for column in columns)


def _asked_for(what: str, of: str) -> str:
    """The question whose answer is ``the region with the highest income``, ``the team of Ann``."""
    word, _, rest = of.partition(" ")
    if word.lower() in ("with", "having"):
        return f"Which {what} has {rest}?"
    if word.lower() in ("that", "which"):
        return f"Which {what} {rest}?"
    return f"What is the {what} {of}?" if word.lower() == "where" else f"What is the {what} of {of}?"


def _with_value(first: Part, outer: str, told: str, *, shown: bool = False) -> Plan:
    """The rest of a question, asked with the value of its first part; in parts if it has several."""
    scoped = _SCOPE.fullmatch(outer)
    scope, rest = ("", outer) if scoped is None else (f"{scoped['lead']} {scoped['scope']}", scoped["rest"])
    plan = None if told else values(rest, scope, "", before=first if shown else None)
    if plan is not None:
        moved = plan if shown else plan.after(first)
        return Plan("lookup", moved.parts, moved.outputs)
    return Plan("lookup", (first, Part(f"{outer}? {told}".strip())))


_FIRST: Final = re.compile(
    r"(?P<first>which (?P<what>(?:\w+ ){0,2}?\w+) (?:has|have|had|is|are|was|were|\w+(?:ed|s)) "
    rf"[^,]*?{SUPERLATIVE}[^,]*?),?(?: and|,) (?P<rest>{ASKING}\b.+)",
    re.I,
)


def _chained(asked: str) -> Plan | None:
    """A question whose answer the others are about: "which team has most heroes, and how many in it"."""
    match = _FIRST.fullmatch(asked)
    if match is None:
        return None
    what = match["what"].split()[-1]
    rest = _resolved(match["rest"], what)
    if "{}" not in rest or refers_back(rest):
        return None
    plan = _with_value(Part(f"{match['first']}?"), rest, "", shown=True)
    return plan if plan.outputs else None


def _resolved(text: str, what: str) -> str:
    """`text` with the value in place of what refers to it: ``that region``, ``there``."""
    text = re.sub(rf"\b(?:that|this|the same|the said) {re.escape(what)}\b", f"the {what} {{}}", text)
    return re.sub(r"(?<=\w )(?<!\bare )(?<!\bis )there\b(?! (?:is|are)\b)", f"in the {what} {{}}", text)


def smaller(question: str, found: Sequence[ValueMatch] = ()) -> Plan | None:
    """The plan of a part that is itself not asked in one: a value to look up first, or rows of a set."""
    asked, told = _sentences(question)
    return looked_up_first(asked, found, told) or _within(_SCOPE.fullmatch(asked), told)


# ------------------------------------------------------------------ the rows of a set


def _within(scoped: re.Match[str] | None, told: str) -> Plan | None:
    """A question about the rows of a set: the set alone, and the question about all rows."""
    if scoped is None or scoped["lead"].lower() not in _SETS:
        return None
    scope, rest = scoped["scope"].strip(), scoped["rest"].strip()
    noun = head_noun(scope)
    if noun is None or refers_back(rest) or not narrowed(scope):
        return None
    return Plan("within", (Part(f"List {scope}."), Part(f"Among {noun}, {rest}? {told}".strip())))
