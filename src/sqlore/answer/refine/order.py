"""ORDER BY and LIMIT as a wish in plain words wants them: another number of rows, another direction."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import TokenType

from sqlore.catalog import humanize
from sqlore.catalog.names import word_set
from sqlore.catalog.text import fold
from sqlore.sql.edit.query import Query
from sqlore.sql.edit.text import TextEdit, applied
from sqlore.sql.spans import Range

__all__ = ["sorted_anew"]

_YEAR: Final = re.compile(r"(?:1[89]|20)\d\d")
_WORDS: Final = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_NUMERALS: Final = {word: str(number) for number, word in enumerate(_WORDS, 1)}
_NUMERAL: Final = rf"(?:\d+|{'|'.join(_NUMERALS)})"
_COUNT: Final = re.compile(
    rf"\b(?P<how>top|first|best|limit|only|just|bottom|last|worst)\s+(?:to\s+|the\s+)?(?P<n>{_NUMERAL})\b"
    r"(?!\s*[%.,]?\d)\s*(?P<what>%|[^\W\d]*)",
    re.IGNORECASE,
)
#: What may be counted by the rows of a result, beside what its tables are called.
_ROWS: Final = word_set("row result record entry line one of only please instead now")
_NEGATED: Final = re.compile(r"\b(?:not|never|no longer|per|each|every|except)\b|n't\b", re.IGNORECASE)
_NO_LIMIT: Final = re.compile(r"\b(?:no|without|remove the) limit\b|\b(?:all|every) (?:rows|of them)\b", re.I)
_ASCENDING: Final = re.compile(
    r"\b(?:asc|ascending|(?:lowest|smallest|least|low|small) (?:first|to))\b", re.I
)
_DESCENDING: Final = re.compile(
    r"\b(?:desc|descending|(?:highest|largest|biggest|greatest|most|high|large) (?:first|to))\b", re.I
)
_REVERSED: Final = re.compile(r"\b(?:reversed?|(?:the )?other way(?: round| around)?|opposite order)\b", re.I)
_TAIL: Final = (TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH)


def sorted_anew(query: Query, number: int, found: Range, words: str) -> str | None:
    """ORDER BY and LIMIT with another number or direction; None where the wish may mean something else."""
    descends, ascends = bool(_DESCENDING.search(words)), bool(_ASCENDING.search(words))
    count = _counted(query, number, words)
    free = _NO_LIMIT.search(words) is not None
    if _NEGATED.search(words) or (descends and ascends) or (count is None and _COUNT.search(words)):
        return None
    how, rows = count or ("", None)
    turned = bool(_REVERSED.search(words)) or how in ("bottom", "last", "worst")
    edits: list[TextEdit] = []
    if turned or descends or ascends:
        directed = _directed(query, found, None if turned else "ASC" if ascends else "DESC")
        if directed is None:
            return None
        edits += directed
    if rows or free:
        limited = _limited(query, number, found, rows)
        if limited is None:
            return None
        edits += limited
    base = query.offsets(found)[0]
    moved = [TextEdit(edit.start - base, edit.end - base, edit.text) for edit in edits]
    return applied(query.text(found), moved) if edits else None


def _counted(query: Query, number: int, words: str) -> tuple[str, str] | None:
    """From which end and how many rows a wish wants; None where it counts something else: years, euros."""
    count = _COUNT.search(words)
    if count is None or len(re.findall(rf"\b{_NUMERAL}\b", words, re.IGNORECASE)) > 1:
        return None
    how, what = count["how"].lower(), fold(count["what"]) or count["what"]
    tables = [source.table.name for source in query.scope(number).sources if source.table is not None]
    known = _ROWS.union(*(fold(humanize(name)).split() for name in tables))
    if what and not any(what == word or (len(word) > 3 and what.startswith(word)) for word in known):
        return None
    rows = _NUMERALS.get(count["n"].lower(), count["n"])
    year = how in ("only", "just") and _YEAR.fullmatch(rows)
    return None if year and not what else (how, rows)


def _directed(query: Query, found: Range, wanted: str | None) -> list[TextEdit] | None:
    """The first key of ORDER BY in the wanted direction; all of them turned where none is wanted."""
    tokens = query.tokens
    if tokens[found[0]].token_type is not TokenType.ORDER_BY:
        return None
    keys: list[tuple[int, int | None, int]] = []  # where a key begins, its direction, and its end
    begin, index, direction, end = found[0] + 1, found[0] + 1, None, 0
    while index < found[1] and tokens[index].token_type not in _TAIL:
        if index in query.spans.match:
            index = query.spans.match[index]
        elif tokens[index].token_type is TokenType.COMMA:
            keys.append((begin, direction, end or index))
            begin, direction, end = index + 1, None, 0
        elif tokens[index].token_type in (TokenType.ASC, TokenType.DESC):
            direction = index
        elif tokens[index].text.upper() == "NULLS" and index > begin and not end:
            end = index
        index += 1
    keys.append((begin, direction, end or index))
    edits = []
    for _, last, stop in keys if wanted is None else keys[:1]:
        now = tokens[last].text.upper() if last is not None else "ASC"
        then = wanted or ("ASC" if now == "DESC" else "DESC")
        if last is not None:
            edits.append(TextEdit(tokens[last].start, tokens[last].end + 1, then))
        elif then == "DESC" or wanted:
            at = tokens[stop - 1].end + 1
            edits.append(TextEdit(at, at, f" {then}"))
    return edits


def _limited(query: Query, number: int, found: Range, count: str | None) -> list[TextEdit] | None:
    """LIMIT, FETCH or TOP with that number; without one it goes. None where there is no plain number."""
    tokens, end = query.tokens, query.offsets(found)[1]
    level = query.level(found[0])
    words = ("LIMIT", "TOP", "FETCH")
    own = [i for i in range(*found) if tokens[i].token_type is not TokenType.IDENTIFIER]
    at = next((i for i in own if tokens[i].text.upper() in words and query.level(i) == level), None)
    if at is None:
        added = count and query.place(number).clause == "tail" and query.dialect not in ("tsql", "oracle")
        return [TextEdit(end, end, f" LIMIT {count}")] if added else None
    if count is None:
        return [TextEdit(query.gap(at), end)] if at > found[0] else None
    rest = [i for i in own if i > at and tokens[i].text not in ("(", ")")]
    if tokens[at].text.upper() == "FETCH":
        rest = rest[1:]  # FIRST or NEXT
    elif len(rest) > 2 and tokens[rest[1]].token_type is TokenType.COMMA:
        rest = rest[2:]  # what is left out stands first
    plain = (
        rest
        and tokens[rest[0]].token_type is TokenType.NUMBER
        and query.text((rest[0], rest[0] + 1)).isdigit()
    )
    if not plain or any(tokens[i].text.upper() in ("PERCENT", "%") for i in rest):
        return None
    return [TextEdit(tokens[rest[0]].start, tokens[rest[0]].end + 1, count)]
