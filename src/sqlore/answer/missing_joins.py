"""A table that a query uses and its FROM forgot: the join is added where there is one way only.

Small models write ``SELECT publisher_name FROM superhero``: the right column, and no join to its table. Where
one table of the schema has such a column, and foreign keys and history know exactly one way from the tables
of the query to it, nothing else can have been meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Final

from sqlore.answer.join_path import Join, JoinGraph, condition, table_name
from sqlore.answer.slips import Checked, mended_names
from sqlore.catalog.names import always_quote, quote_alias
from sqlore.errors import UnknownName
from sqlore.model import Attempt, Schema, Table

if TYPE_CHECKING:
    from sqlglot import Token, exp

__all__ = ["mended_joins"]

#: Lacks and slips mended in one query at most.
_MOST: Final = 3
#: What ends a FROM clause at its own level.
_ENDS: Final = frozenset({"WHERE", "GROUP", "GROUP BY", "HAVING", "ORDER", "ORDER BY", "LIMIT", "OFFSET",
                          "FETCH", "QUALIFY", "WINDOW", "UNION", "INTERSECT", "EXCEPT", ";"})  # fmt: skip


def mended_joins(given: Checked, dialect: str, schema: Schema, graph: Callable[[], JoinGraph]) -> Checked:
    """The query with the joins it lacks, and each lack as an attempt of its own.

    A query without a fault, or with another one, or with a name that could be of several tables, or that
    several joins could bring, comes back as it is. `graph` is asked only where a join is missing.

    >>> from sqlore.answer.join_path import join_graph
    >>> from sqlore.model import Column, ForeignKey, Table
    >>> key = ForeignKey(("side_id",), "side", ("id",))
    >>> hero = Table("hero", (Column("id"), Column("weight"), Column("side_id")), foreign_keys=(key,))
    >>> schema = Schema((hero, Table("side", (Column("id"), Column("name")))), dialect="sqlite")
    >>> given = mended_names("SELECT weight FROM hero WHERE side.name = 'Good'", "sqlite", schema)
    >>> mended_joins(given, "sqlite", schema, lambda: join_graph(schema)).sql
    "SELECT weight FROM hero JOIN side ON hero.side_id = side.id WHERE side.name = 'Good'"
    """
    found, told = given, list[Attempt]()
    while isinstance(found.fault, UnknownName) and len(told) < _MOST:
        mended = _mended(found.sql, dialect, schema, graph, found.fault)
        if mended is None:
            break
        told.append(Attempt(found.sql, f"{found.fault.message}; {mended[0]} was joined"))
        found = mended_names(mended[1], dialect, schema)
        told += found.slips
    return Checked(given.sql, [], given.fault) if found.fault else Checked(found.sql, told)


class _Select:
    """One SELECT of a query: its tables by alias, and where its FROM ends."""

    def __init__(self, node: exp.Select, tokens: Sequence[Token], schema: Schema) -> None:
        from sqlglot import exp

        self.node = node
        self.tables: dict[str, str] = {}  # by folded alias
        self.spelled: dict[str, str] = {}
        self.plain = True
        clause = node.args.get("from_") or node.args.get("from")
        sources = [clause.this] if clause is not None else []
        sources += [join.this for join in node.args.get("joins") or ()]
        for source in sources:
            known = schema.table(source.name) if isinstance(source, exp.Table) else None
            if known is None:
                self.plain = False
            else:
                self.tables[source.alias_or_name.lower()] = known.folded_name
                self.spelled[known.folded_name] = _called(source, schema.dialect)
        starts = [i.meta.get("start", -1) for s in sources for i in s.find_all(exp.Identifier)]
        self.end = _end_of_from(tokens, max(starts, default=-1))


def _called(source: exp.Expr, dialect: str) -> str:
    """What a table of FROM is called, with the quotes that it is written with or needs."""
    alias = source.args.get("alias")
    name = alias.this if alias is not None else source.this
    return (always_quote if name.args.get("quoted") else quote_alias)(name.name, dialect)


def _end_of_from(tokens: Sequence[Token], last: int) -> int:
    """Where the FROM clause ends that has a table at the offset `last`."""
    depth, end = 0, -1
    for token in tokens:
        if token.start < last:
            continue
        quoted = token.token_type.name in ("IDENTIFIER", "STRING")
        word = "" if quoted else token.text.upper()
        if depth == 0 and (word in _ENDS or word == ")"):
            break
        depth += (word == "(") - (word == ")")
        end = token.end + 1
    return end


def _mended(
    sql: str, dialect: str, schema: Schema, graph: Callable[[], JoinGraph], error: UnknownName
) -> tuple[str, str] | None:
    """The table that was joined and the query with it; None where that is not certain."""
    found = _place(sql, dialect, schema, error.position)
    if found is None:
        return None
    column, select = found
    ways = graph()
    way = _from_home(ways, column, select, schema) or _only_way(ways, select, _meant(column, select, schema))
    if way is None:
        return None
    table = way[-1][1]
    qualifier = column.table if column.table.lower() not in select.tables else ""
    names, added = dict(select.spelled), ""
    for join, new in way:
        names[new] = _alias(new, new == table, qualifier, select, names, schema)
        written = table_name(new, schema)
        as_alias = "" if names[new] == written else f" AS {names[new]}"
        added += f" JOIN {written}{as_alias} ON {condition(join, schema, names)}"
    edits = [(select.end, select.end, added)]
    if not qualifier:
        edits.append(_under(column, names[table]))
    edits += _told_apart(select, [schema.table(new) for _, new in way], names, column, schema)
    return _spelled(schema, table), _edited(sql, edits)


def _spelled(schema: Schema, table: str) -> str:
    """A folded table's own spelling."""
    known = schema.table(table)
    return known.name if known else table


def _place(sql: str, dialect: str, schema: Schema, position: int | None) -> tuple[exp.Column, _Select] | None:
    """The column at an offset, and the SELECT that it stands in, where that has plain tables only."""
    from sqlglot import Dialect, exp
    from sqlglot.errors import SqlglotError

    from sqlore.sql.tree import quickly_joined

    try:
        language = Dialect.get_or_raise(dialect or None)
        tokens = language.tokenize(sql)
        tree = language.parser().parse(quickly_joined(tokens), sql)[0]
    except SqlglotError:
        return None
    for column in tree.find_all(exp.Column) if tree is not None else ():
        parts = (column.this, column.args.get("table"))
        if position is None or position not in [part.meta.get("start") for part in parts if part]:
            continue
        if isinstance(column.find_ancestor(exp.Join, exp.Select), exp.Join):
            return None  # a condition of a join cannot name a table that is joined after it
        node = column.find_ancestor(exp.Select)
        select = _Select(node, tokens, schema) if node is not None else None
        if select is not None and select.plain and select.tables and select.end > 0:
            return column, select
    return None


def _meant(column: exp.Column, select: _Select, schema: Schema) -> str | None:
    """The one table that a column without a table of its own belongs to.

    It is the table that stands before the column by its name. Else, where neither the tables of the query
    have such a column nor several others, the one that has.
    """
    named = schema.table(column.table) if column.table else None
    if named is not None and column.table.lower() not in select.tables:
        return named.folded_name if named.column(column.name) is not None else None
    owners = [table.folded_name for table in schema.tables if table.column(column.name) is not None]
    return owners[0] if len(owners) == 1 else None


def _from_home(
    graph: JoinGraph, column: exp.Column, select: _Select, schema: Schema
) -> list[tuple[Join, str]] | None:
    """The one table with such a column that is joined with the table which the query took it from.

    ``T1.weight`` where `T1` has no weight, but refers to the one table that does.
    """
    home = select.tables.get(column.table.lower())
    if home is None or list(select.tables.values()).count(home) > 1:
        return None
    others = [t.folded_name for t in schema.tables if t.column(column.name) is not None]
    ways = [[(join, other)] for other in others for join in graph.between(home, other)]
    return ways[0] if len(ways) == 1 and ways[0][0][1] not in select.tables.values() else None


def _only_way(graph: JoinGraph, select: _Select, table: str | None) -> list[tuple[Join, str]] | None:
    """The joins from the tables of a query to another one, each with the table that it brings.

    None where a shorter way does not exclude another of the same length, or there is none.
    """
    here = list(select.tables.values())
    if table is None or table in here or len(set(here)) < len(here):
        return None  # to a table that is there twice there are two ways
    ways: list[list[tuple[Join, str]]] = [
        [(join, table)] for one in here for join in graph.between(one, table)
    ]
    if not ways:
        ways = [
            [(first, middle), (second, table)]
            for one in here
            for middle in sorted(graph.neighbours(one) & graph.neighbours(table) - set(here))
            for first in graph.between(one, middle)
            for second in graph.between(middle, table)
        ]
    return ways[0] if len(ways) == 1 else None


def _alias(
    table: str, last: bool, qualifier: str, select: _Select, names: Mapping[str, str], schema: Schema
) -> str:
    """What a joined table is called: as the query does already, else in the way of its other tables."""
    written, own = table_name(table, schema), _spelled(schema, table)
    if last and qualifier:
        return written if qualifier.lower() == own.lower() else quote_alias(qualifier, schema.dialect)
    taken = {qualifier.lower(), *select.tables, *(alias.strip('"`[]').lower() for alias in names.values())}
    if own.lower() not in taken and all(
        alias.lower() == table_name(name, schema).lower() for name, alias in select.spelled.items()
    ):
        return written
    return next(f"T{n}" for n in count(len(names) + 1) if f"t{n}" not in taken)


def _told_apart(
    select: _Select,
    added: Sequence[Table | None],
    names: Mapping[str, str],
    missing: exp.Column,
    schema: Schema,
) -> Iterator[tuple[int, int, str]]:
    """Edits that put a table before the columns without one that the joined tables have too."""
    from sqlglot import exp

    for column in select.node.find_all(exp.Column):
        bare = not column.table and column is not missing and column.find_ancestor(exp.Select) is select.node
        if not bare or not any(table and table.column(column.name) for table in added):
            continue
        for name in select.tables.values():
            known = schema.table(name)
            if known is not None and known.column(column.name) is not None:
                yield _under(column, names[name])
                break


def _under(column: exp.Column, alias: str) -> tuple[int, int, str]:
    """The edit that puts a column under an alias."""
    table = column.args.get("table")
    stop = int(column.this.meta["start"])
    return (int(table.meta["start"]) if table is not None else stop), stop, f"{alias}."


def _edited(sql: str, edits: Iterable[tuple[int, int, str]]) -> str:
    for start, stop, text in sorted(edits, reverse=True):
        sql = f"{sql[:start]}{text}{sql[stop:]}"
    return sql
