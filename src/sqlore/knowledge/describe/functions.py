"""Small facts about functions: their names, their arguments, the literals they hold."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

__all__ = [
    "PLAIN_CALLS",
    "RANKS",
    "arguments",
    "characters",
    "function_name",
    "number_of",
    "text_of",
]

_PIECES: Final = {
    (1, 4): "year",
    (1, 6): "year and month",
    (1, 7): "year and month",
    (1, 10): "date",
    (3, 2): "year",
    (5, 2): "month",
    (6, 2): "month",
    (9, 2): "day",
    (12, 5): "time of day",
}

RANKS: Final = {
    "rank": "rank",
    "dense_rank": "rank without gaps",
    "row_number": "row number",
    "percent_rank": "rank as a share",
    "cume_dist": "cumulative share",
    "ntile": "equal group (ntile)",
}
PLAIN_CALLS: Final = {
    "abs": "absolute value of",
    "lower": "lower case",
    "upper": "upper case",
    "trim": "trimmed",
    "length": "length of",
    "char_length": "length of",
    "array_size": "number of items in",
    "array_length": "number of items in",
    "list_length": "number of items in",
    "cardinality": "number of items in",
    "json_length": "number of items in",
    "json_array_length": "number of items in",
    "jsonb_array_length": "number of items in",
    "unnest": "item of",
    "explode": "item of",
    "median": "median",
    "stddev": "standard deviation of",
    "variance": "variance of",
    "sqrt": "square root of",
    "ceil": "rounded up",
    "floor": "rounded down",
    "julianday": "day number of",
    "datetime": "time of",
    "date": "date of",
    "total": "total",
}


def function_name(node: exp.Expr) -> str:
    """A function's name in lower case, as SQL writes it."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else node.key.lower()


def arguments(node: exp.Expr) -> list[exp.Expr]:
    """What a function is applied to, in its order."""
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    found: list[exp.Expr] = []
    for key in node.arg_types:
        value = node.args.get(key)
        found += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, exp.Expr)]
    return found


def text_of(node: exp.Expr | None) -> str | None:
    """The text of a literal, negative numbers included; None where it is none."""
    if isinstance(node, (exp.Literal, exp.National)):
        return str(node.this)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return f"-{node.this.this}"
    return None


def number_of(node: exp.Expr | None) -> float | None:
    """The number a formula is, through casts and parentheses; None where it is none."""
    while isinstance(node, (exp.Cast, exp.Paren)):
        node = node.this
    text = text_of(node)
    if text is None or (isinstance(node, exp.Literal) and node.is_string):
        return None
    try:
        return float(text)
    except ValueError:
        return None


def characters(what: str, first: float | None, length: float | None, *, moment: bool) -> str:
    """A piece of a text by its place; of a date kept as text, the part of the date that stands there.

    >>> characters("date", 1, 4, moment=True), characters("phone", 1, 3, moment=False)
    ('year of date', 'first 3 characters of phone')
    """
    start = 1 if first is None or first == 0 else int(first)
    if moment and length is not None and (start, int(length)) in _PIECES:
        return f"{_PIECES[start, int(length)]} of {what}"
    if start < 0:
        return f"last {-start} characters of {what}"
    if length is None:
        return f"{what} from character {start} on" if start > 1 else f"part of {what}"
    if start == 1:
        return f"first {int(length)} characters of {what}"
    return f"characters {start} to {start + int(length) - 1} of {what}"
