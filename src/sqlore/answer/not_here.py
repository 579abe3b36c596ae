"""Why a script of the history does not run on this database, and what its reader can do about it.

What the parser or the driver says of a parameter or of another dialect ("something is missing at MOD") tells
nobody what is the matter; the text itself does.
"""

from __future__ import annotations

from typing import Final

from sqlore.errors import NotAQuery, ParseError, QueryError, SqloreError
from sqlore.history.placeholders import first_placeholder
from sqlore.sql.parse import readable_in

__all__ = ["why_not_here"]

_DIALECTS: Final = {
    "tsql": "T-SQL",
    "mysql": "MySQL's SQL",
    "postgres": "PostgreSQL's SQL",
    "bigquery": "BigQuery's SQL",
    "snowflake": "Snowflake's SQL",
    "duckdb": "DuckDB's SQL",
    "sqlite": "SQLite's SQL",
}
_TEMPLATES: Final = ("{{", "{%", "##", "${")


def why_not_here(sql: str, dialect: str, error: SqloreError) -> str:
    """What is the matter with a script that gave this error, in words that follow "this question, but".

    >>> why_not_here("SELECT a FROM t WHERE b = :city", "sqlite", QueryError("Incorrect number of bindings"))
    'it has a parameter :city; say in the question which value is meant'
    >>> why_not_here("SELECT TOP 5 a FROM t", "sqlite", ParseError("Unexpected token near '5'"))
    'it is written in T-SQL, which this database does not read; its SQL has to be rewritten'
    """
    if isinstance(error, ParseError | NotAQuery | QueryError):
        hole = first_placeholder(sql)
        if hole is not None and hole.startswith(_TEMPLATES):
            return f"it is a template ({hole[:2]} …); learn the SQL that it gives, as the tool compiles it"
        if hole is not None:
            return f"it has a parameter {hole}; say in the question which value is meant"
        other = readable_in(sql, dialect) if isinstance(error, ParseError) else None
        if other is not None:
            what = _DIALECTS.get(other, other)
            return f"it is written in {what}, which this database does not read; its SQL has to be rewritten"
    return f"does not run here: {error.message}"
