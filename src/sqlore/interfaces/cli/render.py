"""What commands show to a person, drawn with rich: drafts, rows, items, scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table as Grid
from rich.text import Text

from sqlore.interfaces.cli.margin import MARKS, citation_text, margin_lines, notes
from sqlore.model import Draft, KnowledgeItem, Rows, StoredScript, Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

__all__ = ["cell", "show_draft", "show_item", "show_items", "show_rows", "show_scripts", "usage_text"]

STYLES = {"cited": "green", "near": "yellow", "novel": "red", "": "dim"}
KIND_STYLES = {
    "calculation": "magenta",
    "condition": "cyan",
    "relation": "blue",
    "dimension": "yellow",
    "output": "green",
    "query": "white",
}


def cell(value: Any, width: int = 60) -> str:
    """A value as one short line of plain text; control characters made visible."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        text = f"<{len(value)} bytes>"
    elif isinstance(value, float):
        text = f"{value:.6g}" if abs(value) < 1e6 else f"{value:.2f}"
    else:
        text = str(value)
    text = "".join(ch if ch.isprintable() else "·" for ch in text)
    return text if len(text) <= width else text[: width - 1] + "…"


def show_rows(console: Console, rows: Rows, most: int = 20) -> None:
    """The first `most` rows as a grid, and how many there were."""
    grid = Grid(box=None, header_style="bold", pad_edge=False)
    shown = rows.rows[:most]
    for index, name in enumerate(rows.columns):
        numeric = bool(shown) and all(isinstance(r[index], int | float) or r[index] is None for r in shown)
        grid.add_column(Text(cell(name)), justify="right" if numeric else "left", overflow="fold")
    for row in shown:
        grid.add_row(*(Text(cell(value)) for value in row))
    console.print(grid)
    count = f"{len(rows.rows)}{'+' * rows.truncated} row{'s' * (len(rows.rows) != 1)}"
    more = f", the first {most} shown" if len(rows.rows) > most else ""
    cut = "; there are more (raise --limit)" if rows.truncated else ""
    console.print(f"{count}{more}, {rows.seconds * 1000:.0f} ms{cut}", style="dim")


def show_draft(
    console: Console, draft: Draft, latest: Callable[[Sequence[int]], StoredScript | None], most: int = 20
) -> None:
    """The SQL with its citations in the margin, a line a citation, then the rows."""
    if draft.sql:
        listed = notes(draft.citations)
        for numbers, status, line in margin_lines(draft.sql, listed):
            text = Text(f"{numbers:>6} ", style="dim")
            text.append(MARKS.get(status, " ") + " ", style=STYLES[status])
            text.append(line)
            console.print(text)
        console.print()
        for number, citation in enumerate(listed, 1):
            text = Text(f"{number:>6} ", style="dim")
            text.append(MARKS[citation.status] + " ", style=STYLES[citation.status])
            text.append(f"{citation.kind:<12}", style=KIND_STYLES[citation.kind])
            text.append(citation_text(citation, latest(citation.scripts)))
            console.print(text)
        console.print()
    if draft.error:
        console.print(Text(draft.error, style="red"))
    if draft.result is not None:
        show_rows(console, draft.result, most)
    console.print(usage_text(draft.usage, len(draft.attempts)), style="dim")


def usage_text(usage: Usage, attempts: int = 1) -> str:
    """What the answer cost, in one line.

    >>> usage_text(Usage(prompt=900, cached=850, completion=40, seconds=2.5, calls=1))
    'model: 2.5 s, 50 prompt tokens read (850 from its cache), 40 written'
    """
    if not usage.calls:
        return "no model call"
    parts = [f"model: {usage.seconds:.1f} s, {usage.prompt - usage.cached} prompt tokens read"]
    parts[0] += f" ({usage.cached} from its cache)" if usage.cached else ""
    parts.append(f"{usage.completion} written")
    if attempts > 1:
        parts.append(f"{attempts} attempts")
    if usage.cost:
        parts.append(f"cost {usage.cost:.4f}")
    return ", ".join(parts)


def show_items(
    console: Console, items: Sequence[KnowledgeItem], scores: Sequence[float] | None = None
) -> None:
    """Items, one a row: kind, support, what it means, its SQL."""
    grid = Grid(box=None, header_style="bold", pad_edge=False)
    for name in ("id", *(("score",) if scores else ()), "kind", "used", "meaning", "skeleton"):
        grid.add_column(name, justify="right" if name in {"id", "score", "used"} else "left", overflow="fold")
    for index, item in enumerate(items):
        flag = "" if item.trust == "unverified" else f" [{item.trust}]"
        flag += " [stale]" if item.stale else ""
        grid.add_row(
            str(item.id),
            *((f"{scores[index]:.2f}",) if scores else ()),
            Text(item.kind, style=KIND_STYLES[item.kind]),
            str(item.support),
            Text(cell(item.description, 90) + flag),
            Text(cell(item.skeleton, 110), style="dim"),
        )
    console.print(grid)


def show_scripts(console: Console, scripts: Sequence[tuple[float | None, StoredScript]]) -> None:
    """Scripts: what each is for, where it comes from, its SQL."""
    for score, stored in scripts:
        mark = f"{score:.2f}  " if score is not None else ""
        origin = ", ".join(str(p) for p in (stored.script.key, stored.script.author, stored.script.time) if p)
        console.print(Text(f"{mark}{stored.script.text or stored.description}", style="bold"))
        console.print(Text(f"      {origin}", style="dim"))
        console.print(Text("      " + cell(" ".join(stored.script.sql.split()), 300)))


def show_item(console: Console, item: KnowledgeItem, scripts: Sequence[StoredScript]) -> None:
    """Everything known of one item."""
    console.print(Text(f"{item.kind} {item.id}: {item.name}", style=f"bold {KIND_STYLES[item.kind]}"))
    facts = [
        ("meaning", item.description),
        ("also called", ", ".join(item.aliases)),
        ("skeleton", item.skeleton),
        ("as written", item.sql),
        ("used in", f"{item.support} scripts, {item.runs} runs"),
        ("authors", ", ".join(item.authors)),
        ("seen", " to ".join(t for t in (item.first_seen, item.last_seen) if t)),
        ("values", "; ".join(f"{', '.join(v)} ({n})" for v, n in item.literals[:8] if v)),
        ("trust", f"{item.trust}, version {item.version}"),
        ("stale", item.stale or ""),
    ]
    for name, value in facts:
        if value:
            console.print(Text(f"  {name:<12}", style="dim").append(value, style="default"))
    if scripts:
        console.print(Text("  scripts", style="dim"))
        show_scripts(console, [(None, s) for s in scripts[:5]])
        if len(scripts) > 5:
            console.print(f"      and {len(scripts) - 5} more", style="dim")
