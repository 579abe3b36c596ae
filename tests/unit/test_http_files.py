"""The web app's files: a page until they are built, the app from then on, without a restart."""

from __future__ import annotations

import contextlib
from pathlib import Path

from http_helpers import shop_client
from support import ROOT


def test_the_app_is_there_as_soon_as_it_is_built(tmp_path: Path) -> None:
    static = tmp_path / "static"
    with shop_client(tmp_path, learned=False, static=static) as client:
        page = client.get("/")
        assert page.status_code == 200
        assert "Node 20" in page.text
        assert 'http-equiv="refresh"' in page.text
        view = client.get("/knowledge")
        assert (view.status_code, view.text) == (404, page.text)
        (static / "assets").mkdir(parents=True)
        (static / "assets" / "app-1.js").write_text("go()")
        (static / "index.html").write_text("<title>the app</title>")
        for address in ("/", "/knowledge"):
            assert client.get(address).text == "<title>the app</title>"
        assert client.get("/assets/app-1.js").text == "go()"
        assert client.get("/api/nothing").status_code == 404


def test_the_page_has_the_command_as_it_can_be_pasted(tmp_path: Path) -> None:
    with shop_client(tmp_path, learned=False) as client:
        with contextlib.chdir(tmp_path):
            assert f"make -C {ROOT} web" in client.get("/").text
        with contextlib.chdir(ROOT):
            assert "<code>make web</code>" in client.get("/").text
