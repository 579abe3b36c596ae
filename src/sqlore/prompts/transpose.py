"""A query put over to another database by program: its tables, columns and values replaced, nothing else.

What "Adapt and Decompose" asks of a language model (section 4.3, stage 1: compositionally similar SQL on the
target) needs none where the target has what the query takes: tables that join where its tables join, and for
each column one that bears the same use. A small model copies the names of the other database instead. What
comes out is composed like the original by construction; whether it gives anything is for the caller to try.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlore.prompts.transpose_slots import RANGES, Pattern, Place, pattern_of
from sqlore.prompts.transpose_target import Target, TargetColumn

if TYPE_CHECKING:
    from sqlore.model import Schema

__all__ = ["transposed"]

#: Choices of tables that join looked at, those tried, choices of columns and values tried for each.
_LOOKED: Final = 20_000
_CHOICES: Final = 6
_ROUNDS: Final = 4
_COMPARED: Final = (exp.EQ, exp.NEQ, exp.In, exp.Like, exp.ILike, exp.Between, *RANGES)
Filled = Mapping[Place, TargetColumn]


def transposed(sql: str, source: Schema, target: Target, start: int = 0) -> Iterator[str]:
    """Queries on the target that are composed like `sql`, the most likely first; none where nothing fits.

    `sql` is in the target's dialect and reads `source`. `start` turns the choice of columns and values, so
    that queries alike do not all come out the same.

    >>> from sqlore.catalog import Profile, catalog_from_schema
    >>> from sqlore.catalog.profile import ColumnProfile
    >>> from sqlore.model import Column, Schema, Table
    >>> from dataclasses import replace
    >>> hut = Schema((Table("hut", (Column("name"), Column("beds"))),), dialect="sqlite")
    >>> ship = Schema((Table("ship", (Column("port"), Column("tons"))),), dialect="sqlite")
    >>> port = ColumnProfile("ship", "port", "text", 2, 9, (("Oslo", 5), ("Molde", 4)))
    >>> tons = ColumnProfile("ship", "tons", "number", 9, 9, (), "100", "500")
    >>> target = Target(replace(catalog_from_schema(ship), profile=Profile((port, tons))))
    >>> next(transposed("SELECT name FROM hut WHERE beds > 9", hut, target))
    'SELECT port FROM ship WHERE tons > 300'
    """
    pattern = pattern_of(sql, source, target.dialect)
    if pattern is None or not pattern.tables:
        return
    choices = _ranked(pattern, target, start)
    for turn, tables in product(range(_ROUNDS), choices):
        filled = _columns(pattern, target, tables, start + turn)
        text = filled and _written(pattern, target, tables, filled, start + turn)
        if text:
            yield text


def _ranked(pattern: Pattern, target: Target, start: int) -> list[dict[str, str]]:
    """The choices of tables whose columns serve best; those that serve alike in turn."""
    scored: dict[float, list[dict[str, str]]] = {}
    for tables in _tables(pattern, target):
        filled = _columns(pattern, target, tables, 0)
        if filled:
            served = [_serves(pattern, filled, place) for place in filled]
            scored.setdefault(round(sum(served) / len(served) * 4), []).append(tables)
    ranked: list[dict[str, str]] = []
    for _, alike in sorted(scored.items(), reverse=True):
        turned = start % len(alike)
        ranked += alike[turned:] + alike[:turned]
    return ranked[:_CHOICES]


def _serves(pattern: Pattern, filled: Filled, place: Place) -> int:
    """How well the column of a place serves; a join's always does."""
    return 3 if any(place in pair for pair in pattern.joined) else filled[place].suits(pattern.use(place))


def _tables(pattern: Pattern, target: Target) -> Iterator[dict[str, str]]:
    """Tables of the target for those of the pattern that join where these do: walked along the joins."""
    names = _along(pattern)
    pairs = [tuple({name for name, _ in pair}) for pair in (*pattern.joined, *map(frozenset, pattern.linked))]
    due = [[pair for pair in pairs if max(map(names.index, pair)) == place] for place in range(len(names))]
    apart = not any(len({table for table, _ in pair}) > 1 for pair in pattern.joined)
    filled = [name for name in target.tables if target.columns[name]]

    def walk(tables: dict[str, str]) -> Iterator[dict[str, str]]:
        if len(tables) == len(names):
            yield tables
            return
        for table in filled:
            if not apart and table in tables.values():
                continue
            more = {**tables, names[len(tables)]: table}
            if all(target.joined(*(more[name] for name in pair)) for pair in due[len(tables)]):
                yield from walk(more)

    return islice(walk({}), _LOOKED)


def _along(pattern: Pattern) -> list[str]:
    """The pattern's tables, each after one that it is joined with wherever there is one."""
    left, out = list(pattern.tables), list[str]()
    joined = [{table for table, _ in pair} for pair in pattern.joined]
    while left:
        near = (name for name in left if any(name in pair and pair & set(out) for pair in joined))
        out.append(next(near, left[0]))
        left.remove(out[-1])
    return out


def _join(target: Target, pair: frozenset[Place], tables: Mapping[str, str]) -> dict[Place, str]:
    """The columns on which two places are joined in the target; none where they are of one table."""
    if len({table for table, _ in pair}) == 1:
        return {}
    one, other = sorted(pair)
    return dict(zip((one, other), target.on[tables[one[0]], tables[other[0]]], strict=True))


def _columns(pattern: Pattern, target: Target, tables: Mapping[str, str], turn: int) -> Filled | None:
    """A column of the target for each place: joins and links first, the others by use."""
    found: dict[Place, TargetColumn] = {}
    apart = (frozenset(pair) for pair in pattern.linked if tables[pair[0][0]] != tables[pair[1][0]])
    for pair in (*pattern.joined, *apart):
        for place, name in _join(target, pair, tables).items():
            column = target.column(tables[place[0]], name)
            if column is None:
                return None
            found[place] = column
    for place in sorted(pattern.columns, key=lambda place: pattern.use(place) == "shown"):
        if place in found:
            continue
        same = _linked(pattern, found, tables, place)
        column = same or _by_use(pattern, target, tables, found, place, turn)
        if column is None:
            return None
        found[place] = column
    return found


def _linked(pattern: Pattern, found: Filled, tables: Mapping[str, str], place: Place) -> TargetColumn | None:
    """The column of the place that this one is looked up in, where both are of one table."""
    for pair in pattern.linked:
        if place in pair:
            other = pair[0] if pair[1] == place else pair[1]
            if other in found and tables[other[0]] == tables[place[0]]:
                return found[other]
    return None


def _by_use(
    pattern: Pattern, target: Target, tables: Mapping[str, str], found: Filled, place: Place, turn: int
) -> TargetColumn | None:
    table, use = tables[place[0]], pattern.use(place)
    if use == "shown" and any(place in pair for pair in pattern.linked):
        use = "category"
    taken = {one.name.lower() for one in found.values() if one.table.lower() == table}
    best = target.fitting(table, use, taken)
    return best[turn % len(best)] if best else None


def _written(pattern: Pattern, target: Target, tables: Mapping[str, str], filled: Filled, turn: int) -> str:
    """The pattern with names and values of the target; empty where a value is not known."""
    tree = pattern.tree.copy()
    old, new = list(pattern.tree.walk()), list(tree.walk())
    literals = [pair for pair in zip(old, new, strict=True) if isinstance(pair[0], exp.Literal)]
    for number, (before, after) in enumerate(literals):
        if not _value(pattern, filled, before, after, turn + number):
            return ""
    for before, after in zip(old, new, strict=True):
        if isinstance(before, exp.Table) and before.name.lower() in tables:
            name = target.tables[tables[before.name.lower()]].name
            after.set("this", _identifier(target, name))
        elif isinstance(before, exp.Column) and (place := pattern.place_of(before)):
            after.set("this", _identifier(target, filled[place].name))
            if before.args.get("table") and before.table.lower() in tables:
                owner = target.tables[tables[before.table.lower()]].name
                after.set("table", _identifier(target, owner))
    return tree.sql(dialect=target.dialect)


def _identifier(target: Target, name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=target.quoted(name) != name)


def _value(pattern: Pattern, filled: Filled, before: exp.Expr, after: exp.Expr, turn: int) -> bool:
    """Puts a value of the column that a literal is compared with in its place; False where there is none."""
    parent = before.parent
    if not isinstance(parent, _COMPARED):
        return True  # a LIMIT, a number that is counted to, an argument of a function
    places = [place for one in parent.iter_expressions() if (place := pattern.place_of(one))]
    if not places:
        return True
    column = filled[places[0]]
    if isinstance(parent, exp.Like | exp.ILike):
        text = _like(before.name, column.word(turn))
    elif isinstance(parent, exp.Between):
        text = column.at(0.3 if before.arg_key == "low" else 0.7)
    elif isinstance(parent, RANGES):
        text = column.at((0.5, 0.4, 0.6, 0.25)[turn % 4])
    else:
        text = column.literal(turn)
    if not text:
        return False
    after.replace(exp.Literal(this=text.strip("'").replace("''", "'"), is_string=text.startswith("'")))
    return True


def _like(before: str, word: str) -> str:
    """The word with wildcards where the original has them."""
    if not word:
        return ""
    head, tail = "%" if before.startswith("%") else "", "%" if before.endswith("%") else ""
    return f"'{head}{word}{tail or ('' if head else '%')}'"
