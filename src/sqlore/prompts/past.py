"""Scripts of the history as question-SQL pairs for a prompt, and as many as fit into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from sqlore.model import RankedScript
from sqlore.prompts.text import as_data, mask_values, sql_line, tokens, values_of

if TYPE_CHECKING:
    from sqlore.prompts.base import PromptContext

__all__ = ["arranged", "fitting", "pair", "pairs", "sizes"]

T = TypeVar("T")


def pair(ranked: RankedScript, *, mask: bool = False) -> tuple[str, str]:
    """One past script as a question and its SQL on a line each; masked they name no value."""
    stored = ranked.script
    words = as_data(stored.script.text or stored.description)
    dialect = stored.script.dialect
    if mask:
        values = values_of(stored.script.sql, stored.skeleton, dialect)
        return mask_values(words, values), as_data(stored.skeleton, 4000)
    return words, sql_line(stored.script.sql, dialect)


def pairs(context: PromptContext) -> list[tuple[str, str]]:
    """The retrieved scripts, the most useful first, equal ones once."""
    scripts = context.retrieval.scripts if context.retrieval else ()
    return list(dict.fromkeys(pair(one, mask=context.mask) for one in scripts))


def fitting(candidates: Sequence[T], size: Callable[[T], int], room: int) -> list[T]:
    """Of candidates, the best first, those that fit into `room`; one that does not is passed over.

    >>> fitting(["four", "seven77", "two"], len, 8)
    ['four', 'two']
    """
    taken: list[T] = []
    for one in candidates:
        if size(one) <= room:
            taken.append(one)
            room -= size(one)
    return taken


def arranged(taken: Sequence[T]) -> list[T]:
    """Best first turned round: the best stands nearest the question."""
    return list(reversed(taken))


def sizes(*texts: str) -> int:
    """About how many tokens the texts take together."""
    return sum(map(tokens, texts))
