"""The skeleton of one fragment, or of a skeleton: reading it twice gives the same text."""

from __future__ import annotations

import re
from typing import Final

from sqlore.model import VAL, Kind, Schema
from sqlore.sql.build import walk
from sqlore.sql.numbering import numbered
from sqlore.sql.parse import parse_queries, parse_query
from sqlore.sql.placeholders import MASK, hide_numbers
from sqlore.sql.resolve import LITERAL

_QUOTED: Final = re.compile(r'"((?:[^"`]|"")*)"')
_QUOTED_NAME: Final = re.compile(
    r'(?:"(?=(?:[^"`]|"")*"\.)|(?<=\.)"|(?<=\bfrom )"|(?<=\bjoin )")((?:[^"`]|"")*)"'
)
"""A quoted word that can only be a name: a string has no column and is no table."""
_BACKTICKS: Final = ("mysql", "bigquery", "databricks", "spark", "hive")
_LEADS: Final[dict[str, tuple[str, str]]] = {
    "query": ("", ""),
    "calculation": ("select ", "select "),
    "condition": ("select 'x' where ", f"select {VAL} where "),
    "relation": ("select 'x' where ", f"select {VAL} where "),
    "dimension": ("select * ", "select * "),
    "output": ("select * ", "select * "),
    "distinct": ("select ", "select "),
    "window": ("select f() over (", "select f() over ("),
}
"""What stands before a fragment to make it a query, and what of its skeleton is not the fragment's."""


def skeleton_of(text: str, kind: Kind, dialect: str | None = None, schema: Schema | None = None) -> str:
    """The skeleton of a fragment's text, or of a skeleton (then the text itself comes back).

    A fragment cut out of its script has lost its FROM clause: name the tables in full there. Raises
    `ParseError` or `NotAQuery` where the text is no fragment of that kind.

    >>> skeleton_of("5 < Superhero.height_cm", "condition")
    'superhero.height_cm > <val>'
    >>> skeleton_of("superhero.height_cm > <val>", "condition")
    'superhero.height_cm > <val>'
    >>> skeleton_of("FROM superhero s JOIN publisher p ON s.publisher_id = p.id", "relation")
    'from publisher join superhero on publisher.id = superhero.publisher_id'
    """
    chosen = (dialect or (schema.dialect if schema else "") or "").lower()
    body = text.strip()
    words = body.lower()
    if chosen in _BACKTICKS:
        body = (_QUOTED if MASK in body else _QUOTED_NAME).sub(r"`\1`", body)
    body = hide_numbers(body)
    if kind == "relation" and (words.startswith("from ") or re.search(r"\sjoin\s", words)):
        return _relation(body, words.startswith("from "), chosen, schema)
    lead, tail = _LEADS[kind], ""
    if (kind == "output" and words.startswith("distinct")) or (kind == "output" and words.startswith("top ")):
        lead, tail = _LEADS["distinct"], " 'x'"
    elif kind == "dimension" and words.startswith("partition"):
        lead, tail = _LEADS["window"], ")"
    skeleton = _whole(f"{lead[0]}{body}{tail}", chosen, schema)
    if words.startswith("top ") and kind == "output":
        return skeleton.removeprefix(f"select {VAL} ")
    skeleton = skeleton.removeprefix(lead[1])
    return skeleton.removesuffix(tail.replace("'x'", VAL)) if tail else skeleton


def _whole(sql: str, dialect: str, schema: Schema | None) -> str:
    skeletons = []
    for parsed in parse_queries(sql, dialect):
        walker = walk(parsed, dialect, schema, strict=MASK in sql)
        piece = next(draft.piece for draft in walker.drafts if draft.kind == "query")
        skeletons.append(numbered(piece.text).replace(LITERAL, VAL))
    return "; ".join(skeletons)


def _relation(body: str, clause: bool, dialect: str, schema: Schema | None) -> str:
    """A FROM clause, or an edge with its direction (``a left join b on ...``)."""
    sql = f"select * {body}" if clause else f"select * from {body}"
    walker = walk(parse_query(sql, dialect), dialect, schema, strict=MASK in sql)
    form = "clause" if clause else "edge"
    for draft in walker.drafts:
        if draft.kind == "relation" and draft.form == form and draft.scope.label == "main":
            return numbered(draft.piece.text).replace(LITERAL, VAL)
    return _whole(sql, dialect, schema).removeprefix("select * ")
