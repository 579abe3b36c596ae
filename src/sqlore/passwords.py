"""Addresses with passwords: everything that is shown, logged or stored has them without.

A database on a server may be named with its password, and so may a model behind an endpoint. The address
goes through `keep_password` where it comes in: from then on it is used without, and only `with_password`,
at the moment of connecting, gives the one that was typed back. Nothing is written anywhere; another process
needs the password again.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "SECRET_OPTIONS",
    "also_known_as",
    "argument_without_password",
    "keep_password",
    "with_password",
    "without_password",
]

#: An address, or a model of one: ``openai:MODEL@ADDRESS``.
_ADDRESS: Final = re.compile(r"((?:openai:[^@]*@)?[A-Za-z][A-Za-z0-9+.-]*://)(.*)", re.S)
#: Options of an address that hold a secret.
SECRET_OPTIONS: Final = ("password", "passwd", "sslpassword", "ssl_key_password")
_OPTION: Final = re.compile(rf"([?&])(?:{'|'.join(SECRET_OPTIONS)}|api[-_]?key)=[^&#]*", re.I)
_ARGUMENT: Final = re.compile(
    r"(--[\w-]+=)?((?:(?:postgres|postgresql|mysql|mariadb)(?:\+\w+)?://|openai:[^@]*@https?://).*)",
    re.I | re.S,
)
_given: dict[str, str] = {}


def without_password(url: str) -> str:
    """An address that can be shown; what is no address is unchanged.

    Also a password that should have been percent-encoded and was not is left out as a whole.

    >>> without_password("postgresql://ann:secret@db.example/shop?sslmode=require&password=x")
    'postgresql://ann@db.example/shop?sslmode=require'
    >>> without_password("mysql://ann:se/c@ret@db.example/shop"), without_password("sqlite:///a:b@c.db")
    ('mysql://ann@db.example/shop', 'sqlite:///a:b@c.db')
    >>> without_password("openai:large@https://ann:secret@llm.example/v1")
    'openai:large@https://ann@llm.example/v1'
    """
    found = _ADDRESS.match(url)
    if found is None:
        return url
    scheme, rest = found.groups()
    end = _end_of_user(rest)
    if end > 0 and not rest.startswith("/"):
        rest = rest[:end].partition(":")[0] + rest[end:]
    return scheme + _without_options(rest)


def _end_of_user(rest: str) -> int:
    """Where user and password end, or -1 where there is no password.

    The last ``@`` before the options, for a password may hold ``@`` and ``/``; one that holds ``?`` is told
    from a port by not being a number.
    """
    head = rest.partition("?")[0]
    if "@" in head:
        return head.rfind("@") if ":" in head[: head.find("@")] else -1
    port = re.sub(r"^\[[^\]]*\]", "", head).partition(":")[2].partition(",")[0]  # behind an IPv6 address
    return rest.rfind("@") if port and not port.partition("/")[0].isdigit() else -1


def _without_options(rest: str) -> str:
    cut = _OPTION.sub(r"\1", rest)
    if cut == rest:
        return rest
    return re.sub(r"&+(?=&|#|$)", "", cut.replace("?&", "?")).removesuffix("?")


def keep_password(url: str) -> str:
    """The address without its password, which this process remembers for `with_password`.

    >>> keep_password("postgresql://bob:pw@db.example/shop")
    'postgresql://bob@db.example/shop'
    >>> with_password("postgresql://bob@db.example/shop")
    'postgresql://bob:pw@db.example/shop'
    """
    shown = without_password(url)
    if shown != url:
        _given[shown] = url
    return shown


def argument_without_password(argument: str) -> str:
    """An argument of a command without the password of a database's or a model's URL, which is kept.

    >>> argument_without_password("--db=mysql://eve:pw@h/shop"), argument_without_password("http://u:p@h/")
    ('--db=mysql://eve@h/shop', 'http://u:p@h/')
    """
    found = _ARGUMENT.fullmatch(argument)
    return (found[1] or "") + keep_password(found[2]) if found else argument


def with_password(url: str) -> str:
    """The address as it was given to `keep_password`; unchanged where none was given with a password."""
    return _given.get(url, url)


def also_known_as(shown: str, other: str) -> None:
    """The same place under another address without a password: what is known of one is known of the other."""
    if shown in _given:
        _given[other] = _given[shown]
