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
from sqlore.sql.names import word_set
from sqlore.sql.placeholders import swap_placeholders

MAX_LENGTH: Final = 20_000_000
"""Characters of one script beyond which it is refused."""
MAX_TOKENS: Final = 400_000
"""Tokens, after long literal lists are folded, beyond which a script is refused."""
LONG_LIST: Final = 64
"""A list of more literals than this is folded into one before parsing."""

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

_L, _R = TokenType.L_PAREN, TokenType.R_PAREN
_OPENERS = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSERS = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_LITERALS = frozenset({TokenType.NUMBER, TokenType.STRING})
_VALUES = _LITERALS | {TokenType.DASH, TokenType.COMMA}
_OPERAND_ENDS = frozenset(
    {
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.R_PAREN,
        TokenType.R_BRACKET,
        TokenType.NUMBER,
        TokenType.STRING,
    }
)
_SOURCE_STARTS = frozenset(
    {TokenType.FROM, TokenType.JOIN, TokenType.INTO, TokenType.UPDATE, TokenType.TABLE}
)
_ADJUSTED = frozenset(
    {TokenType.PLACEHOLDER, TokenType.PARAMETER, TokenType.COLON, TokenType.DOLLAR, TokenType.MOD, TokenType.SELECT,
     TokenType.FROM}
)  # fmt: skip


@dataclass(slots=True)
class Tokens:
    """The adjusted tokens of one text; `text` is the original, offsets are offsets into it.

    `folded` holds, by the offset of its stand-in, each long literal list: its values.
    """

    text: str
    tokens: list[Token]
    name: str
    dialect: Any
    folded: dict[int, tuple[str, ...]] = field(default_factory=dict)
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
        raise ParseError(
            f"the script has {len(text):,} characters; the limit is {MAX_LENGTH:,}",
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
        raw = result.tokens = _fold_lists(raw, text, result.folded)
    if len(raw) > MAX_TOKENS:
        raise ParseError(f"the script has {len(raw):,} words; the limit is {MAX_TOKENS:,}")
    _adjust(result)
    return result


_CLOSED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|--[^\n]*|/\*.*?\*/", re.S)
_OPEN = re.compile(r"['\"`]|/\*")


def _cut_error(text: str, error: Exception) -> ParseError:
    """Where a quote or comment is opened and never closed, else the tokenizer's own words."""
    blanked = _CLOSED.sub(lambda match: " " * len(match.group()), text)
    opened = _OPEN.search(blanked)
    if opened is None:
        return ParseError(
            f"cannot be cut into words: {str(error).splitlines()[0][:200]}", position=0, line=1, column=1
        )
    position = opened.start()
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return ParseError(
        f"{opened.group()} is opened here and never closed", position=position, line=line, column=column
    )


def _adjust(result: Tokens) -> None:
    """Mark function names and SELECT/FROM tokens; turn parameter spellings into number literals."""
    tokens = result.tokens
    names, types = _renamed(result.dialect)
    parameters: list[int] = []
    last = len(tokens) - 1
    for index, token in enumerate(tokens):
        kind = token.token_type
        if kind is _L:
            if index:
                before = tokens[index - 1]
                if before.token_type in types:
                    name = before.text.upper()
                    if name in names and not (
                        name in _SPECIAL_ARGUMENTS and _has_special_words(tokens, index)
                    ):
                        before.text = FUNCTION_MARK + before.text
        elif kind in _ADJUSTED:
            if kind is TokenType.SELECT or kind is TokenType.FROM:
                token.comments = [f"\x02{index}"]
            elif index <= last:
                parameters.append(index)
    if parameters:
        result.tokens = _replace_parameters(tokens, parameters, result)


def _has_special_words(tokens: list[Token], start: int) -> bool:
    depth = 0
    for token in tokens[start:]:
        if token.token_type in _OPENERS:
            depth += 1
        elif token.token_type in _CLOSERS:
            depth -= 1
            if depth == 0:
                return False
        elif depth == 1 and token.text.upper() in _SPECIAL_WORDS:
            return True
    return False


def _replace_parameters(tokens: list[Token], spots: list[int], result: Tokens) -> list[Token]:
    """``?``, ``@p``, ``:name``, ``$1`` and ``%(name)s`` as one number token each, with true offsets."""
    out: list[Token] = []
    spot = set(spots)
    index = 0
    while index < len(tokens):
        if index in spot:
            width = _parameter_width(tokens, index, result.name)
            if width:
                first, end = tokens[index], tokens[index + width - 1]
                number = Token(TokenType.NUMBER, "0", first.line, first.col, first.start, end.end)
                number.comments = list(first.comments)
                out.append(number)
                index += width
                continue
        out.append(tokens[index])
        index += 1
    for index, token in enumerate(out):
        if token.token_type is TokenType.SELECT or token.token_type is TokenType.FROM:
            token.comments = [f"\x02{index}"]
    return out


def _parameter_width(tokens: list[Token], index: int, dialect: str) -> int:
    """How many tokens from `index` on spell one parameter; 0 where they spell something else."""
    token = tokens[index]
    before = tokens[index - 1] if index else None
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    joined = after is not None and after.start == token.end + 1
    after_operand = before is not None and before.token_type in _OPERAND_ENDS
    kind = token.token_type
    if kind is TokenType.PLACEHOLDER:
        numbered = joined and after is not None and after.token_type is TokenType.NUMBER
        return 0 if after_operand else 2 if numbered else 1
    if kind is TokenType.MOD or after is None or not joined:
        return 0
    if before is not None and before.token_type in _SOURCE_STARTS:
        return 0
    word = after.text.replace("_", "a").isalnum()
    if kind is TokenType.PARAMETER:
        double = after.token_type is TokenType.PARAMETER and index + 2 < len(tokens)
        if double:
            return 3
        following = tokens[index + 2] if index + 2 < len(tokens) else None
        assigned = following is not None and following.token_type is TokenType.COLON_EQ
        return 2 if word and not assigned else 0
    if kind is TokenType.COLON:
        tight = before is not None and before.end + 1 == token.start and dialect == "snowflake"
        return 2 if word and not after_operand and not tight else 0
    return 2 if word else 0


def _fold_lists(tokens: list[Token], text: str, folded: dict[int, tuple[str, ...]]) -> list[Token]:
    """Runs of more than `LONG_LIST` literals between parentheses as one string token over their range."""
    out: list[Token] = []
    index, count = 0, len(tokens)
    while index < count:
        token = tokens[index]
        out.append(token)
        index += 1
        if token.token_type is not _L:
            continue
        stop = index
        while stop < count and tokens[stop].token_type in _VALUES:
            stop += 1
        if stop - index > 2 * LONG_LIST and stop < count and tokens[stop].token_type is _R:
            first, end = tokens[index], tokens[stop - 1]
            folded[first.start] = _list_values(tokens[index:stop])
            out.append(Token(TokenType.STRING, "list", first.line, first.col, first.start, end.end))
            index = stop
    return out


def _list_values(tokens: list[Token]) -> tuple[str, ...]:
    values: list[str] = []
    sign = ""
    for token in tokens:
        if token.token_type is TokenType.DASH:
            sign = "-"
        elif token.token_type is not TokenType.COMMA:
            values.append(sign + token.text)
            sign = ""
    return tuple(values)
