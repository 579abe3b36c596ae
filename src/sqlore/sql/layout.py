"""SQL of one long line, laid out to be read: a clause, a join, a condition and a long column on a line each.

Only the white space between tokens changes. Nothing is generated anew, so names, literals, functions and
the order of everything stay as they were written, whatever the dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sqlglot import TokenType

from sqlore.sql.brackets import Group, Part, Word, flat, flat_part, grouped, words_of

__all__ = ["laid_out"]

#: Characters of a query that stays on one line, of a line somebody laid out already, and of one made here.
SHORT: Final = 60
WIDTH: Final = 88
LINE: Final = 76

_CLAUSES: Final = frozenset(
    {
        TokenType.FROM,
        TokenType.WHERE,
        TokenType.GROUP_BY,
        TokenType.HAVING,
        TokenType.QUALIFY,
        TokenType.ORDER_BY,
        TokenType.LIMIT,
        TokenType.UNION,
        TokenType.INTERSECT,
        TokenType.EXCEPT,
    }
)
_JOIN_WORDS: Final = frozenset(
    {
        "JOIN",
        "LEFT",
        "RIGHT",
        "FULL",
        "INNER",
        "OUTER",
        "CROSS",
        "NATURAL",
        "SEMI",
        "ANTI",
        "ASOF",
        "STRAIGHT_JOIN",
    }
)
_SIGNS: Final = frozenset({TokenType.PLUS, TokenType.DASH, TokenType.STAR, TokenType.SLASH, TokenType.DPIPE})


def laid_out(sql: str, dialect: str | None = None) -> str:
    """The query with line breaks, where it is long and has none yet; else as it was.

    A text with comments, one that cannot be read, and one that somebody laid out stay as they are.

    >>> print(laid_out("SELECT a.n, MAX(b.y) FROM a JOIN b ON b.a = a.id WHERE a.x = 1 AND b.y > 2"))
    SELECT a.n, MAX(b.y)
    FROM a
    JOIN b ON b.a = a.id
    WHERE a.x = 1
      AND b.y > 2
    >>> laid_out("SELECT COUNT(*) FROM a WHERE x = 1")
    'SELECT COUNT(*) FROM a WHERE x = 1'
    """
    lines = sql.splitlines()
    if len(sql) <= SHORT and len(lines) == 1:
        return sql
    if len(lines) > 1 and max(map(len, lines)) <= WIDTH:
        return sql
    words = words_of(sql, dialect)
    if words is None:
        return sql
    root = grouped(words)
    if root is None or not root.query:
        return sql
    made = _query(root.parts, 0)
    again = words_of(made, dialect)
    same = again is not None and [(one.kind, one.text) for one in again] == [
        (one.kind, one.text) for one in words
    ]
    return made if same else sql


def _query(parts: Sequence[Part], indent: int) -> str:
    """A query with each clause on a line of its own, the first of them without its indentation."""
    pad = " " * indent
    return ("\n" + pad).join(_clause(clause, indent) for clause in _clauses(parts))


def _clauses(parts: Sequence[Part]) -> list[list[Part]]:
    """The clauses of a query at one level of brackets; the select after a set operation is one of its own."""
    found: list[list[Part]] = [[]]
    for at, part in enumerate(parts):
        if found[-1] and _begins(parts, at):
            found.append([])
        found[-1].append(part)
    return found


def _begins(parts: Sequence[Part], at: int) -> bool:
    part, before = parts[at], parts[at - 1]
    if not isinstance(part, Word) or not part.upper:
        return False
    last = before.upper if isinstance(before, Word) else ""
    if last in {".", ","}:
        return False
    if part.kind in _CLAUSES:
        return not (part.kind is TokenType.FROM and last == "DISTINCT")
    if part.upper == "SELECT":
        return True
    return part.upper in _JOIN_WORDS and last not in _JOIN_WORDS and _is_join(parts, at)


def _is_join(parts: Sequence[Part], at: int) -> bool:
    """Whether the words from here are those of a join, and not ``LEFT(name, 1)``."""
    for part in parts[at:]:
        if not isinstance(part, Word) or part.upper not in _JOIN_WORDS:
            return False
        if part.upper in {"JOIN", "STRAIGHT_JOIN"}:
            return True
    return False


def _clause(parts: list[Part], indent: int) -> str:
    first = parts[0]
    kind = first.kind if isinstance(first, Word) else None
    line = flat(parts)
    if kind is TokenType.WITH:
        return _listed(parts, indent, indent)
    if kind in {TokenType.WHERE, TokenType.HAVING, TokenType.QUALIFY}:
        return _conditions(parts, indent)
    if indent + len(line) <= LINE and not _has_long_query(parts):
        return line
    if kind in {TokenType.SELECT, TokenType.GROUP_BY, TokenType.ORDER_BY}:
        return _items(parts, indent)
    if isinstance(first, Word) and first.upper in _JOIN_WORDS:
        return _conditions(parts, indent)
    return _listed(parts, indent, indent + 2)


def _has_long_query(parts: Sequence[Part]) -> bool:
    return any(isinstance(part, Group) and part.query and len(flat(part.parts)) > SHORT for part in parts)


def _items(parts: list[Part], indent: int) -> str:
    """The word of a clause, and its list with a line for each item."""
    head = 1
    while head < len(parts) and isinstance(part := parts[head], Word) and part.upper in {"DISTINCT", "ALL"}:
        head += 1
    items = _cut(parts[head:], lambda word: word.kind is TokenType.COMMA, after=True)
    if len(items) == 1:
        return flat(parts[:head]) + " " + _long(items[0], indent + 2)
    pad = "\n" + " " * (indent + 2)
    return flat(parts[:head]) + pad + pad.join(_long(item, indent + 2) for item in items)


def _listed(parts: list[Part], indent: int, inner: int) -> str:
    """Items with commas between, the first on the line of its clause."""
    items = _cut(parts, lambda word: word.kind is TokenType.COMMA, after=True)
    return ("\n" + " " * inner).join(_long(item, inner if at else indent) for at, item in enumerate(items))


def _conditions(parts: list[Part], indent: int) -> str:
    """Conditions with a line for each, the word that joins them first."""
    pieces = _cut_conditions(parts)
    return ("\n" + " " * (indent + 2)).join(_long(piece, indent + 2) for piece in pieces)


def _cut_conditions(parts: Sequence[Part]) -> list[list[Part]]:
    """Cut before AND and OR, but not before the AND of BETWEEN, nor within CASE."""
    found: list[list[Part]] = [[]]
    between, cases = 0, 0
    for part in parts:
        word = part.upper if isinstance(part, Word) else ""
        cases += (word == "CASE") - (word == "END" and cases > 0)
        if word == "BETWEEN" and not cases:
            between += 1
        elif word == "AND" and between and not cases:
            between -= 1
        elif word in {"AND", "OR"} and not cases and found[-1]:
            found.append([])
        found[-1].append(part)
    return found


def _cut(parts: Sequence[Part], at: Callable[[Word], bool], *, after: bool) -> list[list[Part]]:
    """Cut after (or before) the words of one kind."""
    found: list[list[Part]] = [[]]
    for part in parts:
        here = isinstance(part, Word) and at(part)
        if here and not after and found[-1]:
            found.append([])
        found[-1].append(part)
        if here and after:
            found.append([])
    return [one for one in found if one]


def _long(parts: list[Part], indent: int) -> str:
    """One item or condition: on a line where it fits, else its queries, CASEs and brackets opened."""
    line = flat(parts)
    if indent + len(line) <= LINE and not _has_long_query(parts):
        return line
    if not _has_long_query(parts) and any(isinstance(one, Word) and one.upper == "CASE" for one in parts):
        return _case(parts, indent)
    terms = _cut(parts, lambda word: word.kind in _SIGNS, after=False)
    if len(terms) > 1:
        pad = "\n" + " " * (indent + 2)
        return pad.join(_term(term, indent + 2 if at else indent) for at, term in enumerate(terms))
    return _term(parts, indent)


def _term(parts: list[Part], indent: int) -> str:
    line = flat(parts)
    if indent + len(line) <= LINE and not _has_long_query(parts):
        return line
    return "".join(_opened(part, at == 0, indent) for at, part in enumerate(parts))


def _opened(part: Part, first: bool, indent: int) -> str:
    if isinstance(part, Word) or (not part.query and len(flat(part.parts)) <= LINE - 2 * indent - 8):
        return flat_part(part, first)
    if part.query and len(flat(part.parts)) <= SHORT:
        return flat_part(part, first)
    gap = "" if first else part.gap
    pad = "\n" + " " * (indent + 2)
    if part.query:
        return f"{gap}({pad}{_query(part.parts, indent + 2)}\n{' ' * indent})"
    pieces = _cut_conditions(part.parts)
    if len(pieces) == 1:
        pieces = _cut(part.parts, lambda word: word.kind is TokenType.COMMA, after=True)
    if len(pieces) == 1:
        return f"{gap}({_long(pieces[0], indent)})"
    return f"{gap}({pad}{pad.join(_long(piece, indent + 2) for piece in pieces)}\n{' ' * indent})"


def _case(parts: list[Part], indent: int) -> str:
    """A CASE with a line for each of its branches."""
    pieces = _cut(parts, lambda word: word.upper in {"WHEN", "ELSE", "END"}, after=False)
    lines = []
    for piece in pieces:
        branch = isinstance(piece[0], Word) and piece[0].upper in {"WHEN", "ELSE"}
        inner = indent + 2 if branch else indent
        lines.append((inner, _term(piece, inner)))
    return lines[0][1] + "".join(f"\n{' ' * inner}{text}" for inner, text in lines[1:])
