"""One tokenisation a script: placeholders become literals, functions keep their names, lists are folded.

sqlglot's tokenizer runs once; the tokens are adjusted in one pass and handed to its parser. Functions that
the parser would turn into its own vocabulary (``IFNULL`` into ``COALESCE``) are renamed with a mark, so that
the tree keeps their names and their arguments in the order of the text.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from sqlglot import Dialect, Token, TokenType
from sqlglot.errors import SqlglotError

from sqlore.errors import ParseError, UsageError
from sqlore.sql.adjust import (
    LONG_LIST,
    MAX_DEPTH,
    MAX_JOINS,
    MAX_OPEN_JOINS,
    cross_joins,
    fold_lists,
    has_special_words,
    nesting,
    open_joins,
    replace_parameters,
)
from sqlore.sql.names import word_set
from sqlore.sql.placeholders import swap_placeholders

MAX_LENGTH: Final = 20_000_000
"""Characters of one script beyond which it is refused."""
MAX_TOKENS: Final = 400_000
"""Tokens, after long literal lists are folded, beyond which a script is refused."""

FUNCTION_MARK: Final = "\x01"

_KEEP = word_set(
    """CAST TRY_CAST SAFE_CAST CONVERT TRY_CONVERT EXTRACT JSON_TABLE XMLTABLE OPENJSON XMLELEMENT
    JSON_OBJECT JSON_OBJECTAGG JSON_ARRAYAGG FILTER GROUP OVER VALUES ROW STRUCT ARRAY MAP OBJECT ALL
    ANY SOME EXISTS UNNEST FLATTEN EXPLODE LIKE ILIKE GLOB RLIKE XOR AND OR MATCH INTERVAL TABLE DECODE
    GAP_FILL SEMANTIC_VIEW PREDICT FORECAST VECTOR_SEARCH CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP
    CURRENT_DATETIME COLUMNS GENERATOR LATERAL APPLY OFFSET ORDINAL SAFE_OFFSET SAFE_ORDINAL
    REPLACE_EXCEPT ML PIVOT UNPIVOT"""
)
_SPECIAL_ARGUMENTS = word_set(
    """TRIM SUBSTRING SUBSTR POSITION OVERLAY CEIL FLOOR NORMALIZE GROUP_CONCAT STRING_AGG LISTAGG CHAR CHR
    TRANSLATE"""
)
_SPECIAL_WORDS = word_set("""FROM FOR IN TO USING SEPARATOR BOTH LEADING TRAILING PLACING""")

_ADJUSTED = frozenset({TokenType.PLACEHOLDER, TokenType.PARAMETER, TokenType.COLON, TokenType.DOLLAR})


class TooLarge(ParseError):
    """The script is too long, or nested too deeply, to be read."""


@dataclass(slots=True)
class Tokens:
    """The adjusted tokens of one text; `text` is the original, offsets are offsets into it.

    `kinds` are the types of the tokens; `folded` holds, by the offset of its stand-in, the values of each
    long literal list.
    """

    text: str
    tokens: list[Token]
    name: str
    dialect: Any
    folded: dict[int, tuple[str, ...]] = field(default_factory=dict)
    kinds: list[TokenType] = field(default_factory=list)
    placeholders: bool = False


@lru_cache(maxsize=64)
def dialect_of(name: str) -> Any:
    """sqlglot's dialect object; the empty name is its general dialect. Raises `UsageError`."""
    try:
        return Dialect.get_or_raise(name or None)
    except ValueError as error:
        raise UsageError(
            f"unknown SQL dialect {name!r}", hint="e.g. sqlite, duckdb, postgres, mysql"
        ) from error


def tools(dialect: str) -> tuple[Any, Any]:
    """This thread's tokenizer and parser of a dialect: making them costs as much as a short parse."""
    made: dict[str, tuple[Any, Any]] = _LOCAL.__dict__
    if dialect not in made:
        chosen = dialect_of(dialect)
        made[dialect] = chosen.tokenizer(), chosen.parser()
    return made[dialect]


_LOCAL = threading.local()


@lru_cache(maxsize=64)
def _renamed(dialect: Any) -> tuple[frozenset[str], frozenset[TokenType]]:
    """Names of the functions to mark, and the token types that can be a function's name."""
    parser = dialect.parser_class
    known = set(parser.FUNCTIONS) | set(parser.FUNCTION_PARSERS) | set(parser.NO_PAREN_FUNCTION_PARSERS)
    types = set(parser.FUNC_TOKENS) - set(parser.SUBQUERY_PREDICATES) - {TokenType.IDENTIFIER}
    return frozenset(known - _KEEP - {"CASE", "NEXT"}), frozenset(types)


def tokenize(text: str, dialect: str) -> Tokens:
    """The tokens of a text. Raises `ParseError` where it cannot be cut into tokens or is too long."""
    if len(text) > MAX_LENGTH:
        raise TooLarge(
            f"the script has {len(text):,} characters; the limit is {MAX_LENGTH:,}",
            position=MAX_LENGTH,
            hint="split it into statements",
        )
    chosen = dialect_of(dialect)
    swapped = swap_placeholders(text, backslash=dialect in ("mysql", "bigquery", "snowflake", "databricks"))
    try:
        raw = tools(dialect)[0].tokenize(swapped)
    except (SqlglotError, RecursionError, ValueError, OverflowError) as error:
        raise _cut_error(text, error) from error
    result = Tokens(text, raw, dialect, chosen, placeholders=swapped is not text)
    if len(raw) > 4 * LONG_LIST:
        raw = result.tokens = fold_lists(raw, text, result.folded)
    if len(raw) > MAX_TOKENS:
        raise TooLarge(
            f"the script has {len(raw):,} words; the limit is {MAX_TOKENS:,}",
            position=raw[MAX_TOKENS].start,
            hint="split it into statements",
        )
    if len(raw) > MAX_DEPTH and nesting(raw) > MAX_DEPTH:
        raise TooLarge(f"it is nested too deeply: more than {MAX_DEPTH} levels", position=0, line=1, column=1)
    _adjust(result)
    return result


_QUOTED = re.compile(
    r"'(?:[^']|'')*('|\Z)|\"(?:[^\"]|\"\")*(\"|\Z)|`[^`]*(`|\Z)|--[^\n]*|/\*.*?(\*/|\Z)", re.S
)


def _cut_error(text: str, error: Exception) -> ParseError:
    """Where a quote or comment is opened and never closed, else the tokenizer's own words."""
    for found in _QUOTED.finditer(text):
        if found.lastindex and not found.group(found.lastindex):
            start = found.start()
            line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
            opened = "/*" if text[start] == "/" else text[start]
            return ParseError(
                f"{opened} is opened here and never closed", position=start, line=line, column=column
            )
    return ParseError(
        f"cannot be cut into words: {str(error).splitlines()[0][:200]}", position=0, line=1, column=1
    )


def _adjust(result: Tokens) -> None:
    """Parameters, joins, function names; last the marks, which hold the final indexes."""
    tokens = result.tokens
    kinds = [token.token_type for token in tokens]
    if not _ADJUSTED.isdisjoint(kinds):
        spots = [index for index, kind in enumerate(kinds) if kind in _ADJUSTED]
        tokens = replace_parameters(tokens, spots, result.name)
    joins = kinds.count(TokenType.JOIN)
    if joins > 2:
        tokens = _joins(tokens, kinds, joins)
    if tokens is not result.tokens:
        result.tokens = tokens
        kinds = [token.token_type for token in tokens]
    result.kinds = kinds
    names, types = _renamed(result.dialect)
    for index, kind in enumerate(kinds):
        if kind is TokenType.L_PAREN:
            if index and kinds[index - 1] in types:
                before = tokens[index - 1]
                name = before.text.upper()
                if name in names and not (
                    (name in _SPECIAL_ARGUMENTS and has_special_words(tokens, index, _SPECIAL_WORDS))
                    or (name == "REPLACE" and _of_a_star(tokens, kinds, index - 1))
                ):
                    before.text = FUNCTION_MARK + before.text
        elif kind is TokenType.SELECT or kind is TokenType.FROM:
            tokens[index].comments = [f"\x02{index}"]


_BEFORE_STAR = frozenset(
    {TokenType.SELECT, TokenType.DISTINCT, TokenType.ALL, TokenType.COMMA, TokenType.DOT}
)


def _of_a_star(tokens: list[Token], kinds: list[TokenType], at: int) -> bool:
    """Whether this REPLACE puts other columns into a `*`, as in `* EXCLUDE (a) REPLACE (b + 1 AS b)`."""
    if at < 2:
        return False
    if kinds[at - 1] is TokenType.STAR:
        return kinds[at - 2] in _BEFORE_STAR
    if kinds[at - 1] is TokenType.R_PAREN:
        opened = next((n for n in range(at - 2, 0, -1) if kinds[n] is TokenType.L_PAREN), 0)
        return opened > 1 and tokens[opened - 1].text.upper() in ("EXCLUDE", "EXCEPT")
    return tokens[at - 2].text.upper() in ("EXCLUDE", "EXCEPT")


def _joins(tokens: list[Token], kinds: list[TokenType], joins: int) -> list[Token]:
    """Refuse what the parser could not join in time; joins without a condition become CROSS JOIN."""
    if joins > MAX_JOINS:
        raise TooLarge(f"the script has {joins:,} joins; the limit is {MAX_JOINS:,}", position=0)
    if open_joins(kinds) > 0:
        tokens = cross_joins(tokens)
        if open_joins([token.token_type for token in tokens]) > MAX_OPEN_JOINS:
            raise ParseError("outer joins need a condition: ON or USING", position=0)
    return tokens
