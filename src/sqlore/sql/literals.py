"""A text as a literal of SQL."""

from __future__ import annotations

from sqlglot import exp


def quote_text(text: str, dialect: str = "") -> str:
    """A text in quotes, escaped as the dialect has it; without one as standard SQL.

    >>> quote_text("O'Brien"), quote_text("O'Brien", "bigquery")
    ("'O''Brien'", "'O\\\\'Brien'")
    >>> print(quote_text("C:\\\\temp"), quote_text("C:\\\\temp", "mysql"))
    'C:\\\\temp' 'C:\\\\\\\\temp'
    """
    if dialect:
        return exp.Literal.string(text).sql(dialect=dialect)
    return "'" + text.replace("'", "''") + "'"
