"""Whether the web app is built here, and how it is built where it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["BUILD", "STATIC", "app_is_built"]

STATIC: Final = Path(__file__).parent / "http" / "static"
"""Where the built web app is; an installed wheel brings it."""
BUILD: Final = "make web, once; it needs Node 20 or later"
"""The command that builds it in a checkout, and what that needs."""


def app_is_built(folder: Path = STATIC) -> bool:
    """Whether there is an app in that folder; looked at anew each time, so that one built later is seen."""
    return (folder / "index.html").is_file()
