"""A history as it is really found: with failed attempts, near misses, older versions and broken text.

BIRD-History's own is clean, every script of it an answer that somebody checked; its limitations name what
logs are like. Here a known share of a history is noise, made from its own scripts, and a file says which is
which. Of two shares with the same seed the smaller one's noise is part of the larger one's.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from sqlglot.errors import SqlglotError

from sqlore.engines import Engine
from sqlore.errors import ParseError, SqlError, SqloreError, UsageError
from sqlore.evals.build.mutate import BROKEN_TEXT, FAILING, NEARLY, OLDER, Change
from sqlore.model import Schema, Script
from sqlore.sql import parse_script
from sqlore.sql.tree import parse_one

__all__ = ["KINDS", "Noise", "Spoiler", "noisy", "replayed", "write_history"]

#: The kinds of noise, in turn.
KINDS: Final = ("failed", "near_miss", "superseded", "syntax_error")
_CHANGES: Final = {"failed": FAILING, "near_miss": NEARLY, "superseded": OLDER}
#: How long before its script each was written.
_BEFORE: Final = {
    "failed": timedelta(minutes=10),
    "near_miss": timedelta(minutes=5),
    "superseded": timedelta(days=60),
    "syntax_error": timedelta(minutes=15),
}
_TRIES: Final = 60
_ROWS: Final = 1000


@dataclass(frozen=True, slots=True)
class Noise:
    """One noisy script: its key, the script it was made from, its kind, and what was done.

    `checked` says whether the database was asked that it fails, or gives something else.
    """

    key: str
    of: str
    kind: str
    what: str
    checked: bool = False


class Spoiler:
    """Makes noise from the scripts of one database.

    With an engine what is to fail fails there, and what is to run runs and gives other rows; else schema and
    parser alone vouch for it.
    """

    def __init__(
        self,
        scripts: Sequence[Script],
        *,
        dialect: str | None = None,
        schema: Schema | None = None,
        engine: Engine | None = None,
        seed: int = 0,
    ) -> None:
        self.scripts = list(scripts)
        self._dialect = dialect or "sqlite"
        self._schema, self._engine, self._seed = schema, engine, seed
        self._rows: dict[str, Any] = {}

    def noise(self, count: int) -> list[tuple[Script, Noise]]:
        """So many noisy scripts, kind after kind; fewer where the history gives no more."""
        made: list[tuple[Script, Noise]] = []
        seen = {_plain(one.sql) for one in self.scripts}
        number = 0
        while self.scripts and len(made) < count and number < count + 4 * len(self.scripts):
            found = self._one(number, seen)
            number += 1
            if found is not None:
                seen.add(_plain(found[0].sql))
                made.append(found)
        return made

    def _one(self, number: int, seen: set[str]) -> tuple[Script, Noise] | None:
        kind = KINDS[number % len(KINDS)]
        rng = random.Random(f"{self._seed}:{number}")
        for _ in range(_TRIES):
            script = rng.choice(self.scripts)
            spoiled = (
                self._broken(script, rng) if kind == "syntax_error" else self._spoiled(script, kind, rng)
            )
            if spoiled is None or _plain(spoiled[0]) in seen:
                continue
            sql, what = spoiled
            checked = self._engine is not None
            if kind != "syntax_error" and not self._as_meant(script.sql, sql, kind):
                continue
            key = f"{script.key}.{kind}{number}"
            time = _earlier(script.time, _BEFORE[kind])
            return replace(script, sql=sql, key=key, time=time, runs=1), Noise(
                key, script.key, kind, what, checked
            )
        return None

    def _spoiled(self, script: Script, kind: str, rng: random.Random) -> tuple[str, str] | None:
        try:
            tree = parse_one(script.sql, self._dialect)
        except (SqlglotError, RecursionError):
            return None
        name = rng.choice(list(_CHANGES[kind]))
        change: Change = _CHANGES[kind][name]
        told = change(tree, self._schema, rng)
        return None if told is None else (tree.sql(dialect=self._dialect), f"{name}: {told}")

    def _broken(self, script: Script, rng: random.Random) -> tuple[str, str] | None:
        name = rng.choice(list(BROKEN_TEXT))
        text = BROKEN_TEXT[name](script.sql, rng)
        try:
            parse_script(text, self._dialect, self._schema)
        except ParseError:
            return text, name
        except SqlError:
            return None
        return None

    def _as_meant(self, sql: str, spoiled: str, kind: str) -> bool:
        """Whether it fails, where it is to fail; else whether it runs and gives other rows."""
        try:
            parse_script(spoiled, self._dialect, self._schema)
        except SqlError:
            return False
        if self._engine is None:
            return True
        found = self._result(spoiled)
        if kind == "failed":
            return found is None
        return found is not None and found != self._result(sql)

    def _result(self, sql: str) -> Any:
        """The rows of a query, None where it fails."""
        assert self._engine is not None
        if sql not in self._rows:
            try:
                rows = self._engine.run(sql, limit=_ROWS, timeout=5.0)
                self._rows[sql] = Counter(map(repr, rows.rows))
            except SqloreError:
                self._rows[sql] = None
        return self._rows[sql]


def _plain(sql: str) -> str:
    return " ".join(sql.lower().split())


def _earlier(time: str | None, by: timedelta) -> str | None:
    if time is None:
        return None
    try:
        return (datetime.fromisoformat(time) - by).isoformat()
    except (ValueError, OverflowError):
        return time


def noisy(spoiler: Spoiler, share: float) -> tuple[list[Script], list[Noise]]:
    """The scripts with so much noise among them that it is `share` of all; each right before its own script.

    Raises `UsageError` for a share that is none, or where the history does not give so much.
    """
    if not 0 <= share < 1:
        raise UsageError(f"noise of {share:.0%} is no part of a history", hint="from 0 to 95 %")
    count = round(len(spoiler.scripts) * share / (1 - share))
    made = spoiler.noise(count)
    if len(made) < count:
        raise UsageError(f"the history gives no more than {len(made)} noisy scripts, {count} are wanted")
    before: dict[str, list[Script]] = {}
    for script, noise in made:
        before.setdefault(noise.of, []).append(script)
    scripts = [one for script in spoiler.scripts for one in (*before.get(script.key, ()), script)]
    return scripts, [noise for _, noise in made]


def replayed(scripts: Sequence[Script], share: float) -> list[Script]:
    """The first `share` of a history: in the order of time where all scripts have one, else as they come.

    >>> [one.key for one in replayed([Script("", "b", time="2025"), Script("", "a", time="2024")], 0.5)]
    ['a']
    """
    if not 0 < share <= 1:
        raise UsageError(f"{share:.0%} of a history is none", hint="from 1 to 100 %")
    ordered = list(scripts)
    if all(one.time for one in ordered):
        ordered.sort(key=lambda one: one.time or "")
    return ordered[: max(1, round(len(ordered) * share))]


def write_history(file: Path, scripts: Sequence[Script], truth: Sequence[Noise] | None = None) -> list[Path]:
    """Writes scripts as JSON lines that `read_history` reads; `truth` goes to ``NAME.truth.json``."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as lines:
        for one in scripts:
            print(json.dumps(_record(one), ensure_ascii=False), file=lines)
    if truth is None:
        return [file]
    beside = file.with_suffix(".truth.json")
    beside.write_text(
        json.dumps([asdict(one) for one in truth], ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    return [file, beside]


def _record(one: Script) -> dict[str, Any]:
    told = {
        "question_id": one.key,
        "db_id": one.database,
        "question": one.question,
        "comment": one.comment,
        "evidence": one.evidence,
        "SQL": one.sql,
        "author": one.author,
        "time": one.time,
        "dialect": one.dialect,
    }
    return {name: value for name, value in told.items() if value is not None} | {"runs": one.runs}
