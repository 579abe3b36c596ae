"""Addresses under ``/api`` that no operation answers: there is none, or it is asked for in another way."""

from __future__ import annotations

from typing import Final

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

__all__ = ["EVERY", "refuse"]

EVERY: Final = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


def refuse(request: Request) -> None:
    """Raises 405 with the methods that the address has, else 404.

    Without it the files of the web app, which are asked last, would say of every address that there is none.
    """
    path = request.scope["path"]
    allowed = {
        method.upper()
        for template, operations in request.app.openapi()["paths"].items()
        if compile_path(template)[0].match(path)
        for method in operations
    }
    if not allowed:
        raise HTTPException(404, f"there is no {path}")
    ways = ", ".join(sorted(allowed))
    raise HTTPException(405, f"{request.method} {path} cannot be done, only {ways}", {"Allow": ways})
