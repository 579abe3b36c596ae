"""Steps that were read from SQL in the words of the question: a model says them as a person would.

What it says is taken step by step, and only where it keeps what the step is made of: the steps that it uses
(``#2``), its numbers and its values. So it can only make the wording better, never the decomposition other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sqlore.errors import ModelRefusal
from sqlore.model import Message
from sqlore.prompts.text import literals_of
from sqlore.prompts.worked import listed, said_lines

if TYPE_CHECKING:
    from sqlore.llm import ChatModel

__all__ = ["kept_words", "reworded"]

_ASK: Final = (
    "Somebody takes a question apart in steps; #1 is what step 1 gives. You put the steps in plain words, "
    "those of the question where it has them. The number of steps, every # with its number, every figure and "
    "every value stay as they are. Answer with the numbered steps only."
)
_REFERENCE: Final = re.compile(r"#\d+")
_FIGURE: Final = re.compile(r"<val>|(?<![\w#.])\d+(?:\.\d+)?")
_TOKENS: Final = 250


def reworded(question: str, parts: Sequence[str], sql: str, model: ChatModel) -> tuple[str, ...]:
    """The steps `parts` of `question`, each in the model's words where those say the same things.

    Raises ModelError where the model gives no answer at all.
    """
    task = f"Question: {question}\nSteps:\n{listed(parts)}"
    try:
        said = model.chat((Message("system", _ASK), Message("user", task)), max_tokens=_TOKENS).text
    except ModelRefusal:
        return tuple(parts)
    lines = said_lines(said, _TOKENS)
    if len(lines) != len(parts):
        return tuple(parts)
    values = [text for text in literals_of(sql) if re.search(r"[^\W\d_]", text)]
    return tuple(new if kept_words(old, new, values) else old for old, new in zip(parts, lines, strict=True))


def kept_words(old: str, new: str, values: Sequence[str] = ()) -> bool:
    """Whether `new` has the same references and figures as `old`, and every one of `values` that `old` has.

    >>> kept_words("#1 whose capacity is more than 50", "#1 with a capacity over 50")
    True
    >>> kept_words("#1 whose capacity is more than 50", "#2 over 50"), kept_words("#1 over 5", "#1 over five")
    (False, False)
    """
    if any(value.lower() in old.lower() and value.lower() not in new.lower() for value in values):
        return False
    return all(Counter(found.findall(old)) == Counter(found.findall(new)) for found in (_REFERENCE, _FIGURE))
