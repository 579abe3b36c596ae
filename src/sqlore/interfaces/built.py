"""Whether the web app is built here, how it is built where it is not, and how its packages are installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

__all__ = ["BUILD", "STATIC", "app_is_built", "with_extra"]

STATIC: Final = Path(__file__).parent / "http" / "static"
"""Where the built web app is; an installed wheel brings it."""
BUILD: Final = "make web, once; it needs Node 20 or later"
"""The command that builds it in a checkout, and what that needs."""


def app_is_built(folder: Path = STATIC) -> bool:
    """Whether there is an app in that folder; looked at anew each time, so that one built later is seen."""
    return (folder / "index.html").is_file()


def with_extra(extra: str) -> str:
    """The command that installs what an extra needs, in the way this package was installed: one that comes
    from a folder is on no index.

    >>> with_extra("serve").startswith("pip install ")
    True
    """
    folder = _installed_from()
    if folder is None:
        return f'pip install "sqlore[{extra}]"'
    where = "." if folder == Path.cwd() else str(folder)
    return f"pip install '{where}[{extra}]'"


def _installed_from() -> Path | None:
    """The folder that the package was installed from, as pip notes it; None for one of an index."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        noted = json.loads(distribution("sqlore").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    url = noted.get("url", "") if "dir_info" in noted else ""
    return Path(url2pathname(urlsplit(url).path)) if url.startswith("file:") else None
