"""Changes to a token list before it is parsed: parameters, long lists, joins without a condition.

Every change keeps the offsets of what it replaces.
"""

from __future__ import annotations

from typing import Final

from sqlglot import Token, TokenType

LONG_LIST: Final = 64
"""A list of more literals than this is folded into one before parsing."""
MAX_DEPTH: Final = 300
"""Nesting, and signs in a row, beyond which the parser's own recursion could overflow the stack."""
MAX_JOINS: Final = 2_000
MAX_OPEN_JOINS: Final = 10
"""Outer joins without a condition: the parser tries every nesting of them."""

_L, _R = TokenType.L_PAREN, TokenType.R_PAREN
_OPENERS = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSERS = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_VALUES = frozenset({TokenType.NUMBER, TokenType.STRING, TokenType.DASH, TokenType.COMMA})
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
_CONDITIONS = frozenset({TokenType.ON, TokenType.USING})
_JOIN_WORDS = frozenset(
    {TokenType.CROSS, TokenType.NATURAL, TokenType.LEFT, TokenType.RIGHT, TokenType.FULL, TokenType.OUTER}
)


def nesting(tokens: list[Token]) -> int:
    """The deepest nesting of brackets and CASE, or the longest run of one sign if that is more."""
    depth = deepest = run = 0
    before = None
    for token in tokens:
        kind = token.token_type
        run = run + 1 if kind is before else 1
        before = kind
        if kind in _OPENERS:
            depth += 1
        elif kind in _CLOSERS:
            depth = max(0, depth - 1)
        if depth > deepest or run > deepest:
            deepest = max(depth, run)
    return deepest


def has_special_words(tokens: list[Token], start: int, words: frozenset[str]) -> bool:
    """Whether one of the words stands directly inside the parenthesis that opens at `start`."""
    depth = 0
    for token in tokens[start:]:
        if token.token_type in _OPENERS:
            depth += 1
        elif token.token_type in _CLOSERS:
            depth -= 1
            if depth == 0:
                return False
        elif depth == 1 and token.text.upper() in words:
            return True
    return False


def open_joins(kinds: list[TokenType]) -> int:
    """How many joins lack a condition that needs one."""
    conditions = kinds.count(TokenType.ON) + kinds.count(TokenType.USING)
    without = kinds.count(TokenType.CROSS) + kinds.count(TokenType.NATURAL)
    return kinds.count(TokenType.JOIN) - conditions - without


def cross_joins(tokens: list[Token]) -> list[Token]:
    """Every plain JOIN that has no condition as CROSS JOIN, which it is.

    The parser would try each way to nest such joins, which takes exponential time. Joins in the nested
    style (``a JOIN b JOIN c ON .. ON ..``) have as many conditions as joins and stay.
    """
    out: list[Token] = []
    for index, token in enumerate(tokens):
        plain = token.token_type is TokenType.JOIN and tokens[index - 1].token_type not in _JOIN_WORDS
        if plain and _ends_without_condition(tokens, index):
            cross = Token(TokenType.CROSS, "CROSS", token.line, token.col, token.start, token.end)
            if out and out[-1].token_type is TokenType.INNER:
                out.pop()
            out.append(cross)
        out.append(token)
    return out


def _ends_without_condition(tokens: list[Token], index: int) -> bool:
    """Whether the next join or clause comes before a condition, and conditions are missing in all."""
    depth = joins = conditions = 0
    first = None
    for token in tokens[index:]:
        kind = token.token_type
        if kind in _OPENERS:
            depth += 1
        elif kind in _CLOSERS:
            depth -= 1
            if depth < 0:
                break
        elif depth == 0 and (kind is TokenType.JOIN or kind in _CONDITIONS):
            joins += kind is TokenType.JOIN
            conditions += kind in _CONDITIONS
            if first is None and joins + conditions == 2:
                first = kind
        elif depth == 0 and kind in (
            TokenType.WHERE,
            TokenType.GROUP_BY,
            TokenType.ORDER_BY,
            TokenType.UNION,
        ):
            break
    return first not in _CONDITIONS and conditions < joins


def replace_parameters(tokens: list[Token], spots: list[int], dialect: str) -> list[Token]:
    """``?``, ``@p``, ``:name``, ``$1`` and ``%(name)s`` as one number token each, with true offsets."""
    out: list[Token] = []
    spot = set(spots)
    index = 0
    while index < len(tokens):
        if index in spot:
            width = _parameter_width(tokens, index, dialect)
            if width:
                first, end = tokens[index], tokens[index + width - 1]
                number = Token(TokenType.NUMBER, "0", first.line, first.col, first.start, end.end)
                number.comments = list(first.comments)
                out.append(number)
                index += width
                continue
        out.append(tokens[index])
        index += 1
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


def fold_lists(tokens: list[Token], text: str, folded: dict[int, tuple[str, ...]]) -> list[Token]:
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
