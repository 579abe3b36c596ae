"""One draw from the material of a table: parts, measures and groups taken at random, and SELECTs of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import exp

from sqlore.evals.build.frame import Placed, tables_of, text_of
from sqlore.evals.build.material import Kit, Material, Shown, Worded, swapped

__all__ = [
    "Cook",
    "Dish",
    "again",
    "asked",
    "dish",
    "measured",
    "real",
    "sql_of",
    "subquery",
    "take_first",
    "value_of",
    "with_article",
]

_ALIKE: Final = 0.5
_SWAP: Final = 0.4
_TRIES: Final = 12


@dataclass(frozen=True)
class Dish:
    """A task as it comes from a recipe; `used` are the scripts that it is made from."""

    recipe: str
    question: str
    query: Any
    used: tuple[str, ...]


class Cook:
    """One draw: the kit, the material of one table, and a generator of random numbers of its own."""

    def __init__(self, kit: Kit, material: Material, rng: random.Random) -> None:
        self.kit, self.material, self.rng = kit, material, rng
        self.used: dict[str, None] = {}

    # -------------------------------------------------------------- drawing

    def take(self, offered: Sequence[Shown]) -> Shown | None:
        """A measure, group or column at random; its script counts as used."""
        if not offered:
            return None
        found = self.rng.choice(offered)
        self.used[found.script] = None
        return found

    def rows(self, count: int, avoid: frozenset[str] = frozenset()) -> list[Worded]:
        """So many parts of dissimilar scripts about different things, values swapped now and then.

        Nothing comes back where there are not that many; `avoid` are columns that none may be about.
        """
        found: list[Worded] = []
        about = set(avoid)
        for _ in range(_TRIES * count):
            one = self.rng.choice(self.material.parts)
            known = [worded.part.script for worded in found]
            fits = not (one.part.columns & about) and one.part.script not in known
            if not fits or any(self.kit.alike(one.part.script, key) > _ALIKE for key in known):
                continue
            about |= one.part.columns
            found.append(self.tweaked(one))
            if len(found) == count:
                self.used.update({worded.part.script: None for worded in found})
                return found
        return []

    def tweaked(self, one: Worded) -> Worded:
        """The part, or now and then the part with another value."""
        other = swapped(one, self.kit, self.rng) if self.rng.random() < _SWAP else None
        return other or one

    # -------------------------------------------------------------- building

    def said(self, rows: Sequence[Worded]) -> str:
        return self.kit.wording.rows(self.material.anchor, [(one.part, one.words) for one in rows])

    def select(
        self,
        shown: Sequence[Shown],
        rows: Sequence[Worded],
        groups: Sequence[Shown] = (),
        without: Sequence[Worded] = (),
        test: tuple[type[Any], Placed, Any] | None = None,
    ) -> Any:
        """A SELECT that joins no more tables than a script that is used; what is left over goes inside."""
        placed = [one.placed for one in [*shown, *groups]] + ([test[1]] if test else [])
        paths = [path for one in placed for path in one.paths.values()]
        most = self.kit.tables(self.used)
        joined, inner = [], []
        for one in rows:
            wanted = [*paths, *one.part.paths.values()]
            if one.part.single and tables_of(wanted) <= most:
                joined.append(one.part)
                paths = wanted
            else:
                inner.append(one.part)
        return self.kit.builder.select(
            self.material.anchor,
            [one.placed for one in shown],
            joined,
            inner=inner,
            without=[one.part for one in without],
            test=test,
            groups=[one.placed for one in groups],
        )

    def measure(self) -> Shown | None:
        """What to measure: mostly a number of rows, else an average or the like."""
        amounts, counts = self.material.amounts, self.material.counts
        return self.take(amounts if amounts and (not counts or self.rng.random() < 0.4) else counts)

    def pick(self, *texts: str) -> str:
        return self.rng.choice(texts)


def subquery(query: Any) -> Any:
    return exp.Subquery(this=query)


def real(node: Any) -> Any:
    return exp.Cast(this=node, to=exp.DataType.build("real", dialect="sqlite"))


def measured(measure: Shown, rows: str) -> str:
    return f"{measure.words} of {rows}" if measure.words == "number" else f"{measure.words} of the {rows}"


def again(measure: Shown, rows: str) -> str:
    """The same measure, named for the second time."""
    return f"the number of {rows}" if measure.words == "number" else f"that of the {rows}"


def asked(cook: Cook, measure: Shown, rows: str) -> str:
    if measure.words == "number":
        return cook.pick(
            f"How many {rows} are there?", f"What is the number of {rows}?", f"Count the {rows}."
        )
    if measure.words.startswith("percentage"):
        return f"Among the {rows}, what is the {measure.words}?"
    return cook.pick(f"What is the {measured(measure, rows)}?", f"Calculate the {measured(measure, rows)}.")


def with_article(words: str) -> str:
    return f"an {words}" if words[:1] in "aeiou" else f"a {words}"


def take_first(query: Any, key: Any, count: int) -> None:
    query.set("order", exp.Order(expressions=[exp.Ordered(this=key, desc=True, nulls_first=False)]))
    query.set("limit", exp.Limit(expression=exp.Literal.number(count)))


def value_of(cook: Cook, query: Any) -> float | None:
    """The one number that a query gives."""
    found = cook.kit.bench.engine.run(sql_of(cook, query)).rows
    return found[0][0] if found and isinstance(found[0][0], int | float) else None


def sql_of(cook: Cook, query: Any) -> str:
    return text_of(query, cook.kit.bench.dialect)


def dish(cook: Cook, recipe: str, question: str, query: Any) -> Dish:
    question = " ".join(question.split())
    return Dish(recipe, question[0].upper() + question[1:], query, tuple(cook.used))
