"""What DIN-SQL's exemplars say of a query, read from the query: schema links, class, sub-questions.

Pourreza and Rafiei (2023) wrote it by hand for their exemplars. A query is easy that reads one table and has
no query inside, non-nested where it joins, nested where it has queries inside or puts two together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.errors import SqlError
from sqlore.knowledge import describe_script
from sqlore.prompts.coverage import by_coverage
from sqlore.prompts.operators import operations_of
from sqlore.sql import parse_script
from sqlore.sql.natsql.writer import natsql_parts
from sqlore.sql.parse import parse_query
from sqlore.sql.tree import parse_one

if TYPE_CHECKING:
    from sqlore.model import Fragment, Schema
    from sqlore.prompts.training_pairs import Pair, TrainingSet

__all__ = ["CLASSES", "Class", "Read", "chosen_pairs", "query_class", "read_query"]

Class = Literal["EASY", "NON-NESTED", "NESTED"]
CLASSES: Final[tuple[Class, ...]] = ("EASY", "NON-NESTED", "NESTED")
#: Values that a question may have said, at most.
_VALUES: Final = 6


@dataclass(frozen=True, slots=True)
class Read:
    """What a query shows: `inner` are sub-questions with the SQL that answers each."""

    kind: Class
    tables: tuple[str, ...]
    links: tuple[str, ...]
    natsql: tuple[str, ...] = ()
    inner: tuple[tuple[str, str], ...] = ()


def read_query(sql: str, schema: Schema, dialect: str = "sqlite") -> Read | None:
    """A query of an exemplar, None where it cannot be read, or has queries inside that ask nothing alone.

    >>> from sqlore.model import Column, Schema, Table
    >>> hut = Schema((Table("hut", (Column("name"), Column("beds"))),))
    >>> read = read_query("SELECT name FROM hut WHERE beds > (SELECT AVG(beds) FROM hut)", hut)
    >>> read.kind, read.links, read.inner
    ('NESTED', ('hut.beds', 'hut.name'), (('average beds of huts', 'SELECT AVG(beds) FROM hut'),))
    """
    try:
        kind = query_class(sql, dialect)
        fragments = parse_script(sql, dialect, schema).fragments
        tables, links = _tables(fragments, schema), _links(fragments, schema)
        if kind == "NESTED":
            inner = tuple(_inner(sql, schema, dialect))
            return Read(kind, tables, links, inner=inner) if inner else None
        return Read(kind, tables, links, natsql_parts(sql, schema, dialect).parts)
    except (SqlError, SqlglotError):
        return None


def query_class(sql: str, dialect: str = "sqlite") -> Class:
    """The class of a query. Raises ParseError or NotAQuery where it is not one.

    >>> [query_class(sql) for sql in ("SELECT 1 FROM a", "SELECT 1 FROM a, b", "SELECT 1 EXCEPT SELECT 2")]
    ['EASY', 'NON-NESTED', 'NESTED']
    """
    tree = parse_query(sql, dialect).tree
    if len(list(tree.find_all(exp.Select))) > 1:
        return "NESTED"
    return "NON-NESTED" if len(list(tree.find_all(exp.Table))) > 1 else "EASY"


def chosen_pairs(examples: TrainingSet, pairs: Sequence[Pair], each: int) -> list[tuple[Pair, Read]]:
    """`each` pairs of every class that use many operations, class by class; few databases, so few schemas.

    The database whose pairs use the most comes first, and of its pairs those that add an operation to the
    ones of their class before.
    """
    found: dict[Class, list[tuple[Pair, Read]]] = {kind: [] for kind in CLASSES}
    used: dict[Class, set[str]] = {kind: set() for kind in CLASSES}
    for pair in by_coverage(pairs):
        if all(len(taken) == each for taken in found.values()):
            break
        kind = query_class(pair.sql, pair.dialect)
        operations = operations_of(pair.sql, pair.dialect)
        if len(found[kind]) == each or operations <= used[kind]:
            continue
        read = read_query(pair.sql, examples.schema(pair.database), pair.dialect)
        if read is not None:
            found[kind].append((pair, read))
            used[kind] |= operations
    return [one for taken in found.values() for one in taken]


def _tables(fragments: Sequence[Fragment], schema: Schema) -> tuple[str, ...]:
    names = dict.fromkeys(name for fragment in fragments for name in fragment.tables)
    found = {name: schema.table(name.replace('"', "")) for name in names}
    return tuple(table.name if table is not None else name for name, table in found.items())


def _links(fragments: Sequence[Fragment], schema: Schema) -> tuple[str, ...]:
    """Columns as the schema spells them, then join edges, then values."""
    edges = [f for f in fragments if f.form == "edge"]
    joined = {column for edge in edges for column in edge.columns}
    columns = {column: None for f in fragments for column in f.columns}
    whole = next((f for f in fragments if f.kind == "query"), None)
    texts = [text for text in (whole.literals if whole else ()) if any(c.isalpha() for c in text)]
    said = [_spelled(column, schema) for column in columns if column not in joined]
    said += [" = ".join(_spelled(side, schema) for side in edge.skeleton.split(" = ")) for edge in edges]
    return tuple(dict.fromkeys([*said, *(f"'{text}'" for text in texts[:_VALUES])]))


def _spelled(column: str, schema: Schema) -> str:
    """``table.column`` as the schema spells it; a skeleton has it folded."""
    table_name, _, name = column.rpartition(".")
    table = schema.table(table_name.replace('"', ""))
    found = table.column(name.strip('"')) if table is not None else None
    return f"{table.name}.{found.name}" if table is not None and found is not None else column


def _inner(sql: str, schema: Schema, dialect: str) -> Iterator[tuple[str, str]]:
    """The queries inside that can be asked alone, in words and as SQL."""
    tree = parse_one(sql, dialect or None)
    seen: set[str] = set()
    for node in _queries(tree):
        text = node.sql(dialect=dialect or None, comments=False)
        if text in seen or _reaches_out(node):
            continue
        seen.add(text)
        yield describe_script(parse_script(text, dialect, schema)), text


def _queries(tree: Any) -> Iterator[Any]:
    """Bodies of CTEs, subqueries, sides of set operations, the first in the text first."""
    for select in tree.find_all(exp.Select, bfs=False):
        if select is not tree:
            yield select


def _reaches_out(query: Any) -> bool:
    """Whether a subquery names a table, or a CTE, of the query around it."""
    own = {table.alias_or_name.lower() for table in query.find_all(exp.Table)}
    around = query.parent_select
    outer = {table.alias_or_name.lower() for table in around.find_all(exp.Table)} if around else set()
    named = {column.table.lower() for column in query.find_all(exp.Column) if column.table}
    ctes = {cte.alias.lower() for cte in query.root().find_all(exp.CTE)}
    tables = {table.name.lower() for table in query.find_all(exp.Table)}
    return bool(named & (outer - own)) or bool(named - own - outer) or bool(tables & ctes)
