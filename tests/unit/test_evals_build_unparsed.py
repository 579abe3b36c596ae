"""A benchmark out of a history of which nothing can be parsed."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_helpers import make_sqlite
from sqlore.errors import SourceError
from sqlore.evals.build.bench import open_bench


def test_the_first_reason_is_told(tmp_path: Path) -> None:
    shop, history = make_sqlite(tmp_path / "shop.sqlite"), tmp_path / "broken.sql"
    history.write_text("SELEKT a FRM t;\nSELECT FROM WHERE;\n", encoding="utf-8")
    with (
        pytest.raises(SourceError, match="no script of the history can be parsed") as caught,
        open_bench([history], str(shop)),
    ):
        pass
    assert "the first: " in (caught.value.hint or "")
    assert "SELEKT" in (caught.value.hint or "")
