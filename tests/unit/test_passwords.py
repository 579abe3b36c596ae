"""Passwords in addresses: taken out of every form, given back only for connecting."""

from __future__ import annotations

import pytest

from sqlore.config import Settings
from sqlore.passwords import also_known_as, keep_password, with_password, without_password


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
    ],
)
def test_what_has_no_password_is_left_alone(url: str) -> None:
    assert without_password(url) == url


def test_settings_never_hold_it() -> None:
    settings = Settings(db="postgresql://ivy:secret@h/shop")
    assert settings.db == "postgresql://ivy@h/shop"
    assert "secret" not in f"{settings!r} {settings.model_dump_json()}"
    assert with_password("postgresql://ivy@h/shop") == "postgresql://ivy:secret@h/shop"


def test_another_name_of_the_same_place() -> None:
    shown = keep_password("mysql://joe:secret@h/shop")
    also_known_as(shown, "mysql://joe@h:3306/shop")
    assert with_password("mysql://joe@h:3306/shop") == "mysql://joe:secret@h/shop"
    also_known_as("mysql://nobody@h/shop", "mysql://nobody@h:3306/shop")
    assert with_password("mysql://nobody@h:3306/shop") == "mysql://nobody@h:3306/shop"
