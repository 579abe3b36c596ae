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
from typing import TYPE_CHECKING, Final

from sqlore.model import Message, RankedScript, Rows
from sqlore.prompts.base import ANSWER_TOKENS, Prompt, PromptContext, Setup, system_message
from sqlore.prompts.history import History, example
from sqlore.prompts.ltmp_history_parts import PastParts
from sqlore.prompts.text import as_data, sql_line, tokens
from sqlore.prompts.zero_shot import question_lines

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.llm import ChatModel
    from sqlore.prompts.training_pairs import TrainingSet

__all__ = ["LeastToMostHistory", "Step", "in_words", "parts_said"]

#: Parts that a model may make of a question.
MOST_PARTS: Final = 4
#: Rows of a part that the model is shown when it puts the parts together.
_SAMPLE: Final = 3
_PARTS_TOKENS: Final = 160
_LINE: Final = re.compile(r"^\s*(?:\d+\s*[.):]|[-*])\s*(.+?)\s*$", re.M)
_MARK: Final = re.compile(r"#(\d)\b")

#: Past scripts that show how questions are taken apart, at most.
_PAST: Final = 2
#: How a question is taken apart, said of things that no database here is about.
_APART: Final = (
    (
        "Give the name and street of the bakeries that sell more kinds of bread than the average bakery.",
        ("What is the average number of kinds of bread that a bakery sells?",
         "What are the name and street of the bakeries that sell more than #1 kinds of bread?"),
    ),
    ("How many of the lamps that were sold in May are broken?",
     ("How many of the lamps that were sold in May are broken?",)),
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

    def __init__(self, past: PastParts | None = None) -> None:
        self._past = past

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> LeastToMostHistory:
        """Itself with the words of the database."""
        return LeastToMostHistory(PastParts(catalog))

    def parts_prompt(self, context: PromptContext) -> Prompt:
        """Asks which smaller questions a question is made of; the answer is for `parts_said`.

        The examples are past scripts that have subqueries, after two that every database has.
        """
        scripts = context.retrieval.scripts if context.retrieval else ()
        past = self._past.examples(scripts, _PAST, mask=context.mask) if self._past else []
        turns: list[Message] = []
        for question, parts in (*_APART, *reversed(past)):
            said = "\n".join(f"{number}. {one}" for number, one in enumerate(parts, 1))
            turns += [Message("user", f"{_TAKE}\n{question}"), Message("assistant", said)]
        asked = Message("user", f"{_TAKE}\n{as_data(context.question, 2000)}")
        return Prompt((system_message(context), *turns, asked), most=_PARTS_TOKENS)

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

    ``#1`` in a line is what the first one gives; a line can only refer to those before it.

    >>> parts_said("1. Who is tall?\\n2. Which of #1 are good?")
    ('Who is tall?', 'Which of #1 are good?')
    >>> parts_said("The question is simple.")
    ()
    """
    lines = tuple(dict.fromkeys(match[1] for match in _LINE.finditer(answer)))[:MOST_PARTS]
    marks = [(int(mark[1]), number) for number, line in enumerate(lines, 1) for mark in _MARK.finditer(line)]
    sound = len(lines) > 1 and all(0 < mark < number for mark, number in marks)
    return lines if sound else ()


def in_words(parts: Sequence[str]) -> tuple[str, ...]:
    """The parts with each reference in the words of what it refers to.

    >>> in_words(["Who is tall?", "Which of #1 are good?"])[1]
    'Which of those (Who is tall) are good?'
    """
    said: list[str] = []
    for one in parts:
        said.append(_MARK.sub(lambda mark: f"those ({said[int(mark[1]) - 1].rstrip(' .?')})", one))
    return tuple(said)
