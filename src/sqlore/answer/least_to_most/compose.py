"""The answers of a question's parts put together by a program: each part a CTE, and one query over them.

The parts' SQL stays as it is written wherever it can, so that it is cited as the history has it. What cannot
be put together is a `CannotCompose` with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.answer.least_to_most.plan import Output
from sqlore.model import Rows, Schema, Table
from sqlore.prompts.ltmp_history import Step
from sqlore.retrieve.words import STOPWORDS, stems, tokens
from sqlore.sql.names import spell
from sqlore.sql.tree import parse_one

__all__ = [
    "PLAIN",
    "CannotCompose",
    "columns_named",
    "common",
    "names",
    "number_column",
    "plain_select",
    "put_before",
    "values",
    "wanted_column",
    "with_before",
    "within",
]


class CannotCompose(Exception):
    """The parts do not fit together; the message says why."""


PLAIN: Final = re.compile(r"[a-z][a-z0-9_]*")
"""A name that stands without quotes."""
_LIGHT_WORDS: Final = "number total many much average among all each every list one"
_LIGHT: Final = STOPWORDS | frozenset(_LIGHT_WORDS.split())


def names(questions: Sequence[str], taken: Schema) -> tuple[str, ...]:
    """A name for each part: the words that tell it from the others; none is a table's.

    >>> names(["How many heroes are good?", "How many heroes are bad?"], Schema(()))
    ('good', 'bad')
    """
    words = [[w for w in tokens(q) if w not in _LIGHT and PLAIN.fullmatch(w)] for q in questions]
    shared = set.intersection(*map(set, words)) if len(words) > 1 else set()
    found: list[str] = []
    for number, own in enumerate(words, 1):
        telling = [w for w in dict.fromkeys(own) if w not in shared][:3] or own[:2]
        name = "_".join(telling) or f"part_{number}"
        free = name not in found and taken.table(name) is None and spell(name) == name and len(name) > 2
        found.append(name if free else f"{name}_{number}")
    return tuple(found)


def put_before(query: str, steps: Sequence[Step], columns: Sequence[str] = ()) -> str:
    """The query with each step as a CTE before it; with `columns` their one column gets that name."""
    named = [
        f"{step.name}{f'({columns[n]})' if columns else ''} AS (\n{_indented(step.sql)}\n)"
        for n, step in enumerate(steps)
    ]
    return f"WITH {', '.join(named)}\n{query}" if named else query


def _indented(sql: str) -> str:
    return sql if "\n" in sql else f"  {sql}"


def number_column(rows: Rows) -> int | None:
    """Which column of a part's answer is the number that is wanted; None where that is not clear.

    >>> number_column(Rows(("name", "weight"), (("Ann", 60),))), number_column(Rows(("name",), (("Ann",),)))
    (1, None)
    >>> number_column(Rows(("name", "mean"), (("Ann", Decimal("60.5")),)))
    1
    """
    first = rows.rows[0] if rows.rows else ()
    kinds = (int, float, Decimal)
    found = [n for n, value in enumerate(first) if isinstance(value, kinds) and not isinstance(value, bool)]
    return found[0] if len(found) == 1 else None


def values(steps: Sequence[Step], outputs: Sequence[Output]) -> str:
    """One row: what each output says of the steps.

    Raises `CannotCompose` where a part that is computed with is not one number, or a part is not one row.
    """
    if any(len(step.rows.rows) != 1 for step in steps):
        wrong = next(step for step in steps if len(step.rows.rows) != 1)
        raise CannotCompose(f"{wrong.name} is not one row")
    computed = {n for one in outputs if one.operation for n in (one.left, one.right)}
    cells: list[list[str]] = []
    sources = [columns_named(step) for step in steps]
    for n, step in enumerate(steps):
        cells.append([f"{step.name}.{column}" for column in sources[n]])
        if n in computed and number_column(step.rows) is None:
            raise CannotCompose(f"{step.name} is not one number")
    said = [text for one in outputs for text in _said(one, steps, cells)]
    with_columns = [
        f"{step.name}({', '.join(sources[n])}) AS (\n{_indented(step.sql)}\n)" for n, step in enumerate(steps)
    ]
    joined = " CROSS JOIN ".join(step.name for step in steps)
    return f"WITH {', '.join(with_columns)}\nSELECT {', '.join(said)}\nFROM {joined}"


def columns_named(step: Step) -> list[str]:
    """What the columns of a step are called where it is a CTE beside others."""
    count = len(step.rows.columns)
    return ["value"] if count == 1 else [f"value_{n}" for n in range(1, count + 1)]


def _said(one: Output, steps: Sequence[Step], cells: Sequence[Sequence[str]]) -> list[str]:
    if not one.operation:
        return list(cells[one.left])
    left, right = (cells[n][number_column(steps[n].rows) or 0] for n in (one.left, one.right))
    if one.operation == "/":
        return [f"{float(one.times)} * {left} / {right} AS ratio"]
    return [f"{left} - {right} AS difference"]


def common(steps: Sequence[Step], word: str) -> str:
    """The rows of the first step that the second one has not (``EXCEPT``), or has too (``INTERSECT``)."""
    one, two = steps
    if len(one.rows.columns) != len(two.rows.columns):
        raise CannotCompose("the two lists have different columns")
    return put_before(f"SELECT * FROM {one.name}\n{word}\nSELECT * FROM {two.name}", steps)


def wanted_column(step: Step) -> int:
    """The column of a step's result that its question asks for: "which team" wants ``team_name``.

    The first one where no column's name has a word of the question's first words.
    """
    asked = stems(step.question)[:3]
    named = [n for n, column in enumerate(step.rows.columns) if set(stems(column)) & set(asked)]
    return named[0] if named else 0


# ------------------------------------------------------------------ the rows of a set


@dataclass(frozen=True, slots=True)
class _Key:
    """A column that says which row of `table` is meant."""

    table: str
    column: Any
    direct: bool
    links: int


def within(step: Step, sql: str, noun: str, dialect: str, schema: Schema) -> str:
    """`sql` of the rows alone that the step lists.

    The rows of both are told by the key of a table that both have, directly or through a foreign key. A
    subquery in what is selected is of these rows too: it is the whole that a share is of. Raises
    `CannotCompose` where there is no such table.
    """
    chosen, outer = plain_select(step.sql, dialect), plain_select(sql, dialect)
    ours, theirs = _keys(chosen, schema), _keys(outer, schema)
    shared = [name for name in ours if name in theirs]
    if not shared:
        raise CannotCompose("the two parts have no table in common")
    table = max(shared, key=lambda name: _fitness(name, noun, ours[name], theirs[name]))
    key = ours[table].column
    listed = _listing(chosen, key)
    inner = [s for item in outer.expressions for s in item.find_all(exp.Select)]
    for select in (outer, *inner):
        keys = _keys(select, schema)
        if table in keys:
            chosen_keys = exp.select(_column(key.name)).from_(step.name)
            select.where(exp.In(this=keys[table].column, query=chosen_keys.subquery()), copy=False)
    return with_before(outer, step.name, listed, dialect)


def _fitness(name: str, noun: str, ours: _Key, theirs: _Key) -> tuple[bool, int, int]:
    said = set(stems(noun))
    return bool(said & set(stems(name))), ours.direct + theirs.direct, max(ours.links, theirs.links)


def _listing(tree: Any, column: Any) -> Any:
    """The query with the key as all that it selects; an order counts only where it is cut."""
    tree.set("expressions", [column.copy()])
    if tree.args.get("limit") is None:
        tree.set("order", None)
        if tree.args.get("having") is None:
            tree.set("group", None)
            tree.set("distinct", None)
    return tree


def _keys(select: Any, schema: Schema) -> dict[str, _Key]:
    """By table, the column of this SELECT's own sources that says which row of the table is meant."""
    found: dict[str, _Key] = {}
    own = [select.args.get("from_") or select.args.get("from"), *(select.args.get("joins") or ())]
    for part in own:
        source: Any = part.this if part is not None else None
        table = schema.table(source.name) if isinstance(source, exp.Table) else None
        if table is None:
            continue
        alias = source.alias_or_name
        own_key = _own_key(table, schema)
        if own_key is not None and not (table.name in found and found[table.name].direct):
            found[table.name] = _Key(table.name, _column(own_key, alias), True, len(table.foreign_keys))
        for foreign in table.foreign_keys:
            target = schema.table(foreign.ref_table)
            if target is not None and len(foreign.columns) == 1:
                key = _Key(target.name, _column(foreign.columns[0], alias), False, len(target.foreign_keys))
                found.setdefault(target.name, key)
    return found


def _own_key(table: Table, schema: Schema) -> str | None:
    """The one column that tells a table's rows apart: its primary key, else what other tables refer to."""
    primary = [column.name for column in table.columns if column.primary_key]
    if primary:
        return primary[0] if len(primary) == 1 else None
    referred = {
        foreign.ref_columns[0].lower()
        for other in schema.tables
        for foreign in other.foreign_keys
        if len(foreign.ref_columns) == 1 and schema.table(foreign.ref_table) is table
    }
    column = table.column(referred.pop()) if len(referred) == 1 else None
    return column.name if column is not None else None


def plain_select(sql: str, dialect: str) -> Any:
    """The tree of one plain SELECT. Raises `CannotCompose` for any other query."""
    try:
        tree = parse_one(sql, dialect or None)
    except SqlglotError as error:
        raise CannotCompose("a part cannot be read") from error
    if not isinstance(tree, exp.Select):
        raise CannotCompose("a part is not one SELECT")
    return tree


def _column(name: str, table: str | None = None) -> Any:
    """A column, its names in quotes only where they need them."""
    return exp.column(_name(name), table=_name(table) if table else None)


def _name(name: str) -> Any:
    return exp.to_identifier(name, quoted=spell(name.lower()) != name.lower())


def with_before(tree: Any, name: str, query: Any, dialect: str) -> str:
    """The query with one more CTE, before those that it has."""
    text = query.sql(dialect=dialect or None, comments=False)
    whole = tree.with_(name, as_=text, dialect=dialect or None, append=True)
    named = (whole.args.get("with_") or whole.args["with"]).expressions
    named.insert(0, named.pop())
    return str(whole.sql(dialect=dialect or None, comments=False))
