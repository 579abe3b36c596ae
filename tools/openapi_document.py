"""The OpenAPI document of the HTTP API, of which the types of the web app are made: give it a file."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import sqlore.workspace
from sqlore.interfaces.http import create_app


def document() -> str:
    """The document as JSON. No database is opened: nothing of it is in the document."""
    with tempfile.TemporaryDirectory() as home:
        app = create_app(sqlore.workspace.open(home=home, model="none"))
        return json.dumps(app.openapi(), indent=1)


def main() -> None:
    """Writes the document, only where it has changed: what is built from it stays as it is then."""
    file, text = Path(sys.argv[1]), document()
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
