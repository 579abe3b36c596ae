"""The application put together: routes, problems, the guard before them, and the web app's files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware.gzip import GZipMiddleware

from sqlore import __version__
from sqlore.interfaces.built import STATIC
from sqlore.interfaces.http import (
    problems,
    routes_app,
    routes_dictionary,
    routes_drafts,
    routes_examples,
    routes_knowledge,
    routes_learn,
    routes_review,
    routes_run,
    routes_sessions,
    routes_teach,
)
from sqlore.interfaces.http.contract import Problem
from sqlore.interfaces.http.files import mount
from sqlore.interfaces.http.security import Access, Guard
from sqlore.interfaces.http.state import Served

if TYPE_CHECKING:
    from sqlore.interfaces.http.reviews import Reviewing
    from sqlore.workspace import Workspace

__all__ = ["STATIC", "create_app"]

_ABOUT: Final = (
    "Ask, see what each part of the SQL means and does, correct one piece, and look after the knowledge."
    " Errors are problem details (RFC 9457). What takes long is a job: its events come as server-sent events"
    " from `/api/jobs/{id}/events`."
)
_TAGS: Final = (
    "ask", "drafts", "refine", "explain", "run", "trust", "knowledge", "dictionary", "learn", "review",
    "jobs", "app",
)  # fmt: skip


def create_app(
    lore: Workspace,
    access: Access | None = None,
    *,
    static: Path | None = None,
    review: Reviewing | None = None,
) -> FastAPI:
    """The application over a workspace, which is closed with it.

    `access` says who may come in: by default this machine alone. `static` is the folder of the built web app,
    `review` the review that people can take part in.
    """
    state = Served(lore)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        state.close()

    app = FastAPI(
        title="sqlore",
        version=__version__,
        description=_ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,  # these pages would load scripts of other sites
        redoc_url=None,
        lifespan=lifespan,
        openapi_tags=[{"name": name} for name in _TAGS],
        generate_unique_id_function=_operation,
        responses={"default": {"model": Problem, "description": "What went wrong."}},
    )
    app.state.served = state
    app.state.reviewing = review
    problems.install(app)
    for module in (
        routes_sessions,
        routes_drafts,
        routes_run,
        routes_knowledge,
        routes_learn,
        routes_teach,
        routes_examples,
        routes_dictionary,
        routes_review,
        routes_app,
    ):
        app.include_router(module.router)
    _document_problems(app)
    mount(app, static or STATIC)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, access=access or Access())
    return app


def _operation(route: APIRoute) -> str:
    """The name of an operation in the OpenAPI document: what it is about, and that of its function."""
    return "_".join([*map(str, route.tags[:1]), route.name])


def _document_problems(app: FastAPI) -> None:
    """In the document, what goes wrong is of the media type of problems, and nothing is FastAPI's own."""
    make = app.openapi

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = make()
            for operations in made["paths"].values():
                for operation in operations.values():
                    operation["responses"].pop("422", None)
                    failed = operation["responses"]["default"]
                    failed["content"] = {problems.MEDIA_TYPE: next(iter(failed["content"].values()))}
            for name in ("HTTPValidationError", "ValidationError"):
                made["components"]["schemas"].pop(name, None)
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]
