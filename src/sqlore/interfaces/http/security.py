"""Who may talk to the server: Host, Origin and token are checked before anything else sees a request.

A page of another site can make a browser send requests to this machine, and a name that such a site owns can
be made to lead here (DNS rebinding). Hence: the name in `Host` must be one of ours, `Origin` must be our own
address, and whatever the browser itself calls cross-site is refused. A server that others can reach wants a
token on top of it.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sqlore.interfaces.http.problems import answer, plain_problem

__all__ = ["Access", "Guard", "is_loopback"]

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:;"
    " font-src 'self'; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)
"""Nothing is loaded from or sent to any other place. Styles may be inline: editors and grids make them."""
HEADERS: Final = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
MOST_BYTES: Final = 8 * 1024 * 1024
"""Of a request's body; files that are uploaded have a limit of their own."""
MOST_UPLOAD: Final = 256 * 1024 * 1024
_UPLOADS: Final = "/api/uploads"
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_WILDCARDS: Final = frozenset({"", "0.0.0.0", "::"})


def is_loopback(host: str) -> bool:
    """Whether a server bound to that address is reached from this machine alone.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("0.0.0.0"), is_loopback("::1")
    (True, True, False, True)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Access:
    """Where the server is bound, what it is called, and the token it wants, if any.

    `hosts` are further names that lead here, such as that of a proxy; `origins` are other addresses whose
    pages may use the API, such as a development server (``http://localhost:5173``).
    """

    host: str = "127.0.0.1"
    port: int = 8642
    token: str = field(default="", repr=False)
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    def allows_host(self, header: str) -> bool:
        """Whether a `Host` header names this server.

        >>> Access().allows_host("localhost:9"), Access().allows_host("evil.example:8642")
        (True, False)
        """
        name = _name(header)
        if not name:
            return False
        if name in _LOOPBACK or name == self.host.lower() or name in {one.lower() for one in self.hosts}:
            return True
        if self.host not in _WILDCARDS:
            return False
        own = socket.gethostname().lower()
        return name in {own, f"{own}.local"} or _is_address(name)  # an address cannot be rebound

    def allows_origin(self, origin: str, host: str) -> bool:
        """Whether a page of that origin may send requests: one of this very server, or one that was named.

        >>> Access().allows_origin("http://localhost:8642", "localhost:8642")
        True
        >>> Access().allows_origin("http://localhost:3000", "localhost:8642")
        False
        >>> Access().allows_origin("http://[", "localhost:8642")
        False
        """
        if origin in self.origins:
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()

    def knows(self, token: str) -> bool:
        """Whether it is the token; compared in constant time."""
        return bool(token) and hmac.compare_digest(token.encode(), self.token.encode())

    @property
    def cookie(self) -> str:
        """The cookie's name; it has the port in it, because cookies do not tell ports apart."""
        return f"sqlore-{self.port}"


def _name(header: str) -> str:
    """The name in a Host header, without its port.

    >>> _name("LOCALHOST:80"), _name("[::1]:8642"), _name("evil.example/@localhost")
    ('localhost', '::1', '')
    """
    try:
        return (urlsplit(f"//{header}").hostname or "") if "@" not in header and "/" not in header else ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """The checks, as the outermost layer of the application; every answer gets the security headers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return
        guarded = _with_headers(send, private=scope["path"].startswith("/api"))
        refused = self._refused(scope)
        if refused is not None:
            await refused(scope, receive, guarded)
            return
        await self.app(scope, _limited(receive, _most(scope)), guarded)

    def _refused(self, scope: Scope) -> Response | None:
        """The answer to a request that may not come in."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self.access.allows_host(host):
            return answer(plain_problem(
                403, "this server does not go by that name", f"use http://localhost:{self.access.port}/,"
                " or start it with --allow-host NAME",
            ))  # fmt: skip
        if not self._from_here(scope, headers, host):
            return answer(plain_problem(403, "requests of other sites are refused"))
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > _most(scope):
            return answer(plain_problem(413, "the request is larger than this server takes"))
        return self._without_token(scope, headers) if self.access.token else None

    def _from_here(self, scope: Scope, headers: Headers, host: str) -> bool:
        """Whether a request comes from a page of this server, or from no page at all."""
        origin = headers.get("origin")
        if origin is not None:
            return self.access.allows_origin(origin, host)
        site = headers.get("sec-fetch-site", "none")
        if site in ("same-origin", "none"):
            return True
        # a link on another page may open the app, and nothing else
        opens = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        return opens and scope["method"] == "GET" and not scope["path"].startswith("/api")

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer to a request without the token; one that has it in its address gets a cookie."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token", "")
        api = scope["path"].startswith("/api")
        if given and not api and scope["method"] == "GET" and self.access.knows(given):
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            return self._welcome(scope["path"] + (f"?{rest}" if rest else ""))
        bearer = headers.get("authorization", "")
        if bearer.lower().startswith("bearer ") and self.access.knows(bearer[7:].strip()):
            return None
        if self.access.knows(_cookie(headers.get("cookie", ""), self.access.cookie)):
            return None
        if api:
            refused: Response = answer(plain_problem(
                401, "this server wants a token", "Authorization: Bearer TOKEN; `sqlore serve` prints it",
            ))  # fmt: skip
            refused.headers["WWW-Authenticate"] = "Bearer"
            return refused
        text = "sqlore: open the address that `sqlore serve` printed; it ends in ?token=…\n"
        return Response(text, 401, media_type="text/plain")

    def _welcome(self, place: str) -> Response:
        # "//elsewhere" would be another server's address
        response = RedirectResponse("/" + place.lstrip("/\\"), 303)
        response.set_cookie(self.access.cookie, self.access.token, httponly=True, samesite="strict", path="/")
        return response


def _cookie(header: str, name: str) -> str:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _most(scope: Scope) -> int:
    return MOST_UPLOAD if scope["path"].startswith(_UPLOADS) else MOST_BYTES


def _limited(receive: Receive, most: int) -> Receive:
    """Receives no more than so much, whatever length was told; one that sends more is taken as gone."""
    left = most

    async def limited() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        return message if left >= 0 else {"type": "http.disconnect"}

    return limited


def _with_headers(send: Send, *, private: bool) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if private:
                headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return guarded
