"""What a history calls things: ``label AS is_carcinogenic``, ``CASE status WHEN 3 THEN 'refunded' END``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from sqlore.catalog.dictionary import Entry
from sqlore.catalog.names import humanize, word_set
from sqlore.model import Naming
from sqlore.sql.names import table_and_column

if TYPE_CHECKING:
    from sqlglot import exp

_ALIASES: Final = 5  # names kept a column
_NAME: Final = r"""(?:[\w$]+|"[^"]+"|`[^`]+`|\[[^\]]+\])"""
_COLUMN: Final = re.compile(rf"{_NAME}(?:\.{_NAME})*\Z")
_EMPTY_NAMES: Final = word_set(
    """a b c d x y z t v n id key val value values result results res output col column field name cnt count
    num number total sum avg average min max tmp temp data expr alias label1 year month day date"""
)


def entries_from_namings(namings: Iterable[Naming]) -> list[Entry]:
    """Dictionary entries from the names that scripts gave to columns and codes; each naming is one vote.

    A bare column with an alias gives the column that name; the name most scripts use comes first, the others
    are its synonyms; where no name is used more than all others, there is none. A CASE that turns codes into
    texts gives the codes their meanings; where scripts differ, most win. Names that say nothing (``cnt``,
    ``x``, the column's own) are left out. `support` is the count.

    >>> entries = entries_from_namings([
    ...     Naming("m.label", "is_carcinogenic", ("molecule.label",)),
    ...     Naming("CASE o.status WHEN 4 THEN 'refunded' ELSE 'other' END", "state", ("orders.status",))])
    >>> [(e.column, e.value, e.name or e.description) for e in entries]
    [('label', None, 'is carcinogenic'), ('status', '4', 'refunded')]
    """
    columns: dict[str, Counter[str]] = {}
    values: dict[tuple[str, str], Counter[str]] = {}
    for naming in namings:
        if len(naming.columns) == 1 and naming.columns[0] and _COLUMN.match(naming.expression.strip()):
            if _says_something(naming.alias, naming.columns[0]):
                columns.setdefault(naming.columns[0], Counter())[humanize(naming.alias)] += 1
        elif re.match(r"\s*case\b", naming.expression, re.I):
            for column, code, meaning in _case_meanings(naming):
                values.setdefault((column, code), Counter())[meaning] += 1
    entries = [_column_entry(column, names) for column, names in sorted(columns.items()) if _one_first(names)]
    for (column, code), meanings in sorted(values.items()):
        meaning, support = _ranked(meanings)[0]
        table, name = table_and_column(column)
        entries.append(Entry(table, name, code, meaning, "history", support=support))
    return entries


def _column_entry(column: str, names: Counter[str]) -> Entry:
    ranked = _ranked(names)[:_ALIASES]
    table, bare = table_and_column(column)
    first, support = ranked[0]
    others = tuple(name for name, _ in ranked[1:])
    return Entry(table, bare, None, first, "history", first, others, support)


def _one_first(counts: Counter[str]) -> bool:
    """Whether one is the most frequent: of aliases that tie, each may be what one script needed it for."""
    return list(counts.values()).count(max(counts.values())) == 1


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    """Most frequent first, ties in the alphabet's order."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _says_something(alias: str, column: str) -> bool:
    name = column.rpartition(".")[2]
    letters = "".join(c for c in alias.lower() if c.isalnum())
    own = "".join(c for c in name.lower() if c.isalnum())
    return len(letters) > 2 and letters != own and alias.lower() not in _EMPTY_NAMES and not letters.isdigit()


def _case_meanings(naming: Naming) -> Iterator[tuple[str, str, str]]:
    """(table.column, code, meaning) of each branch that turns one code, or some, into a text."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    from sqlore.sql.tree import parse_expression

    try:
        case = parse_expression(naming.expression)
    except (SqlglotError, RecursionError):
        return
    if not isinstance(case, exp.Case):
        return
    for branch in case.args.get("ifs") or ():
        result = branch.args.get("true")
        if not (isinstance(result, exp.Literal) and result.is_string and result.name.strip()):
            continue
        subject, codes = _compared(case.this, branch.this)
        column = _resolved(subject, naming.columns)
        if column:
            for code in codes:
                yield column, code, humanize(result.name.strip())


def _compared(
    operand: exp.Expression | None, test: exp.Expression
) -> tuple[exp.Expression | None, list[str]]:
    """The column a branch looks at and the codes it looks for; no codes where it does something else."""
    from sqlglot import exp

    if operand is not None:
        return operand, [test.name] if isinstance(test, exp.Literal) else []
    if isinstance(test, exp.EQ):
        left, right = test.this, test.expression
        if not isinstance(left, exp.Column):
            left, right = right, left
        return left, [right.name] if isinstance(right, exp.Literal) else []
    if isinstance(test, exp.In) and not test.args.get("query"):
        return test.this, [e.name for e in test.expressions if isinstance(e, exp.Literal)]
    return None, []


def _resolved(subject: exp.Expression | None, columns: tuple[str, ...]) -> str | None:
    """The base column of the expression: the one of the naming's columns that has its name."""
    from sqlglot import exp

    if not isinstance(subject, exp.Column):
        return None
    fits = [c for c in columns if c.rpartition(".")[2].strip('"').lower() == subject.name.lower()]
    exact = [c for c in fits if c.lower() == f"{subject.table}.{subject.name}".lower()]
    return (exact or fits)[0] if len(exact or fits) == 1 else None
