"""Least-to-most prompting of "Adapt and Decompose" (section 4.4): parts, the NatSQL of each, then the SQL.

The paper has a prompt for each of the three stages, with the exemplars in three forms. Here they are one
conversation whose exemplars show all three, so the prompt of a stage is the beginning of the next one's and
is read once (`worked`). The reasons that the paper's exemplars give by hand in the first two stages are left
out: they are twice the tokens, and no SQL says them.

Whatever the model says in a stage, there is a next one: a question that is not taken apart is its own part,
and where there is no NatSQL the SQL is asked for at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlore.model import Message
from sqlore.prompts.apart import Apart
from sqlore.prompts.base import Prompt, PromptContext
from sqlore.prompts.rules import rules
from sqlore.prompts.text import as_data
from sqlore.prompts.worked import Worked, go_on, listed, said_lines, worked_turns

__all__ = ["STEP_TOKENS", "PreparedSteps", "least_to_most", "step_rules", "turns_of"]

#: What is asked for in the three stages.
PARTS: Final = "Parts:"
NATSQL: Final = "NatSQL:"
SQL: Final = "SQL:"
#: Tokens that what the model says in the first two stages may take, in its answer and in the next prompt.
PARTS_TOKENS: Final = 140
NATSQL_TOKENS: Final = 200
#: Both, with the words that ask for them: what a prompt keeps free.
STEP_TOKENS: Final = PARTS_TOKENS + NATSQL_TOKENS + 10

_ANSWER: Final = (
    "You are asked in three steps: the question in parts, the NatSQL of each part, the query. Answer a step "
    "as in the examples and with nothing else."
)
_ABOUT_NATSQL: Final = (
    "- NatSQL is SQL without FROM and JOIN, with columns as table.column. The query is one SELECT statement "
    "that puts together what the NatSQL says."
)
_NATSQL_LINE: Final = re.compile(r"^select\b", re.IGNORECASE)
_SQL_LINE: Final = re.compile(r"^(?:select|with)\b.*\bfrom\b|^sql:", re.IGNORECASE | re.DOTALL)


def step_rules(dialect: str, database: str = "") -> str:
    """The rules of a prompt in three steps."""
    return f"{rules(dialect, database, _ANSWER)}\n{_ABOUT_NATSQL}"


def turns_of(found: Apart, sql: str) -> tuple[tuple[str, str], ...]:
    """The three stages of an exemplar."""
    natsql = listed(found.natsql) if found.aligned else "\n".join(found.natsql)
    return (PARTS, listed(found.parts)), (NATSQL, natsql), (SQL, sql)


@dataclass(frozen=True)
class PreparedSteps:
    """Least-to-most prompting for one database: the same `system` and `examples` for every question.

    `asked` is the question with what has to be told with it.
    """

    name: str
    system: str
    examples: tuple[Worked, ...]
    asked: Callable[[PromptContext], str]

    def prompt(self, context: PromptContext) -> Prompt:
        """The first stage; `then` leads to the next ones."""
        before = (Message("system", self.system), *worked_turns(self.examples))
        return least_to_most(before, self.asked(context), context.question)


def least_to_most(before: Sequence[Message], asked: str, question: str) -> Prompt:
    """The three stages of a question after the messages `before`; `asked` is how it is told."""
    start = (*before, Message("user", f"{asked}\n{PARTS}"))

    def mapped(said: str) -> Prompt:
        parts = said_parts(said) or [as_data(question, 400)]
        second = go_on(start, listed(parts), NATSQL, stop=("\nSQL:",), most=NATSQL_TOKENS)

        def written(said: str) -> Prompt:
            natsql = said_natsql(said)
            if not natsql:
                return go_on(start, listed(parts), SQL)
            one_each = len(natsql) == len(parts)
            return go_on(second.messages, listed(natsql) if one_each else "\n".join(natsql), SQL)

        return Prompt(second.messages, second.stop, written, second.most)

    return Prompt(start, (f"\n{NATSQL}", f"\n{SQL}"), mapped, PARTS_TOKENS)


def said_parts(said: str) -> list[str]:
    """The parts in a model's answer; none where it went on to SQL at once, or said nothing.

    >>> said_parts("1. Which huts\\n2. have more than 9 beds?\\n\\nNatSQL:\\n1. select hut.name")
    ['Which huts', 'have more than 9 beds?']
    >>> said_parts("SELECT name FROM hut WHERE beds > 9")
    []
    """
    lines = said_lines(said, PARTS_TOKENS, ends=(NATSQL, SQL))
    return [] if any(_SQL_LINE.match(line) for line in lines) else lines


def said_natsql(said: str) -> list[str]:
    """The NatSQL in a model's answer, a line each; none where there is no such line.

    >>> said_natsql("```\\n1. select hut.name\\n2. select where hut.beds > 9\\n```\\nThese are combined.")
    ['select hut.name', 'select where hut.beds > 9']
    >>> said_natsql("I do not know.")
    []
    """
    lines = said_lines(said, NATSQL_TOKENS, ends=(SQL,))
    return [line.rstrip(";").rstrip() for line in lines if _NATSQL_LINE.match(line)]
