"""Who may talk to the server: names, origins, tokens, sizes, and paths that lead elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from http_helpers import shop_client
from sqlore.errors import UsageError
from sqlore.interfaces.http.security import Access, Guard
from sqlore.interfaces.http.server import access_of, address_of

TOKEN = "a-long-enough-token"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with shop_client(tmp_path) as opened:
        yield opened


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[TestClient]:
    access = Access("0.0.0.0", 8642, TOKEN, ("sqlore.example",))
    with shop_client(tmp_path, access=access, base="http://192.0.2.7:8642") as opened:
        yield opened


# ------------------------------------------------------------------ Host


@pytest.mark.parametrize(
    "host", ["localhost:8642", "127.0.0.1:8642", "[::1]:8642", "LOCALHOST", "localhost:9"]
)
def test_names_of_this_machine_are_ours(client: TestClient, host: str) -> None:
    assert client.get("/api/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8642", "localhost.evil.example", "192.0.2.7", "", "localhost@evil.example",
     "evil.example/localhost", "[::1", "127.0.0.1.nip.example"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/", "/api/health", "/api/openapi.json"])
def test_other_names_are_refused_whatever_is_asked(client: TestClient, host: str, path: str) -> None:
    refused = client.get(path, headers={"Host": host})
    assert refused.status_code == 403
    assert refused.headers["content-type"] == "application/problem+json"


def test_a_server_for_others_is_reached_by_address_and_given_names(remote: TestClient) -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    for host, status in [("192.0.2.7", 200), ("sqlore.example", 200), ("evil.example", 403)]:
        assert remote.get("/api/health", headers={"Host": host, **bearer}).status_code == status


# ------------------------------------------------------------------ Origin


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://localhost:3000", "https://localhost:86421", "file://",
     "http://localhost:8642.evil.example", "http://localhost:8642@evil.example"],
)  # fmt: skip
def test_pages_of_other_origins_are_refused(client: TestClient, origin: str) -> None:
    for method, path in [("POST", "/api/sessions"), ("GET", "/api/drafts"), ("DELETE", "/api/events")]:
        refused = client.request(method, path, headers={"Origin": origin}, json={"title": "x"})
        assert refused.status_code == 403, (method, path)
    assert client.get("/api/sessions").json() == []


def test_our_own_page_and_a_named_one_are_let_in(tmp_path: Path) -> None:
    with shop_client(tmp_path, access=Access(origins=("http://localhost:5173",))) as client:
        for origin in ("http://localhost:8642", "http://localhost:5173"):
            made = client.post("/api/sessions", json={"title": "x"}, headers={"Origin": origin})
            assert made.status_code == 201


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_the_browser_calls_cross_site_is_refused_but_for_a_link_to_the_app(
    client: TestClient, site: str
) -> None:
    link = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert client.get("/", headers=link).status_code == 200
    assert client.get("/api/drafts", headers=link).status_code == 403
    assert client.get("/", headers={**link, "Sec-Fetch-Dest": "iframe"}).status_code == 403
    assert client.get("/api/drafts", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}).is_error
    assert client.get("/api/drafts", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_a_form_of_another_page_cannot_send_json(client: TestClient) -> None:
    sent = client.post("/api/sessions", content='{"title": "x"}', headers={"Content-Type": "text/plain"})
    assert sent.status_code == 422
    assert client.get("/api/sessions").json() == []


# ------------------------------------------------------------------ token


@pytest.mark.parametrize("path", ["/api/health", "/api/openapi.json", "/", "/assets/x.js"])
def test_without_the_token_nothing_is_told(remote: TestClient, path: str) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong-token"}, {"Authorization": f"Basic {TOKEN}"},
                    {"Cookie": "sqlore-8642=wrong"}, {"Authorization": "Bearer "}):  # fmt: skip
        refused = remote.get(path, headers=headers)
        assert refused.status_code == 401
        assert "shop" not in refused.text


def test_the_token_in_the_address_becomes_a_cookie_and_goes(remote: TestClient) -> None:
    first = remote.get(f"/drafts/abc?token={TOKEN}&view=code", follow_redirects=False)
    assert first.status_code == 303
    assert first.headers["location"] == "/drafts/abc?view=code"
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert remote.get("/api/health").status_code == 200  # the client keeps cookies, as a browser does


def test_the_address_that_is_printed_has_any_token_in_it(tmp_path: Path) -> None:
    access = access_of("0.0.0.0", 8642, 'q7+Zk/0b"X9; rT&+Lw==#')
    with shop_client(tmp_path, access=access, base="http://localhost:8642") as client:
        assert client.get(address_of(access), follow_redirects=False).status_code == 303
        assert client.get("/api/health").status_code == 200  # with the cookie


def test_the_token_in_the_address_opens_no_api_and_no_other_server(remote: TestClient) -> None:
    assert remote.get(f"/api/health?token={TOKEN}").status_code == 401
    assert remote.get("/?token=wrong").status_code == 401
    away = remote.get(f"//evil.example/x?token={TOKEN}", follow_redirects=False)
    assert not away.headers.get("location", "/x").startswith("//")


def test_servers_that_others_reach_have_a_token() -> None:
    for host in ("0.0.0.0", "::", "192.0.2.7", "sqlore.example"):
        assert len(access_of(host, 1, None).token) >= 24
    assert access_of("127.0.0.1", 1, None).token == ""
    assert access_of("127.0.0.1", 1, TOKEN).token == TOKEN
    assert address_of(access_of("::1", 8642, TOKEN)) == f"http://[::1]:8642/?token={TOKEN}"
    with pytest.raises(UsageError):
        access_of("0.0.0.0", 1, "short")


def test_the_token_is_in_no_text_of_its_own(remote: TestClient) -> None:
    assert TOKEN not in repr(Access(token=TOKEN))
    assert TOKEN not in remote.get("/api/settings", headers={"Authorization": f"Bearer {TOKEN}"}).text


# ------------------------------------------------------------------ paths and sizes


@pytest.fixture
def app_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>the app</title>")
    (folder / "assets" / "main-abc123.js").write_text("export {}\n")
    (tmp_path / "secret.txt").write_text("secret")
    return folder


@pytest.mark.parametrize(
    "path",
    ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/..%2f..%2fsecret.txt",
     "/assets/%2e%2e/%2e%2e/secret.txt", "/..%5csecret.txt", "//secret.txt", "/assets/../../secret.txt"],
)  # fmt: skip
def test_no_file_outside_of_the_app_is_served(tmp_path: Path, app_folder: Path, path: str) -> None:
    with shop_client(tmp_path, static=app_folder) as client:
        assert "secret" not in client.get(path).text


def test_the_app_is_served_with_its_views_and_lasting_assets(tmp_path: Path, app_folder: Path) -> None:
    with shop_client(tmp_path, static=app_folder) as client:
        for path in ("/", "/drafts/abcdefgh"):
            page = client.get(path)
            assert "the app" in page.text
            assert page.headers["cache-control"] == "no-cache"
            assert "default-src 'none'" in page.headers["content-security-policy"]
        script = client.get("/assets/main-abc123.js")
        assert "immutable" in script.headers["cache-control"]
        assert client.get("/assets/gone-123.js").status_code == 404
        for path in ("/api/nothing", "/api/drafts/..%2F..%2Fsecret", "/api"):
            nothing = client.get(path)
            assert nothing.status_code == 404
            assert nothing.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("id", ["..%2F..%2Fsecret", "../secret", "%00", "a" * 16 + "%0a", "A" * 16, "ä" * 16])
def test_ids_are_no_paths(client: TestClient, id: str, tmp_path: Path) -> None:
    (tmp_path / ".sqlore" / "secret.draft.json").write_text("{}")
    for method, path in [("GET", f"/api/drafts/{id}"), ("DELETE", f"/api/uploads/{id}"),
                         ("DELETE", f"/api/sessions/{id}")]:  # fmt: skip
        assert client.request(method, path).status_code in (404, 405)
    assert client.post("/api/learn", json={"uploads": ["../../history"]}).status_code == 404
    assert (tmp_path / "history").is_dir()


def test_requests_that_are_too_large_are_refused(client: TestClient) -> None:
    told = client.post("/api/run", content=b"x", headers={"Content-Length": str(9 * 1024 * 1024)})
    assert told.status_code == 413

    def untold() -> Iterator[bytes]:
        for _ in range(10):
            yield b" " * 1024 * 1024

    assert client.post("/api/run", content=untold(), headers={"Content-Type": "application/json"}).is_error


def test_every_answer_has_the_headers_of_security(client: TestClient) -> None:
    for answer in (client.get("/"), client.get("/api/health"), client.get("/nothing"),
                   client.get("/", headers={"Host": "evil.example"})):  # fmt: skip
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "access-control-allow-origin" not in answer.headers
    assert client.get("/api/health").headers["cache-control"] == "no-store"


def test_pages_that_load_from_elsewhere_are_not_there(client: TestClient) -> None:
    assert client.get("/docs").status_code == 404
    assert client.get("/redoc").status_code == 404
    assert "https://" not in client.get("/").text


def test_web_sockets_are_closed() -> None:
    sent: list[str] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(str(message["type"]))

    asyncio.run(Guard(None, Access())({"type": "websocket"}, None, send))  # type: ignore[arg-type]
    assert sent == ["websocket.close"]
