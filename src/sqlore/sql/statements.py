"""Where one statement of a text ends and the next begins, and which word each is led by."""

from __future__ import annotations

from typing import Final

from sqlglot import Token, TokenType

from sqlore.sql.names import word_set
from sqlore.sql.tokens import FUNCTION_MARK, Tokens

__all__ = ["statements"]

_SET_WORDS: Final = frozenset(
    {TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.ALL, TokenType.DISTINCT}
)
_T_SQL_STARTS: Final = word_set(
    """declare set insert update delete create drop alter print go use exec execute truncate if while begin
    end"""
)


def statements(tokens: Tokens, dialect: str) -> list[tuple[int, int, str]]:
    """The statements of a text as token ranges with their leading word, lower-case."""
    words = tokens.tokens
    out: list[tuple[int, int, str]] = []
    if dialect != "tsql" and TokenType.SEMICOLON not in tokens.kinds:
        _add(words, 0, len(words), out)
        return out
    depth = 0
    first = 0
    for index, token in enumerate(words):
        kind = token.token_type
        if kind is TokenType.L_PAREN:
            depth += 1
        elif kind is TokenType.R_PAREN:
            depth = max(0, depth - 1)
        elif kind is TokenType.SEMICOLON:
            _add(words, first, index, out)
            first, depth = index + 1, 0
        elif depth == 0 and dialect == "tsql" and index > first and _begins(words, first, index):
            _add(words, first, index, out)
            first = index
    _add(words, first, len(words), out)
    return out


def _add(words: list[Token], first: int, stop: int, out: list[tuple[int, int, str]]) -> None:
    if stop > first:
        out.append((first, stop, _leading(words, first, stop)))


def _leading(words: list[Token], first: int, stop: int) -> str:
    """The statement's word: of a WITH or a parenthesis, the word that decides."""
    index = first
    while index < stop - 1 and words[index].token_type is TokenType.L_PAREN:
        index += 1
    token = words[index]
    word = token.text.replace(FUNCTION_MARK, "").lower()
    if token.token_type is TokenType.WITH:
        depth = 0
        for later in words[index:stop]:
            if later.token_type is TokenType.L_PAREN:
                depth += 1
            elif later.token_type is TokenType.R_PAREN:
                depth -= 1
            elif depth == 0 and later.token_type in (
                TokenType.INSERT,
                TokenType.UPDATE,
                TokenType.DELETE,
                TokenType.MERGE,
            ):
                return later.text.lower()
    if word == "select" and index + 2 < stop and words[index + 2].token_type is TokenType.EQ:
        # T-SQL's SELECT @x = ...: the parameter is one number token, two characters at least.
        parameter = words[index + 1]
        if (
            parameter.token_type is TokenType.NUMBER
            and parameter.text == "0"
            and parameter.end > parameter.start
        ):
            return "set"
    return word


def _begins(words: list[Token], first: int, index: int) -> bool:
    """Whether a T-SQL statement begins at a token although no semicolon ends the one before."""
    token = words[index]
    kind = token.token_type
    if kind is TokenType.SELECT:
        before = words[index - 1]
        if before.token_type in _SET_WORDS or before.token_type is TokenType.ALIAS or index == first + 1:
            return False
        leading = words[first].token_type
        selected = any(w.token_type is TokenType.SELECT for w in _top_level(words, first, index))
        return not (leading in (TokenType.INSERT, TokenType.WITH) and not selected)
    if kind is TokenType.WITH:
        return (
            index + 2 < len(words)
            and words[index + 1].token_type in (TokenType.VAR, TokenType.IDENTIFIER)
            and words[index + 2].token_type in (TokenType.ALIAS, TokenType.L_PAREN)
            and words[first].token_type is not TokenType.INSERT
        )
    word = token.text.lower()
    if word not in _T_SQL_STARTS or token.line == words[index - 1].line:
        return False
    return not (word == "set" and words[first].token_type is TokenType.UPDATE) and word != "end"


def _top_level(words: list[Token], first: int, stop: int) -> list[Token]:
    out: list[Token] = []
    depth = 0
    for token in words[first:stop]:
        if token.token_type is TokenType.L_PAREN:
            depth += 1
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
        elif depth == 0:
            out.append(token)
    return out
