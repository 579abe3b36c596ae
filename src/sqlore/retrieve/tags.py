"""The tags of an item: its kind, and its kind together with each shape that its skeleton has.

A tag such as ``output:descending`` is what a question's wording can call for in any database, so how words
go with tags is learned once, from many databases (`shape`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from sqlore.retrieve.structure import traits

_SHAPES: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(pattern)
    for name, pattern in {
        "limited": r"limit",
        "by_column": r"^order by (?!.*\()",
        "by_aggregate": r"^order by .*(?:count|sum|avg|min|max)\(",
        "equal": r" = <val>",
        "selects": r"\(select",
        "aggregate": r"\b(?:count|sum|avg|min|max)\(",
        "count_distinct": r"count\(distinct",
        "count_rows": r"count\(\*\)",
        "rounded": r"round\(",
        "part_of_text": r"substr\(|substring\(",
        "part_of_date": r"strftime|extract\(|date_part",
        "window": r" over \(",
        "cast": r"cast\(",
        "product": r" \* ",
        "plus": r" \+ ",
        "several": r",",
        "either": r" or ",
    }.items()
}


@lru_cache(maxsize=200_000)
def tags(kind: str, skeleton: str) -> frozenset[str]:
    """The tags of an item of `kind`.

    >>> sorted(tags("output", "distinct"))
    ['output', 'output:distinct']
    >>> sorted(tags("relation", "a.id = b.id"))
    ['relation']
    """
    if kind == "relation":
        shapes = {"outer"} if "left join" in skeleton else set()
    else:
        shapes = {name for name, pattern in _SHAPES.items() if pattern.search(skeleton)} | traits(skeleton)
    return frozenset([kind, *(f"{kind}:{shape}" for shape in shapes)])
