"""Nothing heavy is loaded before it is needed: what makes `sqlore --help` quick."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"sqlglot", "numpy", "onnxruntime", "tokenizers", "duckdb", "openai", "pydantic", "xllamacpp", "yaml"}


def _loaded(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('|'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stderr.strip().splitlines()[-1].split("|")}


@pytest.mark.parametrize(
    "code",
    [
        "import sqlore",
        "from sqlore.interfaces.cli.app import run; run(['--help'])",
        "from sqlore.interfaces.cli.app import run; run(['--version'])",
    ],
)
def test_no_heavy_import(code: str) -> None:
    assert _loaded(code) & HEAVY == set()
