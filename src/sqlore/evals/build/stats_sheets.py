"""Statistics of benchmarks as tables, beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence

from sqlore.evals.build.stats import DEFINITIONS, MEASURES, PUBLISHED, TYPES, Summary
from sqlore.evals.sheets import Sheet

__all__ = ["HEADS", "IN_PAPER", "sheets_of"]

HEADS = {
    "tokens": "tokens",
    "sql_tokens": "SQL tokens",
    "words": "words",
    "functions": "functions",
    "function_nodes": "function nodes",
    "subqueries": "subqueries",
    "join_length": "JOIN length",
    "longest_from": "longest FROM",
    "nest_depth": "nest depth",
}
#: Which of the measures the paper publishes, in the order of `PUBLISHED`.
IN_PAPER = ("tokens", "functions", "subqueries", "join_length", "nest_depth")


def sheets_of(found: Sequence[Summary]) -> list[Sheet]:
    """Table 1 over all files; Tables 8 to 10 for those that say what they reuse."""
    known = [one for one in found if one.knowledge is not None]
    sheets = [_table_1(found)]
    if known:
        sheets += [_counts(known, 8), _counts(known, 9), _table_10(known)]
    return sheets


def _table_1(found: Sequence[Summary]) -> Sheet:
    rows = []
    for one in found:
        numbers = [f"{one.means[name]:.2f}" if name in one.means else "" for name in MEASURES]
        rows.append((one.name, f"{one.tasks:,}", *numbers))
    for name, (tasks, *values) in PUBLISHED.items():
        told = dict(zip(IN_PAPER, values, strict=True))
        numbers = [f"{told[measure]:.2f}" if measure in told else "" for measure in MEASURES]
        rows.append((f"paper: {name}", f"{int(tasks):,}", *numbers))
    unread = sum(one.unread for one in found)
    note = "; ".join(f"{HEADS[name]}: {text}" for name, text in DEFINITIONS.items())
    if unread:
        note += f". {unread} texts could not be read and do not count"
    return Sheet("Table 1: averages a query", ("file", "tasks", *HEADS.values()), tuple(rows), note)


def _counts(found: Sequence[Summary], table: int) -> Sheet:
    """Table 8 or 9: tasks by number of pieces, or of kinds of pieces."""
    of = [one.knowledge.items if table == 8 else one.knowledge.types for one in found if one.knowledge]
    numbers = sorted({number for counts in of for number in counts})
    rows = tuple(
        (one.name, *(str(counts.get(number, 0)) for number in numbers))
        for one, counts in zip(found, of, strict=True)
    )
    what = "pieces of knowledge" if table == 8 else "kinds of knowledge"
    return Sheet(f"Table {table}: tasks by number of {what}", ("file", *map(str, numbers)), rows)


def _table_10(found: Sequence[Summary]) -> Sheet:
    rows = []
    for one in found:
        if one.knowledge is None:
            continue
        total, tasks = one.knowledge.total, one.knowledge.tasks
        for kind in TYPES:
            count = one.knowledge.kinds.get(kind, 0)
            name = "full SQL" if kind == "query" else kind
            rows.append((one.name, name, str(count), f"{100 * count / total:.1f}", f"{count / tasks:.3f}"))
    heads = ("file", "kind", "items", "%", "items a task")
    return Sheet("Table 10: pieces by kind", heads, tuple(rows))
