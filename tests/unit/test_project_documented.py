"""A command or option that `docs/cli.md` does not name fails here."""

from __future__ import annotations

import typing
from dataclasses import fields

import pytest
import typer

from sqlore.answer.refine.change import DraftItem
from sqlore.answer.refine.donors import Alternative
from sqlore.answer.refine.history import Refinement
from sqlore.interfaces.cli.app import app
from sqlore.prompts import STRATEGIES
from support import ROOT

DOCUMENT = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def _commands() -> dict[str, typing.Any]:
    root = typer.main.get_command(app)
    found = {}
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", None)
        if inner is None:
            found[name] = command
        else:
            found.update({f"{name} {sub}": c for sub, c in inner.items()})
    return found


COMMANDS = _commands()


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_a_section(name: str) -> None:
    assert f"## sqlore {name}\n" in DOCUMENT


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_is_named_in_the_section_of_its_command(name: str) -> None:
    section = DOCUMENT.split(f"## sqlore {name}\n", 1)[1].split("\n## ", 1)[0]
    options = [o for p in COMMANDS[name].params for o in p.opts if o.startswith("--") and o != "--help"]
    assert [o for o in options if f"`{o}" not in section] == []


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_and_option_says_what_it_does(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    assert [p.name for p in command.params if not getattr(p, "help", None)] == []


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("items", [one.name for one in fields(DraftItem)]),
        ("refinement", list(Refinement("off", "a", ()).to_json())),
        ("alternatives", [one.name for one in fields(Alternative)]),
    ],
)
def test_every_key_of_refine_is_named(name: str, keys: list[str]) -> None:
    section = DOCUMENT.split("## sqlore refine\n", 1)[1].split("\n## ", 1)[0]
    named = section.split(f'"{name}": ', 1)[1].partition("}")[0]
    assert [key for key in keys if f'"{key}"' not in named] == []


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_every_strategy_is_described(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")
