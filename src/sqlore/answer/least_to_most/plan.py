"""How a question is taken apart: its parts, and how their answers are put together.

A part is a question that a history may know alone. What comes of the parts is put together by a program
where the question says how: a difference, a ratio, what one list has and another has not, the rows that are
in a set, a value that one part gives and the next one asks with. Otherwise a model does it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["How", "Operation", "Output", "Part", "Plan", "part"]

How = Literal["values", "except", "intersect", "within", "lookup", "model"]
"""``values``: one row of `outputs`; ``except``, ``intersect``: the two lists; ``within``: the second part, of
the rows that the first one lists; ``lookup``: the other parts, asked with the value that the first one gives,
with `outputs` one row of these; ``model``: the last step is written by the model."""

Operation = Literal["", "-", "/"]


@dataclass(frozen=True, slots=True)
class Part:
    """One part: its question, other ways to ask the same, and whether a number is wanted.

    In the later parts of a ``lookup`` ``{}`` stands where the value comes.
    """

    question: str
    ways: tuple[str, ...] = ()
    number: bool = False

    def of(self, value: str) -> Part:
        """The part with the value that it waits for."""
        return Part(
            self.question.replace("{}", value),
            tuple(way.replace("{}", value) for way in self.ways),
            self.number,
        )


@dataclass(frozen=True, slots=True)
class Output:
    """A column of the result: what the part `left` gives, or that minus or divided by what `right` gives.

    `times` is what a quotient is multiplied by: 100 where something is asked per hundred.
    """

    left: int
    operation: Operation = ""
    right: int = 0
    times: int = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """The parts of a question, and how they are put together."""

    how: How
    parts: tuple[Part, ...]
    outputs: tuple[Output, ...] = ()

    def after(self, first: Part) -> Plan:
        """The same plan with one more part before all others; what is put out stays."""
        moved = tuple(Output(o.left + 1, o.operation, o.right + 1, o.times) for o in self.outputs)
        return Plan(self.how, (first, *self.parts), moved)


_LEADS = ("What is {}?", "Calculate {}.", "Find {}.", "What was {}?", "{}?")


def part(asked: str, scope: str = "", *, number: bool = True) -> Part:
    """A part made of a clause (``how many are tall``) or of what is wanted (``the average height``).

    `scope` is said first: ``Among the male heroes``.

    >>> part("the average height", "Among the male heroes").question
    'Among the male heroes, what is the average height?'
    >>> part("the number of tall heroes").ways[-1]
    'How many tall heroes are there?'
    """
    asked = asked.strip(" ,.?!")
    first = asked.split(" ", 1)[0].lower()
    ways: list[str] = []
    if first in _CLAUSE:
        said = f"{asked}?"
    else:
        ways = [lead.format(asked) for lead in _LEADS]
        said = ways[0]
        for start in ("the number of ", "number of "):
            if asked.lower().startswith(start):
                counted = asked[len(start) :]
                ways += [f"How many {counted}?", f"What is the total number of {counted}?"]
                ways.append(f"How many {counted} are there?")
    if scope:
        ways, said = [f"{scope}, {_low(way)}" for way in ways], f"{scope}, {_low(said)}"
    return Part(_up(said), tuple(map(_up, ways)), number)


_CLAUSE_WORDS = """
    how what which who whose whom when where list name give find show identify state calculate count is are
    does do did provide determine
"""
_CLAUSE = frozenset(_CLAUSE_WORDS.split())


def _up(text: str) -> str:
    return text[:1].upper() + text[1:]


def _low(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first.lower() in _CLAUSE else text
