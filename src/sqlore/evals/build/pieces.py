"""A script as pieces that can be put together anew: what it measures, and which rows of a table it means.

Only plain scripts are taken: one SELECT, each table once, inner joins along key columns. Their canonical text
is read, so that columns carry their tables' names. A condition is seen from the table whose rows are meant
(the anchor): the way from there to the condition's own table is a part of its meaning, for the colour by
`eye_colour_id` is another than that by `hair_colour_id`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.evals.tasks import scored
from sqlore.model import ParsedScript, Schema
from sqlore.sql.tree import parse_expression, parse_one

__all__ = ["Keys", "Part", "Path", "Pieces", "Step", "parts_of", "paths_from", "pieces_of"]


@dataclass(frozen=True, slots=True)
class Step:
    """One join, from a column of the table before to a column of `table`; `single`: to one row at most."""

    own: str
    table: str
    column: str
    single: bool


#: The joins from the anchor to a table, in order.
Path = tuple[Step, ...]


@dataclass(frozen=True)
class Part:
    """Rows of an anchor that a script means by some of its conditions.

    `paths` leads from the anchor to every table that the conditions name; `single` says that no way leads to
    several rows. `whole` says that these are all conditions of the script.
    """

    anchor: str
    script: str
    conditions: tuple[Any, ...]
    paths: Mapping[str, Path]
    single: bool
    whole: bool

    @property
    def text(self) -> str:
        """What tells parts apart: the conditions with their ways."""
        ways = sorted(f"{table}:{'/'.join(step.own for step in way)}" for table, way in self.paths.items())
        return f"{self.anchor} {' and '.join(one.sql() for one in self.conditions)} {ways}"

    @property
    def columns(self) -> frozenset[str]:
        """What it is about, values aside: two parts of the same columns and ways are alternatives."""
        return frozenset(
            f"{'/'.join(step.own for step in self.paths.get(column.table, ()))}:{column.table}.{column.name}"
            for one in self.conditions
            for column in one.find_all(exp.Column)
        )


@dataclass(frozen=True)
class Pieces:
    """One plain script: the joins between its tables, its conditions, and what it shows.

    `measures` are the aggregates that it shows, of all rows or of each group; `groups` are the columns of its
    GROUP BY; `shown` are plain columns that it shows. `bare` says that nothing but WHERE narrows it;
    `highest` is the column of which it takes the rows with the highest values.
    """

    key: str
    question: str
    tables: frozenset[str]
    links: tuple[tuple[Any, Any], ...]
    conditions: tuple[Any, ...]
    measures: tuple[Any, ...] = ()
    groups: tuple[Any, ...] = ()
    shown: tuple[Any, ...] = ()
    bare: bool = False
    highest: Any = None
    fragments: frozenset[str] = field(default_factory=frozenset, repr=False)


class Keys:
    """Which columns hold each value once at most: primary keys, and what foreign keys refer to."""

    def __init__(self, schema: Schema) -> None:
        self._primary: dict[str, str] = {}
        self._unique: set[tuple[str, str]] = set()
        for table in schema.tables:
            keys = [column.name.lower() for column in table.columns if column.primary_key]
            if len(keys) == 1:
                self._primary[table.name.lower()] = keys[0]
                self._unique.add((table.name.lower(), keys[0]))
            for foreign in table.foreign_keys:
                if len(foreign.ref_columns) == 1:
                    self._unique.add((foreign.ref_table.lower(), foreign.ref_columns[0].lower()))

    def primary(self, table: str) -> str | None:
        """The one column that is a table's primary key."""
        return self._primary.get(table)

    def unique(self, table: str, column: str) -> bool:
        return (table, column) in self._unique

    def is_key(self, table: str, column: str, links: Iterable[tuple[Any, Any]] = ()) -> bool:
        """Whether a column only names rows: a key, or one that a script joins by."""
        return self.unique(table, column) or any(
            (side.table, side.name) == (table, column) for link in links for side in link
        )


def pieces_of(parsed: ParsedScript) -> Pieces | None:
    """The pieces of a plain script; None where it is not plain.

    >>> from sqlore.sql import parse_script
    >>> pieces_of(parse_script("SELECT COUNT(a) FROM t WHERE b = 1 AND c > 2", "sqlite")).measures[0].sql()
    'COUNT(t.a)'
    """
    fragments = parsed.fragments
    whole = next((f for f in fragments if f.kind == "query"), None)
    if whole is None or {f.scope for f in fragments} != {"main"} or "#" in whole.canonical:
        return None
    links = list(_links(f.canonical for f in fragments if f.form == "edge"))
    tree = _tree(whole.canonical)
    if not isinstance(tree, exp.Select) or None in links:
        return None
    tables = [table.name for table in tree.find_all(exp.Table)]
    if len(set(tables)) != len(tables) or len(links) != len(tables) - 1 or _outer(tree):
        return None
    narrowing = ("group", "having", "order", "limit", "offset", "distinct", "qualify", "windows")
    bare = not any(tree.args.get(name) for name in narrowing)
    shown = [one.unalias() for one in tree.expressions]
    group = tree.args.get("group")
    return Pieces(
        parsed.script.key,
        parsed.script.question or "",
        frozenset(tables),
        tuple(link for link in links if link is not None),
        tuple(_conditions(tree)),
        tuple(one for one in shown if _is_measure(one)),
        tuple(one for one in group.expressions if isinstance(one, exp.Column)) if group else (),
        tuple(one for one in shown if isinstance(one, exp.Column) and not one.is_star),
        bare,
        _highest(tree),
        frozenset(f.key for f in scored(fragments)),
    )


def _tree(text: str, parser: Callable[[str], Any] = parse_one) -> Any:
    try:
        return parser(text)
    except (SqlglotError, RecursionError):
        return None


def _links(texts: Iterable[str]) -> Iterator[tuple[Any, Any] | None]:
    """The two columns of each join edge; None for one that is not inner."""
    for text in texts:
        edge = None if " join " in text else _tree(text, parse_expression)
        sides = (edge.this, edge.expression) if isinstance(edge, exp.EQ) else ()
        plain = all(isinstance(side, exp.Column) and side.table for side in sides)
        yield (sides[0], sides[1]) if sides and plain else None


def _outer(tree: Any) -> bool:
    return any(join.side or join.kind == "CROSS" for join in tree.args.get("joins") or ())


def _conditions(tree: Any) -> Iterator[Any]:
    where = tree.args.get("where")
    if where is not None:
        yield from where.this.flatten() if isinstance(where.this, exp.And) else [where.this]


def _highest(tree: Any) -> Any:
    order = tree.args.get("order")
    if order is None or tree.args.get("limit") is None or tree.args.get("group") is not None:
        return None
    keys = order.expressions
    first = keys[0]
    plain = len(keys) == 1 and isinstance(first.this, exp.Column) and bool(first.this.table)
    return first.this if plain and first.args.get("desc") else None


def _is_measure(node: Any) -> bool:
    """Whether an expression is one number over all rows: an aggregate, or a formula of aggregates."""
    if node.find(exp.AggFunc) is None or node.find(exp.Window, exp.Select) is not None:
        return False
    return all(column.find_ancestor(exp.AggFunc) is not None for column in node.find_all(exp.Column))


def parts_of(pieces: Pieces, anchor: str, keys: Keys) -> list[Part]:
    """The conditions of a script as they are seen from an anchor: each that leads to single rows on its own,
    and all that lead to several rows together."""
    paths = paths_from(pieces, anchor, keys)
    found, several = [], []
    for one in pieces.conditions:
        tables = {column.table for column in one.find_all(exp.Column)}
        if not tables or "" in tables or not tables <= paths.keys():
            return []
        ways = {table: paths[table] for table in tables}
        if all(step.single for way in ways.values() for step in way):
            found.append(Part(anchor, pieces.key, (one,), ways, True, len(pieces.conditions) == 1))
        else:
            several.append((one, ways))
    if several:
        ways = {table: way for _, own in several for table, way in own.items()}
        whole = len(several) == len(pieces.conditions)
        conditions = tuple(one for one, _ in several)
        found.append(Part(anchor, pieces.key, conditions, ways, False, whole))
    return found


def paths_from(pieces: Pieces, anchor: str, keys: Keys) -> dict[str, Path]:
    """The way from the anchor to every table of a script."""
    found: dict[str, Path] = {anchor: ()} if anchor in pieces.tables else {}
    pending = list(found)
    while pending:
        here = pending.pop()
        for link in pieces.links:
            for own, other in (link, link[::-1]):
                if own.table == here and other.table not in found:
                    single = keys.unique(other.table, other.name)
                    step = Step(own.name, other.table, other.name, single)
                    found[other.table] = (*found[here], step)
                    pending.append(other.table)
    return found
