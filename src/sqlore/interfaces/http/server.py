"""Starting the server: the socket first, so that its address is known before anybody is told of it."""

from __future__ import annotations

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING
from urllib.parse import quote

from sqlore.errors import UsageError
from sqlore.interfaces.http.security import Access, is_loopback

if TYPE_CHECKING:
    from sqlore.interfaces.http.reviews import Reviewing
    from sqlore.workspace import Workspace

__all__ = ["access_of", "address_of", "run"]


def access_of(
    host: str, port: int, token: str | None, hosts: tuple[str, ...] = (), origins: tuple[str, ...] = ()
) -> Access:
    """Who may come in. A server that others can reach gets a token, where none was given.

    >>> access_of("127.0.0.1", 8642, None).token, len(access_of("0.0.0.0", 8642, None).token) > 20
    ('', True)
    """
    if token is not None and token and len(token) < 8:
        raise UsageError("the token is too short", hint="give 8 characters or more, or none: one is made")
    if not token:
        token = "" if is_loopback(host) else secrets.token_urlsafe(24)
    return Access(host, port, token, hosts, tuple(origin.rstrip("/") for origin in origins))


def address_of(access: Access, page: str = "") -> str:
    """The address of the app, or of a page of it, with the token where there is one.

    >>> address_of(Access("0.0.0.0", 8642, "abc"))
    'http://localhost:8642/?token=abc'
    >>> address_of(Access("127.0.0.1", 8642), "review")
    'http://127.0.0.1:8642/review'
    >>> address_of(Access("0.0.0.0", 8642, "q7+Zk/=="))
    'http://localhost:8642/?token=q7%2BZk%2F%3D%3D'
    """
    host = "localhost" if access.host in ("0.0.0.0", "::", "") else access.host
    name = f"[{host}]" if ":" in host else host
    token = f"?token={quote(access.token, safe='')}" if access.token else ""
    return f"http://{name}:{access.port}/{page}{token}"


def run(
    lore: Workspace,
    access: Access,
    *,
    opens: bool = False,
    review: Reviewing | None = None,
    told: Callable[[str, Access], None] = lambda address, access: None,
) -> None:
    """Serves until Ctrl-C. `told` gets the address as soon as the server listens, of a review where there
    is one.

    Raises `UsageError` where it cannot listen there.
    """
    import uvicorn

    from sqlore.interfaces.http.app import create_app

    with _listening(access) as sock:
        access = replace(access, port=sock.getsockname()[1])
        app = create_app(lore, access, review=review)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
            ws="none",
        )
        threading.Thread(target=app.state.served.warm_up, daemon=True, name="sqlore-warm-up").start()
        address = address_of(access, "review" if review is not None else "")
        told(address, access)
        if opens:
            threading.Timer(0.5, webbrowser.open, args=(address,)).start()
        server = uvicorn.Server(config)
        ends = server.handle_exit

        def stop(sig: int, frame: FrameType | None) -> None:
            # streams end with their jobs; else the server would wait for them, and cut them off
            threading.Thread(target=app.state.served.jobs.stop, daemon=True).start()
            ends(sig, frame)

        server.handle_exit = stop  # type: ignore[method-assign]
        server.run(sockets=[sock])


def _listening(access: Access) -> socket.socket:
    """A socket that listens. Raises `UsageError` where that is not possible."""
    try:
        family = socket.getaddrinfo(access.host or None, access.port, type=socket.SOCK_STREAM)[0][0]
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((access.host, access.port))
        sock.listen(128)
    except OSError as error:
        raise UsageError(
            f"the server cannot listen on {access.host}:{access.port}: {error.strerror or error}",
            hint="another port: --port 0 takes any that is free",
        ) from None
    return sock
