"""CodeS: demonstrations before the question, as its few-shot inference lays them out.

Source: RUCKBReasoning/codes, `text2sql_few_shot.py` (schema, matched contents, question and SQL of each
demonstration, the nearest first, the SQL ending in `` ;``), `utils/db_utils.py` (the two sequences) and
`schema_item_filter.py` (at most five tables of six columns; those that the SQL uses are among them). Where
CodeS adds other tables and columns at random, here the schema's first columns follow, so that the same
retrieval is the same text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlore.retrieve.plugin.examples import Example, examples, one_line, tables_of
from sqlore.sql.names import table_and_column

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.model import Column, Retrieval, Table

__all__ = ["codes", "contents_of", "contents_sequence", "schema_sequence"]

_TABLES: Final = 5
_COLUMNS: Final = 6
_SAMPLES: Final = 2
_SPECIAL: Final = frozenset("(-) /")


def codes(found: Retrieval, catalog: Catalog | None = None) -> str:
    """The demonstrations as text, the most useful first; the question's own schema and text follow it."""
    return "".join(_demonstration(one, catalog) for one in examples(found, catalog))


def _demonstration(example: Example, catalog: Catalog | None) -> str:
    question = f"{example.evidence} {example.question}".strip()
    parts = [_schema(example, catalog), contents_of(example), question, f"{example.sql} ;"]
    return "\n".join(parts) + "\n\n"


def _schema(example: Example, catalog: Catalog | None) -> str:
    tables = tables_of(example, catalog)[:_TABLES]
    return schema_sequence([replace(table, columns=_shown(table, example)) for table in tables], catalog)


def schema_sequence(tables: Sequence[Table], catalog: Catalog | None = None) -> str:
    """Tables as CodeS writes them: of each column its type, whether it is a key, comment and samples.

    >>> from sqlore.model import Column, Table
    >>> print(schema_sequence([Table("Hero", (Column("id", "INTEGER", primary_key=True),))]))
    database schema :
    table hero , columns = [ hero.id ( integer | primary key ) ]
    foreign keys : None
    """
    lines = ["database schema :"]
    for table in tables:
        columns = " , ".join(_column(table, column, catalog) for column in table.columns)
        lines.append(f"table {_name(table.name)} , columns = [ {columns} ]")
    keys = _keys(tables)
    return "\n".join([*lines, "foreign keys :", *keys] if keys else [*lines, "foreign keys : None"])


def _shown(table: Table, example: Example) -> tuple[Column, ...]:
    """The columns that the SQL uses, then the table's first, six in all; all that it uses where more."""
    used = set(example.parsed.columns) if example.parsed else set()
    of_sql = [c for c in table.columns if f"{table.name}.{c.name}".lower() in used]
    others = [c for c in table.columns if c not in of_sql]
    return (*of_sql, *others[: max(0, _COLUMNS - len(of_sql))])


def _column(table: Table, column: Column, catalog: Catalog | None) -> str:
    notes = [column.type.lower()] if column.type else []
    if column.primary_key:
        notes.append("primary key")
    if catalog is not None:
        meaning = catalog.dictionary.describe_column(table.full_name, column.name)
        if meaning and _letters(meaning) != _letters(column.name):
            notes.append(f"comment : {one_line(meaning).lower()}")
        seen = catalog.profile.column(table.name, column.name)
        if seen is not None and seen.values:
            notes.append("values : " + " , ".join(one_line(value) for value, _ in seen.values[:_SAMPLES]))
    return f"{_name(table.name)}.{_name(column.name)} ( {' | '.join(notes)} )"


def _letters(text: str) -> str:
    return text.lower().replace("_", "").replace(" ", "")


def _keys(tables: Sequence[Table]) -> list[str]:
    shown = {table.name.lower() for table in tables}
    return [
        f"{_name(table.name)}.{_name(own)} = {_name(key.ref_table)}.{_name(other)}"
        for table in tables
        for key in table.foreign_keys
        if key.ref_table.lower() in shown
        for own, other in zip(key.columns, key.ref_columns, strict=False)
    ]


def contents_of(example: Example) -> str:
    """Values of the database that the question names: those of the SQL's conditions that it says."""
    found: dict[tuple[str, str], list[str]] = {}
    said = f"{example.evidence} {example.question}".lower()
    for fragment in example.parsed.fragments if example.parsed else ():
        if fragment.kind == "condition" and len(fragment.columns) == 1:
            table, column = table_and_column(fragment.columns[0])
            values = [v for v in fragment.literals if not v.isdigit() and v.lower() in said]
            held = found.setdefault((table, column), [])
            held += [value for value in values if value and value not in held]
    return contents_sequence(found)


def contents_sequence(found: Mapping[tuple[str, str], Sequence[str]]) -> str:
    """Values by table and column, as CodeS writes them.

    >>> print(contents_sequence({("Publisher", "publisher_name"): ["Marvel Comics"]}))
    matched contents :
    publisher.publisher_name ( Marvel Comics )
    """
    lines = [
        f"{_name(table)}.{_name(column)} ( {' , '.join(values)} )"
        for (table, column), values in found.items()
        if values
    ]
    return "\n".join(["matched contents :", *lines]) if lines else "matched contents : None"


def _name(name: str) -> str:
    """A name as CodeS writes it: lower case, in backticks where it has a special character.

    >>> _name("Order Details")
    '`order details`'
    """
    return f"`{name.lower()}`" if _SPECIAL & set(name) else name.lower()
