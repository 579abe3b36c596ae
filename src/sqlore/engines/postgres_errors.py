"""Why PostgreSQL cannot be reached, in plain words, with what to do."""

from __future__ import annotations

from typing import Final

from sqlore.engines.base import short
from sqlore.engines.server_url import PASSWORD_VARIABLE, ServerTarget
from sqlore.errors import ConnectError

__all__ = ["cannot_connect"]

# Part of libpq's or the server's message -> what is wrong, what to do. The first that fits counts.
_REASONS: Final = (
    (
        "invalid sslmode value",
        "there is no such sslmode",
        "sslmode is one of disable, allow, prefer, require, verify-ca, verify-full",
    ),
    ("no password supplied", "a password is needed", "set {variable} or PGPASSWORD, or use ~/.pgpass"),
    ("password authentication failed", "user or password is wrong", "check the user {user} and {variable}"),
    ("authentication failed", "the server does not let this user in", "check pg_hba.conf for user {user}"),
    (
        "no encryption",
        "the server does not let this user in without TLS, or from this machine",
        "add ?sslmode=require to the URL, or a line to pg_hba.conf",
    ),
    ("no pg_hba.conf entry", "the server lets nobody in from here", "its pg_hba.conf must name this machine"),
    (
        "does not support SSL",
        "the server has no TLS, which the URL asks for",
        "leave sslmode out, or turn TLS on in the server",
    ),
    (
        "does not match host name",
        "the server's certificate is for another host",
        "write the host as the certificate names it, or ?sslmode=verify-ca, which looks at no name",
    ),
    (
        "certificate",
        "the server's certificate is not trusted",
        "give its authority with ?sslmode=verify-full&sslrootcert=FILE",
    ),
    ("SSL", "TLS could not be agreed on with the server", "check sslmode and the certificates in the URL"),
    ('role "', "there is no such user", "check the user in the URL"),
    ('database "', "there is no such database", "check the name at the end of the URL; psql -l lists them"),
    ("not translate host name", "there is no host of that name", "check the host in the URL"),
    ("Name or service not known", "there is no host of that name", "check the host in the URL"),
    ("Connection refused", "nothing listens there", "check host and port, and that the server runs"),
    ("No such file or directory", "no server listens on this socket", "name a host, as in @localhost:5432"),
    ("timeout", "the server does not answer", "check host, port and firewall; ?connect_timeout=30 waits"),
    ("too many clients", "the server has no free connection", "try again later"),
    ("remaining connection slots", "the server has no free connection", "try again later"),
    ("starting up", "the server is still starting", "try again in a moment"),
    ("shutting down", "the server is shutting down", "try again later"),
    ("not permitted to log in", "this role may not log in", "check the user in the URL"),
    ("permission denied for database", "this user may not use the database", "GRANT CONNECT ON DATABASE"),
)


def cannot_connect(target: ServerTarget, message: str) -> ConnectError:
    """The error for a connection that failed; `message` is the driver's, without any password."""
    found = ((reason, hint) for sign, reason, hint in _REASONS if sign in message)
    reason, hint = next(found, ("it cannot be opened", "check the URL and that the server runs"))
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    said = short(lines[-1] if len(lines) == 1 else " ".join(lines), 240)
    return ConnectError(
        f"cannot connect to {target.url}: {reason}",
        where=said,
        hint=hint.format(variable=PASSWORD_VARIABLE, user=target.user or "(that of this computer)"),
    )
