"""Scripts of a Jupyter notebook: its cells of SQL, with the words above them as their questions.

SQL stands there in three ways: below `%%sql` (or behind `%sql` on a line), as the whole text of a cell, and
as a text in Python, `pd.read_sql("SELECT …")`. What was printed is not read.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from sqlore.history.columns import looks_like_sql
from sqlore.history.records import Origin
from sqlore.history.sqlfile import sql_scripts
from sqlore.model import Rejected, Script

__all__ = ["notebook_scripts"]

_CELL: Final = re.compile(r"\s*%%\w*(?:sql|bigquery|duckdb)\b(?P<rest>[^\n]*)(?:\n|\Z)", re.I)
_LINE: Final = re.compile(r"^[ \t]*(?:\w+[ \t]*=[ \t]*)?%\w*sql[ \t]+(?P<sql>[^\n]+)$", re.I | re.M)
_MAGIC: Final = re.compile(r"^[ \t]*(?:\w+[ \t]*=[ \t]*)?[%!][^\n]*$", re.M)
_STARTS: Final = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*\(*(?:select|with)\b", re.I | re.S)
_QUERY: Final = re.compile(r"\bselect\b.*\bfrom\b", re.I | re.S)
_MARKUP: Final = re.compile(r"^[\s#>*+-]+|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?=\W|$)")
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def notebook_scripts(text: str, origin: Origin) -> Iterator[Script | Rejected]:
    """The statements of a notebook's cells in order. A key is the file with the number of the cell.

    >>> cells = '''[{"cell_type": "markdown", "source": "## How many plans?"},
    ...             {"cell_type": "code", "source": ["%%sql\\\\n", "SELECT COUNT(*) FROM plan"]}]'''
    >>> found = list(notebook_scripts('{"cells": ' + cells + '}', Origin("a.ipynb")))
    >>> found[0].question, found[0].sql, found[0].key
    ('How many plans?', 'SELECT COUNT(*) FROM plan', 'a.ipynb:2')
    """
    cells = _cells(text)
    if cells is None:
        yield origin.reject(
            "", "unreadable", "is no notebook that can be read: it is cut off or has no cells", 1
        )
        return
    said = ""
    for number, cell in enumerate(cells, 1):
        source = _source(cell)
        kind = cell.get("cell_type")
        if kind == "markdown":
            said = source
        found = 0
        for comment, sql in _pieces(source) if kind == "code" else ():
            words = comment or ("" if found else _plain(said))
            for script in sql_scripts(f"{_commented(words, sql)}\n".splitlines(keepends=True), origin):
                found += 1
                yield _numbered(script, f"{origin.source}:{number}{f'.{found}' if found > 1 else ''}")
        if found:
            said = ""  # it is of the cell below it alone


def _cells(text: str) -> list[dict[str, Any]] | None:
    try:
        value = json.loads(text, strict=False)
    except (json.JSONDecodeError, RecursionError):
        return None
    sheets = value.get("worksheets") if isinstance(value, dict) else None  # before version 4
    holder = sheets[0] if isinstance(sheets, list) and sheets else value
    cells = holder.get("cells") if isinstance(holder, dict) else None
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else None


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def _pieces(source: str) -> Iterator[tuple[str, str]]:
    """The pieces of SQL of a code cell, each with the comment in Python above it."""
    below = _CELL.match(source)
    if below:
        rest = below["rest"].rpartition("<<")[2].strip()
        yield "", (f"{rest}\n" if _STARTS.match(rest) else "") + source[below.end() :]
    elif looks_like_sql(source) and _STARTS.match(source):
        yield "", source
    else:
        yield from (("", one["sql"].rpartition("<<")[2].strip(" \"'")) for one in _LINE.finditer(source))
        yield from _texts(_MAGIC.sub("", source))


def _texts(source: str) -> Iterator[tuple[str, str]]:
    """Texts in Python that are queries. One with holes, an f-string, is no text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = source.splitlines()
    for statement in tree.body:
        above: list[str] = []
        at = statement.lineno - 2
        while at >= 0 and lines[at].lstrip().startswith("#"):
            above.insert(0, lines[at].lstrip().lstrip("# "))
            at -= 1
        inside = {
            id(part)
            for node in ast.walk(statement)
            if isinstance(node, ast.JoinedStr)
            for part in node.values
        }
        for node in ast.walk(statement):
            text = node.value if isinstance(node, ast.Constant) and id(node) not in inside else None
            if isinstance(text, str) and _STARTS.match(text) and _QUERY.search(text):
                yield "\n".join(above), text


def _plain(markdown: str) -> str:
    """The words of a markdown cell, line by line."""
    lines = (_MARKUP.sub("", _LINK.sub(r"\1", line)).strip() for line in markdown.splitlines())
    return "\n".join(line for line in lines if line)


def _commented(words: str, sql: str) -> str:
    """The SQL below its words as a comment; it keeps its own comment where it has one."""
    sql = sql.strip()
    if not words or sql.startswith(("--", "/*")):
        return sql
    return "\n".join((*(f"-- {line}" for line in words.splitlines()), sql))


def _numbered(script: Script | Rejected, key: str) -> Script | Rejected:
    if isinstance(script, Rejected):
        return replace(script, script=replace(script.script, key=key, line=None), line=None)
    return replace(script, key=key, line=None)
