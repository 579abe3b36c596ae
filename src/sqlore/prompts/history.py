"""Knowledge of the history: the few past scripts that together hold what the question needs.

The scripts come as turns of the conversation: a question, its SQL. (The same examples as one text made a
small model copy them even where they did not fit.) The found items that no script shows follow as short
notes with their meaning. Other forms of the same knowledge (more scripts, the nearest ones, a list of the
items beside the scripts or in their place) are compared in `tests/bench/bench_forms.py`: over its questions
no other form was measurably better with a small model.
"""

from __future__ import annotations

from sqlore.model import KnowledgeItem, Message, RankedScript
from sqlore.prompts.base import ANSWER_TOKENS, Prompt, PromptContext, Unprepared, system_message, usable
from sqlore.prompts.past import pair
from sqlore.prompts.text import as_data, sql_line, tokens
from sqlore.prompts.zero_shot import question_lines

#: Notes on items that the examples do not show, at most.
NOTES = 4

Example = tuple[Message, Message]


class History(Unprepared):
    """Rules and schema, worked examples (the most relevant last), notes, values, question."""

    name = "history"
    history = True

    def prompt(self, context: PromptContext) -> Prompt:
        """Examples and notes are left out, the least relevant first, where the budget ends."""
        system = system_message(context)
        end = question_lines(context)
        left = context.budget - ANSWER_TOKENS - tokens(system.content) - tokens("\n".join(end))
        examples, shown, left = self._examples(context, left)
        notes = self._notes(context, shown, left)
        lines = ["Notes on this database:", *notes, "", *end] if notes else end
        turns = [message for example in reversed(examples) for message in example]
        return Prompt((system, *turns, Message("user", "\n".join(lines))))

    def _examples(self, context: PromptContext, left: int) -> tuple[list[Example], set[int], int]:
        """Worked examples, best first, the ids of the items they show, and the tokens that are left."""
        examples: list[Example] = []
        shown: set[int] = set()
        for ranked in context.retrieval.scripts if context.retrieval else ():
            turns = example(ranked, mask=context.mask)
            size = sum(tokens(turn.content) for turn in turns)
            if turns in examples or size > left:
                continue
            examples.append(turns)
            shown.update(ranked.script.items)
            left -= size
        return examples, shown, left

    def _notes(self, context: PromptContext, shown: set[int], left: int) -> list[str]:
        notes: list[str] = []
        for ranked in usable(context.retrieval.items if context.retrieval else ()):
            item = ranked.item
            text = note(item, mask=context.mask, dialect=context.dialect)
            if item.kind == "query" or item.id in shown or tokens(text) > left:
                continue
            notes.append(text)
            left -= tokens(text)
            if len(notes) == NOTES:
                break
        return notes


def example(ranked: RankedScript, *, mask: bool = False) -> Example:
    """One past script as a question and the answer to it."""
    words, sql = pair(ranked, mask=mask)
    return Message("user", f"Question: {words}"), Message("assistant", sql)


def note(item: KnowledgeItem, *, mask: bool = False, dialect: str | None = None) -> str:
    """One knowledge item as its meaning and its SQL; its words may name values, so masked it has none."""
    if mask:
        return f"- {as_data(item.skeleton, 300)}"
    sql, words = sql_line(item.sql, dialect), as_data(item.description or item.name, 160)
    return f"- {words}: {sql}" if words else f"- {sql}"
