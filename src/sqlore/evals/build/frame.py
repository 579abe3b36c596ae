"""SELECTs built from pieces: a FROM that grows as parts need it, with aliases as BIRD writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot import Dialect, exp

from sqlore.evals.build.pieces import Keys, Part, Path
from sqlore.model import Schema

__all__ = ["Builder", "Placed", "tables_of", "text_of"]

_PLAIN: Final = re.compile(r"[A-Za-z_]\w*\Z")


@dataclass(frozen=True)
class Placed:
    """An expression, and the way from the anchor to each table that it names."""

    node: Any
    paths: Mapping[str, Path] = field(default_factory=dict)


def tables_of(paths: Iterable[Path]) -> int:
    """How many tables one FROM has that leads to all these places, the anchor with it."""
    return 1 + len({path[:end] for path in paths for end in range(1, len(path) + 1)})


class _Frame:
    """The FROM of one SELECT: each table on a way has a place, the same way always the same one."""

    def __init__(self, anchor: str, paths: Iterable[Path]) -> None:
        self.anchor = anchor
        self.places: dict[Path, int] = {(): 1}
        for path in paths:
            for end in range(1, len(path) + 1):
                self.places.setdefault(path[:end], len(self.places) + 1)

    def alias(self, path: Path) -> str:
        """The alias of a place; none where there is only one."""
        return f"T{self.places[path]}" if len(self.places) > 1 else ""


class Builder:
    """Writes SELECTs over the tables of one database; names are spelled as its schema has them."""

    def __init__(self, schema: Schema, keys: Keys) -> None:
        self._schema = schema
        self._keys = keys

    def select(
        self,
        anchor: str,
        shown: Sequence[Placed],
        parts: Sequence[Part],
        *,
        inner: Sequence[Part] = (),
        without: Sequence[Part] = (),
        test: tuple[type[Any], Placed, Any] | None = None,
        groups: Sequence[Placed] = (),
    ) -> Any:
        """What is `shown` of the rows that all parts mean, by `groups`.

        The tables of `parts` are joined; those of `inner` parts stand in subqueries of their own; the rows of
        `without` parts are left out. `test` compares a column with the value of a query:
        ``(exp.GT, column, query)``.
        """
        placed = [*shown, *groups, *([test[1]] if test else [])]
        ways = [*(one.paths for one in placed), *(part.paths for part in parts)]
        paths = [path for way in ways for path in way.values()]
        frame = _Frame(anchor, paths)
        query = exp.Select()
        for one in shown:
            query.append("expressions", self._placed(one.node, one.paths, frame))
        self._from(query, frame)
        wanted = [self._placed(node, part.paths, frame) for part in parts for node in part.conditions]
        wanted += [self._among(part, frame) for part in inner]
        wanted += [exp.Not(this=self._among(part, frame, by_key=True)) for part in without]
        if test is not None:
            left = self._placed(test[1].node, test[1].paths, frame)
            wanted.append(test[0](this=left, expression=exp.Subquery(this=test[2])))
        if wanted:
            query.set("where", exp.Where(this=exp.and_(*map(_bracketed, wanted))))
        if groups:
            keys = [self._placed(one.node, one.paths, frame) for one in groups]
            query.set("group", exp.Group(expressions=keys))
        return query

    def _from(self, query: Any, frame: _Frame) -> None:
        for path in frame.places:
            table = path[-1].table if path else frame.anchor
            source: Any = exp.Table(this=self._name(table))
            if frame.alias(path):
                source = exp.alias_(source, frame.alias(path), table=True)
            if not path:
                query.set("from_", exp.From(this=source))
                continue
            before = path[-2].table if len(path) > 1 else frame.anchor
            left = self._column(before, path[-1].own, frame.alias(path[:-1]))
            right = self._column(table, path[-1].column, frame.alias(path))
            join = exp.Join(this=source, kind="INNER", on=exp.EQ(this=left, expression=right))
            query.append("joins", join)

    def _among(self, part: Part, frame: _Frame, *, by_key: bool = False) -> Any:
        """Whether a row is one of those that a part means, as IN over a query of its own.

        The query starts at the first table on the way, where all ways lead over it and rows without one need
        not be told from others; else at the anchor itself, by its key.
        """
        firsts = {path[0] for path in part.paths.values() if path}
        anchored = any(not path for path in part.paths.values())
        if len(firsts) == 1 and not anchored and not (by_key and part.single):
            (step,) = firsts
            start, column, own = step.table, step.column, step.own
            paths = {table: path[1:] for table, path in part.paths.items()}
        else:
            start = part.anchor
            column = own = self._keys.primary(part.anchor) or ""
            paths = dict(part.paths)
        inner = _Frame(start, paths.values())
        query = exp.Select()
        query.append("expressions", self._column(start, column, inner.alias(())))
        self._from(query, inner)
        conditions = [_bracketed(self._placed(one, paths, inner)) for one in part.conditions]
        query.set("where", exp.Where(this=exp.and_(*conditions)))
        return exp.In(this=self._column(part.anchor, own, frame.alias(())), query=exp.Subquery(this=query))

    def _placed(self, node: Any, paths: Mapping[str, Path], frame: _Frame) -> Any:
        copy = node.copy()
        for column in list(copy.find_all(exp.Column)):
            new = self._column(column.table, column.name, frame.alias(paths.get(column.table, ())))
            if column is copy:
                return new
            column.replace(new)
        return copy

    def _column(self, table: str, column: str, alias: str) -> Any:
        known = self._schema.table(table)
        found = known.column(column) if known is not None else None
        return exp.Column(this=_identifier(found.name if found else column), table=_identifier(alias))

    def _name(self, table: str) -> Any:
        known = self._schema.table(table)
        name = known.name if known is not None else table
        return _identifier(name, reserved=name.lower() in ("order", "group", "match", "transaction", "table"))


def text_of(query: Any, dialect: str, *, pretty: bool = False) -> str:
    """The SQL of a query that was built of canonical pieces.

    Canonical text does not say what a division of whole numbers gives: it stays that of the dialect.

    >>> from sqlglot import parse_one
    >>> text_of(parse_one("select a / b from t"), "sqlite")
    'SELECT a / b FROM t'
    """
    known = Dialect.get_or_raise(dialect)
    for division in query.find_all(exp.Div):
        division.set("typed", known.TYPED_DIVISION)
        division.set("safe", known.SAFE_DIVISION)
    return str(query.sql(dialect=dialect, pretty=pretty))


def _identifier(name: str, *, reserved: bool = False) -> Any:
    if not name:
        return None
    return exp.to_identifier(name, quoted=reserved or not _PLAIN.match(name))


def _bracketed(node: Any) -> Any:
    return exp.paren(node) if isinstance(node, exp.Or) else node
