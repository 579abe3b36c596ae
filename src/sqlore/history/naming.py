"""What a file is called in a store: its path within what was learned, told apart from others called so.

Two teams may both have a ``report.sql``. What a source holds is counted, and what it holds no longer is
forgotten, by its name: each file needs one of its own, the same one whenever it is learned again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

__all__ = ["SourceNames"]


class SourceNames:
    """The names of the files that a store was learned from.

    Paths are kept as seen from `home`, the folder of the store, so that both may be moved together.

    >>> names = SourceNames(Path("/shop/.sqlore"))
    >>> names.name(Path("/shop/ann/report.sql"), Path("/shop/ann"))
    'report.sql'
    >>> names.name(Path("/shop/ann/report.sql"), Path("/shop"))
    'report.sql'
    """

    def __init__(self, home: Path, known: str | None = None) -> None:
        """`known` is what `text` gave before."""
        self.home = home
        self._paths: dict[str, str] = json.loads(known) if known else {}
        self._names = {path: name for name, path in self._paths.items()}

    def name(self, path: Path, root: Path) -> str:
        """The name of a file that was found below `root`: the one it has, else the shortest that is free.

        A name whose file is gone is free: the file was moved, and is the same source. So is one that the
        store has from a version before names were kept.
        """
        place = self._seen(path)
        if place not in self._names:
            name = next(name for name in _candidates(path, root) if self._free(name, place))
            self._names.pop(self._paths.get(name, ""), None)
            self._paths[name], self._names[place] = place, name
        return self._names[place]

    def text(self) -> str:
        """All names with their files, to be kept."""
        return json.dumps(self._paths, ensure_ascii=False)

    def _free(self, name: str, place: str) -> bool:
        taken = self._paths.get(name)
        return taken is None or taken == place or not os.path.exists(os.path.join(self.home, taken))

    def _seen(self, path: Path) -> str:
        full = os.path.abspath(path)
        try:
            return Path(os.path.relpath(full, os.path.abspath(self.home))).as_posix()
        except ValueError:  # another drive
            return full


def _candidates(path: Path, root: Path) -> list[str]:
    """The path within `root`, then with one folder more each time, at last the whole path."""
    full, base = Path(os.path.abspath(path)), Path(os.path.abspath(root))
    inner = full.relative_to(base).parts
    count = len(full.parts)
    ends = [Path(*full.parts[-take:]).as_posix() for take in range(len(inner), count)]
    return [*ends, full.as_posix()]
