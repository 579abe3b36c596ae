"""The web app's files: out of the package, or, until it is built, a page that says how to build it."""

from __future__ import annotations

import html
import shlex
from pathlib import Path
from typing import Final

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from sqlore.interfaces.built import app_is_built

__all__ = ["mount"]

_MISSING: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="5">
<title>sqlore</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 4rem auto; padding: 0 1.5rem }
  code { font-family: ui-monospace, monospace }
</style>
<h1>sqlore</h1>
<p>The server runs, but the web app is not built here yet. It needs Node 20 or later, and is built once, in
another terminal:</p>
<pre><code>COMMAND</code></pre>
<p>Leave the server running: this page looks every few seconds, and becomes the app as soon as it is
there.</p>
<p>The API works without it: <a href="/api/openapi.json">its OpenAPI document</a>,
<a href="/api/health">how things stand</a>.</p>
</html>
"""


def build_command() -> str:
    """The command that builds the app, as it can be pasted; with the folder of the checkout."""
    root = Path(__file__).resolve().parents[4]
    if not (root / "web" / "package.json").is_file():
        return "make web    # in a checkout of sqlore"
    return "make web" if Path.cwd() == root else f"make -C {shlex.quote(str(root))} web"


_FILES: Final = ("assets/", "favicon", "apple-touch-icon", "robots", "manifest", "index.")
_FRESH: Final = {"Cache-Control": "no-cache"}
_LASTING: Final = {"Cache-Control": "public, max-age=31536000, immutable"}


class _App(StaticFiles):
    """The files of a single-page app: an address that is no file is one of its views."""

    async def check_config(self) -> None:
        """Nothing: that the folder is not there yet is no fault."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        asked = scope["path"]  # as it was sent: `path` has no ".." in it any more
        if asked == "/api" or asked.startswith("/api/"):
            raise HTTPException(404, f"there is no {asked}")
        if not app_is_built(Path(str(self.directory))):
            if "." in asked.rsplit("/", 1)[-1]:
                raise HTTPException(404, f"there is no {asked}: the web app is not built")
            page = _MISSING.replace("COMMAND", html.escape(build_command()))
            return HTMLResponse(page, 200 if asked == "/" else 404, headers=_FRESH)
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            # names in the addresses of views may have dots: /dictionary/sales.orders
            if error.status_code != 404 or ("." in path and path.startswith(_FILES)):
                raise
            response = await super().get_response("index.html", scope)
            path = "index.html"
        # names under assets/ have a hash of their content; the page that names them is asked for each time
        lasting = path.startswith("assets/")
        response.headers.update(_LASTING if lasting else _FRESH)
        return response


def mount(app: FastAPI, folder: Path) -> None:
    """Serves the app of a folder at ``/``, or the page that says how to build it.

    Which of them is decided anew for each request: what is built while the server runs is there at once.
    """
    app.mount("/", _App(directory=folder, html=True, check_dir=False), name="app")
