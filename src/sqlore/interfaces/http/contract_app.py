"""The words of the API for the app itself: how things stand, settings, switches, the event log."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from sqlore.interfaces.http.contract import Given
from sqlore.interfaces.http.log import Phase

__all__ = [
    "AppPatch",
    "AppState",
    "Database",
    "Health",
    "Held",
    "LoggedEvent",
    "NewEvent",
    "Setting",
    "SettingsPatch",
]


class Database(BaseModel):
    """The database that is asked. `place` is its address without a password."""

    name: str
    dialect: str
    place: str
    tables: int


class Held(BaseModel):
    """How much the knowledge store holds."""

    scripts: int
    items: int
    runs: int
    rejected: int
    stale: int
    synthetic: int
    by_kind: dict[str, int] = {}
    by_trust: dict[str, int] = {}


class Health(BaseModel):
    """How things stand. `problems` are what keeps something from working, each with what to do."""

    status: Literal["ok", "degraded"]
    version: str
    learned: bool
    database: Database | None = None
    held: Held | None = None
    model: str = ""
    remote: bool = False
    strategies: list[str] = []
    review: str | None = Field(default=None, description="The file whose tasks are reviewed here.")
    problems: list[str] = []


class AppState(BaseModel):
    """The app's own switches. `baseline`: new questions are answered without knowledge."""

    baseline: bool
    logging: bool
    user: str


class AppPatch(Given):
    """Switches to be turned."""

    baseline: bool | None = None
    logging: bool | None = None
    user: str | None = Field(default=None, max_length=200)


class Setting(BaseModel):
    """One setting of sqlore: its value in force, and whether it may be changed from here."""

    name: str
    value: Any = None
    default: Any = None
    description: str
    type: str
    choices: list[str] = []
    minimum: float | None = None
    maximum: float | None = None
    changeable: bool
    changed: bool = Field(description="Whether it differs from the default.")


class SettingsPatch(Given):
    """New values by name."""

    values: dict[str, Any]


class NewEvent(Given):
    """Something that was done in the app, for the event log."""

    phase: Phase
    action: str = Field(min_length=1, max_length=200)
    draft: str | None = Field(default=None, max_length=40)
    detail: dict[str, Any] = {}


class LoggedEvent(BaseModel):
    """One line of the event log."""

    time: str
    phase: str
    action: str
    draft: str | None = None
    baseline: bool = False
    detail: dict[str, Any] = {}
