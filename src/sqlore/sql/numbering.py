"""Several instances of one table in one text: ``employee`` and ``employee#2``.

While a query is rendered, a column of a table that its scope holds several times carries the number of its
instance as a tag. A correlated column of a table that the inner scope holds as well carries an outer tag,
counted after the inner ones. Here tags become ``#2``, or nothing where a text touches one instance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, permutations, product
from typing import Final

TAG, OUTER_TAG, TAG_END = "\x02", "\x06", "\x03"

_NAME: Final = r'(?:"(?:[^"]|"")*"|[\w$@#]+)'
_TAGGED: Final = re.compile(rf"({_NAME}(?:\.{_NAME})*)([\x02\x06])(\d+)\x03")
_NUMBER: Final = re.compile(r"[\x02\x06](\d+)\x03|#(\d+)|(?<=\w)(?=\.)")
_MOST_NUMBERINGS: Final = 120


def tagged(base: str, number: int, outer: bool = False) -> str:
    """A table's name with the number of its instance."""
    return f"{base}{OUTER_TAG if outer else TAG}{number}{TAG_END}"


def has_tags(text: str) -> bool:
    """Whether a text holds tags."""
    return TAG_END in text


def sort_key(text: str) -> str:
    """The order of equal partners: by name, quotes unseen, then by instance.

    Names come first so that the order stays when a text loses its numbers.

    >>> sorted(["employee#2.id", "employee.id", "employee.boss"], key=sort_key)
    ['employee.boss', 'employee.id', 'employee#2.id']
    """
    if '"' in text:
        text = text.replace('"', "")
    if TAG_END not in text and "#" not in text:
        return text
    numbers = [next(filter(None, found.groups()), "1") for found in _NUMBER.finditer(text)]
    return f"{_NUMBER.sub('', text)}\x00{' '.join(number.rjust(3) for number in numbers)}"


def numbered(text: str, only: Iterable[str] | None = None) -> str:
    """The tags as ``#2``: none where a table has one instance in the text, else counted from 1.

    `only` limits it to some tables: those of the scope that the text belongs to.
    """
    found: dict[str, set[int]] = {}
    outer: set[str] = set()
    for base, mark, number in _TAGGED.findall(text):
        found.setdefault(base, set()).add(int(number))
        if mark == OUTER_TAG:
            outer.add(base)
    wanted = set(found) if only is None else set(found) & set(only)
    for base in wanted:
        numbers = found[base]
        if base in outer and re.search(_untagged(base), text):
            # The inner scope's own columns have no tag where it holds the table once.
            numbers.add(1)
        for rank, number in enumerate(sorted(numbers), 1):
            for mark in (TAG, OUTER_TAG):
                text = text.replace(f"{base}{mark}{number}{TAG_END}", base if rank == 1 else f"{base}#{rank}")
    return text


def _untagged(base: str) -> str:
    return rf'(?<![\w."]){re.escape(base)}(?![\w"\x02\x06#])'


def renumberings(texts: Iterable[str]) -> Iterator[Callable[[str], str]]:
    """Every way to number the instances in these texts, as functions from text to text."""
    found: dict[str, set[int]] = {}
    for text in filter(has_tags, texts):
        for base, mark, number in _TAGGED.findall(text):
            if mark == TAG:
                found.setdefault(base, set()).add(int(number))
    several = {base: sorted(numbers) for base, numbers in found.items() if len(numbers) > 1}
    choices = [
        [(base, order) for order in islice(permutations(numbers), _MOST_NUMBERINGS)]
        for base, numbers in sorted(several.items())
    ]
    for choice in islice(product(*choices), _MOST_NUMBERINGS):
        swaps = [
            (tagged(base, old), f"{base}\x05{new}{TAG_END}")
            for base, order in choice
            for old, new in zip(several[base], order, strict=True)
        ]
        yield _swapper(swaps)


def _swapper(swaps: list[tuple[str, str]]) -> Callable[[str], str]:
    def swap(text: str) -> str:
        for old, new in swaps:
            text = text.replace(old, new)
        head, on, tail = text.replace("\x05", TAG).rpartition(" on ")
        return f"{head}{on}{sorted_sides(tail)}"

    return swap


def sorted_sides(text: str) -> str:
    """A plain ``a = b`` or ``a <> b`` with its sides in order; any other text as it is."""
    for sign in (" = ", " <> "):
        left, found, right = text.partition(sign)
        if found and " " not in left and " " not in right and "\x01" not in text:
            return f"{right}{sign}{left}" if sort_key(right) < sort_key(left) else text
    return text
