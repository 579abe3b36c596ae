"""N-rep: search results whose data hold question, SQL and the schema in each of its representations.

Source: the public copy of N-rep's code in uiuc-kang-lab/text_to_sql_benchmarks, `GenaSQL/src`: `run.py`
(which results are used), `text2sql/engine/retrieval/retrievers.py` (their form), `text2sql/engine/prompts`
(the turns of the conversation) and `text2sql/data/schema_to_text.py` (the representations). An example is
used for a representation only if its data has the schema in it, so without a catalog there is no use for
any; the schema is that of the tables its SQL uses.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from sqlore.catalog import schema_text
from sqlore.model import Message
from sqlore.retrieve.plugin.examples import database_of, examples, one_line, tables_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlore.catalog import Catalog, ColumnProfile
    from sqlore.model import Column, Retrieval, Table

__all__ = ["REPRESENTATIONS", "foreign_keys", "nrep", "nrep_messages", "represented"]

#: CREATE TABLE statements; columns with type and examples; columns with meaning and examples.
REPRESENTATIONS: Final = ("sql_create", "m_schema", "mac_schema")
_LONG: Final = 50
_MIDDLING: Final = 20
_M_SAMPLES: Final = 3
_MAC_SAMPLES: Final = 6
_NUMBERS: Final = 10
_NO_SAMPLES: Final = ("id", "email", "url")


def nrep(found: Retrieval, catalog: Catalog | None = None) -> list[dict[str, Any]]:
    """What N-rep's retriever returns: ``{"id", "distance", "data"}``, the most useful first.

    `data` has `nl_en_query`, `sql_query`, `evidence` where the history has some, and with a catalog the
    schema as `sql_create`, `m_schema` and `mac_schema`. The distance is what is missing to a score of 1.
    """
    database = database_of(found, catalog)
    out = []
    for example in examples(found, catalog):
        data = {"nl_en_query": example.question, "sql_query": example.sql, "db_id": database}
        if example.evidence:
            data["evidence"] = example.evidence
        if catalog is not None:
            data |= _schemas(catalog, tables_of(example, catalog), database)
        out.append({"id": example.id, "distance": round(max(0.0, 1 - example.score), 4), "data": data})
    return out


def nrep_messages(
    found: Retrieval, catalog: Catalog, representation: str = "m_schema", dialect: str = "sqlite"
) -> list[Message]:
    """The examples as turns, as N-rep puts them between its system message and the question."""
    turns = []
    for result in nrep(found, catalog):
        data = result["data"]
        hint = f"\nhint:{data['evidence']}" if "evidence" in data else ""
        gap = "\n" if hint else " "
        ask = (
            f"database schema description:{gap}{data[representation]}\n\ntext query: {data['nl_en_query']}"
            f"{hint}\nplease give me a {dialect} SQL query as markdown code block."
        )
        turns += [Message("user", ask), Message("assistant", f"```sql\n{data['sql_query']}\n```")]
    return turns


def _schemas(catalog: Catalog, tables: Sequence[Table], database: str) -> dict[str, str]:
    return {name: represented(name, catalog, tables, database) for name in REPRESENTATIONS}


def represented(name: str, catalog: Catalog, tables: Sequence[Table], database: str = "") -> str:
    """`tables` in the representation of that name: one of `REPRESENTATIONS`."""
    if name == "m_schema":
        return _m_schema(catalog, tables, database)
    if name == "mac_schema":
        return "\n".join(_mac_table(catalog, table) for table in tables)
    schema = replace(catalog.schema, tables=tuple(tables))
    return schema_text(replace(catalog, schema=schema), samples=False)


def _m_schema(catalog: Catalog, tables: Sequence[Table], database: str) -> str:
    """Columns with type and examples, foreign keys last."""
    lines = [f"【DB_ID】 {database}", "【Schema】"]
    for table in tables:
        columns = ",\n".join(_m_column(catalog, table, column) for column in table.columns)
        lines += [f"# Table: {table.name}", "[", columns, "]"]
    return "\n".join([*lines, *foreign_keys(tables)])


def foreign_keys(tables: Sequence[Table]) -> list[str]:
    """The keys between `tables` under their heading, a line each; nothing where there are none."""
    shown = {table.name.lower() for table in tables}
    keys = [
        f"{table.name}.{own}={key.ref_table}.{other}"
        for table in tables
        for key in table.foreign_keys
        if key.ref_table.lower() in shown
        for own, other in zip(key.columns, key.ref_columns, strict=False)
    ]
    return ["【Foreign keys】", *keys] if keys else []


def _m_column(catalog: Catalog, table: Table, column: Column) -> str:
    seen = catalog.profile.column(table.name, column.name)
    values = _values(seen, _M_SAMPLES)
    longest = max(map(len, values), default=0)
    if longest > _LONG:
        values = []
    elif longest > _MIDDLING or (seen is not None and seen.kind == "date"):
        values = values[:1]
    parts = [f"({column.name}:{column.type.upper()}"]
    parts += ["Primary Key"] * column.primary_key
    parts += [f"Examples: [{', '.join(values)}]"] if values else []
    return ", ".join(parts) + ")"


def _mac_table(catalog: Catalog, table: Table) -> str:
    """Columns with their meaning and the most frequent values."""
    keys = {c.name for c in table.columns if c.primary_key}.union(*(k.columns for k in table.foreign_keys))
    lines = []
    for column in table.columns:
        meaning = one_line(catalog.dictionary.describe_column(table.full_name, column.name) or "")
        line = f"  ({column.name}," + (f" {meaning.rstrip('.')}." if meaning else "")
        values = [] if column.name in keys else _mac_values(catalog, table, column)
        lines.append(line + (f" Value examples: {values}." if values else "") + ")")
    return "\n".join([f"# Table: {table.name}", "[", ",\n".join(lines), "]"])


def _mac_values(catalog: Catalog, table: Table, column: Column) -> list[str]:
    seen = catalog.profile.column(table.name, column.name)
    if seen is None or column.name.lower().endswith(_NO_SAMPLES):
        return []
    if seen.kind == "number" and (seen.distinct or 0) > _NUMBERS:
        return []
    values = [
        value for value in _values(seen, 2 * _MAC_SAMPLES) if len(value) <= _LONG and "://" not in value
    ]
    return values[: 1 if seen.kind == "date" else _MAC_SAMPLES]


def _values(seen: ColumnProfile | None, most: int) -> list[str]:
    return [one_line(value) for value, _ in seen.values[:most]] if seen is not None else []
