"""Errors as problem details (RFC 9457), made of the project's own tree of errors."""

from __future__ import annotations

import errno
import logging
import re
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from sqlore import errors
from sqlore.errors import SqlError, SqloreError
from sqlore.interfaces.http.contract import Problem

__all__ = ["MEDIA_TYPE", "Conflict", "NotFound", "answer", "install", "problem_of"]

MEDIA_TYPE: Final = "application/problem+json"
PREFIX: Final = "urn:sqlore:problem:"
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
_LOG: Final = logging.getLogger("sqlore.http")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class NotFound(errors.UsageError):
    """There is nothing of that name or number here."""


class Conflict(errors.UsageError):
    """It cannot be done now: something else is being done, or things have changed since."""


#: The status of a class of errors, and of those below it that have none of their own.
STATUS: Final[dict[type[Exception], int]] = {
    NotFound: 404,
    Conflict: 409,
    errors.UnsafeSql: 403,
    errors.SqlError: 422,
    errors.UsageError: 422,
    errors.QueryTimeout: 504,
    errors.QueryError: 422,
    errors.EngineError: 503,
    errors.SourceError: 422,
    errors.StoreError: 503,
    errors.ModelUnavailable: 503,
    errors.ModelTimeout: 504,
    errors.ModelError: 502,
}
_TITLES: Final = {
    400: "The request is not well formed",
    401: "A token is needed",
    403: "This is not allowed",
    404: "There is nothing here",
    405: "This cannot be done here",
    413: "This is too large",
    415: "This is not JSON",
    422: "The request cannot be carried out",
    507: "The disk is full",
}


def problem_of(error: SqloreError) -> Problem:
    """The problem that an error is.

    >>> problem_of(errors.UnknownName("no column x", position=7, line=1, column=8)).type
    'urn:sqlore:problem:unknown-name'
    """
    kinds = [_slug(one) for one in type(error).__mro__ if issubclass(one, SqloreError)]
    place = (error.position, error.line, error.column) if isinstance(error, SqlError) else (None,) * 3
    return Problem(
        type=PREFIX + kinds[0],
        title=kinds[0].replace("-", " ").capitalize(),
        status=next((STATUS[one] for one in type(error).__mro__ if one in STATUS), 400),
        detail=error.message,
        kinds=kinds,
        where=error.where,
        hint=error.hint,
        position=place[0],
        line=place[1],
        column=place[2],
    )


def unexpected(error: BaseException) -> Problem:
    """A fault of sqlore itself, in one line."""
    return Problem(
        type=PREFIX + "fault",
        title="Fault",
        status=500,
        detail=f"unexpected {type(error).__name__}: {error}",
        kinds=["fault"],
        hint="this is a fault of sqlore; the server's log says where it happened",
    )


def _slug(kind: type) -> str:
    return _HUMP.sub("-", kind.__name__).lower()


def answer(problem: Problem) -> JSONResponse:
    """The response of a problem."""
    return JSONResponse(
        problem.model_dump(exclude_none=True), status_code=problem.status, media_type=MEDIA_TYPE
    )


def plain_problem(status: int, detail: str, hint: str | None = None, **more: Any) -> Problem:
    """A problem of HTTP itself."""
    title = _TITLES.get(status, "It did not work")
    return Problem(type="about:blank", title=title, status=status, detail=detail, hint=hint, **more)


def install(app: FastAPI) -> None:
    """Every error of the application becomes a problem."""

    @app.exception_handler(SqloreError)
    async def deliberate(_: Request, error: SqloreError) -> JSONResponse:
        return answer(problem_of(error))

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        places = [
            {"at": ".".join(str(part) for part in one["loc"]), "message": one["msg"]}
            for one in error.errors()
        ]
        first = places[0] if places else {"at": "", "message": "not well formed"}
        return answer(plain_problem(422, f"{first['at']}: {first['message']}", errors=places))

    @app.exception_handler(HTTPException)
    async def of_http(_: Request, error: HTTPException) -> JSONResponse:
        response = answer(plain_problem(error.status_code, str(error.detail)))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(OSError)
    async def of_the_machine(_: Request, error: OSError) -> JSONResponse:
        _LOG.error("a request failed", exc_info=error)
        if error.errno in _NO_ROOM:
            room = "make room and try again; what was kept before is as it was"
            return answer(plain_problem(507, f"nothing can be kept: {error.strerror}", room))
        return answer(unexpected(error))

    @app.exception_handler(Exception)
    async def fault(_: Request, error: Exception) -> JSONResponse:
        _LOG.error("a request failed", exc_info=error)
        return answer(unexpected(error))
