"""Least to most over the history: a question in parts, each asked with its own few past scripts.

The join of "Adapt and Decompose" (section 4.4: least to most) with the history of BIRD-History. What takes a
question apart and puts the answers together is `answer.least_to_most`; here are its prompts. All begin with
the system message of `history`, byte for byte, so that a prefix cache reads rules and schema once for all
steps; a part is asked just as `history` asks a whole question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlore.model import Message, RankedScript, Rows
from sqlore.prompts.base import ANSWER_TOKENS, Prompt, PromptContext, system_message
from sqlore.prompts.history import History, example
from sqlore.prompts.text import as_data, sql_line, tokens
from sqlore.prompts.zero_shot import question_lines

__all__ = ["LeastToMostHistory", "Step", "parts_said"]

#: Parts that a model may make of a question.
MOST_PARTS: Final = 4
#: Rows of a part that the model is shown when it puts the parts together.
_SAMPLE: Final = 3
_LINE: Final = re.compile(r"^\s*(?:\d+\s*[.):]|[-*])\s*(.+?)\s*$", re.M)
_MARK: Final = re.compile(r"#(\d)\b")

#: How a question is taken apart, said of things that no database here is about.
_APART: Final = (
    (
        "Which bakeries sell more kinds of bread than the average bakery in Lyon? Give name and street.",
        ("What is the average number of kinds of bread per bakery in Lyon?",
         "List the name and the street of bakeries with the number of kinds of bread that each sells."),
    ),
    (
        "List the trees that were planted after 1990 and whose gardener has over ten years of service.",
        ("List the trees that were planted after 1990.",
         "List the trees whose gardener has over ten years of service."),
    ),
    ("How many lamps are broken?", ("How many lamps are broken?",)),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """A part that has its answer: the name it is used under, its question, SQL and rows."""

    name: str
    question: str
    sql: str
    rows: Rows


class LeastToMostHistory(History):
    """`history`, where the question can be taken apart asked part by part."""

    name = "ltmp_history"

    def parts_prompt(self, context: PromptContext) -> Prompt:
        """Asks which smaller questions a question is made of; the answer is for `parts_said`."""
        turns: list[Message] = []
        for question, parts in _APART:
            said = "\n".join(f"{number}. {one}" for number, one in enumerate(parts, 1))
            turns += [Message("user", f"{_TAKE}\n{question}"), Message("assistant", said)]
        asked = Message("user", f"{_TAKE}\n{as_data(context.question, 2000)}")
        return Prompt((system_message(context), *turns, asked))

    def composing_prompt(
        self, context: PromptContext, steps: Sequence[Step], examples: Sequence[RankedScript] = ()
    ) -> Prompt:
        """Asks for the query over the parts' results: their names, columns and first rows are shown.

        `examples` are past scripts for the form of the answer, as many as the budget has room for.
        """
        lines = ["These results are there already, each as a table:"]
        lines += [line for step in steps for line in _shown(step, mask=context.mask)]
        lines += [
            "",
            *question_lines(context),
            f"Answer with one SELECT that uses {', '.join(step.name for step in steps)}, and other tables "
            "only where they are needed.",
        ]
        system, end = system_message(context), "\n".join(lines)
        left = context.budget - ANSWER_TOKENS - tokens(system.content) - tokens(end)
        turns: list[Message] = []
        for ranked in examples:
            pair = example(ranked, mask=context.mask)
            size = sum(tokens(turn.content) for turn in pair)
            if size <= left:
                turns, left = [*pair, *turns], left - size
        return Prompt((system, *turns, Message("user", end)))


_TAKE: Final = "Which smaller questions have to be answered first? One a line, each complete in itself:"


def _shown(step: Step, *, mask: bool) -> list[str]:
    """One result as lines: its name and columns, what it answers, its SQL, some of its rows."""
    columns = ", ".join(step.rows.columns)
    lines = [f"{step.name}({as_data(columns)}): {as_data(step.question)}"]
    if not mask:
        lines.append(f"  made by: {as_data(sql_line(step.sql), 600)}")
        rows = ["(" + ", ".join(as_data(str(value), 40) for value in row) + ")" for row in step.rows.rows]
        more = "" if len(rows) <= _SAMPLE and not step.rows.truncated else ", ..."
        lines.append(f"  rows: {', '.join(rows[:_SAMPLE])}{more}")
    return lines


def parts_said(answer: str) -> tuple[str, ...]:
    """The smaller questions in a model's answer, each once; none where it named no more than one.

    A line that refers to another ("#1") is put in that one's words.

    >>> parts_said("1. Who is tall?\\n2. Which of #1 are good?")
    ('Who is tall?', 'Which of those (Who is tall) are good?')
    >>> parts_said("The question is simple.")
    ()
    """
    lines = [match[1] for match in _LINE.finditer(answer)]
    parts: list[str] = []
    for line in lines[:MOST_PARTS]:
        said = _MARK.sub(lambda m: _referred(parts, int(m[1])), line)
        if said and said not in parts:
            parts.append(said)
    return tuple(parts) if len(parts) > 1 else ()


def _referred(parts: Sequence[str], number: int) -> str:
    return f"those ({parts[number - 1].rstrip(' .?')})" if 0 < number <= len(parts) else "those"
