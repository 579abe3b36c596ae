"""What a person sees: rows and items at the width of a terminal, and in a pipe."""

from __future__ import annotations

import io

from rich.console import Console

from sqlore.interfaces.cli.render import show_item, show_items, show_rows
from sqlore.knowledge.records import Change
from sqlore.model import KnowledgeItem, Rows

LONG = KnowledgeItem(
    id=7,
    kind="condition",
    form="predicate",
    skeleton="orders.state = <val>",
    sql="orders.state = 'C'",
    name="order state is",
    description="order " * 18 + "whose state is C",
    support=1,
)


def shown(width: int | None) -> tuple[Console, io.StringIO]:
    """A console as wide as a terminal, or as a pipe."""
    file = io.StringIO()
    return Console(file=file, width=width or 10_000, soft_wrap=width is None, force_terminal=False), file


def test_rows_that_fit_are_a_grid() -> None:
    console, file = shown(40)
    show_rows(console, Rows(("name", "n"), (("Ann", 1), ("Bob", None)), False, 0.001))
    assert file.getvalue().splitlines()[:3] == ["name     n", "Ann      1", "Bob   NULL"]


def test_values_are_cut_before_a_grid_is_too_wide() -> None:
    console, file = shown(40)
    show_rows(console, Rows(("a", "b"), (("x" * 50, "y" * 50),), False, 0.001))
    first = file.getvalue().splitlines()[1]
    assert len(first) <= 40
    assert first.count("…") == 2


def test_rows_of_many_columns_are_lists() -> None:
    console, file = shown(40)
    names = tuple(f"column_{n}" for n in range(9))
    show_rows(console, Rows(names, tuple((("a" * 30),) * 9 for _ in range(8)), False, 0.001))
    text = file.getvalue()
    assert "row 5\n" in text
    assert "row 6\n" not in text
    assert "  column_8  " + "a" * 28 in text
    assert "8 rows, 1 ms; the first 5 shown" in text


def test_in_a_pipe_a_row_is_a_line() -> None:
    console, file = shown(None)
    names = tuple(f"column_{n}" for n in range(9))
    show_rows(console, Rows(names, ((("a" * 30),) * 9,), False, 0.001))
    assert len(file.getvalue().splitlines()) == 3
    console, file = shown(None)
    show_items(console, [LONG])
    head, row = file.getvalue().splitlines()
    assert head.endswith("skeleton")
    assert row.endswith("  orders.state = <val>")


def test_in_a_narrow_terminal_the_skeleton_is_below_the_meaning() -> None:
    console, file = shown(80)
    show_items(console, [LONG])
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    assert "skeleton" not in lines[0]
    assert lines[-1].strip() == "orders.state = <val>"
    assert all(len(line) <= 80 for line in lines)


def test_an_item_tells_who_changed_its_trust_and_why() -> None:
    console, file = shown(80)
    change = Change(7, 2, "trust", "unverified", "verified", "mia", "checked in May", "2025-05-01")
    show_item(console, LONG, [], [change])
    assert "  trust       verified by mia, 2025-05-01: checked in May" in file.getvalue()
