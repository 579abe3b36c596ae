"""Reads golden cases: SQL and what must come of it, as data.

The folder of a file is the kind of its cases; a case is

    -- # title [dialects]              one or more dialects; `some`: other fragments may come as well
    -- schema: t(a, b), u(c)           optional
    SELECT ...;                        one or more statements, each ended by `;` at the end of a line
    --> condition: t.a = <val>         what is expected of them

`fragments`: one statement; every `kind: skeleton` it must give, `kind @scope: skeleton` where the scope
matters; `query` only where it is listed. `same`: statements that must give the same fragments.
`different`: two statements that must differ in the kinds named, and in the whole query, but in no other
kind. `reject`: statements that must be rejected for the reason named. Lines of `-- ` between statements
are remarks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sqlore.model import Column, Schema, Table

DIALECTS = ("sqlite", "duckdb", "postgres", "mysql", "tsql", "snowflake", "bigquery")
HERE = Path(__file__).resolve().parent

_TITLE = re.compile(r"-- # (?P<title>.*?) \[(?P<dialects>[a-z, ]+)\](?P<some> some)?")
_TABLE = re.compile(r'([\w".]+)\(([^)]*)\)')
_EXPECTED = re.compile(r"(?P<kind>\w+)(?: @(?P<scope>\S+))?: (?P<skeleton>.*)")


@dataclass
class Case:
    """One case of one file; `texts` are its statements, `expected` its lines without the arrow."""

    kind: str
    title: str
    place: str
    dialects: tuple[str, ...]
    some: bool = False
    schema: Schema | None = None
    texts: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def fragments(self) -> list[tuple[str, str | None, str]]:
        """The expected lines as (kind, scope or None, skeleton)."""
        found = [_EXPECTED.fullmatch(line) for line in self.expected]
        assert all(found), f"{self.place}: {self.expected}"
        return [(match["kind"], match["scope"], match["skeleton"]) for match in found if match]


def read_cases(kind: str) -> Iterator[Case]:
    """All cases of one kind, in the order of the files and of the lines in them."""
    for path in sorted((HERE / kind).glob("*.sql")):
        yield from _cases_of(path, kind)


def _cases_of(path: Path, kind: str) -> Iterator[Case]:
    case: Case | None = None
    open_lines: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        title = _TITLE.fullmatch(line)
        if title:
            assert not open_lines, f"{path.name}:{number}: the statement before has no `;`"
            if case is not None:
                yield case
            case = _new_case(title, kind, f"{path.stem}:{number}")
        elif open_lines or not (line.startswith("--") or not line.strip()):
            assert case is not None, f"{path.name}:{number}: a statement before the first title"
            open_lines.append(line)
            if line.rstrip().endswith(";"):
                case.texts.append("\n".join(open_lines).rstrip().removesuffix(";"))
                open_lines = []
        elif case is not None and line.startswith("--> "):
            case.expected.append(line[4:].strip())
        elif case is not None and line.startswith("-- schema: "):
            case.schema = _schema(line.removeprefix("-- schema: "), case.dialects)
    assert not open_lines, f"{path.name}: the last statement has no `;`"
    if case is not None:
        yield case


def _new_case(title: re.Match[str], kind: str, place: str) -> Case:
    names = tuple(name.strip() for name in title["dialects"].split(","))
    dialects = DIALECTS if names == ("all",) else names
    unknown = set(dialects) - set(DIALECTS)
    assert not unknown, f"{place}: {unknown}"
    return Case(kind, title["title"], place, dialects, some=title["some"] is not None)


def _schema(text: str, dialects: tuple[str, ...]) -> Schema:
    tables = [
        Table(name.strip('"'), tuple(Column(column.strip().strip('"')) for column in columns.split(",")))
        for name, columns in _TABLE.findall(text)
    ]
    return Schema(tuple(tables), dialect=dialects[0])
