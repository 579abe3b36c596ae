"""Recipes: how the pieces of several scripts become one harder question with its SQL.

Every recipe draws what it needs from the material of one table and gives a `Dish`, or nothing where the draw
does not fit. Question and SQL are built side by side from the same pieces, so that they mean the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import exp

from sqlore.evals.build.frame import Placed, tables_of, text_of
from sqlore.evals.build.material import Kit, Material, Shown, Worded, swapped
from sqlore.evals.build.wording import several

__all__ = ["RECIPES", "Cook", "Dish"]

_ALIKE: Final = 0.5
_SWAP: Final = 0.4
_TRIES: Final = 12
_FIRST: Final = {2: "two", 3: "three", 4: "four", 5: "five"}


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


def _subquery(query: Any) -> Any:
    return exp.Subquery(this=query)


def _real(node: Any) -> Any:
    return exp.Cast(this=node, to=exp.DataType.build("real", dialect="sqlite"))


def _of(measure: Shown, rows: str) -> str:
    return f"{measure.words} of {rows}" if measure.words == "number" else f"{measure.words} of the {rows}"


def _that(measure: Shown, rows: str) -> str:
    """The same measure, named for the second time."""
    return f"the number of {rows}" if measure.words == "number" else f"that of the {rows}"


def _ask(cook: Cook, measure: Shown, rows: str) -> str:
    if measure.words == "number":
        return cook.pick(
            f"How many {rows} are there?", f"What is the number of {rows}?", f"Count the {rows}."
        )
    if measure.words.startswith("percentage"):
        return f"Among the {rows}, what is the {measure.words}?"
    return cook.pick(f"What is the {_of(measure, rows)}?", f"Calculate the {_of(measure, rows)}.")


def narrowed(cook: Cook) -> Dish | None:
    """A measure over rows that two or three scripts narrow."""
    shares = cook.material.shares and cook.rng.random() < 0.3
    measure = cook.take(cook.material.shares) if shares else cook.measure()
    if measure is None:
        return None
    rows = cook.rows(cook.rng.choice((2, 2, 3)), measure.columns if shares else frozenset())
    if not rows:
        return None
    return _dish(cook, "narrowed", _ask(cook, measure, cook.said(rows)), cook.select([measure], rows))


def listed(cook: Cook) -> Dish | None:
    """A column of the rows that two or three scripts narrow."""
    column = cook.take(cook.material.names)
    rows = cook.rows(cook.rng.choice((2, 2, 3)), column.columns if column else frozenset())
    if column is None or not rows:
        return None
    said, words = cook.said(rows), several(column.words)
    question = cook.pick(f"List the {words} of the {said}.", f"What are the {words} of the {said}?")
    return _dish(cook, "listed", question, cook.select([column], rows))


def ratio(cook: Cook) -> Dish | None:
    """A measure over some rows, divided by the same over others."""
    measure = cook.measure()
    rows = cook.rows(2)
    if measure is None or not rows:
        return None
    first, second = (cook.select([measure], [one]) for one in rows)
    query = exp.select(exp.Div(this=_real(_subquery(first)), expression=_subquery(second)))
    one, other = (cook.said([worded]) for worded in rows)
    question = f"What is the ratio of the {_of(measure, one)} to {_that(measure, other)}?"
    return _dish(cook, "ratio", question, query)


def share(cook: Cook) -> Dish | None:
    """How many of the rows of one script, in per cent, are those of another too."""
    measure = cook.take(cook.material.counts)
    rows = cook.rows(cook.rng.choice((2, 3)))
    if measure is None or not rows:
        return None
    base, more = rows[:-1], rows[-1]
    whole = cook.select([measure], base)
    some = cook.select([measure], rows)
    hundred = exp.Mul(this=_real(_subquery(some)), expression=exp.Literal.number(100))
    query = exp.select(exp.Div(this=hundred, expression=_subquery(whole)))
    question = f"What percentage of the {cook.said(base)} are {cook.said([more])}?"
    return _dish(cook, "share", question, query)


def compared(cook: Cook) -> Dish | None:
    """By how much a measure over some rows exceeds that over others, both narrowed by a third script."""
    measure = cook.measure()
    rows = cook.rows(cook.rng.choice((2, 3)))
    if measure is None or not rows:
        return None
    both = rows[2:]
    sides = [[rows[0], *both], [rows[1], *both]]
    values = [_value(cook, cook.select([measure], side)) for side in sides]
    if values[0] is None or values[1] is None:
        return None
    if values[0] < values[1]:
        sides.reverse()
    first, second = (cook.select([measure], side) for side in sides)
    query = exp.select(exp.Sub(this=_subquery(first), expression=_subquery(second)))
    high, low = (cook.said([side[0]]) for side in sides)
    among = f"Among {cook.said(both)}, by" if both else "By"
    question = f"{among} how much does the {_of(measure, high)} exceed {_that(measure, low)}?"
    if measure.words == "number":
        question = f"{among.removesuffix('y')}{'y'} how many do the {high} outnumber the {low}?"
    return _dish(cook, "compared", question, query)


def grouped(cook: Cook) -> Dish | None:
    """A measure for each value of a column that another script shows or groups by."""
    measure, group = cook.measure(), cook.take(cook.material.groups)
    if measure is None or group is None:
        return None
    rows = cook.rows(cook.rng.choice((1, 2)), group.columns)
    if not rows:
        return None
    query = cook.select([group, measure], rows, [group])
    said, what = cook.said(rows), "the number" if measure.words == "number" else f"the {measure.words}"
    asked = f"how many {said} are there" if measure.words == "number" else f"what is the {_of(measure, said)}"
    question = f"For each {group.words}, {asked}? Give the {group.words} and {what}."
    return _dish(cook, "grouped", question, query)


def topped(cook: Cook) -> Dish | None:
    """The first few values of a column by a measure."""
    measure, group = cook.measure(), cook.take(cook.material.groups)
    if measure is None or group is None:
        return None
    rows = cook.rows(cook.rng.choice((1, 2)), group.columns)
    if not rows:
        return None
    count = cook.rng.choice((1, 1, 2, 3, 5))
    query = cook.select([group, measure], rows, [group])
    _limit(query, query.expressions[1].copy(), count)
    said, plain = cook.said(rows), measure.words == "number"
    most = f"the most {said}" if plain else f"the highest {_of(measure, said)}"
    what = "the number" if plain else f"the {measure.words}"
    if count == 1:
        question = f"Which {group.words} has {most}? Give the {group.words} and {what}."
    else:
        many = several(group.words)
        question = (
            f"Which {_FIRST[count]} {many} have {most}?"
            f" Give each {group.words} and {what}, from the highest to the lowest."
        )
    return _dish(cook, "topped", question, query)


def without(cook: Cook) -> Dish | None:
    """The rows of one script that are not among those of another."""
    measure = cook.take(cook.material.counts)
    rows = cook.rows(cook.rng.choice((2, 3)))
    if measure is None or not rows:
        return None
    kept, out = rows[:-1], rows[-1]
    query = cook.select([measure], kept, without=[out])
    question = f"How many {cook.said(kept)} are not among the {cook.said([out])}?"
    return _dish(cook, "without", question, query)


def above(cook: Cook) -> Dish | None:
    """The rows of one script in which a column is above its average over the rows of another."""
    plain = [one for one in cook.material.amounts if one.words.startswith("average")]
    measure, count = cook.take(plain), cook.take(cook.material.counts)
    if measure is None or count is None:
        return None
    inner = next(measure.placed.node.find_all(exp.Avg, exp.Sum))
    column = next(inner.find_all(exp.Column))
    rows = cook.rows(2, Shown("", Placed(column, measure.placed.paths), "").columns)
    if not rows:
        return None
    inside = cook.select([measure], [rows[1]])
    placed = Placed(column, measure.placed.paths)
    query = cook.select([count], [rows[0]], test=(exp.GT, placed, inside))
    words = cook.kit.wording.column(placed, cook.material.anchor)
    said = cook.kit.wording.rows(cook.material.anchor, [(rows[0].part, rows[0].words)])
    question = f"Of the {said}, how many have {_a(words)} above the {_of(measure, cook.said([rows[1]]))}?"
    return _dish(cook, "above", question, query)


def extreme(cook: Cook) -> Dish | None:
    """Of the rows that two scripts narrow the one with the most of a column that a third ranks by."""
    rank, name = cook.take(cook.material.ranks), cook.take(cook.material.names)
    if rank is None or name is None or rank.columns == name.columns:
        return None
    rows = cook.rows(2, rank.columns | name.columns)
    if not rows:
        return None
    query = cook.select([name, rank], rows)
    key = query.expressions[1].copy()
    _limit(query, key, 1)
    question = (
        f"Among the {cook.said(rows)}, which one has the highest {rank.words}?"
        f" Give the {name.words} and the {rank.words}."
    )
    return _dish(cook, "extreme", question, query)


def gap(cook: Cook) -> Dish | None:
    """By how many percentage points rows of one script are commoner among those of one than of another."""
    measure = cook.take(cook.material.counts)
    rows = cook.rows(3)
    if measure is None or not rows:
        return None
    one, other, what = rows
    shares = []
    for side in (one, other):
        some, whole = cook.select([measure], [side, what]), cook.select([measure], [side])
        hundred = exp.Mul(this=_real(_subquery(some)), expression=exp.Literal.number(100))
        shares.append(exp.Div(this=hundred, expression=_subquery(whole)))
    values = [_value(cook, exp.select(share.copy())) for share in shares]
    if values[0] is None or values[1] is None:
        return None
    if values[0] < values[1]:
        one, other = other, one
        shares.reverse()
    query = exp.select(exp.Sub(this=exp.paren(shares[0]), expression=exp.paren(shares[1])))
    question = (
        f"By how many percentage points is the share of {cook.said([what])} higher among"
        f" the {cook.said([one])} than among the {cook.said([other])}?"
    )
    return _dish(cook, "gap", question, query)


def leading(cook: Cook) -> Dish | None:
    """A measure in the group that has the most rows of another script."""
    measure, group, count = cook.measure(), cook.take(cook.material.groups), cook.take(cook.material.counts)
    if measure is None or group is None or count is None:
        return None
    rows = cook.rows(2, group.columns)
    if not rows:
        return None
    most, own = rows
    first = cook.select([group], [most], [group])
    counted = cook.select([group, count], [most], [group]).expressions[1]
    _limit(first, counted.copy(), 1)
    query = cook.select([measure], [own], test=(exp.EQ, group.placed, first))
    asked = _ask(cook, measure, cook.said([own]))
    question = f"For the {group.words} with the most {cook.said([most])}: {asked[0].lower()}{asked[1:]}"
    return _dish(cook, "leading", question, query)


def exceeding(cook: Cook) -> Dish | None:
    """The groups in which a measure is above the same over the rows of another script."""
    plain = [one for one in cook.material.amounts if one.words.startswith("average")]
    measure, group = cook.take(plain), cook.take(cook.material.groups)
    if measure is None or group is None:
        return None
    rows = cook.rows(2, group.columns)
    if not rows:
        return None
    query = cook.select([group, measure], [rows[0]], [group])
    level = cook.select([measure], [rows[1]])
    above_it = exp.GT(this=query.expressions[1].copy(), expression=_subquery(level))
    query.set("having", exp.Having(this=above_it))
    question = (
        f"For which {several(group.words)} is the {_of(measure, cook.said([rows[0]]))} above"
        f" {_that(measure, cook.said([rows[1]]))}? Give each {group.words} and the {measure.words} there."
    )
    return _dish(cook, "exceeding", question, query)


def _a(words: str) -> str:
    return f"an {words}" if words[:1] in "aeiou" else f"a {words}"


def _limit(query: Any, key: Any, count: int) -> None:
    query.set("order", exp.Order(expressions=[exp.Ordered(this=key, desc=True, nulls_first=False)]))
    query.set("limit", exp.Limit(expression=exp.Literal.number(count)))


def _value(cook: Cook, query: Any) -> float | None:
    """The one number that a query gives."""
    found = cook.kit.bench.engine.run(_text(cook, query)).rows
    return found[0][0] if found and isinstance(found[0][0], int | float) else None


def _text(cook: Cook, query: Any) -> str:
    return text_of(query, cook.kit.bench.dialect)


def _dish(cook: Cook, recipe: str, question: str, query: Any) -> Dish:
    question = " ".join(question.split())
    return Dish(recipe, question[0].upper() + question[1:], query, tuple(cook.used))


RECIPES: Final[Mapping[str, Callable[[Cook], Dish | None]]] = {
    "narrowed": narrowed,
    "listed": listed,
    "ratio": ratio,
    "share": share,
    "compared": compared,
    "grouped": grouped,
    "topped": topped,
    "without": without,
    "above": above,
    "extreme": extreme,
    "gap": gap,
    "leading": leading,
    "exceeding": exceeding,
}
