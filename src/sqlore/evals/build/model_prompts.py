"""What the model is asked to make tasks, and to mend them: scripts, their pieces, the schema, other values.

The duties are those of BIRD-History's generator and fixer (section 3.3.1, appendix C.1), in words of our own:
reuse pieces of several dissimilar scripts, change some values to others that exist, add logic of one's own,
ask in plain words what the SQL answers.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import yaml

from sqlore.catalog.render import estimate_tokens, schema_text
from sqlore.evals.build.bench import Bench
from sqlore.evals.build.findings import Finding, Limits
from sqlore.evals.tasks import scored
from sqlore.model import Message, ParsedScript, Rows
from sqlore.prompts.text import as_data, neutral, sql_line

__all__ = ["answer_of", "beginning_anew", "fixing", "generating", "objects_in", "other_values"]

_VALUES: Final = 5
_SCHEMA_TOKENS: Final = 1500
_FORM: Final = '{"used": [1, 3], "question": "...", "evidence": "...", "sql": "..."}'
_FENCED: Final = re.compile(r"```(?:\w+)?\s*\n(.*?)```", re.DOTALL)
# The parts of a task in an answer that is Markdown in place of JSON: what small models fall back to.
_HEAD: Final = re.compile(
    r'^[^\w"]*(?:new |the )?(question|evidence|sql)\b(?: query)?[^\w"]*?(?::|$)[\s*_]*', re.IGNORECASE
)
_RULES: Final = """\
You write exam questions for people who query the {dialect} database {database}. You are shown queries \
that its analysts wrote, and the pieces they are made of. Make one new question that is harder than any of \
theirs, and the SQL that answers it.

- Build on pieces of two or more of the queries: their conditions, joins, formulas and groupings, as they \
are.
- Change one or two values to others of the same column. Take only values that are listed as existing.
- Add something that none of the queries does: a ratio or difference of two of their figures, a comparison \
of two groups, a subquery that narrows rows, a leading group. Do not merely put queries side by side.
- In one FROM join no more tables than one of the queries does, and join them the same way (INNER stays \
INNER). At most {joins} JOINs in a row; use a CTE or a subquery for more.
- Use no kind of function that the queries do not use. Keep what their CASE gives and what they count \
DISTINCT. Conditions that they join by AND stay joined by AND.
- Sort only where the question asks for an order, or with LIMIT. No ties at the LIMIT.
- Every clause must matter. The result has rows, and not only zeros or NULLs. {shortest} to {target} \
lines.
- Ask as a person would, short and in plain words, without names of tables and columns. What a code or a \
formula means, and what nobody could guess, goes into the evidence. There is one right answer.

Answer with JSON alone: {form}
"used" are the numbers of the queries whose pieces you took."""
_MEND: Final = """\
This task cannot stay as it is:
{findings}
{rows}
Mend it: correct the SQL where it fails, loosen or change a condition where nothing comes out, take out \
what has no effect or is not allowed, change question and evidence with the SQL so that they say the same. \
The rules above still hold. Answer with the whole task as JSON alone: {form}"""

_ANEW: Final = """A task that you made of them before could not be mended:
{findings}
Make another one, of other pieces, that avoids this."""


def generating(
    bench: Bench,
    scripts: Sequence[ParsedScript],
    rng: random.Random,
    limits: Limits,
    *,
    room: int,
) -> tuple[Message, ...]:
    """The messages that ask for a task out of these scripts, in at most about `room` tokens."""
    system = _RULES.format(
        dialect=bench.dialect,
        database=bench.name,
        joins=limits.joins,
        shortest=limits.shortest + 4,
        target=limits.target,
        form=_FORM,
    )
    shown = [_script(number, one) for number, one in enumerate(scripts, 1)]
    values = other_values(bench, scripts, rng)
    told = [f"- {column}: {', '.join(found)}" for column, found in values.items()]
    parts = ["# Queries", *shown, *(["# Other values that exist", "\n".join(told)] if told else [])]
    tables = sorted({table for one in scripts for table in one.tables})
    left = room - estimate_tokens(system) - sum(map(estimate_tokens, parts))
    schema = schema_text(bench.catalog, tables=tables, budget_tokens=max(200, min(left, _SCHEMA_TOKENS)))
    text = "\n\n".join(["# Schema", neutral(schema).strip(), *parts, "Make the task."])
    return Message("system", system), Message("user", text)


def _script(number: int, one: ParsedScript) -> str:
    """One script with its words and its pieces."""
    script = one.script
    lines = [f"## Query {number}"]
    if script.text:
        lines.append(f"Question: {as_data(script.text)}")
    if script.evidence:
        lines.append(f"Evidence: {as_data(script.evidence)}")
    lines.append(f"SQL: {neutral(sql_line(script.sql))}")
    pieces = dict.fromkeys(f"{f.kind}: {as_data(f.canonical, 200)}" for f in scored(one.fragments))
    lines += ["Pieces:", *(f"- {piece}" for piece in pieces)]
    return "\n".join(lines)


def other_values(bench: Bench, scripts: Sequence[ParsedScript], rng: random.Random) -> dict[str, list[str]]:
    """For each column that a condition of the scripts compares with a value: a few others that it has."""
    asked: dict[str, set[str]] = {}
    for one in scripts:
        for fragment in one.fragments:
            if fragment.kind == "condition" and fragment.literals and len(fragment.columns) == 1:
                asked.setdefault(fragment.columns[0].lower(), set()).update(fragment.literals)
    found = {}
    for known in bench.catalog.values.columns:
        name = f"{known.table}.{known.column}"
        if name.lower() in asked:
            others = [value for value in known.values if value not in asked[name.lower()]]
            chosen = rng.sample(others, min(_VALUES, len(others)))
            if chosen:
                found[name] = [as_data(value, 60) for value in sorted(chosen)]
    return found


def fixing(findings: Sequence[Finding], rows: Rows | None) -> Message:
    """The message that follows a task with what is wrong about it, and what its SQL gave."""
    shown = ""
    if rows is not None:
        sample = "; ".join(as_data(", ".join(map(str, row)), 120) for row in rows.rows[:3])
        shown = f"Its SQL gives {len(rows.rows)}{'+' * rows.truncated} rows: {sample or 'none'}"
    return Message("user", _MEND.format(findings=_told(findings), rows=shown, form=_FORM))


def beginning_anew(first: Sequence[Message], findings: Sequence[Finding]) -> list[Message]:
    """The first messages once more, without the task that stayed as it was: with what was wrong about it."""
    *before, asked = first
    return [*before, Message("user", f"{asked.content}\n\n{_ANEW.format(findings=_told(findings))}")]


def _told(findings: Sequence[Finding]) -> str:
    return "\n".join(
        f"- {one.rule}, {as_data(one.place, 200)}: {as_data(one.advice, 300)}" for one in findings
    )


def answer_of(text: str) -> Mapping[str, Any]:
    """The task in an answer: JSON or YAML, in a code block, among words, or alone; or parts under headings.

    Raises `ValueError` where there is none.

    >>> answer_of('Here: {"task": {"sql": "SELECT 1", "question": "One?"}} Done.')["sql"]
    'SELECT 1'
    >>> answer_of("```yaml\\nquestion: One?\\nsql: |\\n  SELECT\\n    1\\n```")["sql"]
    'SELECT\\n  1'
    """
    for found in (*objects_in(text), _parts(text)):
        inner = found.get("task")
        found = inner if isinstance(inner, dict) else found
        if _said(found, "sql") and _said(found, "question"):
            used = found.get("used") if isinstance(found.get("used"), list) else []
            evidence = found.get("evidence")
            return {
                "question": " ".join(_said(found, "question").split()),
                "sql": _said(found, "sql").strip().rstrip(";").rstrip(),
                "evidence": " ".join(evidence.split()) if isinstance(evidence, str) else "",
                "used": used,
            }
    raise ValueError("the answer holds no JSON with question and sql")


def _parts(text: str) -> dict[str, str]:
    """Question, evidence and SQL as a document has them: under headings, or after their names.

    >>> _parts("### New Question\\n**Question**: How many?\\n**SQL**:\\n```sql\\nSELECT 1\\n```\\nIt counts.")
    {'question': 'How many?', 'sql': 'SELECT 1'}
    """
    blocks = _FENCED.findall(text)
    found: dict[str, list[str]] = {}
    part = ""
    for line in _FENCED.sub("\n", text).splitlines():
        if head := _HEAD.match(line):
            part = head.group(1).lower()
            found[part], line = [], line[head.end() :].strip("*_ ")
        if line.strip() and not line.startswith("#"):
            found.setdefault(part, []).append(line.removeprefix("- "))
        elif found.get(part):
            part = ""  # a paragraph ends
    parts = {name: "\n".join(lines) for name, lines in found.items() if name}
    return parts | ({"sql": blocks[-1].strip()} if blocks else {})


def objects_in(text: str) -> Iterator[dict[Any, Any]]:
    """The objects that an answer holds, in a code block, as a whole, or among words."""
    tried = [*_FENCED.findall(text), text]
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        tried.append(text[start : end + 1])
    for part in tried:
        found = _parsed(part)
        if isinstance(found, dict):
            yield found


def _parsed(text: str) -> Any:
    try:
        # a line break inside a string is no JSON, and what small models write
        return json.loads(text, strict=False)
    except ValueError:
        pass
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _said(record: Mapping[str, Any], name: str) -> str:
    """The text under a name, whatever its case."""
    found = next((v for key, v in record.items() if str(key).lower() == name), None)
    return found if isinstance(found, str) else ""
