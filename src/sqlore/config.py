"""Settings: arguments first, then the environment (`SQLORE_…`), then `sqlore.toml`, then the defaults.

The file is looked for in the working directory, then in the user's configuration folder
(`~/.config/sqlore/sqlore.toml`). Everything has a default: sqlore works with no settings at all.
"""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from sqlore.errors import ConfigError
from sqlore.passwords import keep_password

__all__ = ["FILE_NAME", "Settings", "cache_dir", "load_settings"]

FILE_NAME = "sqlore.toml"


def _xdg(variable: str, fallback: str) -> Path:
    return Path(os.path.expanduser(os.environ.get(variable) or f"~/{fallback}")) / "sqlore"


def cache_dir() -> Path:
    """Where what can be had again is kept: model files, the demo (`XDG_CACHE_HOME`, else `~/.cache`)."""
    return _xdg("XDG_CACHE_HOME", ".cache")


def _files() -> list[Path]:
    # later files win in pydantic-settings, so the working directory comes last
    return [_xdg("XDG_CONFIG_HOME", ".config") / FILE_NAME, Path.cwd() / FILE_NAME]


class Settings(BaseSettings):
    """What can be set; each field is also `SQLORE_<NAME>` in the environment.

    >>> Settings(row_limit=5).row_limit
    5
    """

    model_config = SettingsConfigDict(env_prefix="SQLORE_", extra="forbid", frozen=True)

    db: str | None = Field(None, description="database asked by default, as a URL or a file")
    store: Path | None = Field(None, description="knowledge store; default: one per database in .sqlore/")
    home: Path = Field(Path(".sqlore"), description="folder that holds the stores")
    dictionary: Annotated[list[Path], NoDecode] = Field(
        default_factory=list, description="data dictionary files"
    )

    model: str = Field("local", description="local, local:FILE, openai:MODEL@BASE_URL, replay:FILE, none")
    api_key: SecretStr | None = Field(None, description="key of the remote model")
    model_timeout: float = Field(
        300.0, gt=0, le=86_400, description="seconds to wait for one answer of the model"
    )
    price_prompt: float | None = Field(None, description="cost of a million prompt tokens")
    price_completion: float | None = Field(None, description="cost of a million generated tokens")
    embedder: str = Field("default", description="default, openai:MODEL@BASE_URL, st:NAME")
    mask: bool = Field(False, description="mask literals and samples before anything goes to a remote model")

    row_limit: int = Field(200, ge=1, le=10_000_000, description="rows fetched of a result at most")
    query_timeout: float = Field(30.0, gt=0, le=86_400, description="seconds a query may run")
    strategy: str = Field("ltmp_history", description="how a question is put to the model")
    prompt_tokens: int = Field(3000, ge=500, le=10_000_000, description="budget of a prompt, in tokens")
    training: Path | None = Field(None, description="examples of other databases; default: sqlore's own")
    scripts: int = Field(4, ge=0, le=1000, description="worked examples in a prompt at most")
    repairs: int = Field(2, ge=0, le=5, description="times the model may mend SQL that failed")
    retrieve_filter: bool = Field(False, description="ask the model which of what was retrieved is needed")
    reuse: Literal["known", "all", "none"] = Field(
        "known",
        description="questions answered without the model: known (asked before word for word),"
        " all (also with other values), none",
    )
    samples: int = Field(1, ge=1, le=16, description="answers sampled a question; the best is voted for")
    second_look: bool = Field(False, description="ask once more where a result is empty, NULL or of no value")
    mend_joins: bool = Field(True, description="add a join that is certain where a query forgot its table")
    link_values: bool = Field(True, description="tell the values of the database that a question names")
    join_path: bool = Field(False, description="tell how the tables that a question touches are joined")
    reword_steps: bool = Field(
        False, description="ltmp_da_gp: steps of its examples in the model's own words"
    )
    narrow_schema: Literal["off", "auto", "always"] = Field(
        "auto", description="show only what a question touches of the schema: off, auto (too large), always"
    )

    @field_validator("reuse", mode="before")
    @classmethod
    def _also_yes_and_no(cls, reuse: Any) -> Any:
        """It was a switch once: yes is everything, no nothing."""
        text = str(reuse).strip().lower()
        if text in ("true", "1", "yes", "on"):
            return "all"
        return "none" if text in ("false", "0", "no", "off") else reuse

    @field_validator("dictionary", mode="before")
    @classmethod
    def _paths(cls, given: Any) -> Any:
        """In the environment a path, several as in PATH, or a list as JSON writes it."""
        if not isinstance(given, str):
            return given
        if given.lstrip().startswith("["):
            return json.loads(given)
        return [path for path in given.split(os.pathsep) if path]

    @field_validator("db", "model", "embedder")
    @classmethod
    def _without_password(cls, url: str | None) -> str | None:
        """A password in a URL is kept apart at once: settings are shown, and written beside results."""
        return None if url is None else keep_password(url)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then environment, then the TOML files."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=_files())


def load_settings(**given: Any) -> Settings:
    """The settings in force; arguments that are None count as not given.

    Raises:
        ConfigError: a value cannot be used; names the setting and where it may come from.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "settings"
        raise ConfigError(
            f"setting {name!r}: {first['msg']}",
            where=f"the command line, SQLORE_{name.upper()} or {FILE_NAME}",
            hint=f"the settings are {', '.join(Settings.model_fields)}"
            if first["type"] == "extra_forbidden"
            else "`sqlore doctor` shows the settings in force",
        ) from None
    except SettingsError as error:  # a value that is to be JSON and is none
        raise ConfigError(str(error), where="the environment", hint="SQLORE_… holds the settings") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        places = " or ".join(str(file) for file in _files() if file.is_file())
        raise ConfigError(
            f"{FILE_NAME} is not valid TOML: {error}", where=places, hint="mend the file, or remove it"
        ) from None
