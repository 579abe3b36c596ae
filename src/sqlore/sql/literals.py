"""A text as a literal of SQL."""

from __future__ import annotations

from sqlglot import exp


def quote_text(text: str, dialect: str = "") -> str:
    """A text in quotes, escaped as the dialect has it; without one as standard SQL.

    >>> quote_text("O'Brien"), quote_text("O'Brien", "bigquery")
    ("'O''Brien'", "'O\\\\'Brien'")
    >>> print(quote_text("C:\\\\temp"), quote_text("C:\\\\temp", "mysql"))
    'C:\\temp' 'C:\\\\temp'
    """
    if dialect:
        return exp.Literal.string(text).sql(dialect=dialect)
    return "'" + text.replace("'", "''") + "'"


def quoted_again(text: str, quote: str, dialect: str = "") -> str:
    """Another text in the place of a literal that has these quotes; without them as it is.

    Double quotes stay where the text needs no escape in them.

    >>> quoted_again("5", ""), quoted_again("blue", '"', "mysql"), quoted_again("O'Neil", "'")
    ('5', '"blue"', "'O''Neil'")
    """
    if not quote:
        return text
    if quote == '"' and text.isprintable() and set(text).isdisjoint('"\\'):
        return f'"{text}"'
    return quote_text(text, dialect)
