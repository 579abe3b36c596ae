"""Rules about a task's question, and about what the task is beside its history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sqlore.evals.build.annotate import Annotation
from sqlore.evals.build.findings import Finding, Subject
from sqlore.evals.execution.tasks import same_sql
from sqlore.model import Schema

__all__ = ["WORD_RULES", "identifiers", "reuse"]

_CAMEL: Final = re.compile(r"[a-z][A-Z]|[A-Z]{2,}[a-z]{2}")
_CODE: Final = re.compile(r"[A-Za-z]+\d+\w*\Z")
_DOTTED: Final = re.compile(r"\b(\w+)\.(\w+)\b")
_TOKEN: Final = re.compile(r"\w+")
_NO_VOWEL: Final = re.compile(r"[b-df-hj-np-tv-xz]{2,}\Z", re.IGNORECASE)
_UNITS: Final = frozenset({"cm", "kg", "km", "mm", "lb", "lbs", "tv", "pc", "dvd", "cd", "bmi", "gdp"})


def identifiers(schema: Schema) -> frozenset[str]:
    """The names of a schema that nobody says: with underscores, in camel case, codes such as ``A11``, and
    abbreviations without a vowel.

    >>> from sqlore.model import Column, Table
    >>> columns = (Column("full_name"), Column("height"), Column("A11"), Column("CDSCode"), Column("dt"))
    >>> sorted(identifiers(Schema((Table("hero", columns),))))
    ['A11', 'CDSCode', 'dt', 'full_name']
    """
    names = [name for table in schema.tables for name in (table.name, *(c.name for c in table.columns))]
    return frozenset(
        name
        for name in names
        if " " not in name and ("_" in name or _CAMEL.search(name) or _CODE.match(name) or _is_short(name))
    )


def _is_short(name: str) -> bool:
    return bool(_NO_VOWEL.match(name)) and name.lower() not in _UNITS


def schema_names(subject: Subject) -> Iterator[Finding]:
    """The question names nothing as the schema spells it, but for words that are values in the SQL."""
    question, schema = subject.task.question, subject.bench.catalog.schema
    said = set(_TOKEN.findall(question))
    values = set(_TOKEN.findall(" ".join(v for f in subject.facts.parsed.fragments for v in f.literals)))
    folded = {word.lower() for word in said if "_" in word}
    found = {name for name in identifiers(schema) if name in said or ("_" in name and name.lower() in folded)}
    for table, column in _DOTTED.findall(question):
        known = schema.table(table)
        if known is not None and known.column(column) is not None:
            found.add(f"{table}.{column}")
    for name in sorted(found - values):
        yield Finding("schema_names", "major", f"question: {name}", "say it in plain words")


def copy(subject: Subject) -> Iterator[Finding]:
    """No script of the history is the same, values included."""
    own = _whole(subject.facts.parsed.fragments)
    text = same_sql(subject.task.sql)
    for key, script in subject.bench.scripts.items():
        if same_sql(script.script.sql) == text or (own and _whole(script.fragments) == own):
            yield Finding("copy", "major", f"script {key}", "it is in the history: combine it with another")
            return


def _whole(fragments: object) -> str:
    found = fragments if isinstance(fragments, tuple) else ()
    return next((f.canonical for f in found if f.kind == "query" and f.scope == "main"), "")


def reuse(annotation: Annotation) -> Iterator[Finding]:
    """At least one piece is of the history."""
    if not annotation.items:
        yield Finding("reuse", "major", "query", "nothing in it is of the history: build on its scripts")


WORD_RULES = (schema_names, copy)
