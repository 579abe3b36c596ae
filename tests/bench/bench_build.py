"""What issues of benchmarks can be shown without a model: `python tests/bench/bench_build.py [--count N]`.

1. Tasks made by program of superhero's history, every one checked anew by a validator of its own, and the
   yield by rule.
2. The validator's verdicts on the history tasks that come with the data, and for each major finding a proof
   that does not use the validator's own code: the rows of the query with and without the clause (`effect`),
   the JOINs in the texts of the scripts (`tables`), the word in the text (`stable`).
3. The deliberately broken tasks, one for each rule: caught by it and by no other.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from sqlore.evals.build.bench import Bench, Candidate, open_bench
from sqlore.evals.build.effects import variants
from sqlore.evals.build.findings import RULES, Finding
from sqlore.evals.build.generate import build
from sqlore.evals.build.validate import Validator, read_candidates, summary_of

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SQLORE_DATA") or ROOT.parent / "shared" / "data")
GOLDEN = ROOT / "tests" / "golden" / "bench"
_SOURCES = re.compile(r"\bFROM\s+(?!\()(.*?)(?=\bWHERE\b|\bGROUP\b|\bORDER\b|\bHAVING\b|\)|\Z)", re.I | re.S)


def made_by_program(count: int, folder: Path) -> dict[str, Any]:
    """Builds, then validates what was written as if somebody else had written it."""
    out = folder / "tasks.json"
    with opened("superhero") as bench:
        report = build(bench, count, out)
        found = summary_of(Validator(bench).check(one) for one in read_candidates(out))
    return {"yield": report.to_json(), "checked": found}


def opened(name: str) -> Any:
    return open_bench([DATA / "bird" / "dev.json"], str(DATA / "bird" / "databases" / f"{name}.sqlite"))


def history_tasks(name: str) -> dict[str, Any]:
    """Verdicts on the tasks of the data, with a proof of each major finding."""
    tasks = read_candidates(DATA / "history_tasks" / f"{name}.json")
    with opened(name) as bench:
        validator = Validator(bench)
        verdicts = [(task, validator.check(task)) for task in tasks]
        proofs = [
            {"question_id": task.id, "rule": one.rule, "place": " ".join(one.place.split()), "proof": shown}
            for task, verdict in verdicts
            for one in verdict.findings
            if one.severity == "major"
            for shown in [proof(bench, name, task, one)]
        ]
    return {**summary_of(verdict for _, verdict in verdicts), "findings": proofs}


def proof(bench: Bench, name: str, task: Candidate, finding: Finding) -> str:
    """What shows that a finding is right, or ``NOT SHOWN``."""
    if finding.rule == "effect":
        return effect_proof(bench, name, task, finding)
    if finding.rule == "tables":
        keys = set(task.used or (key for keys in task.knowledge.values() for key in keys))
        most = max(sources(bench.scripts[key].script.sql) for key in keys if key in bench.scripts)
        own = sources(task.sql)
        told = f"the task joins {own}, none of its {len(keys)} scripts more than {most}"
        return told if own > most else "NOT SHOWN"
    if finding.rule == "stable" and finding.place.lower() in task.sql.lower():
        return f"it says {finding.place}: another day, another answer"
    return "NOT SHOWN"


def effect_proof(bench: Bench, name: str, task: Candidate, finding: Finding) -> str:
    """Runs the query without the clause in a plain connection: the rows are the same."""
    from sqlglot import parse_one

    file = DATA / "bird" / "databases" / f"{name}.sqlite"
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as plain:
        whole = Counter(plain.execute(task.sql).fetchall())
        tree = parse_one(task.sql, read=bench.dialect)
        for one in variants(tree, bench.dialect, bench.catalog.schema):
            same_place = one.place == finding.place and one.sql is not None
            if same_place and Counter(plain.execute(one.sql or "").fetchall()) == whole:
                return f"the same {len(whole)} rows with and without it"
    return "NOT SHOWN"


def sources(sql: str) -> int:
    """The most tables in one FROM, counted in the text: JOINs and commas, CTEs left out."""
    names = {found.lower() for found in re.findall(r"(\w+)\s+AS\s*\(\s*SELECT", sql, re.I)}
    counts = [0]
    for found in _SOURCES.finditer(sql):
        parts = re.split(r"\b(?:INNER|LEFT|CROSS|OUTER)?\s*(?:OUTER\s+)?JOIN\b|,", found[1], flags=re.I)
        tables = [re.match(r"\s*([`\"\w]+)", part) for part in parts]
        counts.append(sum(bool(one) and one[1].lower() not in names for one in tables if one))
    return max(counts)


def broken_tasks(folder: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The rule that each broken task breaks, and the rules that find fault with it."""
    file = folder / "library.sqlite"
    with sqlite3.connect(file) as connection:
        connection.executescript((GOLDEN / "library.sql").read_text(encoding="utf-8"))
    connection.close()
    tasks = yaml.safe_load((GOLDEN / "tasks.yaml").read_text(encoding="utf-8"))
    with open_bench([GOLDEN / "history.json"], str(file), database="library") as bench:
        validator = Validator(bench)
        for number, task in enumerate(tasks):
            used = tuple(map(str, task["used"]))
            one = Candidate(str(number), "library", task["question"], task["sql"], used=used)
            yield task["rule"] or "", validator.check(one).rules


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=160)
    parser.add_argument("--out", type=Path, help="where everything goes as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = made_by_program(options.count, folder)
        made, checked = program["yield"], program["checked"]
        print(f"by program: {made['kept']} of {made['attempts']} attempts")
        print(f"  rejected by {made['rejected_by_rule']}")
        print(f"  checked anew: {checked['passed']} of {checked['tasks']} pass")
        given = {name: history_tasks(name) for name in ("superhero", "financial")}
        broken = list(broken_tasks(folder))
    for database, found in given.items():
        print(f"{database}: {found['passed']} of {found['tasks']} history tasks pass")
        for one in found["findings"]:
            print(f"  {one['question_id']} {one['rule']}: {one['place']}: {one['proof']}")
    right = sum(rules == ((rule,) if rule else ()) for rule, rules in broken)
    covered = {rule for rule, _ in broken if rule} == set(RULES)
    print(f"broken tasks: {right} of {len(broken)} as they should be; every rule has one: {covered}")
    if options.out:
        everything = {"program": program, "history_tasks": given, "broken": broken}
        options.out.write_text(json.dumps(everything, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
