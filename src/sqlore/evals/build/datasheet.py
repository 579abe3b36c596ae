"""The datasheet of a benchmark: what it is, where it comes from, how it was made, checked, and may be used.

The sections are those of "Datasheets for Datasets" (Gebru et al. 2021), filled in from the files; what only
people know is asked of them, or said to be unknown.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import sqlore
from sqlore.evals.build.bench import Bench
from sqlore.evals.build.findings import JUDGED, RULES
from sqlore.evals.build.generate import digest_of, journal_file, report_of
from sqlore.evals.build.hygiene import KINDS, Leak, leaks
from sqlore.evals.build.split import splits_file
from sqlore.evals.build.stats import TYPES, Summary, summarise
from sqlore.evals.build.stats_sheets import HEADS
from sqlore.evals.build.validate import read_candidates

__all__ = ["Provenance", "about_file", "datasheet_file", "write_datasheet"]

_UNKNOWN: Final = "not said"
_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Provenance:
    """What nobody can read off the files: the licence, and where history and database come from."""

    licence: str = ""
    source: str = ""


def about_file(tasks: Path) -> Path:
    """The file with licence, provenance and leaks that belongs to a benchmark file."""
    return tasks.with_suffix(".about.json")


def datasheet_file(tasks: Path) -> Path:
    """The datasheet that belongs to a benchmark file."""
    return tasks.with_suffix(".datasheet.md")


def write_datasheet(
    bench: Bench, tasks: Path, provenance: Provenance, history: Sequence[str | Path] = ()
) -> dict[str, Any]:
    """Looks for leaks and writes both files beside the tasks; what `about_file` has.

    Raises what `read_candidates` raises.
    """
    own = ("", bench.name.lower())
    candidates = [one for one in read_candidates(tasks) if one.database.lower() in own]
    found = leaks(candidates, bench.history.parsed, bench.dialect, bench.catalog.schema)
    head, attempts = _journal(journal_file(tasks))
    about: dict[str, Any] = {
        "file": tasks.name,
        "tasks": len(candidates),
        "database": bench.name,
        "dialect": bench.dialect,
        "licence": provenance.licence or _UNKNOWN,
        "source": provenance.source or _UNKNOWN,
        "history": {
            "files": [Path(one).name for one in history],
            "scripts": len(bench.history.parsed),
            "unread": bench.history.rejected,
            "digest": digest_of(bench),
        },
        "generator": head.get("generator", _UNKNOWN),
        **{name: head[name] for name in ("model", "judge", "seed", "rounds") if name in head},
        "sqlore": sqlore.__version__,
        "leaks": [one.to_json() for one in found],
    }
    if splits_file(tasks).exists():
        about["splits"] = json.loads(splits_file(tasks).read_text(encoding="utf-8"))["tasks"]
    text = json.dumps(about, ensure_ascii=False, indent=1)
    about_file(tasks).write_text(text + "\n", encoding="utf-8")
    stats = summarise(tasks, bench.dialect)
    sheet = _sheet(about, stats, attempts, found)
    datasheet_file(tasks).write_text(sheet, encoding="utf-8")
    return about


def _journal(file: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The head and the attempts of the build that made the tasks, where there is its journal."""
    if not file.exists():
        return {}, []
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
    return (records[0], records[1:]) if records else ({}, [])


def _sheet(
    about: Mapping[str, Any], stats: Summary, attempts: list[dict[str, Any]], found: Sequence[Leak]
) -> str:
    parts = [
        f"# Datasheet of {about['file']}\n",
        "Sections after Gebru et al., Datasheets for Datasets (2021).\n",
        _motivation(),
        _composition(about, stats),
        _collection(about),
        _checking(attempts, about),
        _leakage(found),
        _uses(about),
    ]
    return "\n".join(parts)


def _motivation() -> str:
    return (
        "## Motivation\n\n"
        "Tasks that measure how well a system uses a history of queries: every question needs knowledge\n"
        "that scripts of the history hold, and it is said which (in the way of BIRD-History).\n"
    )


def _composition(about: Mapping[str, Any], stats: Summary) -> str:
    means = ", ".join(f"{HEADS[name]} {value:.2f}" for name, value in stats.means.items())
    past = about["history"]
    lines = [
        "## Composition\n",
        f"- {about['tasks']} tasks over the database {about['database']} ({about['dialect']})",
        f"- {past['scripts']} scripts of history; {past['unread']} more cannot be read",
        f"- on average a query: {means}",
    ]
    if stats.knowledge is not None:
        known = stats.knowledge
        kinds = ", ".join(f"{known.kinds[kind]} {kind}" for kind in TYPES if kind in known.kinds)
        lines.append(f"- {known.total / known.tasks:.2f} pieces of knowledge a task: {kinds}")
    if about.get("splits"):
        parts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in about["splits"].items())
        lines.append(f"- split by scripts, so that no script serves two parts: {parts}")
    else:
        lines.append("- no split: all tasks are for testing, the history is what a system may learn from")
    return "\n".join(lines) + "\n"


def _collection(about: Mapping[str, Any]) -> str:
    made = {"program": "by program", "model": f"by the model {about.get('model', '')}"}
    how = made.get(about["generator"], "in a way that the files do not tell")
    files = ", ".join(about["history"]["files"]) or _UNKNOWN
    return (
        "## Collection\n\n"
        f"- source: {about['source']}\n"
        f"- history: {files} (digest {about['history']['digest']})\n"
        f"- the tasks were made {how}, with sqlore {about['sqlore']}, seed {about.get('seed', _UNKNOWN)}\n"
    )


def _checking(attempts: list[dict[str, Any]], about: Mapping[str, Any]) -> str:
    lines = ["## Checking\n"]
    if not attempts:
        lines.append("How the tasks were checked the files do not tell; `sqlore bench validate` checks them.")
    else:
        lines.append(f"Every task passes the rules of the validator: {', '.join(RULES)}.")
        if "judge" in about:
            lines.append(f"Then the model {about['judge']} judged it: {', '.join(JUDGED)}.")
        report = report_of(attempts, about["tasks"])
        ends = ", ".join(f"{count} {end}" for end, count in sorted(report.ends.items()))
        lines.append(f"Of {report.attempts} attempts: {ends}.")
        rules = ", ".join(f"{rule} ({count})" for rule, count in report.rules.items())
        lines += [f"Rejected by: {rules}."] if rules else []
    lines.append(
        "The agreement of people who reviewed the tasks stands in the report of `sqlore bench review`."
    )
    return "\n".join(lines) + "\n"


def _leakage(found: Sequence[Leak]) -> str:
    counts = Counter(one.kind for one in found)
    lines = ["## Leakage\n", "| what | tasks |", "|---|---|"]
    lines += [f"| {text} | {counts[kind]} |" for kind, text in KINDS.items()]
    if found:
        shown = [f"- {one.task}: {one.kind} {one.other} ({one.likeness:.2f})" for one in found[:_SHOWN]]
        more = [f"- and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
        lines += ["", *shown, *more]
    return "\n".join(lines) + "\n"


def _uses(about: Mapping[str, Any]) -> str:
    return (
        "## Uses, distribution, maintenance\n\n"
        f"- licence: {about['licence']}. Tasks hold parts of the history and values of the database:\n"
        "  what these ask of those who pass them on (attribution, the same licence) holds for the tasks too\n"
        "- a system must not be trained on the tasks; it may learn from the history\n"
        "- where the database or the history changes, check the tasks anew: `sqlore bench validate`\n"
    )
