"""Whether an aggregate counts rows several times because a join repeats them: measured, where it matters.

A join that makes several rows of one changes nothing for ``COUNT(*)``, ``COUNT(DISTINCT ...)``, MIN, MAX or
rows as they are. It does for a sum, an average or a count of a column whose own table has its rows repeated
within one group. The rows of a table are told apart by its primary key, else by their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.answer.explain.facts import Twice
from sqlore.answer.explain.joins import Ask, number
from sqlore.answer.explain.sql import NodeSql
from sqlore.catalog.names import always_quote
from sqlore.sql.scopes.graph import Graph, Join

__all__ = ["Doubles"]

_ADDED: Final = {exp.Sum: "sum", exp.Avg: "avg", exp.Count: "count"}
_NUMBER: Final = "row_of_source"
_PART: Final = r'(?:"(?:[^"]|"")+"|`[^`]+`|\[[^\]]+\]|\w+)'
_QUALIFIED: Final = re.compile(rf"({_PART}(?:\s*\.\s*{_PART})*)\s*\.\s*({_PART})")
_TEXTS: Final = r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/"


@dataclass(frozen=True, slots=True)
class _Added:
    """An aggregate that repeated rows can change: its text, what it adds up, the sources that this is of."""

    text: str
    word: str
    value: str
    sources: tuple[int, ...]
    groups: tuple[str, ...]


class Doubles:
    """Asks of one SELECT what it counts several times; `found` gives it with the join to blame."""

    def __init__(self, graph: Graph, sql: NodeSql, ask: Ask) -> None:
        self.graph, self.sql, self.ask = graph, sql, ask
        self.joins: tuple[Join, ...] = sql.parts.joins
        self._aliases = [_alias(join, graph.dialect) for join in self.joins]

    def found(self) -> Iterator[tuple[int, Twice]]:
        """Each aggregate that counts rows several times, behind the number of the join that repeats them.

        Raises `QueryError` and `QueryTimeout` where that cannot be measured.
        """
        if self.sql.node.usage == "exists" or not all(self._aliases):
            return
        for added in self._added():
            changed, counted, once = self._measured(added)
            if changed:
                names = tuple(self._name(at) for at in added.sources)
                yield self._blamed(added), Twice(added.text, added.word, names, counted, once)

    # -------------------------------------------------------------- what is added up

    def _added(self) -> list[_Added]:
        parts = self.sql.parts
        if parts.group and not parts.groups:  # ROLLUP and the like: a row is in several groups by intention
            return []
        having = f" HAVING {parts.having}" if parts.having else ""
        listed = ", ".join(parts.expressions)
        if not listed:
            return []
        try:
            tree = sqlglot.parse_one(
                f"SELECT {listed} FROM asked{having} {parts.tail}", read=self.graph.dialect or None
            )
        except SqlglotError:
            return []
        found = [self._read(node) for node in tree.walk(prune=lambda one: _inner(one, tree))]
        return list(dict.fromkeys(one for one in found if one is not None))

    def _read(self, node: Any) -> _Added | None:
        """An aggregate that repeated rows can change; None for everything else."""
        word, value = _aggregate(node)
        if value is None or isinstance(value, exp.Distinct | exp.Star):
            return None
        sources, groups = self._sources(value), self._groups(node)
        if not sources or groups is None:
            return None
        whole = self._sql(value)
        if isinstance(node.parent, exp.Filter):
            whole = f"CASE WHEN {self._sql(node.parent.expression.this)} THEN {whole} END"
        return _Added(self._sql(node), word, whole, sources, groups)

    def _sql(self, node: Any) -> str:
        return str(node.sql(self.graph.dialect or None, comments=False))

    def _groups(self, node: Any) -> tuple[str, ...] | None:
        """The keys within which it adds up; None for a window over groups or over a part of the rows."""
        above = node.parent
        while isinstance(above, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
            above = above.parent
        if not isinstance(above, exp.Window):
            return self.sql.parts.groups
        if self.sql.parts.group or above.args.get("order") or above.args.get("alias"):
            return None
        return tuple(self._sql(key) for key in above.args.get("partition_by") or ())

    def _sources(self, value: Any) -> tuple[int, ...]:
        """The numbers of the sources whose columns are added up; of CASE those that it gives, not those it
        looks at, unless it gives nothing but constants. Empty where one is not known."""
        columns = list(_given(value)) or list(value.find_all(exp.Column))
        owners = {self._owner(column) for column in columns}
        return () if -1 in owners else tuple(sorted(owners))

    def _owner(self, column: Any) -> int:
        table, name = column.table.lower(), column.name.lower()
        if table:
            named = [at for at, alias in enumerate(self._aliases) if alias.strip('"`[]').lower() == table]
            return named[0] if len(named) == 1 else -1
        has = [at for at, join in enumerate(self.joins) if name in self._columns(join)]
        return has[0] if len(has) == 1 else -1

    def _columns(self, join: Join) -> set[str]:
        node = self.graph.index.get(join.node)
        return {column.name.lower() for column in node.columns} if node is not None else set()

    # -------------------------------------------------------------- how often a row is there

    def _measured(self, added: _Added) -> tuple[int, int, int]:
        """Groups whose result repeated rows change; the values that are added up; those of different rows."""
        source, keys = self._identified(added.sources)
        once = self._once(added, source, keys)
        named = [f"g{n}" for n in range(len(added.groups))]
        changed = "MIN(times) <> MAX(times)" if added.word == "avg" else "MAX(times) > 1"
        grouped = f" GROUP BY {', '.join(named)}" if named else ""
        rests = [
            f"FROM (SELECT MAX(times) AS most FROM {once} AS rows_once{grouped} HAVING {changed}) AS changed",
            f"FROM (SELECT {added.value} AS added {self._from(source)}) AS joined"
            f" WHERE {_counts('added', added.word)}",
            f"FROM {once} AS rows_once",
        ]
        groups, counted, different = map(self._number, rests)
        return groups, counted, different

    def _number(self, rest: str) -> int:
        """How many rows a FROM clause has; a table whose rows are numbered is none of a schema any more."""
        return number(self.ask(unqualified(self.sql.count([rest]), [join.source for join in self.joins]), 1))

    def _once(self, added: _Added, source: str, keys: list[str]) -> str:
        """A derived table: each value of each row of its sources once for each group, and how often it is
        there."""
        groups = [f"{text} AS g{n}" for n, text in enumerate(added.groups)]
        named = [f"k{n}" for n in range(len(keys))] + [f"g{n}" for n in range(len(groups))]
        listed = [*(f"{key} AS k{n}" for n, key in enumerate(keys)), *groups, f"{added.value} AS added"]
        inner = f"SELECT {', '.join(listed)} {self._from(source)}"
        return (
            f"(SELECT {', '.join([*named, 'added'])}, COUNT(*) AS times FROM ({inner}) AS joined"
            f" WHERE {_counts('added', added.word)} GROUP BY {', '.join([*named, 'added'])})"
        )

    def _blamed(self, added: _Added) -> int:
        """The first join that puts several rows beside one of those that are added up."""
        last = max(added.sources)
        for step, other in sorted(
            (max(at, last), at) for at in range(len(self.joins)) if at not in added.sources
        ):
            source, keys = self._identified((*added.sources, other))
            own = len(self._identified(added.sources)[1])
            wider = self._once(added, source, keys)
            named = [f"k{n}" for n in range(own)] + [f"g{n}" for n in range(len(added.groups))]
            rest = (
                f"FROM (SELECT COUNT(*) AS times FROM {wider} AS beside"
                f" GROUP BY {', '.join([*named, 'added'])}"
                " HAVING COUNT(*) > 1) AS repeated"
            )
            if self._number(rest):
                return step
        return len(self.joins) - 1

    def _from(self, source: str) -> str:
        where = f" WHERE {self.sql.parts.where}\n" if self.sql.parts.where else ""
        return f"FROM {source}\n{where}"

    def _identified(self, wanted: tuple[int, ...]) -> tuple[str, list[str]]:
        """The FROM clause in which the rows of the wanted sources have a name, and these names."""
        text, keys, start = self.sql.parts.source, [], self.joins[0].start
        numbered: list[int] = []
        for at in wanted:
            node, alias = self.graph.index.get(self.joins[at].node), self._aliases[at]
            primary = [c.name for c in node.columns if c.primary_key] if node is not None else []
            if node is None or node.kind != "table" or not primary:
                numbered.append(at)
                primary = [f"{_NUMBER}_{at}"]
            keys += [f"{alias}.{always_quote(key, self.graph.dialect)}" for key in primary]
        for at in sorted(numbered, reverse=True):
            join, alias = self.joins[at], self._aliases[at]
            first, end = join.start - start, join.end - start
            with_number = (
                f"(SELECT {alias}.*, ROW_NUMBER() OVER () AS {_NUMBER}_{at} FROM {join.source}) AS {alias}"
            )
            text = f"{text[:first]}{with_number}{text[end:]}"
        return text, keys

    def _name(self, at: int) -> str:
        node = self.graph.index.get(self.joins[at].node)
        return (node.name if node is not None else "") or self._aliases[at].strip('"`[]')


def _aggregate(node: Any) -> tuple[str, Any]:
    """What an aggregate does and to what; nothing for what repeated rows do not change."""
    if isinstance(node, exp.Anonymous):  # SQLite's
        is_total = str(node.this).lower() == "total" and len(node.expressions) == 1
        return ("sum", node.expressions[0]) if is_total else ("", None)
    word = _ADDED.get(type(node), "")
    return (word, node.this) if word and not node.expressions else ("", None)


def _counts(value: str, word: str) -> str:
    """Which values an aggregate takes notice of: none that is NULL, and a sum none that is 0."""
    return f"{value} IS NOT NULL" + (f" AND {value} <> 0" if word == "sum" else "")


def _alias(join: Join, dialect: str) -> str:
    """What a source of FROM is called, as it is written; empty where it is several, or has no name."""
    try:
        tree = sqlglot.parse_one(f"SELECT 1 FROM {join.source}", read=dialect or None)
    except SqlglotError:
        return ""
    source: Any = tree.args["from_"].this if tree.args.get("from_") is not None else None
    if source is None or tree.args.get("joins"):
        return ""
    named = source.args.get("alias")
    name = named.this if named is not None else source.this
    return str(name.sql(dialect or None)) if isinstance(name, exp.Identifier) else ""


def unqualified(sql: str, sources: Sequence[str]) -> str:
    """The SQL with the columns of these sources behind the name of their table alone.

    >>> unqualified("SELECT s.t.size FROM s.t WHERE 's.t.size' <> s.t.x", ["s.t"])
    "SELECT t.size FROM s.t WHERE 's.t.size' <> t.x"
    """
    found = [match for one in sources if (match := _QUALIFIED.fullmatch(one.strip()))]
    if len({match[2].strip('"`[]').lower() for match in found}) < len(found):
        return sql  # without their schemas they would be the same
    for match in found:
        named = [re.escape(part.strip('"`[]')) for part in re.findall(_PART, match[0])]
        *before, last = (rf'["`\[]?{part}["`\]]?' for part in named)
        path = r"\s*\.\s*".join(before)
        column = rf"{_TEXTS}|(?<![\w.\"`\]]){path}\s*\.\s*({last}\s*\.)"
        sql = re.sub(column, lambda one: one[1] or one[0], sql, flags=re.DOTALL | re.IGNORECASE)
    return sql


def _inner(node: Any, tree: Any) -> bool:
    return node is not tree and isinstance(node, exp.Query)


def _given(value: Any) -> Iterator[Any]:
    """The columns of an expression that make its value: those that a CASE only looks at are left out."""
    if isinstance(value, exp.Column):
        yield value
        return
    if isinstance(value, exp.Query):
        return
    if isinstance(value, exp.Case | exp.If):
        branches = value.args.get("ifs") or [value]
        given = [one.args.get("true") for one in branches]
        given.append(value.args.get("default") if isinstance(value, exp.Case) else value.args.get("false"))
        parts = [one for one in given if one is not None]
    else:
        parts = list(value.iter_expressions())
    for part in parts:
        yield from _given(part)
