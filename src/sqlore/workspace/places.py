"""Where the knowledge of a database is kept, and whether a file or a database is still the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlore.files import write_whole

if TYPE_CHECKING:
    from sqlore.engines import Engine

__all__ = ["CURRENT", "identity_of", "remembered", "set_remembered", "state_of", "store_path"]

CURRENT: Final = "current"
"""The file beside the stores that names the one last learned into."""


def remembered(home: Path) -> Path | None:
    """The store last learned into; None where there is none, or the file that says so is empty."""
    pointer = home / CURRENT
    name = pointer.read_text(encoding="utf-8", errors="replace").strip() if pointer.is_file() else ""
    return home / name if name else None


def set_remembered(store: Path) -> None:
    """Remembers a store, in its folder. The file is replaced as a whole: a kill leaves the one before."""
    write_whole(store.with_name(CURRENT), store.name + "\n")


def store_path(home: Path, url: str) -> Path:
    """Where the knowledge of a database is kept: a readable name and a hash of its place.

    >>> store_path(Path(".sqlore"), "sqlite:////data/shop.sqlite").name.startswith("shop-")
    True
    """
    from sqlore.engines import name_of

    name = name_of(url)
    # a database on a server may have any name, a file has one that files can have
    stem = (name if Path(name).name == name else re.sub(r"\W", "_", name))[:80] or "database"
    return home / f"{stem}-{hashlib.sha256(url.encode()).hexdigest()[:8]}.sqlore"


def identity_of(file: Path) -> tuple[int, int] | None:
    """Which file it is that has this name now."""
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def state_of(engine: Engine, files: Sequence[Path]) -> str:
    """Changes when the database or a dictionary file may have changed."""
    parts = [engine.url, engine.fingerprint()]
    for file in sorted(files):
        inner = sorted(file.rglob("*")) if file.is_dir() else [file]
        parts += [f"{one}:{one.stat().st_size}:{one.stat().st_mtime_ns}" for one in inner if one.exists()]
        parts += [f"{file}: gone"] * (not file.exists())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
