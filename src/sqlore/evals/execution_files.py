"""The files that a run's folder gets at its end: the report as Markdown, JSON and HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlore.evals.execution_report import Report, execution_json, execution_sheets
from sqlore.evals.report import as_markdown

__all__ = ["write_execution"]


def write_execution(
    folder: Path, report: Report, lines: Sequence[Mapping[str, Any]], *, plots: bool = True
) -> list[Path]:
    """Writes `report.md`, `report.json`, `report.html` and `plots/` into `folder`."""
    data, markdown = folder / "report.json", folder / "report.md"
    data.write_text(json.dumps(execution_json(report), indent=1) + "\n", encoding="utf-8")
    markdown.write_text("# Execution\n\n" + as_markdown(execution_sheets(report)), encoding="utf-8")
    return [markdown, data]
