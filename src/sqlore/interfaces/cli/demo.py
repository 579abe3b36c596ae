"""`sqlore demo`: the main job on the bundled business, with the history and without it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
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
    learn_only: Annotated[
        bool, typer.Option("--learn-only", metavar="", help="Make and learn the business; ask no question.")
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
        right: dict[str, list[bool | None]] = {"without": [], "with": []}
        if not learn_only:
            for question in [q for q in questions if every or q.get("featured")]:
                _compare(console, lore, question, right)
            _rule(console)
            console.print(_counted(right))
        console.print(next_steps(file))
    if right["with"] and not any(given is not None for way in right.values() for given in way):
        raise typer.Exit(1)


def _counted(right: dict[str, list[bool | None]]) -> str:
    """How many were right, and how many had no answer in time.

    >>> _counted({"without": [False, None], "with": [True, True]})
    'Right without the history: 0 of 2 (1 not answered in time); with it: 2 of 2.'
    """

    def told(given: Sequence[bool | None]) -> str:
        late = f" ({given.count(None)} not answered in time)" if None in given else ""
        return f"{given.count(True)} of {len(given)}{late}"

    return f"Right without the history: {told(right['without'])}; with it: {told(right['with'])}."


def next_steps(database: Path) -> str:
    """What to do after the demo: ask more, and the app, with the commands as they work here."""
    from sqlore.interfaces.built import BUILD, app_is_built

    here = Path.cwd()
    file = database.relative_to(here) if database.is_relative_to(here) else database
    command, db = _this_program(here), f"--db {shlex.quote(str(file))}"
    lines = [f"Ask more:  {command} ask 'QUESTION' {db}"]
    if app_is_built():
        lines.append(f"The app:   {command} serve {db}")
    elif (here / "web" / "package.json").is_file():
        lines.append(f"The app:   make serve            (the first time it builds the app: {BUILD})")
    else:
        lines.append(f"The app:   it is not built in this installation: in the checkout, {BUILD}")
    lines.append(f"Your own:  {command} learn --db YOUR-DATABASE --history FOLDER-OF-QUERIES")
    return "\n".join(lines)


def _this_program(here: Path) -> str:
    """How this program is called: by its name where a shell finds it, else by its place."""
    program = Path(sys.argv[0]).absolute()
    found = shutil.which("sqlore")
    if program.name != "sqlore" or (found and Path(found).resolve() == program.resolve()):
        return "sqlore"
    return shlex.quote(str(program.relative_to(here) if program.is_relative_to(here) else program))


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


def _compare(
    console: Console, lore: Workspace, question: dict[str, Any], right: dict[str, list[bool | None]]
) -> None:
    """One question, answered from the schema alone and then with the history.

    What the model does not answer in time is said, and the demo goes on.
    """
    from rich.text import Text

    from sqlore.errors import ModelTimeout
    from sqlore.interfaces.cli.ask import latest_of
    from sqlore.interfaces.cli.render import show_draft
    from sqlore.interfaces.cli.waiting import Stages

    _rule(console, question["question"])
    console.print(f"Known only to those who work there: {', '.join(question['needs'])}\n", style="dim")
    for name, strategy in (("without", "zero_shot"), ("with", None)):
        title = Text(f"{name} the history", style="bold").append(": ")
        try:
            with Stages() as told:
                draft = lore.ask(
                    question["question"], strategy=strategy, on_progress=told, on_model=told.model
                )
        except ModelTimeout as error:
            right[name].append(None)
            console.print(title.append("no answer in time", "yellow"))
            console.print(f"{error.message}; {error.hint}\n", style="dim")
            continue
        good = _is_right(lore, draft, question["sql"])
        right[name].append(good)
        console.print(title.append(*(("right", "green") if good else ("wrong", "red"))))
        show_draft(console, draft, latest_of(lore.store), most=5)
        console.print()


def _is_right(lore: Workspace, draft: Draft, gold: str) -> bool:
    """Whether the draft's rows are those of the question's own SQL (BIRD's measure)."""
    from sqlore.evals.results import same_set

    if draft.result is None:
        return False
    return same_set(draft.result.rows, lore.engine.run(gold, limit=lore.settings.row_limit).rows)
