"""Passwords in addresses: taken out of every form, given back only for connecting."""

from __future__ import annotations

import pytest

import sqlore.llm.base
from sqlore.config import Settings
from sqlore.embed import load_embedder
from sqlore.embed.remote import EndpointEmbedder
from sqlore.errors import ConfigError, ModelUnavailable
from sqlore.llm import ModelSettings, load_model
from sqlore.model import Message
from sqlore.passwords import (
    also_known_as,
    argument_without_password,
    keep_password,
    with_password,
    without_password,
)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:secret@h:5432/db?sslmode=require", "postgresql://u@h:5432/db?sslmode=require"),
        ("postgresql://u:@h/db", "postgresql://u@h/db"),
        ("postgresql://:secret@h/db", "postgresql://@h/db"),
        ("mysql://u:sec/ret@h/db", "mysql://u@h/db"),
        ("mysql://u:sec@ret@h/db", "mysql://u@h/db"),
        ("mysql://u:sec?ret@h/db", "mysql://u@h/db"),
        ("mysql://u:sec#ret@h/db", "mysql://u@h/db"),
        ("mysql://u:sec:ret@h:33/db", "mysql://u@h:33/db"),
        ("mysql://u:secret@h/db?x=a@b", "mysql://u@h/db?x=a@b"),
        ("postgresql:///db?host=/tmp&password=secret", "postgresql:///db?host=/tmp"),
        ("postgresql://u@h/db?password=secret&sslmode=require", "postgresql://u@h/db?sslmode=require"),
        ("postgresql://u@h/db?a=b&sslpassword=secret&c=d", "postgresql://u@h/db?a=b&c=d"),
        ("postgresql://u:secret@[::1]:5/d", "postgresql://u@[::1]:5/d"),
        ("openai:m/large@https://u:secret@h:8000/v1", "openai:m/large@https://u@h:8000/v1"),
        ("openai:m@https://h/v1?api-version=1&api-key=secret", "openai:m@https://h/v1?api-version=1"),
        ("https://u:secret@h/v1", "https://u@h/v1"),
    ],
)
def test_a_password_is_taken_out(url: str, shown: str) -> None:
    assert without_password(url) == shown
    assert keep_password(url) == shown
    assert with_password(shown) == url


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u@h/db",
        "postgresql://h:5432/db?application_name=me@x",
        "postgresql://[::1]:5432/db?x=a@b",
        "postgresql://h1:1,h2:2/db",
        "postgresql://u@h:5432/d@x",
        "sqlite:////data/a:b@c.db",
        "/data/a:b@c.db",
        "shop.duckdb",
        "openai:m:7b@http://localhost:11434/v1",
        "openai:m",
        "local:C:/models/a@b.gguf",
    ],
)
def test_what_has_no_password_is_left_alone(url: str) -> None:
    assert without_password(url) == url


def test_settings_never_hold_it() -> None:
    settings = Settings(db="postgresql://ivy:secret@h/shop")
    assert settings.db == "postgresql://ivy@h/shop"
    assert "secret" not in f"{settings!r} {settings.model_dump_json()}"
    assert with_password("postgresql://ivy@h/shop") == "postgresql://ivy:secret@h/shop"


def test_neither_does_what_is_told_of_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlore.llm.base, "ALLOW_MODEL_REQUESTS", True)  # of a port that is closed
    spec = "openai:m@http://ann:secret@127.0.0.1:9/v1"
    settings = Settings(model=spec, embedder=spec)
    assert "secret" not in f"{settings!r} {settings.model_dump_json()}"
    model = load_model(settings.model, ModelSettings(retries=0))
    with pytest.raises(ModelUnavailable) as told:
        model.chat([Message("user", "x")])
    assert "ann@127" in told.value.report()
    assert "secret" not in told.value.report()
    with pytest.raises(ConfigError) as refused:
        load_model("openai:m@ftp://ann:secret@h/v1")
    assert "secret" not in refused.value.report()
    embedder = load_embedder(settings.embedder)
    assert isinstance(embedder, EndpointEmbedder)
    assert embedder.base_url == "http://ann:secret@127.0.0.1:9/v1"  # what is connected to has it


@pytest.mark.parametrize("argument", ["openai:m@https://u:secret@h/v1", "--model=openai:m@http://u:secret@h"])
def test_an_argument_loses_it_before_anything_is_told(argument: str) -> None:
    assert argument_without_password(argument) == argument.replace(":secret", "")


def test_another_name_of_the_same_place() -> None:
    shown = keep_password("mysql://joe:secret@h/shop")
    also_known_as(shown, "mysql://joe@h:3306/shop")
    assert with_password("mysql://joe@h:3306/shop") == "mysql://joe:secret@h/shop"
    also_known_as("mysql://nobody@h/shop", "mysql://nobody@h:3306/shop")
    assert with_password("mysql://nobody@h:3306/shop") == "mysql://nobody@h:3306/shop"
