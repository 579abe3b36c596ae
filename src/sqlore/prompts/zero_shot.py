"""The schema alone, and the values that the question names."""

from __future__ import annotations

from sqlore.model import Message
from sqlore.prompts.base import Prompt, PromptContext, Unprepared, system_message, value_lines
from sqlore.prompts.text import as_data

QUESTION_LIMIT = 4000
JOINS_LIMIT = 600


class ZeroShot(Unprepared):
    """Rules, schema, values, question."""

    name = "zero_shot"

    def prompt(self, context: PromptContext) -> Prompt:
        """Two messages: the stable system message, and the question."""
        return Prompt((system_message(context), Message("user", "\n".join(question_lines(context)))))


def question_lines(context: PromptContext) -> list[str]:
    """The end of every prompt: values found in the question, the way to join, then the question."""
    lines = []
    values = value_lines(context)
    if values:
        lines += ["Values in the database that the question may mean:", *values, ""]
    if context.joins:
        lines += [f"Tables are joined so: {as_data(context.joins, JOINS_LIMIT)}", ""]
    return [*lines, f"Question: {as_data(context.question, QUESTION_LIMIT)}"]
