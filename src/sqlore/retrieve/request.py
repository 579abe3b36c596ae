"""What a caller asks of the retriever, checked: a question, numbers, and scripts to be withheld."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from operator import index
from typing import TYPE_CHECKING, Any, Final

from sqlore.embed.base import whole_characters
from sqlore.errors import UsageError
from sqlore.retrieve.snapshot import Snapshot

if TYPE_CHECKING:
    from sqlore.knowledge import Store

__all__ = ["WORDS", "question_of", "said_of_length", "whole_number", "withheld"]

#: Words of a question that are looked at, and characters, for scripts that put no blanks between words. The
#: embedding model reads no further than that; what compares words would take seconds for a whole book.
WORDS: Final = 400
_CHARACTERS: Final = 8000
_BEGINNING: Final = re.compile(rf"\s*(?:\S+\s+){{{WORDS - 1}}}\S+")
_TOLD: Final = 3


def question_of(question: Any) -> str:
    """The part of a question that is looked at: its first words, every character a whole one.

    Places in it are places in the question. Raises `UsageError` for what is no text.

    >>> question_of("how many?"), len(question_of("many " * 500).split()), question_of("a\\ud800")
    ('how many?', 400, 'a?')
    """
    if not isinstance(question, str):
        raise UsageError(f"a question is a text, not {_kind(question)}")
    beginning = question[:_CHARACTERS]
    found = _BEGINNING.match(beginning)
    return whole_characters(found.group() if found else beginning)


def said_of_length(question: str) -> tuple[str, ...]:
    """A note where a question is longer than what is looked at."""
    looked_at = question_of(question)
    if len(looked_at) >= len(question.rstrip()):
        return ()
    return (f"only the first {len(looked_at.split()):,} words of the question were looked at",)


def whole_number(name: str, value: Any) -> int:
    """The number, which may be 0 but not negative. Raises `UsageError` for anything else.

    >>> whole_number("items", 20)
    20
    """
    try:
        number = -1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = -1
    if number < 0:
        raise UsageError(f"{name} is a whole number from 0 up, not {value!r}")
    return number


def withheld(exclude: Any, snapshot: Snapshot, store: Store, *, strict: bool) -> frozenset[int | str]:
    """What is to be withheld: keys of the history's own (text) and sqlore's ids of scripts (numbers).

    With `strict` every one must be known, if only as a script that was deprecated or could not be read; and
    a number must not be one script's id and another's key, for nobody could tell which is meant. A name that
    withholds nothing would let the very script through that is to be kept out of sight.

    Raises `UsageError` that says which name, and what would be right.
    """
    if isinstance(exclude, str | bytes) or not isinstance(exclude, Iterable):
        raise UsageError(
            f"exclude is a collection of keys and ids, not {_kind(exclude)}",
            hint=f"exclude={{{exclude!r}}}"
            if isinstance(exclude, str)
            else "to withhold nothing, leave it out",
        )
    names = frozenset(map(_name, exclude))
    if not strict or not names:
        return names
    keys, ids = snapshot.scripts_of_key, snapshot.script_ids
    for name in sorted(names, key=str):
        others = keys.get(str(name), frozenset()) - {name} if isinstance(name, int) else frozenset()
        if name in ids and others:
            raise UsageError(
                f"exclude: {name} is sqlore's id of one script and the history's key of another",
                hint=f"give keys, which are text: {str(name)!r} for the one that the history calls so",
            )
    unknown = {name for name in names if name not in (ids if isinstance(name, int) else keys)}
    if unknown:
        unknown -= _known_to(store)
    if unknown:
        raise _unknown(unknown, snapshot)
    return names


def _name(name: Any) -> int | str:
    if isinstance(name, str):
        return name
    try:
        if not isinstance(name, bool):
            return index(name)
    except TypeError:
        pass
    raise UsageError(f"exclude: {_kind(name)} is neither a script's key nor its id", hint="'731' or 12")


def _known_to(store: Store) -> set[int | str]:
    """Keys and ids of what the store has and nobody is offered."""
    texts = store.texts()
    rejected = {one.script.key for one in store.rejected(dismissed=True) if one.script.key}
    return {text.script for text in texts} | {text.key for text in texts if text.key} | rejected


def _unknown(names: Collection[int | str], snapshot: Snapshot) -> UsageError:
    told = sorted(names, key=str)[:_TOLD]
    hint = "a result has both: script.script.key, the history's own name, and script.id, sqlore's number"
    first = told[0]
    if isinstance(first, int) and str(first) in snapshot.scripts_of_key:
        hint = f"the history's own keys are text: {str(first)!r}"
    elif isinstance(first, str) and first.isascii() and first.isdigit() and int(first) in snapshot.script_ids:
        hint = f"sqlore's ids are numbers: {int(first)}"
    more = f" and {len(names) - len(told)} more" if len(names) > len(told) else ""
    return UsageError(f"exclude: no script is called {', '.join(map(repr, told))}{more}", hint=hint)


def _kind(value: Any) -> str:
    return "None" if value is None else f"{type(value).__name__} {value!r:.40}"
