"""Language models behind one chat interface: endpoints, a file in process, functions, recordings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sqlore.errors import ConfigError, ModelUnavailable
from sqlore.llm.base import Answer, ChatModel, ModelSettings
from sqlore.llm.function import FunctionModel, NoModel
from sqlore.llm.replay import RecordingModel, ReplayModel
from sqlore.llm.weights import Progress
from sqlore.passwords import keep_password, with_password, without_password

if TYPE_CHECKING:
    from sqlore.config import Settings

__all__ = [
    "Answer",
    "ChatModel",
    "FunctionModel",
    "ModelSettings",
    "NoModel",
    "RecordingModel",
    "ReplayModel",
    "load_model",
]

SPECS = "local, local:FILE.gguf, openai:MODEL, openai:MODEL@BASE_URL, replay:FILE, none"


def load_model(
    spec: str | None = None,
    settings: ModelSettings | Settings | None = None,
    *,
    progress: Progress | None = None,
) -> ChatModel:
    """The model that `spec` names; without one what ``SQLORE_MODEL`` names, else ``local``.

    Nothing is loaded, fetched or connected to before the first question. `progress` is told how far the
    fetching of the local model's file is. Raises ConfigError for a spec that cannot be, ModelUnavailable
    where a named file does not exist.

    >>> load_model("none").name
    'none'
    """
    if settings is None:
        settings = ModelSettings()
    elif not isinstance(settings, ModelSettings):
        settings = ModelSettings.of(settings)
    spec = keep_password(spec or os.environ.get("SQLORE_MODEL") or "local")
    kind, _, rest = with_password(spec).partition(":")
    if kind == "none" and not rest:
        return NoModel()
    if kind == "local":
        return _local(rest, settings, progress)
    if kind == "openai" and rest:
        return _openai(rest, settings)
    if kind == "replay" and rest:
        return ReplayModel(Path(rest).expanduser())
    raise ConfigError(f"unknown model {spec!r}", hint=f"one of: {SPECS}")


def _local(path: str, settings: ModelSettings, progress: Progress | None) -> ChatModel:
    from sqlore.llm.local import LocalModel
    from sqlore.llm.weights import MODEL_NAME, check_file, find_model

    if path:
        named = Path(path).expanduser()
        return LocalModel(
            check_file(named), name=named.stem, context=settings.context, threads=settings.threads
        )
    folder, download = settings.cache_dir, settings.download
    return LocalModel(
        lambda: find_model(folder, download=download, progress=progress),
        name=MODEL_NAME,
        context=settings.context,
        threads=settings.threads,
    )


def _openai(target: str, settings: ModelSettings) -> ChatModel:
    from sqlore.llm.openai import OpenAIModel

    model, _, base_url = target.partition("@")
    if not model:
        raise ConfigError(
            f"no model is named in {without_password('openai:' + target)!r}", hint="openai:MODEL@BASE_URL"
        )
    base_url = base_url or os.environ.get("OPENAI_BASE_URL", "")
    key = settings.api_key or os.environ.get("SQLORE_API_KEY") or os.environ.get("OPENAI_API_KEY")
    if not base_url and not key:
        raise ModelUnavailable(
            f"{model} needs a key",
            hint="set SQLORE_API_KEY or OPENAI_API_KEY, or name another endpoint with @URL",
        )
    if base_url and not base_url.startswith(("http://", "https://")):
        raise ConfigError(
            f"not an endpoint's address: {without_password(base_url)!r}",
            hint="for example http://localhost:8000/v1",
        )
    return OpenAIModel(model, base_url=base_url or None, api_key=key, settings=settings)
