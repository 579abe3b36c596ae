"""`sqlore demo`: the main job on the bundled business, with the history and without it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.interfaces.cli.common import err, out, progress, workspace

if TYPE_CHECKING:
    from rich.console import Console

    from sqlore.model import Draft
    from sqlore.workspace import Workspace

__all__ = ["demo", "demo_folder", "make_database"]


def demo_folder() -> Path:
    """The folder with the demo's scripts: in the installed package, or in the source tree.

    Raises:
        UsageError: it is in neither place.
    """
    from sqlore.errors import UsageError

    package = Path(__file__).resolve().parents[2]
    for folder in (package / "demo_data", package.parents[1] / "demo"):
        if (folder / "make_data.py").is_file():
            return folder
    raise UsageError("the demo's files are not here", hint="reinstall sqlore")


def make_database(folder: Path, file: Path) -> Path:
    """The demo database, made by its seeded script where it is not there yet."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".partial.sqlite")
        make = [sys.executable, str(folder / "make_data.py"), str(partial)]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        partial.replace(file)
    return file


def demo(
    model: Annotated[
        str | None, typer.Option("--model", metavar="SPEC", help="Another model than the local one.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", metavar="", help="Ask all questions, not the three featured.")
    ] = False,
) -> None:
    """Make a small business, learn what its analysts wrote, and answer questions with and without it."""
    import yaml

    from sqlore.config import cache_dir

    console, folder = out(), demo_folder()
    home = folder if folder.name == "demo" else cache_dir() / "demo"
    err().print("making the database of the demo (seeded, once)", style="dim")
    file = make_database(folder, home / "shop.sqlite")
    questions = yaml.safe_load((folder / "questions.yaml").read_text(encoding="utf-8"))["questions"]
    with workspace(str(file), dictionary=[folder / "dictionary.yaml"], model=model) as lore:
        _learn(console, lore, folder / "history")
        asked = [q for q in questions if every or q.get("featured")]
        right = {"without": 0, "with": 0}
        for question in asked:
            _compare(console, lore, question, right)
        _rule(console)
        console.print(
            f"Right without the history: {right['without']} of {len(asked)};"
            f" with it: {right['with']} of {len(asked)}."
        )
        console.print(f"Ask more: sqlore ask 'QUESTION' --db {file}")


def _rule(console: Console, title: str = "") -> None:
    """A line across the terminal, with a title in it; a short one where the output is piped."""
    if console.soft_wrap:
        console.print(f"── {title} ──" if title else "──")
    else:
        console.rule(title)


def _learn(console: Console, lore: Workspace, history: Path) -> None:
    from sqlore.interfaces.cli.learn import show_report

    _rule(console, "sqlore learn")
    with progress() as report:
        learned = lore.learn(history, on_progress=report)
    show_report(learned, lore.store.stats(), lore.store_file)


def _compare(console: Console, lore: Workspace, question: dict[str, Any], right: dict[str, int]) -> None:
    """One question, answered from the schema alone and then with the history."""
    from rich.text import Text

    from sqlore.interfaces.cli.ask import latest_of, stages
    from sqlore.interfaces.cli.render import show_draft

    _rule(console, question["question"])
    console.print(f"Known only to those who work there: {', '.join(question['needs'])}\n", style="dim")
    for name, strategy in (("without", "zero_shot"), ("with", "history")):
        with stages() as report:
            draft = lore.ask(question["question"], strategy=strategy, on_progress=report)
        good = _is_right(lore, draft, question["sql"])
        right[name] += good
        verdict, style = ("right", "green") if good else ("wrong", "red")
        console.print(Text(f"{name} the history", style="bold").append(": ").append(verdict, style))
        show_draft(console, draft, latest_of(lore.store), most=5)
        console.print()


def _is_right(lore: Workspace, draft: Draft, gold: str) -> bool:
    """Whether the draft's rows are those of the question's own SQL (BIRD's measure)."""
    from sqlore.evals.results import same_set

    if draft.result is None:
        return False
    return same_set(draft.result.rows, lore.engine.run(gold, limit=lore.settings.row_limit).rows)
