"""What a history offers for tasks about one table: rows it means, measures it takes, groups it makes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlglot import exp

from sqlore.catalog import Catalog
from sqlore.errors import SqloreError
from sqlore.evals.build.bench import Bench
from sqlore.evals.build.frame import Builder, Placed, text_of
from sqlore.evals.build.pieces import Keys, Part, Pieces, parts_of, paths_from, pieces_of
from sqlore.evals.build.wording import Wording, own_words

__all__ = ["Kit", "Material", "Shown", "Worded", "materials", "swapped"]

_TELLING: Final = re.compile(r"\w(?:.*[\w.)])?\Z")
_NOTHING: Final = frozenset(("n/a", "na", "none", "null", "unknown", "nan", "other"))
_MOSTLY_DIFFERENT: Final = 0.3
_LONGEST_VALUE: Final = 40
_LONGEST_WORDS: Final = 12
_LEAST: Final = 3
_VALUES: Final = 2_000


@dataclass(frozen=True)
class Worded:
    """Rows that a script means, and its own words for them, where its question has some."""

    part: Part
    words: str = ""


@dataclass(frozen=True)
class Shown:
    """A measure, a group or a column of a script; `words` is its noun."""

    script: str
    placed: Placed
    words: str

    @property
    def columns(self) -> frozenset[str]:
        """What it is about, as `Part.columns` says it."""
        paths = self.placed.paths
        return frozenset(
            f"{'/'.join(step.own for step in paths.get(column.table, ()))}:{column.table}.{column.name}"
            for column in self.placed.node.find_all(exp.Column)
        )


@dataclass
class Material:
    """All that can be asked of the rows of one table.

    `counts` count the rows, `amounts` are averages and sums of their columns, `shares` are percentages among
    them; `groups` are what they can be put together by, `names` columns by which they are listed, `ranks`
    those whose highest value is asked for.
    """

    anchor: str
    noun: str
    parts: list[Worded] = field(default_factory=list)
    counts: list[Shown] = field(default_factory=list)
    amounts: list[Shown] = field(default_factory=list)
    shares: list[Shown] = field(default_factory=list)
    groups: list[Shown] = field(default_factory=list)
    names: list[Shown] = field(default_factory=list)
    ranks: list[Shown] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.parts)


@dataclass(frozen=True)
class Kit:
    """What recipes work with: the materials, and what is known of the scripts and of the database."""

    bench: Bench
    keys: Keys
    wording: Wording
    pieces: Mapping[str, Pieces]
    materials: Sequence[Material]
    builder: Builder
    _values: dict[str, dict[str, int]] = field(default_factory=dict, repr=False)

    def values(self, part: Part, column: Any) -> dict[str, int]:
        """The values of a column that the value index has, each with how many rows of the anchor have it."""
        paths = {column.table: part.paths[column.table]}
        name = f"{part.anchor} {paths} {column.sql()}"
        if name not in self._values:
            shown = [Placed(column, paths), Placed(exp.Count(this=exp.Star()))]
            query = self.builder.select(part.anchor, shown, [], groups=shown[:1])
            known = _indexed(column, self.bench.catalog)
            try:
                rows = self.bench.engine.run(text_of(query, self.bench.dialect), limit=_VALUES).rows
            except SqloreError:
                rows = ()
            self._values[name] = {str(value): count for value, count in rows if str(value) in known}
        return self._values[name]

    def tables(self, scripts: Iterable[str]) -> int:
        """The most tables that one of these scripts joins."""
        return max(len(self.pieces[key].tables) for key in scripts)

    def alike(self, one: str, other: str) -> float:
        """How much two scripts have in common: their shared pieces by all their pieces."""
        mine, yours = self.pieces[one].fragments, self.pieces[other].fragments
        return len(mine & yours) / max(1, len(mine | yours))


def materials(bench: Bench) -> Kit:
    """The kit of a history; the tables that enough is known of come first."""
    keys = Keys(bench.catalog.schema)
    wording = Wording(bench.catalog, keys)
    found = (pieces_of(one) for one in bench.history.parsed)
    pieces = {one.key: one for one in found if one is not None}
    tables = sorted({table for one in pieces.values() for table in one.tables})
    anchors = [table for table in tables if keys.primary(table)]
    made = [_material(anchor, pieces.values(), keys, wording, bench.catalog) for anchor in anchors]
    usable = [one for one in made if one.size >= _LEAST and (one.counts or one.amounts)]
    usable.sort(key=lambda one: (-one.size, one.anchor))
    return Kit(bench, keys, wording, pieces, usable, Builder(bench.catalog.schema, keys))


def _material(
    anchor: str, scripts: Iterable[Pieces], keys: Keys, wording: Wording, catalog: Catalog
) -> Material:
    made = Material(anchor, wording.noun(anchor))
    seen: set[str] = set()
    for one in scripts:
        paths = paths_from(one, anchor, keys)
        if len(paths) < len(one.tables):
            continue
        for part in parts_of(one, anchor, keys):
            worded = _worded(part, one, wording, keys, catalog)
            if worded is not None and (part.text not in seen or worded.words):
                seen.add(part.text)
                made.parts.append(worded)
        _add_shown(made, one, paths, keys, wording)
    return made


def _worded(part: Part, one: Pieces, wording: Wording, keys: Keys, catalog: Catalog) -> Worded | None:
    """The part with its script's words; None where it means nothing to ask about.

    A key says nothing unless the script's own words do; a column that is different in nearly every row names
    one of them; several rows of another table are only meant where nothing else narrows the script.
    """
    words = own_words(one.question, wording.noun(part.anchor)) if part.whole and one.bare else ""
    columns = [column for condition in part.conditions for column in condition.find_all(exp.Column)]
    if not words and any(_is_key(c, one, keys, wording) for c in columns):
        return None
    if not part.single and not (one.bare and _about(one, part.anchor)):
        return None
    if any(
        isinstance(condition, exp.EQ | exp.In) and _names_a_row(condition, part, catalog)
        for condition in part.conditions
    ):
        return None
    return Worded(part, words)


def _about(one: Pieces, anchor: str) -> bool:
    """Whether a script shows or measures the rows of this table and nothing else."""
    shown = [*one.shown, *one.measures]
    columns = [column for node in shown for column in node.find_all(exp.Column)]
    return bool(columns) and all(column.table == anchor for column in columns)


def _names_a_row(condition: Any, part: Part, catalog: Catalog) -> bool:
    column = condition.this
    if not isinstance(column, exp.Column) or part.paths.get(column.table):
        return False
    for profile in catalog.profile.columns:
        if (profile.table.lower(), profile.column.lower()) == (column.table, column.name):
            return bool(profile.filled) and (profile.distinct or 0) > _MOSTLY_DIFFERENT * (
                profile.filled or 1
            )
    return False


def _add_shown(made: Material, one: Pieces, paths: Mapping[str, Any], keys: Keys, wording: Wording) -> None:
    def placed(node: Any) -> Placed | None:
        tables = {column.table for column in node.find_all(exp.Column)} or {made.anchor}
        ways = {table: paths[table] for table in tables if table in paths}
        single = len(ways) == len(tables) and all(step.single for way in ways.values() for step in way)
        return Placed(node, ways) if single else None

    for node in one.measures:
        measure = placed(node)
        if measure is None:
            continue
        words = wording.measure(measure, made.anchor)
        if len(words.split()) > _LONGEST_WORDS or ";" in words:
            continue
        found = Shown(one.key, measure, words)
        if words == "number":
            if _counts_rows(measure.node, made.anchor, keys, one):
                made.counts.append(found)
        elif words.startswith("percentage"):
            if any(_counts_rows(count, made.anchor, keys, one) for count in measure.node.find_all(exp.Count)):
                made.shares.append(found)
        elif words.startswith(("average", "total", "highest", "lowest")):
            made.amounts.append(found)
    for node in (*one.groups, *one.shown):
        column = placed(node)
        if column is None or _is_key(node, one, keys, wording):
            continue
        words = wording.column(column, made.anchor)
        if column.paths[node.table]:
            made.groups.append(Shown(one.key, column, words.removesuffix(" name")))
        elif node in one.shown:
            made.names.append(Shown(one.key, column, words))

    highest = placed(one.highest) if one.highest is not None else None
    if highest is not None:
        made.ranks.append(Shown(one.key, highest, wording.column(highest, made.anchor)))


def _is_key(column: Any, one: Pieces, keys: Keys, wording: Wording) -> bool:
    return keys.is_key(column.table, column.name, one.links) or wording.is_id(column.table, column.name)


def _counts_rows(node: Any, anchor: str, keys: Keys, one: Pieces) -> bool:
    """Whether a COUNT counts the rows of a table: its key, or all rows where no join gives it several."""
    if not isinstance(node, exp.Count):
        return False
    inner = node.this
    if isinstance(inner, exp.Star):
        return all(step.single for way in paths_from(one, anchor, keys).values() for step in way)
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        inner = inner.expressions[0]
    return isinstance(inner, exp.Column) and inner.table == anchor and inner.name == keys.primary(anchor)


def swapped(worded: Worded, kit: Kit, rng: random.Random) -> Worded | None:
    """The part with another value of the same column in place of one; None where there is none.

    The value is taken from the value index, so that it exists, and the more rows have it the likelier. The
    script's own words stay where the old value stands in them, with the new one in its place.
    """
    equal = [one for one in worded.part.conditions if isinstance(one, exp.EQ)]
    equal = [
        one for one in equal if isinstance(one.this, exp.Column) and isinstance(one.expression, exp.Literal)
    ]
    if not equal:
        return None
    chosen = rng.choice(equal)
    old = chosen.expression.name
    found = kit.values(worded.part, chosen.this)
    others = {value: count for value, count in found.items() if value != old}
    if not others:
        return None
    (new,) = rng.choices(list(others), [count**0.5 for count in others.values()])
    literal = exp.Literal.string(new) if chosen.expression.is_string else exp.Literal.number(new)
    condition = chosen.copy()
    condition.set("expression", literal)
    conditions = tuple(condition if one is chosen else one for one in worded.part.conditions)
    said = re.compile(rf"\b{re.escape(old)}\b", re.IGNORECASE)
    words = said.sub(lambda match: new.lower() if match.group().islower() else new, worded.words)
    return Worded(replace(worded.part, conditions=conditions), words if said.search(worded.words) else "")


def _indexed(column: Any, catalog: Catalog) -> set[str]:
    """The values that the index has of a column and that a question can name."""
    for known in catalog.values.columns:
        if (known.table.lower(), known.column.lower()) == (column.table, column.name):
            return {
                value
                for value in known.values
                if _TELLING.match(value) and len(value) <= _LONGEST_VALUE and value.lower() not in _NOTHING
            }
    return set()
