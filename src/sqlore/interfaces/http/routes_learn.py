"""Learning: files uploaded, learned, and what was not understood of them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from sqlore.errors import UsageError
from sqlore.interfaces.http.contract_jobs import Job as JobShown
from sqlore.interfaces.http.contract_knowledge import (
    Dismissed,
    LearnRequest,
    Rejected,
    Upload,
)
from sqlore.interfaces.http.drafts import is_id, new_id
from sqlore.interfaces.http.jobs import Job
from sqlore.interfaces.http.problems import NotFound
from sqlore.interfaces.http.state import Served, served
from sqlore.interfaces.http.views import learned_view
from sqlore.model import RejectReason

__all__ = ["router"]

router = APIRouter(prefix="/api")
State = Annotated[Served, Depends(served)]

_NAME: Final = re.compile(r"[^\w.() -]+")


@router.post(
    "/uploads",
    status_code=201,
    tags=["learn"],
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def upload(
    request: Request, state: State, name: Annotated[str, Query(min_length=1, max_length=300)]
) -> Upload:
    """Takes one file of a history, as raw bytes; `name` decides its format. It is learned with its id."""
    id = new_id()
    file = _uploads(state) / id / safe_name(name)
    file.parent.mkdir(parents=True)
    size = 0
    try:
        with file.open("wb") as out:
            async for chunk in request.stream():
                size += len(chunk)
                out.write(chunk)
    except ClientDisconnect:
        shutil.rmtree(file.parent, ignore_errors=True)
        raise HTTPException(413, "the file did not arrive whole, or is too large") from None
    return Upload(id=id, name=file.name, bytes=size)


def safe_name(name: str) -> str:
    r"""A name that is one file in one folder, whatever was sent.

    >>> safe_name("../../etc/passwd"), safe_name("a\\b.sql"), safe_name(".."), safe_name("Umsatz 1.sql")
    ('passwd', 'b.sql', 'upload.sql', 'Umsatz 1.sql')
    >>> len(safe_name("\u9500" * 300 + ".sql").encode())
    199
    """
    last = _NAME.sub("_", name.replace("\\", "/").rsplit("/", 1)[-1]).strip(". ")
    # its end, with what says the format: file systems take 255 bytes
    return last.encode()[-200:].decode(errors="ignore").strip(". ") or "upload.sql"


def _uploads(state: Served) -> Path:
    return state.lore.settings.home / "uploads"


@router.post("/learn", status_code=202, tags=["learn"])
def learn(asked: LearnRequest, state: State) -> JobShown:
    """Learns uploaded files and pasted SQL; what is known already is not learned again. The event ``learned``
    has the report; `GET /api/rejected` has what was not understood and why."""
    folders = [_uploads(state) / id for id in asked.uploads if is_id(id)]
    missing = [id for id in asked.uploads if not is_id(id) or not (_uploads(state) / id).is_dir()]
    if missing:
        raise NotFound(f"there is no upload {missing[0]}", hint="POST /api/uploads first")
    if asked.text is not None and asked.text.strip():
        folder = _uploads(state) / new_id()
        folder.mkdir(parents=True)
        (folder / safe_name(asked.name or "pasted.sql")).write_text(asked.text, encoding="utf-8")
        folders.append(folder)
    if not folders:
        raise UsageError("there is nothing to learn", hint="upload files, or paste SQL")
    state.log.add("knowledge", "learn", files=len(folders))
    return state.jobs.start("learn", _learning(state, asked, folders), turn=state.teaching).shown()


def _learning(state: Served, asked: LearnRequest, folders: list[Path]) -> Callable[[Job], None]:
    def work(job: Job) -> None:
        files = [file for folder in folders for file in sorted(folder.iterdir())]
        reading: dict[str, Any] = {
            "format": asked.format,
            "columns": asked.columns or None,
            "database": asked.database,
        }
        try:
            job.stage("reading")
            report = state.lore.learn(*files, dialect=asked.dialect, on_progress=job.stage, **reading)
        finally:
            for folder in folders:
                shutil.rmtree(folder, ignore_errors=True)
        job.emit(learned_view(report, state))

    return work


@router.get("/rejected", tags=["learn"])
def rejected(
    state: State, reason: RejectReason | None = None, limit: Annotated[int, Query(ge=1, le=5000)] = 500
) -> list[Rejected]:
    """What was kept and not learned, each with its reason and place."""
    return [
        Rejected(
            id=str(number),
            reason=one.reason,
            message=one.message,
            sql=one.script.sql,
            source=one.script.source,
            line=one.line,
            question=one.script.text,
            author=one.script.author,
        )
        for number, one in state.need_store().rejections(reason, limit)
    ]


@router.delete("/rejected", tags=["learn"])
def dismiss(
    state: State,
    id: Annotated[str | None, Query(pattern=r"^-?\d{1,19}$")] = None,
    reason: RejectReason | None = None,
) -> Dismissed:
    """Dismisses what was not learned: one, all of a reason, or all. A later run does not bring it back."""
    number = int(id) if id is not None else None
    return Dismissed(dismissed=state.need_store().dismiss(number, reason))


@router.delete("/uploads/{id}", status_code=204, tags=["learn"])
def forget_upload(id: str, state: State) -> Response:
    """Deletes a file that was uploaded and not learned."""
    folder = _uploads(state) / id
    if not is_id(id) or not folder.is_dir():
        raise NotFound("there is no upload of that id")
    shutil.rmtree(folder, ignore_errors=True)
    return Response(status_code=204)
