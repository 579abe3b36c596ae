"""Recipes: how the pieces of several scripts become one harder question with its SQL.

Every recipe draws what it needs from the material of one table and gives a `Dish`, or nothing where the draw
does not fit. Question and SQL are built side by side from the same pieces, so that they mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sqlglot import exp

from sqlore.evals.build.cook import (
    Cook,
    Dish,
    again,
    asked,
    dish,
    measured,
    real,
    subquery,
    take_first,
    value_of,
    with_article,
)
from sqlore.evals.build.frame import Placed
from sqlore.evals.build.material import Shown
from sqlore.evals.build.wording import several

__all__ = ["RECIPES"]

_FIRST: Final = {2: "two", 3: "three", 4: "four", 5: "five"}


def narrowed(cook: Cook) -> Dish | None:
    """A measure over rows that two or three scripts narrow."""
    shares = cook.material.shares and cook.rng.random() < 0.3
    measure = cook.take(cook.material.shares) if shares else cook.measure()
    if measure is None:
        return None
    rows = cook.rows(cook.rng.choice((2, 2, 3)), measure.columns if shares else frozenset())
    if not rows:
        return None
    return dish(cook, "narrowed", asked(cook, measure, cook.said(rows)), cook.select([measure], rows))


def listed(cook: Cook) -> Dish | None:
    """A column of the rows that two or three scripts narrow."""
    column = cook.take(cook.material.names)
    rows = cook.rows(cook.rng.choice((2, 2, 3)), column.columns if column else frozenset())
    if column is None or not rows:
        return None
    said, words = cook.said(rows), several(column.words)
    question = cook.pick(f"List the {words} of the {said}.", f"What are the {words} of the {said}?")
    return dish(cook, "listed", question, cook.select([column], rows))


def ratio(cook: Cook) -> Dish | None:
    """A measure over some rows, divided by the same over others."""
    measure = cook.measure()
    rows = cook.rows(2)
    if measure is None or not rows:
        return None
    first, second = (cook.select([measure], [one]) for one in rows)
    query = exp.select(exp.Div(this=real(subquery(first)), expression=subquery(second)))
    one, other = (cook.said([worded]) for worded in rows)
    question = f"What is the ratio of the {measured(measure, one)} to {again(measure, other)}?"
    return dish(cook, "ratio", question, query)


def share(cook: Cook) -> Dish | None:
    """How many of the rows of one script, in per cent, are those of another too."""
    measure = cook.take(cook.material.counts)
    rows = cook.rows(cook.rng.choice((2, 3)))
    if measure is None or not rows:
        return None
    base, more = rows[:-1], rows[-1]
    whole = cook.select([measure], base)
    some = cook.select([measure], rows)
    hundred = exp.Mul(this=real(subquery(some)), expression=exp.Literal.number(100))
    query = exp.select(exp.Div(this=hundred, expression=subquery(whole)))
    question = f"What percentage of the {cook.said(base)} are {cook.said([more])}?"
    return dish(cook, "share", question, query)


def compared(cook: Cook) -> Dish | None:
    """By how much a measure over some rows exceeds that over others, both narrowed by a third script."""
    measure = cook.measure()
    rows = cook.rows(cook.rng.choice((2, 3)))
    if measure is None or not rows:
        return None
    both = rows[2:]
    sides = [[rows[0], *both], [rows[1], *both]]
    values = [value_of(cook, cook.select([measure], side)) for side in sides]
    if values[0] is None or values[1] is None:
        return None
    if values[0] < values[1]:
        sides.reverse()
    first, second = (cook.select([measure], side) for side in sides)
    query = exp.select(exp.Sub(this=subquery(first), expression=subquery(second)))
    high, low = (cook.said([side[0]]) for side in sides)
    among = f"Among the {cook.said(both)}, by" if both else "By"
    question = f"{among} how much does the {measured(measure, high)} exceed {again(measure, low)}?"
    if measure.words == "number":
        question = f"{among} how many do the {high} outnumber the {low}?"
    return dish(cook, "compared", question, query)


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
    plain = measure.words == "number"
    wanted = f"how many {said} are there" if plain else f"what is the {measured(measure, said)}"
    question = f"For each {group.words}, {wanted}? Give the {group.words} and {what}."
    return dish(cook, "grouped", question, query)


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
    take_first(query, query.expressions[1].copy(), count)
    said, plain = cook.said(rows), measure.words == "number"
    most = f"the most {said}" if plain else f"the highest {measured(measure, said)}"
    what = "the number" if plain else f"the {measure.words}"
    if count == 1:
        question = f"Which {group.words} has {most}? Give the {group.words} and {what}."
    else:
        many = several(group.words)
        question = (
            f"Which {_FIRST[count]} {many} have {most}?"
            f" Give each {group.words} and {what}, from the highest to the lowest."
        )
    return dish(cook, "topped", question, query)


def without(cook: Cook) -> Dish | None:
    """The rows of one script that are not among those of another."""
    measure = cook.take(cook.material.counts)
    rows = cook.rows(cook.rng.choice((2, 3)))
    if measure is None or not rows:
        return None
    kept, out = rows[:-1], rows[-1]
    query = cook.select([measure], kept, without=[out])
    question = f"How many {cook.said(kept)} are not among the {cook.said([out])}?"
    return dish(cook, "without", question, query)


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
    said, level = (cook.said([one]) for one in rows)
    question = f"Of the {said}, how many have {with_article(words)} above the {measured(measure, level)}?"
    return dish(cook, "above", question, query)


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
    take_first(query, key, 1)
    question = (
        f"Among the {cook.said(rows)}, which one has the highest {rank.words}?"
        f" Give the {name.words} and the {rank.words}."
    )
    return dish(cook, "extreme", question, query)


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
        hundred = exp.Mul(this=real(subquery(some)), expression=exp.Literal.number(100))
        shares.append(exp.Div(this=hundred, expression=subquery(whole)))
    values = [value_of(cook, exp.select(share.copy())) for share in shares]
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
    return dish(cook, "gap", question, query)


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
    take_first(first, counted.copy(), 1)
    query = cook.select([measure], [own], test=(exp.EQ, group.placed, first))
    wanted = asked(cook, measure, cook.said([own]))
    question = f"For the {group.words} with the most {cook.said([most])}: {wanted[0].lower()}{wanted[1:]}"
    return dish(cook, "leading", question, query)


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
    above_it = exp.GT(this=query.expressions[1].copy(), expression=subquery(level))
    query.set("having", exp.Having(this=above_it))
    question = (
        f"For which {several(group.words)} is the {measured(measure, cook.said([rows[0]]))} above"
        f" {again(measure, cook.said([rows[1]]))}? Give each {group.words} and the {measure.words} there."
    )
    return dish(cook, "exceeding", question, query)


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
