"""`make bench`: every benchmark that needs no language model, one after another.

Each is a program of its own that prints what it measured with its own words; here they only run in turn,
so that none disturbs another. Those in `BY_HAND` run the local model for minutes and are called by hand.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BY_HAND = {"bench_forms.py", "bench_growth.py", "bench_vanna.py"}


def main() -> int:
    """Runs them; the exit code is not 0 where one of them failed."""
    failed = 0
    for script in sorted(HERE.glob("bench_*.py")):
        if script.name in BY_HAND:
            continue
        print(f"\n== {script.name}", flush=True)
        failed |= subprocess.run([sys.executable, str(script)], check=False).returncode
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
