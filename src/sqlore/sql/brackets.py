"""The words of a query as they were written, as a tree of its brackets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlglot import Dialect, Token, TokenType
from sqlglot.errors import SqlglotError

__all__ = ["Group", "Part", "Word", "flat", "flat_part", "grouped", "words_of"]

#: Nesting beyond which a text is left as it is.
_MAX_DEPTH: Final = 60


@dataclass(slots=True)
class Group:
    """What stands between two brackets; `gap` is whether white space stands before the opening one."""

    gap: str
    parts: list[Word | Group] = field(default_factory=list)
    end: str = ""

    @property
    def query(self) -> bool:
        first = self.parts[0] if self.parts else None
        return isinstance(first, Word) and first.upper in {"SELECT", "WITH"}


@dataclass(slots=True)
class Word:
    """One token as it was written, and the white space before it."""

    gap: str
    text: str
    kind: TokenType

    @property
    def upper(self) -> str:
        return "" if self.kind is TokenType.STRING or self.text[:1] in {'"', "`", "["} else self.text.upper()


Part = Word | Group


def words_of(sql: str, dialect: str | None) -> list[Word] | None:
    """The tokens as they stand in the text; None where it cannot be read or has comments."""
    try:
        tokens: Sequence[Token] = Dialect.get_or_raise(dialect or None).tokenize(sql)
    except (SqlglotError, ValueError):
        return None
    words, at = [], 0
    for token in tokens:
        gap = sql[at : token.start]
        if gap.strip():  # a comment, or something that the tokenizer leaves out
            return None
        spaced = gap and token.token_type is not TokenType.COMMA
        words.append(Word(" " if spaced else "", sql[token.start : token.end + 1], token.token_type))
        at = token.end + 1
    return words if words and not sql[at:].strip() else None


def grouped(words: list[Word]) -> Group | None:
    """The words as a tree of brackets; None where they do not match, or nest too deeply."""
    root = Group("")
    open_groups = [root]
    for word in words:
        if word.kind is TokenType.L_PAREN:
            group = Group(word.gap)
            open_groups[-1].parts.append(group)
            open_groups.append(group)
            if len(open_groups) > _MAX_DEPTH:
                return None
        elif word.kind is TokenType.R_PAREN:
            if len(open_groups) == 1:
                return None
            open_groups.pop().end = word.gap
        else:
            open_groups[-1].parts.append(word)
    return root if len(open_groups) == 1 else None


def flat(parts: Sequence[Part]) -> str:
    """The parts on one line, without the white space before the first."""
    return "".join(flat_part(part, at == 0) for at, part in enumerate(parts))


def flat_part(part: Part, first: bool) -> str:
    gap = "" if first else part.gap
    return gap + (part.text if isinstance(part, Word) else f"({flat(part.parts)})")
