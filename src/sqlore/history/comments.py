"""What a comment above a statement says: a question or request, a remark, who ran it, when, how often."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlore.history.asking import asks, asks_within, reads_like_a_question, warns

__all__ = ["Note", "leading_comment", "read_comment", "says_nothing", "to_time"]

_LABELS: dict[str, str] = {
    **dict.fromkeys(("author", "owner", "user", "by", "written by", "created by", "analyst"), "author"),
    **dict.fromkeys(
        ("date", "time", "created", "created at", "created on", "last run", "last used", "modified"), "time"
    ),
    **dict.fromkeys(("updated", "run at", "run on", "executed", "executed at"), "time"),
    **dict.fromkeys(("runs", "calls", "executions", "run count", "times run"), "runs"),
    **dict.fromkeys(("question", "q", "request", "ask"), "question"),
    **dict.fromkeys(
        ("description", "purpose", "desc", "title", "task", "note", "comment", "summary"), "comment"
    ),
    **dict.fromkeys(("evidence", "hint"), "evidence"),
    **dict.fromkeys(("database", "db"), "database"),
}
_LABEL = "|".join(sorted((re.escape(label) for label in _LABELS), key=len, reverse=True))
_LABELLED = re.compile(rf"^(?:@(?P<at>{_LABEL})\b\s*[:=]?|(?P<label>{_LABEL})\s*[:=])\s*(?P<value>.*)$", re.I)
_NEXT_LABEL = re.compile(rf"(?:\s*[,;|]\s*|(?<=[.!])\s+)(?=@?(?:{_LABEL})\s*[:=])", re.I)
_RUNS = re.compile(
    r"[\s,;(\[]*\b(?:was\s+)?(?:run|ran|runs|executed|used)\s*:?\s*(\d[\d,.']*)\s*(?:times|x)\b[)\].]*", re.I
)
# Words around such a count that make it a part of what is asked: "which were used 10 times or more?"
_COUNTED = re.compile(r"\b(?:are|were|is|be|been|being|have|has|had|who|that|which)\Z", re.I)
_COMPARED = re.compile(r"\s*(?:\?|(?:or|and) (?:more|less|fewer|over)\b|at (?:least|most)\b)", re.I)
_DATE = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
_SIGNATURE = re.compile(
    rf"^(?:by\s+)?(?P<author>[A-Za-z][\w.@-]*(?: [A-Z][\w.-]*)?)\s*(?:,|on|-|\(|@)?\s*"
    rf"(?P<time>{_DATE})\)?\.?$"
)
# Commented-out SQL is neither a question nor a remark; "on time = within two days" is not SQL.
_OPERAND = r"(?:'[^']*'|\([^()]*\)|-?[\w.\"`\[\]@:$%*]+(?:\([^()]*\))?)"
_TEST = (
    rf"(?:not )?{_OPERAND}\s*(?:(?:[=<>!]+|\blike\b|\b(?:not )?in\b)\s*{_OPERAND}"
    rf"|between {_OPERAND} and {_OPERAND}|is (?:not )?null)"
)
_ITEM = r"[\w.\"`()]+(?: (?:asc|desc))?"
_CODE = re.compile(
    r"^(?:select\b.*\bfrom\b"
    r"|(?:from|join|(?:left|right|inner|cross) join) [\w.`\"\[]+(?: (?:as )?\w+)?(?: on .*)?$"
    rf"|(?:and|or|where|on|having) {_TEST}(?: (?:and|or) {_TEST})*[;)\s]*$"
    rf"|(?:group|order) by {_ITEM}(?:, ?{_ITEM})*;?$"
    r"|limit \d+"
    r"|(?:select|with|from|where|and|or|insert|update|delete|set|drop|create|alter|join|use|exec)\b.*;$)",
    re.I,
)
_CODE_START = re.compile(r"(?:select|with|insert|update|delete|create|drop|alter|from)\b", re.I)
_CODE_LINE = re.compile(
    r"(?:select|from|where|group by|order by|having|limit|(?:left |right |inner |cross )?join|union(?: all)?"
    r"|\)|,)(?=\W|$)|(?:and|or|on|set|values)\b.*[=<>(]|.*[,;(]$",
    re.I,
)
_FEW_WORDS = 3  # a line of a warning with more of them may go on in the next
_RULER = re.compile(r"^[\W_]*$")
_MARKER = re.compile(r"^\s*(?:--+|\{#-?|#+|//+|/\*+!?|\*(?!/))\s?|\s*(?:\*+/|-?#\})\s*$")
_JINJA = r"\{\{.*?\}\}|\{%.*?%\}"
_LEAD = re.compile(rf"(?:\s+|--[^\n]*(?:\n|$)|\{{#.*?#\}}|#[^\n]*(?:\n|$)|/\*.*?\*/|{_JINJA})+", re.S)
_NOTHING = re.compile(r"(?:[\s;]|--[^\n]*|#[^\n]*|/\*.*?\*/)*+", re.S)


@dataclass(slots=True)
class Note:
    """What was read from a comment; the fields are those of `Script`."""

    question: str | None = None
    comment: str | None = None
    evidence: str | None = None
    author: str | None = None
    time: str | None = None
    runs: int | None = None
    database: str | None = None
    lines: list[str] = field(default_factory=list, repr=False, compare=False)
    """The lines of words, in their order: what the question and the remark were made of."""


def read_comment(comment: str | None) -> Note:
    """Takes a comment (with or without its ``--`` and ``/* */``) apart.

    >>> note = read_comment("-- Which plans lost customers?\\n-- author: anna\\n-- run 12 times")
    >>> note.question, note.author, note.runs
    ('Which plans lost customers?', 'anna', 12)
    >>> read_comment("net revenue without test accounts").comment
    'net revenue without test accounts'
    """
    note = Note()
    for line in _plain_lines(comment or ""):
        for part in _NEXT_LABEL.split(line):
            _read_line(part.strip(), note)
    if note.lines:
        _read_words(note)
    return note


def leading_comment(sql: str) -> str | None:
    """The comments before the first word of a statement, or None; template blocks there are passed over.

    >>> leading_comment("-- top askers\\nSELECT 1")
    '-- top askers'
    """
    match = _LEAD.match(sql)
    return (re.sub(_JINJA, "", match.group(), flags=re.S).strip() or None) if match else None


def says_nothing(sql: str) -> bool:
    """Whether a text holds no statement: only blanks, semicolons and comments.

    >>> says_nothing(" ;; -- SELECT 1"), says_nothing("/* a */ SELECT 1")
    (True, False)
    """
    return _NOTHING.fullmatch(sql) is not None


def to_time(value: object) -> str | None:
    """A time as ISO 8601 where it can be understood (dates, epoch seconds or milliseconds), else as text.

    >>> to_time("2010-05-27 20:08:16"), to_time(1274990896), to_time("last week")
    ('2010-05-27T20:08:16', '2010-05-27T20:08:16+00:00', 'last week')
    """
    if isinstance(value, datetime):
        return value.isoformat()
    text = str(value).strip() if value is not None else ""
    if not text:
        return None
    if re.fullmatch(r"\d{9,19}(?:\.\d+)?", text):
        return _from_digits(text) or _from_epoch(float(text))
    for pattern in ("", "%Y/%m/%d", "%Y/%m/%d %H:%M:%S", "%d.%m.%Y", "%d %b %Y", "%b %d, %Y", "%B %d, %Y"):
        try:
            moment = datetime.strptime(text, pattern) if pattern else datetime.fromisoformat(text)
        except ValueError:
            continue
        return moment.date().isoformat() if _is_a_day(text, moment) else moment.isoformat()
    return text


def _is_a_day(text: str, moment: datetime) -> bool:
    return ":" not in text and moment.time() == datetime.min.time()


def _from_digits(text: str) -> str | None:
    """A time written as the digits of day and clock; None where it is no such time."""
    if len(text) not in (12, 14) or not text.startswith(("19", "20")):
        return None
    try:
        return datetime.strptime(text, "%Y%m%d%H%M%S" if len(text) == 14 else "%Y%m%d%H%M").isoformat()
    except ValueError:
        return None


def _from_epoch(number: float) -> str:
    while number > 1e11:  # milliseconds, microseconds, nanoseconds
        number /= 1000
    return datetime.fromtimestamp(number, UTC).isoformat()


def _plain_lines(comment: str) -> Iterator[str]:
    """The lines of words: without comment markers, rulers, blank lines and commented-out SQL."""
    lines = [_MARKER.sub("", raw).strip() for raw in comment.splitlines()]
    lines = [line for line in lines if not _RULER.match(line)]
    if not _is_code(lines):
        yield from (line for line in lines if not _CODE.match(line))


def _is_code(lines: list[str]) -> bool:
    """Whether a block as a whole is a query that was commented out: nearly all its lines look like SQL."""
    if len(lines) < 2 or not _CODE_START.match(lines[0]):
        return False
    return sum(_CODE_LINE.match(line) is not None for line in lines[1:]) >= 0.6 * (len(lines) - 1)


def _read_line(line: str, note: Note) -> None:
    """Metadata goes to its field; what is left are words."""
    labelled = _LABELLED.match(line)
    if labelled:
        name = _LABELS[(labelled["at"] or labelled["label"]).lower()]
        _set_field(name, labelled["value"].strip(), note)
        return
    runs = _RUNS.search(line)
    if runs and not (_COUNTED.search(line[: runs.start()]) or _COMPARED.match(line[runs.end() :])):
        note.runs = _number(runs[1])
        line = (line[: runs.start()] + line[runs.end() :]).strip()
        if _RULER.match(line):
            return
    signature = _SIGNATURE.match(line)
    if signature:
        note.author, note.time = note.author or signature["author"], to_time(signature["time"])
        return
    if re.fullmatch(_DATE, line):
        note.time = to_time(line)
        return
    note.lines.append(line)


def _set_field(name: str, value: str, note: Note) -> None:
    if not value:
        return
    if name == "runs":
        note.runs = _number(value)
    elif name == "time":
        note.time = to_time(value)
    elif name == "comment":
        note.lines.append(value)
    else:
        setattr(note, name, value)


def _read_words(note: Note) -> None:
    """Decides which of the words are the question and which the remark."""
    first, last = _question_lines(note.lines) if note.question is None else (0, 0)
    if last > first:
        note.question = " ".join(note.lines[first:last])
    note.comment = _remark(note.lines[:first] + note.lines[last:]) or None


def _remark(lines: list[str]) -> str:
    """Lines as one; a warning that nothing sets apart from those around it stays a sentence of its own."""
    said = ""
    for before, line in zip(["", *lines], lines, strict=False):
        apart = warns(line) or (warns(before) and len(before.split()) <= _FEW_WORDS)
        said += ("; " if apart and before[-1:].isalnum() else " ") + line
    return said.strip()


def _question_lines(lines: list[str]) -> tuple[int, int]:
    """The range of lines that ask: up to a ``?`` from where its question begins, or a request at the top."""
    for index, line in enumerate(lines):
        if asks_within(line) and not warns(line):
            return _question_start(lines, index), index + 1
    if not reads_like_a_question(lines[0]):
        return 0, 0
    ends = (i for i, line in enumerate(lines) if line.endswith((".", "!", ":")) or _warns_next(lines, i))
    return 0, next(ends, len(lines) - 1) + 1


def _warns_next(lines: list[str], index: int) -> bool:
    return index + 1 < len(lines) and warns(lines[index + 1])


def _question_start(lines: list[str], index: int) -> int:
    """Where the question that ends in this line begins: at a line that asks, else behind a sentence."""
    start = first = index
    while start and not lines[start - 1].endswith((".", "!", "?", ":", ";")) and not warns(lines[start - 1]):
        start -= 1
        if asks(lines[start]):
            first = start
    return first if asks(lines[first]) else start


def _number(text: str) -> int | None:
    digits = re.sub(r"\D", "", text)
    return int(digits) if digits else None
