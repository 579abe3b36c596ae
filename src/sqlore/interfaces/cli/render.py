"""What commands show to a person, drawn with rich: drafts, rows, items, scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from rich.table import Table as Grid
from rich.text import Text

from sqlore.interfaces.cli.common import plural
from sqlore.interfaces.cli.margin import (
    MARKS,
    citation_text,
    margin_lines,
    notes,
    shown_status,
    usage_text,
    whole_query,
)
from sqlore.model import Citation, Draft, GoesWith, KnowledgeItem, Rows, StoredScript, Uncovered
from sqlore.sql.placeholders import is_placeholder

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from sqlore.knowledge.records import Change

__all__ = [
    "cell",
    "hanging",
    "show_draft",
    "show_item",
    "show_items",
    "show_rows",
    "show_scripts",
    "uncovered_text",
]

STYLES = {"cited": "green", "new_value": "yellow", "near": "yellow", "novel": "red", "": "dim"}
KIND_STYLES = {
    "calculation": "magenta",
    "condition": "cyan",
    "relation": "blue",
    "dimension": "yellow",
    "output": "green",
    "query": "white",
}
_NARROW = 120  # columns of a terminal below which meaning and skeleton do not go side by side
_CELL = 60  # the widest that a value in a grid of rows is shown
_LEAST = 12  # the narrowest that such a value is cut to; with less, rows are shown one below the other
_ROWS = 20  # how many rows are shown where nobody says
_RECORDS = 5  # how many rows are shown in that way


def cell(value: Any, width: int = 60) -> str:
    """A value as one short line of plain text; control characters made visible."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        text = f"<{len(value)} bytes>"
    elif isinstance(value, float):
        text = f"{value:.6g}" if abs(value) < 1000 else f"{value:.2f}"
    else:
        text = str(value)
    text = "".join(ch if ch.isprintable() else "·" for ch in text)
    return text if len(text) <= width else text[: width - 1] + "…"


def _words(text: str, width: int) -> str:
    """Text as one line, cut between words where it is too long.

    >>> _words("name of customers whose country is Germany", 24)
    'name of customers whose…'
    """
    text = cell(" ".join(text.split()), 10 * width)
    return text if len(text) <= width else text[:width].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def hanging(console: Console, head: Text, body: Text) -> None:
    """A head and its text; where the text takes several lines of a terminal, the head keeps its margin."""
    if console.soft_wrap:
        console.print(head.append_text(body))
        return
    grid = Grid.grid()
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(head, body)
    console.print(grid)


def _print_grid(console: Console, grid: Grid) -> None:
    """A grid; without the blanks at the ends of its lines where it goes to a program."""
    if not console.soft_wrap:
        console.print(grid)
        return
    with console.capture() as captured:
        console.print(grid)
    console.print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def show_rows(console: Console, rows: Rows, most: int = _ROWS) -> None:
    """The first `most` rows, and how many there were: a grid, or a list a row where a grid is too wide."""
    texts = [[cell(value, _CELL) for value in row] for row in rows.rows[:most]]
    names = [cell(name, _CELL) for name in rows.columns]
    widest = [max(map(len, column)) for column in zip(names, *texts, strict=True)]
    room = console.width - 2 * len(names)
    fit = next((w for w in range(_CELL, _LEAST - 1, -1) if sum(min(w, one) for one in widest) <= room), None)
    if fit is not None or console.soft_wrap:
        _print_grid(console, _rows_grid(rows, names, texts, fit or _CELL))
    else:
        texts = texts[:_RECORDS]
        _show_records(console, names, texts)
    count = f"{len(rows.rows)}{'+' * rows.truncated} row{'s' * (len(rows.rows) != 1)}"
    more = ""
    if rows.truncated or len(rows.rows) > len(texts):
        shown = f"the first {len(texts)} shown" if len(texts) < len(rows.rows) else "there are more"
        more = f"; {shown}" + (" (--limit N shows N, --json all that was fetched)" if most >= _ROWS else "")
    console.print(f"{count}, {rows.seconds * 1000:.0f} ms{more}", style="dim")


def _rows_grid(rows: Rows, names: Sequence[str], texts: Sequence[Sequence[str]], width: int) -> Grid:
    grid = Grid(box=None, header_style="bold", pad_edge=False)
    for index, name in enumerate(names):
        shown = [row[index] for row in rows.rows[: len(texts)]]
        numeric = bool(shown) and all(isinstance(one, int | float | Decimal) or one is None for one in shown)
        grid.add_column(Text(cell(name, width)), justify="right" if numeric else "left", no_wrap=True)
    for row in texts:
        grid.add_row(*(Text(cell(text, width)) for text in row))
    return grid


def _show_records(console: Console, names: Sequence[str], texts: Sequence[Sequence[str]]) -> None:
    """Rows one below the other, a line a column."""
    wide = max(map(len, names))
    for number, row in enumerate(texts, 1):
        console.print(Text(f"row {number}", style="bold"))
        for name, text in zip(names, row, strict=True):
            hanging(console, Text(f"  {name:<{wide}}  ", style="dim"), Text(text))


def show_draft(
    console: Console, draft: Draft, latest: Callable[[Sequence[int]], StoredScript | None], most: int = _ROWS
) -> None:
    """The SQL with its citations in the margin, a line a citation, then the rows."""
    if draft.sql:
        listed = notes(draft.citations)
        for numbers, status, line in margin_lines(draft.sql, listed):
            head = Text(f"{numbers:>6} ", style="dim")
            head.append(MARKS.get(status, " ") + " ", style=STYLES[status])
            hanging(console, head, Text(line))
        console.print()
        for number, citation in enumerate(listed, 1):
            _show_note(console, str(number), citation, citation_text(citation, latest(citation.scripts)))
        whole = whole_query(draft.citations)
        if whole is not None:
            _show_note(console, "", whole, citation_text(whole, latest(whole.scripts)))
        if listed or whole is not None:
            console.print()
    elif draft.attempts and draft.attempts[-1].sql:
        console.print(Text("not run: " + cell(" ".join(draft.attempts[-1].sql.split()), 600), style="dim"))
    if draft.error:
        console.print(Text(draft.error, style="red"))
    for left in draft.uncovered:
        console.print(Text(uncovered_text(left), style="yellow"))
        for item in _to_add(left):
            console.print(Text(f"  to add it: sqlore refine --add {item.item} --apply", style="dim"))
    if draft.result is not None:
        show_rows(console, draft.result, most)
    console.print(usage_text(draft.usage, len(draft.attempts)), style="dim")


def uncovered_text(left: Uncovered) -> str:
    """What the SQL leaves out of the question, and what the history uses for it.

    >>> uncovered_text(Uncovered("after 1970", 22, 32))
    "'after 1970': nothing in this SQL answers it"
    >>> from sqlore.model import GoesWith
    >>> uncovered_text(Uncovered("seniors", 16, 23, (GoesWith(7, "condition", "m.cat = 3", (4,)),), "2"))
    "'seniors': in the history it goes with m.cat = 3 (item 7, 1 script), not 2"
    >>> uncovered_text(Uncovered("Bonn", 19, 23, instead="ev.city = 'Ulm'"))
    "'Bonn' is not in this SQL: it has ev.city = 'Ulm'"
    """
    items = [f"{cell(i.sql, 200)} (item {i.item}, {plural(len(i.scripts), 'script')})" for i in left.items]
    known = (" and " if _together(left) else " or ").join(items)
    if left.instead and not left.items:
        return f"'{cell(left.phrase)}' is not in this SQL: it has {cell(left.instead, 200)}"
    if left.instead:
        return f"'{cell(left.phrase)}': in the history it goes with {known}, not {left.instead}"
    said = f"'{cell(left.phrase)}': nothing in this SQL answers it"
    return said + (f"; in the history it goes with {known}" if known else "")


def _to_add(left: Uncovered) -> Sequence[GoesWith]:
    """What of that would be put in: all of one thing, else the most telling; nothing for a value."""
    if left.instead:
        return ()
    return left.items if _together(left) else left.items[:1]


def _together(left: Uncovered) -> bool:
    """Whether what the history uses for the words stands in the same scripts: then all of it is meant."""
    return len({frozenset(item.scripts) for item in left.items}) == 1


def _show_note(console: Console, number: str, citation: Citation, said: str) -> None:
    head = Text(f"{number:>6} ", style="dim")
    status = shown_status(citation)
    head.append(MARKS[status] + " ", style=STYLES[status])
    head.append(f"{citation.kind:<12}", style=KIND_STYLES[citation.kind])
    hanging(console, head, Text(said, style="default"))


def show_items(
    console: Console, items: Sequence[KnowledgeItem], scores: Sequence[float] | None = None
) -> None:
    """Items, one a row: kind, support, what it means, its skeleton (below it where there is little room)."""
    below = console.width < _NARROW
    grid = Grid(box=None, header_style="bold", pad_edge=False)
    names = (
        "id",
        *(("score",) if scores else ()),
        "kind",
        "used",
        "meaning",
        *(() if below else ("skeleton",)),
    )
    for name in names:
        grid.add_column(name, justify="right" if name in {"id", "score", "used"} else "left", overflow="fold")
    for index, item in enumerate(items):
        flag = "" if item.trust == "unverified" else f" [{item.trust}]"
        flag += " [synthetic]" if item.synthetic else ""
        flag += " [stale]" if item.stale else ""
        meaning = Text(_words(item.description, 110) + flag)
        skeleton = Text(_words(item.skeleton, 110), style="dim")
        grid.add_row(
            str(item.id),
            *((f"{scores[index]:.2f}",) if scores else ()),
            Text(item.kind, style=KIND_STYLES[item.kind]),
            str(item.support),
            *((Text("\n").join([meaning, skeleton]),) if below else (meaning, skeleton)),
        )
    _print_grid(console, grid)


def show_scripts(console: Console, scripts: Sequence[tuple[float | None, StoredScript]]) -> None:
    """Scripts: what each is for, where it comes from, its SQL."""
    for score, stored in scripts:
        mark = f"{score:.2f}  " if score is not None else "      "
        said = "synthetic" if stored.synthetic else ""
        known = (stored.script.key, stored.script.author, stored.script.time, said)
        origin = ", ".join(str(p) for p in dict.fromkeys(known) if p)
        hanging(console, Text(mark), Text(stored.script.text or stored.description, style="bold"))
        hanging(console, Text("      "), Text(origin, style="dim"))
        hanging(console, Text("      "), Text(_words(stored.script.sql, 600)))


def show_item(
    console: Console,
    item: KnowledgeItem,
    scripts: Sequence[StoredScript],
    changes: Sequence[Change] = (),
) -> None:
    """Everything known of one item."""
    console.print(Text(f"{item.kind} {item.id}: {item.name}", style=f"bold {KIND_STYLES[item.kind]}"))
    seen = dict.fromkeys(time for time in (item.first_seen, item.last_seen) if time)
    facts = [
        ("meaning", item.description),
        ("also called", ", ".join(item.aliases)),
        ("skeleton", item.skeleton),
        ("as written", item.sql),
        ("used in", _used(item)),
        ("authors", ", ".join(item.authors)),
        ("seen", " to ".join(seen)),
        ("values", _values(item)),
        ("trust", f"{item.trust}, version {item.version}"),
        *((one.what, _change(one)) for one in changes),
        ("stale", item.stale or ""),
    ]
    for name, value in facts:
        if value:
            hanging(console, Text(f"  {name:<12}", style="dim"), Text(value, style="default"))
    if scripts:
        console.print(Text("  scripts", style="dim"))
        show_scripts(console, [(None, s) for s in scripts[:5]])
        if len(scripts) > 5:
            console.print(f"      and {len(scripts) - 5} more", style="dim")


def _values(item: KnowledgeItem) -> str:
    """The values seen, most frequent first; in the place of a parameter nobody knows which they were."""
    said: Counter[str] = Counter()
    for values, count in item.literals:
        if values:
            said[", ".join("a parameter" if is_placeholder(one) else one for one in values)] += count
    return "; ".join(f"{values} ({count})" for values, count in said.most_common(8))


def _used(item: KnowledgeItem) -> str:
    if item.synthetic:
        return f"no script that was run; {plural(len(item.scripts), 'synthetic script')}"
    return f"{plural(item.support, 'script')}, {plural(item.runs, 'run')}"


def _change(change: Change) -> str:
    why = f": {change.why}" if change.why else ""
    return f"{change.new} by {change.who or 'unknown'}, {change.time}{why}"
