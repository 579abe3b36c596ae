"""Why MySQL or MariaDB cannot be reached, in plain words, with what to do."""

from __future__ import annotations

from typing import Final

from sqlore.engines.base import short
from sqlore.engines.server_url import PASSWORD_VARIABLE, ServerTarget
from sqlore.errors import ConnectError
from sqlore.passwords import SECRET_OPTIONS

__all__ = ["LOST", "TIMES", "cannot_connect"]

#: Codes of a connection that is gone.
LOST: Final = frozenset({0, 1053, 1077, 1079, 1080, 1152, 1927, 2006, 2013, 2014, 2055, 4031})
#: Codes of a query that the server stopped at the time limit: of MySQL and of MariaDB.
TIMES: Final = frozenset({1969, 3024})

_BY_CODE: Final = {
    1045: ("user or password is wrong", "check the user {user}; the password can be in {variable}"),
    1698: ("the server does not let this user in with a password", "use another user than {user}"),
    1044: ("this user may not use the database", "GRANT SELECT ON the database to {user}"),
    1049: ("there is no such database", "check the name at the end of the URL; SHOW DATABASES lists them"),
    1040: ("the server has no free connection", "try again later"),
    1203: ("this user has too many connections", "try again later"),
    1129: ("the server has blocked this machine", "its administrator runs FLUSH HOSTS"),
    1130: ("the server lets nobody in from here", "the user {user} must be created for this machine too"),
    3159: ("the server wants TLS", "add ?ssl_mode=required to the URL"),
    2026: ("TLS could not be agreed on with the server", "check ssl_mode and ssl_ca in the URL"),
    2013: ("the connection was closed while it was made", "check that a MySQL server listens there"),
}
_BY_WORDS: Final = (
    ("Connection refused", "nothing listens there", "check host and port, and that the server runs"),
    (
        "certificate verify failed",
        "the server's certificate is not trusted",
        "give its authority: ?ssl_ca=FILE",
    ),
    ("SSL", "TLS could not be agreed on with the server", "check ssl_mode and ssl_ca in the URL"),
    ("insecure transport", "the server wants TLS", "add ?ssl_mode=required to the URL"),
    ("timed out", "the server does not answer", "check host, port and firewall; ?connect_timeout=30 waits"),
    ("Name or service not known", "there is no host of that name", "check the host in the URL"),
    ("name resolution", "there is no host of that name", "check the host in the URL"),
    ("No such file", "no server listens on this socket", "check unix_socket in the URL"),
    (
        "cryptography",
        "the server asks for the password in a way that needs TLS here",
        "add ?ssl_mode=required",
    ),
)


def cannot_connect(target: ServerTarget, error: Exception) -> ConnectError:
    """The error for a connection that failed; the password is never in it."""
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    message = str(error.args[1]) if code and len(error.args) > 1 else str(error)
    for secret in (target.password, *(target.options.get(name) for name in SECRET_OPTIONS)):
        message = message.replace(secret, "***") if secret else message
    known = _BY_CODE.get(code)
    if known is None or code == 2013:
        words = ((reason, hint) for sign, reason, hint in _BY_WORDS if sign in message)
        known = next(words, known or ("it cannot be opened", "check the URL and that the server runs"))
    reason, hint = known
    return ConnectError(
        f"cannot connect to {target.url}: {reason}",
        where=short(message, 240),
        hint=hint.format(variable=PASSWORD_VARIABLE, user=target.user or "(that of this computer)"),
    )
