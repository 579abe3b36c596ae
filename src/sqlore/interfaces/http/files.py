"""The web app's files: out of the package, or a short page that says how to build them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

__all__ = ["mount"]

_MISSING: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>sqlore</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 4rem auto; padding: 0 1.5rem }
  code { font-family: ui-monospace, monospace }
</style>
<h1>sqlore</h1>
<p>The server runs, but the web app is not built here. In the source tree, build it once:</p>
<pre><code>make web</code></pre>
<p>The API works without it: <a href="/api/openapi.json">its OpenAPI document</a>,
<a href="/api/health">how things stand</a>.</p>
</html>
"""


class _App(StaticFiles):
    """The files of a single-page app: an address that is no file is one of its views."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        asked = scope["path"]  # as it was sent: `path` has no ".." in it any more
        if asked == "/api" or asked.startswith("/api/"):
            raise HTTPException(404, f"there is no {asked}")
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or "." in path.rsplit("/", 1)[-1]:
                raise
            response = await super().get_response("index.html", scope)
            path = "index.html"
        # names under assets/ have a hash of their content; the page that names them is asked for each time
        lasting = path.startswith("assets/")
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if lasting else "no-cache"
        return response


def mount(app: FastAPI, folder: Path) -> None:
    """Serves the app of a folder at ``/``, or the page that says how to build it."""
    if (folder / "index.html").is_file():
        app.mount("/", _App(directory=folder, html=True), name="app")
        return

    @app.get("/", include_in_schema=False)
    def missing() -> HTMLResponse:
        return HTMLResponse(_MISSING)
