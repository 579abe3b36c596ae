"""DAIL-SQL: training examples, and its block of question-SQL pairs.

Source: BeachWang/DAIL-SQL, `prompt/ExampleSelectorTemplate.py` (a selector returns dicts of the training set,
the nearest first), `prompt/ExampleFormatTemplate.py` (example type QA) and `prompt/PromptICLTemplate.py`
(pairs with an empty line between them, the question to answer last). The prompt builder reads `question`,
`query` and `db_id`, and for its own records `query_skeleton` and `question_pattern`, both words with a space
between them and ``_`` for what is masked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from sqlore.retrieve.baselines.masking import MASK, mask, schema_stems
from sqlore.retrieve.plugin.examples import Example, database_of, examples, quoted

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.model import Retrieval

__all__ = ["dail", "dail_prompt"]

_HEAD: Final = "/* Some SQL examples are provided based on similar problems: */\n"
_NAME: Final = r"(?:\"[^\"]+\"|[a-z_][\w$]*(?:#\d+)?)"
_COLUMN: Final = re.compile(rf"(?:{_NAME}\.)+(?:{_NAME}|\*)")
_SOURCE: Final = re.compile(rf"\b(from|join)\s+{_NAME}")
_WORD: Final = re.compile(r"\w+|[<>!=]=|<>|[^\w\s]")
_ON: Final = re.compile(r" on _ = _(?: (?:and|or) _ = _)*")


def dail(found: Retrieval, catalog: Catalog | None = None) -> list[dict[str, Any]]:
    """What DAIL-SQL's ``get_examples`` returns: one dict an example, the most useful first."""
    names = schema_stems(catalog.schema) if catalog else frozenset()
    database = database_of(found, catalog)
    return [
        {
            "question": example.question,
            "query": example.sql,
            "db_id": database,
            "query_skeleton": _skeleton(example),
            "question_pattern": mask(example.question, names, literals=quoted(example.sql)).replace(
                MASK, "_"
            ),
        }
        for example in examples(found, catalog)
    ]


def dail_prompt(found: Retrieval, catalog: Catalog | None = None) -> str:
    """The pairs as they stand in DAIL-SQL's prompt, before the question to answer; empty without any."""
    pairs = [f"/* Answer the following: {one['question']} */\n{one['query']}" for one in dail(found, catalog)]
    return _HEAD + "\n\n".join(pairs) + "\n\n" if pairs else ""


def _skeleton(example: Example) -> str:
    """The query's shape as DAIL-SQL compares it: no names, no values, no join conditions, no comparisons."""
    if example.parsed is None:
        return example.sql
    masked = _SOURCE.sub(r"\1 _", _COLUMN.sub("_", example.parsed.skeleton.replace("<val>", "_")))
    text = " ".join(_WORD.findall(masked))
    text = re.sub(r"_(?: join _)+", "_", _ON.sub("", text))
    text = re.sub(r"_ (?:=|!=|<>|>=|<=|>|<) _", "_", text)
    text = re.sub(r"_(?: , _)+", "_", text)
    return re.sub(r"where _(?: (?:and|or) _)+", "where _", text)
