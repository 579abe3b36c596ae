"""The format of text2sql-data: one query with several paraphrased questions, its values as variables.

Each question is one script: the query with that question's values in place of the variables. The query's
other spellings are not scripts that somebody ran, they are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["expand", "is_paraphrase_entry"]


def is_paraphrase_entry(value: Mapping[str, Any]) -> bool:
    """Whether a record is of that format.

    >>> is_paraphrase_entry({"sql": ["SELECT 1"], "sentences": []})
    True
    """
    return isinstance(value.get("sql"), list) and isinstance(value.get("sentences"), list)


def expand(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One record for each question of an entry, with `sql` and `question` filled in.

    >>> entry = {"sql": ['SELECT x FROM t WHERE s = "s0"'], "variables": [],
    ...     "sentences": [{"text": "x of s0", "variables": {"s0": "texas"}}]}
    >>> list(expand(entry))
    [{'sql': 'SELECT x FROM t WHERE s = "texas"', 'question': 'x of texas'}]
    """
    queries = [sql for sql in entry["sql"] if isinstance(sql, str)]
    if not queries:
        return
    examples = {v["name"]: str(v.get("example", "")) for v in entry.get("variables", ()) if "name" in v}
    for sentence in entry["sentences"]:
        values = {name: str(value) for name, value in sentence.get("variables", {}).items()}
        in_query = {name: values.get(name) or examples.get(name) or name for name in {*examples, *values}}
        in_question = {name: value for name, value in values.items() if value}
        yield {
            "sql": _fill(queries[0], {name: value.replace('"', '""') for name, value in in_query.items()}),
            "question": _fill(sentence.get("text", ""), in_question),
        }


def _fill(text: str, values: Mapping[str, str]) -> str:
    if not values:
        return text
    names = "|".join(re.escape(name) for name in sorted(values, key=len, reverse=True))
    return re.sub(rf"\b(?:{names})\b", lambda match: values[match.group()], text)
