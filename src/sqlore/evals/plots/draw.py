"""The plots of a comparison: Vega-Lite specifications and the SVG that is drawn from them.

altair writes the specifications and vl-convert draws them without a browser; both come with the extra
`plots`, and nothing else needs them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlore.errors import UsageError

if TYPE_CHECKING:
    from sqlore.evals.retrieval import Comparison

__all__ = ["TITLES", "plots_of", "require_plots", "write_plots", "write_specs"]

#: File name and title of each plot, in the order of the report.
TITLES: Final[Mapping[str, str]] = {
    "precision_recall": "Precision against recall",
    "f1": "F1 by retriever",
    "f1_by_kind": "F1 by kind of knowledge",
    "f1_by_shots": "F1 by number of shots",
    "f1_by_budget": "F1 by budget",
    "reliability": "Reliability of the chances",
    "latency": "Latency of a question by stage",
}


def require_plots() -> None:
    """Raises `UsageError` that says what to install where plots cannot be drawn."""
    missing = [name for name in ("altair", "vl_convert") if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"plots need {' and '.join(missing)}",
            hint="pip install 'sqlore[plots]', or leave them out with --no-plots",
        )


def plots_of(comparison: Comparison) -> dict[str, dict[str, Any]]:
    """The Vega-Lite specification of each plot that there is something for, by its name in `TITLES`."""
    from sqlore.evals.plots import rates, series

    found = {
        "precision_recall": rates.precision_recall(comparison),
        "f1": rates.f1(comparison),
        "f1_by_kind": rates.f1_by_kind(comparison),
        "f1_by_shots": series.f1_by_shots(comparison),
        "f1_by_budget": series.f1_by_budget(comparison),
        "reliability": rates.reliability(comparison),
        "latency": series.latency(comparison),
    }
    return {name: spec for name, spec in found.items() if spec is not None}


def write_plots(folder: Path, comparison: Comparison) -> list[Path]:
    """Writes ``NAME.svg`` and ``NAME.vl.json`` of each plot into `folder`; the paths of the SVG files.

    Raises as `require_plots`.
    """
    require_plots()
    return write_specs(folder, plots_of(comparison))


def write_specs(folder: Path, specs: Mapping[str, dict[str, Any]]) -> list[Path]:
    """Writes these specifications and the SVG files drawn from them; the paths of those."""
    import vl_convert

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, spec in specs.items():
        (folder / f"{name}.vl.json").write_text(json.dumps(spec, indent=1) + "\n", encoding="utf-8")
        drawn = folder / f"{name}.svg"
        drawn.write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")
        written.append(drawn)
    return written
