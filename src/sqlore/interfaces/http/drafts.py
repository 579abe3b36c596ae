"""Drafts and sessions on disk: one JSON file each, replaced as a whole: a killed server loses nothing.

They are kept under ``.sqlore/drafts/<store>/``, beside the knowledge that they were made with.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from sqlore.answer.refine.history import DraftHistory, Refinement
from sqlore.errors import StoreError, UsageError
from sqlore.files import write_whole
from sqlore.interfaces.http.jobs import now
from sqlore.interfaces.http.kept import KeptDraft, KeptSession
from sqlore.interfaces.http.problems import Conflict, NotFound

__all__ = ["DraftFiles", "is_id", "new_id"]

PROPOSALS: Final = 8
"""Changes that were proposed and not applied, kept with a draft."""
RESTORABLE: Final = 3600
"""Seconds for which a deleted draft can be brought back; after them it is gone for good."""
_ID: Final = re.compile(r"[a-z2-7]{16}\Z")
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"


def new_id() -> str:
    """A name for an address that nobody guesses: 80 random bits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(16))


def is_id(text: str) -> bool:
    """Whether it is such a name: whatever else it is, it is no part of a path.

    >>> is_id(new_id()), is_id("../../secret")
    (True, False)
    """
    return _ID.match(text) is not None


class DraftFiles:
    """The drafts and sessions of one store. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.RLock()
        self._read: dict[str, tuple[int, KeptDraft]] = {}  # as the files were when they were listed last

    # -------------------------------------------------------------- drafts

    def new(self, question: str, **facts: Any) -> KeptDraft:
        """A draft that is not there yet, kept at once: it has an address from now on."""
        moment = now()
        facts.setdefault("status", "asking")
        draft = KeptDraft(new_id(), question, created=moment, changed=moment, **facts)
        self._write(self._file(draft.id), draft.to_json())
        return draft

    def get(self, id: str) -> KeptDraft:
        """The draft of that id. Raises `NotFound`; `StoreError` where its file is damaged."""
        file = self._file(id)
        with self._lock:
            try:
                return KeptDraft.from_json(json.loads(file.read_text(encoding="utf-8")))
            except FileNotFoundError:
                raise NotFound(f"there is no draft {id}", hint="it may have been deleted") from None
            except (ValueError, KeyError, TypeError, UsageError) as error:
                raise StoreError(
                    f"the draft cannot be read: {error}", where=str(file), hint="delete the file"
                ) from error

    def change(self, id: str, **facts: Any) -> KeptDraft:
        """The draft with other facts, kept."""
        with self._lock:
            draft = replace(self.get(id), changed=now(), **facts)
            self._write(self._file(id), draft.to_json())
        return draft

    def revise(self, id: str, act: Callable[[DraftHistory], DraftHistory]) -> KeptDraft:
        """The draft after something was done to its SQL as it is now: of two at a time, one after the other.

        The question of the SQL comes with it.

        Raises what `act` raises; `Conflict` where there is no SQL.
        """
        with self._lock:
            kept = self.get(id)
            if kept.history is None:
                raise Conflict("this draft has no SQL yet", hint="ask its question again")
            return self.change(id, error=None, **kept.moved(act(kept.history)))

    def propose(self, id: str, step: Refinement) -> str:
        """Keeps a proposed change with its draft and returns its id; the oldest ones go."""
        with self._lock:
            name = new_id()
            proposals = {**self.get(id).proposals, name: step}
            self.change(id, proposals=dict(list(proposals.items())[-PROPOSALS:]))
        return name

    def delete(self, id: str) -> None:
        """Deletes a draft; for a while `restore` brings it back. Raises `NotFound`."""
        with self._lock:
            self.get(id)
            self._forget_deleted()
            file = self._file(id)
            os.utime(file)  # the while begins now
            file.replace(file.with_suffix(".deleted"))

    def restore(self, id: str) -> KeptDraft:
        """A draft that was deleted a short while ago is there again.

        Raises `Conflict` where it was not deleted, `NotFound` where it is gone for good.
        """
        file = self._file(id)
        with self._lock:
            if file.exists():
                raise Conflict(f"the draft {id} was not deleted")
            self._forget_deleted()
            try:
                file.with_suffix(".deleted").replace(file)
            except FileNotFoundError:
                raise NotFound(f"there is no deleted draft {id}", hint="it is gone for good") from None
            return self.get(id)

    def _forget_deleted(self) -> None:
        for file in self.folder.glob("*.draft.deleted"):
            if time.time() - file.stat().st_mtime > RESTORABLE:
                file.unlink(missing_ok=True)

    def all(self) -> list[KeptDraft]:
        """All drafts that can be read, the last changed first."""
        with self._lock:
            read, self._read = self._read, {}
            for file in self.folder.glob("*.draft.json"):
                id = file.name.partition(".")[0]
                before = read.get(id)
                try:
                    stamp = file.stat().st_mtime_ns
                    self._read[id] = before if before and before[0] == stamp else (stamp, self.get(id))
                except (OSError, StoreError, UsageError):
                    continue  # one damaged file hides no other
            found = [draft for _, draft in self._read.values()]
        return sorted(found, key=lambda one: one.changed, reverse=True)

    def interrupted(self) -> None:
        """Drafts that a server of before left in the middle of their question say so; SQL that was there
        is as it was."""
        self._forget_deleted()
        for draft in self.all():
            if draft.status == "asking":
                status = "interrupted" if draft.history is None else "ready"
                self.change(draft.id, status=status, error="the server ended before the answer came")

    # -------------------------------------------------------------- sessions

    def new_session(self, title: str) -> KeptSession:
        """A session, kept."""
        moment = now()
        session = KeptSession(new_id(), title, moment, moment)
        self._write(self._session_file(session.id), asdict(session))
        return session

    def session(self, id: str) -> KeptSession:
        """The session of that id. Raises `NotFound`."""
        try:
            return KeptSession(**json.loads(self._session_file(id).read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            raise NotFound(f"there is no session {id}") from None

    def rename_session(self, id: str, title: str) -> KeptSession:
        """The session under another title."""
        with self._lock:
            session = replace(self.session(id), title=title, changed=now())
            self._write(self._session_file(id), asdict(session))
        return session

    def delete_session(self, id: str) -> None:
        """Deletes a session; its drafts stay, outside of any."""
        with self._lock:
            self.session(id)
            for draft in self.all():
                if draft.session == id:
                    self.change(draft.id, session=None)
            self._session_file(id).unlink(missing_ok=True)

    def sessions(self) -> list[KeptSession]:
        """All sessions, the last made first."""
        found = []
        for file in self.folder.glob("*.session.json"):
            try:
                found.append(self.session(file.name.partition(".")[0]))
            except NotFound:
                continue
        return sorted(found, key=lambda one: one.created, reverse=True)

    # -------------------------------------------------------------- files

    def _file(self, id: str) -> Path:
        if not is_id(id):
            raise NotFound("there is no draft of that id")
        return self.folder / f"{id}.draft.json"

    def _session_file(self, id: str) -> Path:
        if not is_id(id):
            raise NotFound("there is no session of that id")
        return self.folder / f"{id}.session.json"

    def _write(self, file: Path, data: dict[str, Any]) -> None:
        with self._lock:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                write_whole(file, json.dumps(data, ensure_ascii=False))
            except OSError as error:
                raise StoreError(
                    f"the draft cannot be kept: {error.strerror}",
                    where=str(file),
                    hint="is the disk full, or the folder read-only?",
                ) from error
