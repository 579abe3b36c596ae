"""What is said beside SQL, its citations in the margin and what it cost: pure functions, no terminal.

The SQL is never re-written for display: a line is a slice of the draft's own text, broken where a clause
begins, so that offsets of citations stay true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlore.model import Citation, StoredScript, Usage

__all__ = [
    "MARKS",
    "Line",
    "break_lines",
    "citation_text",
    "margin_lines",
    "notes",
    "usage_text",
    "warning_text",
    "whole_query",
]

#: As a citation's `trust` says it of an item that only synthetic scripts hold.
SYNTHETIC = "synthetic"

MARKS = {"cited": "●", "new_value": "◉", "near": "◐", "novel": "○"}

_VALUES = 4  # new values that are named
_WARNING = 120

_TOKEN = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/|\(|\)|\n|\w+|[^\s\w]""", re.S
)
_SET_OPERATORS = {"union", "intersect", "except"}
_CLAUSES = {"select", "from", "where", "group", "having", "order", "limit"} | _SET_OPERATORS
_JOINS = {"inner", "left", "right", "full", "cross", "natural"}
_PREDICATES = {"and", "or"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the display: the slice `start:end` of the SQL, without the white space around it."""

    start: int
    end: int
    text: str


def break_lines(sql: str, width: int = 100) -> list[Line]:
    """The SQL in lines: at its own line ends, else where a clause or an AND of the outer query begins.

    A line longer than `width` is broken where the clauses within its parentheses begin.

    >>> [line.text for line in break_lines("SELECT a FROM t WHERE b = 1 AND c BETWEEN 2 AND 3 LIMIT 5")]
    ['SELECT a', 'FROM t', 'WHERE b = 1', 'AND c BETWEEN 2 AND 3', 'LIMIT 5']
    """
    if "\n" in sql.strip():
        return _lines(sql, [found.end() for found in re.finditer(r"\n", sql)], keep_indent=True)
    starts = list(_clause_starts(sql))
    cuts = [position for position, depth in starts if depth == 0]
    lines = _lines(sql, cuts)
    for depth in range(1, 4):
        long = [line for line in lines if line.end - line.start > width]
        inner = [p for p, d in starts if d == depth and any(one.start < p < one.end for one in long)]
        if not inner:
            break
        cuts += inner
        lines = _lines(sql, cuts)
    return lines


def _lines(sql: str, cuts: list[int], *, keep_indent: bool = False) -> list[Line]:
    lines = []
    for start, end in pairwise(sorted({0, len(sql), *cuts})):
        text = sql[start:end].rstrip()
        begin = start if keep_indent else start + len(text) - len(text.lstrip())
        if text.strip():
            lines.append(Line(begin, end, sql[begin : start + len(text)]))
    return lines


def _clause_starts(sql: str) -> Iterator[tuple[int, int]]:
    """Where clauses and further predicates begin, and how deep in parentheses."""
    depth, previous, between = 0, "", set[int]()
    for found in _TOKEN.finditer(sql):
        word = found.group().lower()
        if word in "()":
            depth += 1 if word == "(" else -1
        elif word == "between":
            between.add(depth)
        elif word == "and" and depth in between:
            between.discard(depth)
        elif _begins_clause(word, previous, sql[found.end() : found.end() + 1]) and found.start():
            yield found.start(), depth
        previous = word


def _begins_clause(word: str, previous: str, following: str) -> bool:
    if word == "join":
        return previous not in _JOINS | {"outer"}
    if word in _JOINS:  # LEFT( and RIGHT( are functions
        return following != "(" and previous not in _JOINS
    if word == "select":
        return previous != "("
    return word in _CLAUSES or word in _PREDICATES


def margin_lines(sql: str, citations: Sequence[Citation]) -> list[tuple[str, str, str]]:
    """`(numbers, status, line)` for every line of the display.

    `numbers` are those of the citations that begin on the line (from 1, in the given order; the whole
    query is not among them); `status` is the least sure of theirs (`shown_status`), or "" where none begins.
    """
    order = ["novel", "near", "new_value", "cited"]
    rows = []
    for line in break_lines(sql):
        here = [(n, c) for n, c in enumerate(citations, 1) if line.start <= c.start < line.end]
        status = min((shown_status(c) for _, c in here), key=order.index, default="")
        rows.append((_ranges([n for n, _ in here]), status, line.text))
    return rows


def shown_status(citation: Citation) -> str:
    """How sure a citation is: one of a script that nobody ran is no surer than one that is near.

    >>> shown_status(Citation(0, 5, "condition", "a = 1", "cited", item=7, support=3, with_values=0))
    'new_value'
    """
    if citation.status != "cited":
        return citation.status
    if citation.synthetic:
        return "near"
    return "new_value" if citation.new_values or citation.with_values == 0 else "cited"


def _ranges(numbers: Sequence[int]) -> str:
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}-{numbers[-1]}"
    return ",".join(map(str, numbers))


def notes(citations: Sequence[Citation]) -> list[Citation]:
    """The citations worth a note: one a fragment, in order of position, without the whole query.

    A FROM clause whose join edges are all cited on their own says nothing more than they do.
    """
    edges = {c.start for c in citations if c.kind == "relation" and not c.skeleton.startswith("from ")}
    kept = []
    for citation in sorted(citations, key=lambda c: (c.start, -c.end)):
        if citation.kind == "query":
            continue
        clause = citation.kind == "relation" and citation.skeleton.startswith("from ")
        if clause and any(citation.start <= start < citation.end for start in edges):
            continue
        kept.append(citation)
    return kept


def whole_query(citations: Sequence[Citation]) -> Citation | None:
    """The citation of the whole query, where the history holds the same one."""
    return next((c for c in citations if c.kind == "query" and c.status == "cited"), None)


def citation_text(citation: Citation, latest: StoredScript | None = None) -> str:
    """What a citation says, in one line.

    >>> citation_text(Citation(0, 4, "condition", "a = 1", "novel"))
    'new: nothing in the history does this, nobody has checked it'
    """
    if citation.status == "novel":
        return "new: nothing in the history does this, nobody has checked it"
    used = f"used in {citation.support} script{'s' * (citation.support != 1)}"
    if latest is not None:
        used += _last(latest, citation.support)
    if citation.trust != "unverified":
        used += f", {trust_text(citation)}"
    used += warning_text(citation)
    if citation.synthetic:
        used = f"{SYNTHETIC}, {citation.trust}: a model wrote it, nobody has run it"
    meaning = f" · {citation.description}" if citation.description else ""
    if citation.status == "near":
        return f"{citation.similarity:.0%} like item {citation.item}, {used}{meaning}"
    whole = "the whole query is " if citation.kind == "query" else ""
    return f"{whole}item {citation.item}, {used}{values_text(citation)}{meaning}"


def trust_text(citation: Citation) -> str:
    """What was judged: the pattern, where not all of its scripts have the values of this fragment."""
    return f"pattern {citation.trust}" if values_text(citation) else citation.trust


def warning_text(citation: Citation) -> str:
    """What the authors of all its scripts say against them.

    >>> warning_text(Citation(0, 5, "condition", "a = 1", "cited", item=7, support=1, warning="do not use"))
    ", its author warns: 'do not use'"
    """
    if not citation.warning:
        return ""
    said = citation.warning
    said = said if len(said) <= _WARNING else said[:_WARNING].rsplit(" ", 1)[0] + " …"
    return f", {'its author warns' if citation.support == 1 else 'their authors warn'}: '{said}'"


def values_text(citation: Citation) -> str:
    """How far the scripts of a cited pattern speak for its values; nothing where all of them do.

    >>> values_text(Citation(0, 5, "condition", "a = 1", "cited", item=7, support=9, with_values=2))
    ', 2 of 9 with this value'
    """
    if citation.status != "cited":
        return ""
    if citation.new_values:
        shown = ", ".join(citation.new_values[:_VALUES])
        more = len(citation.new_values) - _VALUES
        only = ", only ever with a parameter" if citation.parameter else ""
        return f", but never with {shown}{f' and {more} more' if more > 0 else ''}{only}"
    if citation.with_values is None or citation.synthetic or citation.with_values >= citation.support:
        return ""
    if citation.with_values == 0:
        return ", but never with these values together"
    return f", {citation.with_values} of {citation.support} with this value"


def _last(latest: StoredScript, support: int) -> str:
    """Who used it last, when and where; where no time was written down, a script at least.

    >>> from sqlore.model import Script
    >>> _last(StoredScript(1, Script("SELECT 1", key="a.sql:3", author="anna"), "", ""), 2)
    ', as in a.sql:3 by anna'
    """
    script = latest.script
    key = f"script {script.key}" if (script.key or "").isdigit() else script.key
    by = f"by {script.author}" if script.author else ""
    if script.time:
        said = " ".join(part for part in ("last" if support > 1 else "", by, script.time) if part)
        return f", {said}" + (f" ({key})" if key else "")
    said = " ".join(part for part in (key, by) if part)
    if not said:
        return ""
    return f", as in {said}" if support > 1 else f" ({said})"


def usage_text(usage: Usage, attempts: int = 1) -> str:
    """What the answer cost, in one line.

    >>> usage_text(Usage(prompt=900, cached=850, completion=40, seconds=2.5, calls=1))
    'model: 2.5 s, 50 prompt tokens read (850 from its cache), 40 written'
    """
    if not usage.calls:
        return "no model call"
    parts = [f"model: {usage.seconds:.1f} s, {usage.prompt - usage.cached} prompt tokens read"]
    parts[0] += f" ({usage.cached} from its cache)" if usage.cached else ""
    parts.append(f"{usage.completion} written")
    if attempts > 1:
        parts.append(f"{attempts} attempts")
    if usage.cost:
        parts.append(f"cost {usage.cost:.4f}")
    return ", ".join(parts)
