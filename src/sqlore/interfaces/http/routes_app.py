"""The app itself: how things stand, settings, the baseline switch, the event log."""

from __future__ import annotations

import json
from typing import Annotated, Any, get_args

from annotated_types import Ge, Gt, Le, Lt
from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import SecretStr

from sqlore import __version__
from sqlore.config import Settings
from sqlore.errors import SqloreError
from sqlore.interfaces.http.contract_app import (
    AppPatch,
    AppState,
    Database,
    Health,
    Held,
    LoggedEvent,
    NewEvent,
    Setting,
    SettingsPatch,
)
from sqlore.interfaces.http.methods import EVERY, refuse
from sqlore.interfaces.http.preferences import CHANGEABLE
from sqlore.interfaces.http.state import Served, served
from sqlore.passwords import without_password

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["app"])
State = Annotated[Served, Depends(served)]


@router.get("/health")
def health(state: State, request: Request) -> Health:
    """How things stand: the database, what was learned, the model."""
    from sqlore.prompts import STRATEGIES

    problems: list[str] = []
    shown = Health(status="ok", version=__version__, learned=False, strategies=list(STRATEGIES))
    try:
        shown.database = _database(state)
        shown.learned = state.store is not None
        shown.held = _held(state)
    except SqloreError as error:
        problems.append(error.report())
    try:
        shown.model, shown.remote = state.model.name, state.model.remote
    except SqloreError as error:
        problems.append(error.report())
    reviewing = request.app.state.reviewing
    shown.review = reviewing.file.name if reviewing is not None else None
    shown.problems = problems
    shown.status = "degraded" if problems else "ok"
    return shown


def _database(state: Served) -> Database:
    with state.engine() as engine:  # a new connection: whether it is still there
        return Database(
            name=engine.name,
            dialect=engine.dialect,
            place=without_password(engine.url),
            tables=len(engine.schema().tables),
        )


def _held(state: Served) -> Held | None:
    store = state.store
    if store is None:
        return None
    stats = store.stats()
    return Held(
        scripts=stats.scripts,
        items=stats.items,
        runs=stats.runs,
        rejected=stats.rejected,
        stale=stats.stale,
        synthetic=stats.synthetic,
        by_kind=dict(stats.by_kind),
        by_trust={str(trust): count for trust, count in stats.by_trust.items()},
    )


# ------------------------------------------------------------------ switches and settings


@router.get("/app")
def app_state(state: State) -> AppState:
    """The app's own switches."""
    return _switches(state)


@router.patch("/app")
def turn(asked: AppPatch, state: State) -> AppState:
    """Turns switches: the baseline, the event log, who uses the app."""
    facts = {name: getattr(asked, name) for name in asked.model_fields_set}
    state.preferences.set(**{name: value for name, value in facts.items() if value is not None})
    if asked.baseline is not None:
        state.log.add("other", "baseline on" if asked.baseline else "baseline off")
    return _switches(state)


def _switches(state: Served) -> AppState:
    chosen = state.preferences
    return AppState(baseline=chosen.baseline, logging=chosen.logging, user=state.who)


@router.get("/settings")
def settings(state: State) -> list[Setting]:
    """All settings in force. Secrets are never sent."""
    return [_setting(state.lore.settings, name) for name in Settings.model_fields]


@router.patch("/settings")
def change_settings(asked: SettingsPatch, state: State) -> list[Setting]:
    """Changes settings, also for the next start. Those that decide where data goes cannot be changed here."""
    state.change_settings(asked.values)
    return settings(state)


def _setting(chosen: Settings, name: str) -> Setting:
    field = Settings.model_fields[name]
    value, default = getattr(chosen, name), field.get_default(call_default_factory=True)
    limits: dict[type, float] = {type(rule): bound_of(rule) for rule in field.metadata}
    words = [choice for choice in get_args(field.annotation) if isinstance(choice, str)]
    return Setting(
        name=name,
        value=_sendable(value),
        default=_sendable(default),
        description=field.description or "",
        type="choice" if words else type(default if default is not None else "").__name__,
        choices=words,
        minimum=limits.get(Ge, limits.get(Gt)),
        maximum=limits.get(Le, limits.get(Lt)),
        changeable=name in CHANGEABLE,
        changed=value != default,
    )


def bound_of(rule: Any) -> float:
    """The bound that a rule sets.

    >>> bound_of(Ge(3))
    3.0
    """
    return float(next((getattr(rule, name) for name in ("ge", "gt", "le", "lt") if hasattr(rule, name)), 0))


def _sendable(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return "•••"
    if isinstance(value, list):
        return [str(one) for one in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return without_password(str(value))


# ------------------------------------------------------------------ the event log


@router.post("/events", status_code=204)
def log(asked: NewEvent, state: State) -> Response:
    """Logs what was done in the app, where the log is switched on; else nothing is kept."""
    state.log.add(asked.phase, asked.action, asked.draft, **asked.detail)
    return Response(status_code=204)


@router.get("/events")
def events_logged(
    state: State, draft: Annotated[str | None, Query(description="Only those of this draft.")] = None
) -> list[LoggedEvent]:
    """Everything that was logged, in time."""
    return [LoggedEvent.model_validate(one) for one in state.log.lines(draft)]


@router.get("/events/export", responses={200: {"content": {"application/x-ndjson": {}}}})
def export_events(state: State) -> Response:
    """The event log as a file: one JSON object a line."""
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in state.log.lines())
    return Response(
        text,
        media_type="application/x-ndjson",
        headers={"Content-Disposition": 'attachment; filename="events.jsonl"'},
    )


@router.delete("/events", status_code=204)
def clear_events(state: State) -> Response:
    """Deletes everything that was logged."""
    state.log.clear()
    return Response(status_code=204)


# ------------------------------------------------------------------ everything else


@router.api_route("/{rest:path}", methods=EVERY, include_in_schema=False)
def nothing_here(request: Request) -> None:
    """What no operation answers. It stands last: routes are tried in their order."""
    refuse(request)
