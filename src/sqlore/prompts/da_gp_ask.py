"""An exemplar adapted: SQL like it on the target, by the model or by program, then the question it answers.

The model is asked first, as the paper has it. A small one repeats the other database's names, so where no
sample passes the query is put over by program (`transpose`); either way the same checks decide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlore.errors import ModelRefusal
from sqlore.model import Message
from sqlore.prompts.da_gp_check import Bench, Unfit
from sqlore.prompts.few_shot import Shot
from sqlore.prompts.rules import dialect_name
from sqlore.prompts.text import as_data, literals_of
from sqlore.prompts.transpose import transposed
from sqlore.prompts.transpose_target import Target
from sqlore.sql import extract_sql

if TYPE_CHECKING:
    from sqlore.llm import ChatModel
    from sqlore.model import Schema

__all__ = ["Asker", "said_question"]

#: Samples of SQL and of a question at most.
TRIES: Final = 3
QUESTION_TRIES: Final = 3
_SQL_TOKENS: Final = 400
_QUESTION_TOKENS: Final = 120
_LEAD: Final = re.compile(
    r"^(?:[-*#>\s]|\*\*)*(?:question|q)?(?:\*\*)?\s*:\s*(?:\*\*)?|^[-*#>\s]+", re.IGNORECASE
)
_SQL: Final = re.compile(r"^(?:select|with)\b.*\b(?:from|as)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Asker:
    """Asks `model` about the database `name`, whose tables `schema` tells; `bench` tries what it writes.

    `target` is the database as queries are put over to it; None where its values must stay at home.

    The system message is the same for every exemplar and both stages: a prefix cache reads the schema once.
    """

    model: ChatModel
    bench: Bench
    name: str
    dialect: str
    schema: str
    target: Target | None

    def _chat(self, task: str, number: int, max_tokens: int) -> str:
        """A sample: the first is the most probable answer, the next ever freer."""
        system = (
            f"You prepare examples for the database {self.name}, in {dialect_name(self.dialect)}. "
            f"These are its tables, with some of their values:\n\n{self.schema}"
        )
        messages = (Message("system", system), Message("user", task))
        warmth = min(1.0, 0.5 * number)
        return self.model.chat(messages, max_tokens=max_tokens, temperature=warmth, seed=number).text

    def sql(
        self, original: Shot, source: Schema, known: Collection[str], number: int = 0
    ) -> tuple[str, Counter[str]]:
        """SQL on the target that is built like the original's, and how often samples failed of what.

        `source` is the original's schema, `known` what other exemplars have already, `number` the original's
        place among them. The SQL is empty where neither a sample nor a query put over passed.
        """
        failed: Counter[str] = Counter()
        for text in self._proposed(original, source, number, failed):
            try:
                sql = self.bench.fit(text, original.sql)
                if sql.lower() in known:
                    raise Unfit("is there already")
            except Unfit as why:
                failed[str(why)] += 1
            else:
                return sql, failed
        return "", failed

    def _proposed(self, original: Shot, source: Schema, number: int, failed: Counter[str]) -> Iterator[str]:
        """The model's samples, then what the program puts over; samples without SQL go into `failed`."""
        for sample in range(TRIES):
            try:
                said = self._chat(_similar(original, self.name), sample, _SQL_TOKENS)
                yield extract_sql(said, dialect=self.dialect)
            except ModelRefusal:
                failed["holds no SQL"] += 1
        if self.target is not None:
            yield from transposed(original.sql, source, self.target, number)

    def question(self, sql: str, original: Shot) -> tuple[str, Counter[str]]:
        """The question that `sql` answers, worded as the original's: one that names its texts, if there is.

        Else it is the first that the model gave.
        """
        failed: Counter[str] = Counter()
        first = ""
        texts = [text.strip("%_").lower() for text in literals_of(sql) if re.search(r"[^\W\d_]", text)]
        for number in range(QUESTION_TRIES):
            try:
                question = said_question(self._chat(_asked(sql, original), number, _QUESTION_TOKENS))
            except ModelRefusal:
                question = ""
            if not question:
                failed["is no question"] += 1
                continue
            first = first or question
            if all(text in question.lower() for text in texts if "%" not in text):
                return question, failed
            failed["leaves out a value"] += 1
        return first, failed


def _similar(original: Shot, name: str) -> str:
    return (
        f"Here is a query on another database.\n{original.schema}\n\nQuery: {original.sql}\n\n"
        f"Write a query on the database {name} that is composed like it: the same clauses, joins, nested "
        "queries, operators and functions in the same places, with tables, columns and values of "
        f"{name} in place of the others. It should make sense to somebody who works with this data, and give "
        "rows: compare columns with values that are in them. Answer with the SQL only."
    )


def _asked(sql: str, original: Shot) -> str:
    return (
        "A query on another database, and the question that it answers:\n"
        f"Query: {original.sql}\nQuestion: {original.question}\n\n"
        f"Query: {sql}\n\nWhich question does this query answer? Word it like the one above, as a person "
        "would ask it, in one sentence, with every value that the query compares with and everything it "
        "gives, without SQL. Answer with the question only."
    )


def said_question(said: str) -> str:
    """The question in a model's answer; empty where it gave none.

    >>> said_question('**Question:** "How many plants are in France?"\\n\\nThis counts them.')
    'How many plants are in France?'
    >>> said_question("SELECT COUNT(*) FROM plant")
    ''
    """
    lines = [as_data(line) for line in said.splitlines()]
    for line in lines:
        text = _LEAD.sub("", line).strip(" \"'`*“”")
        if text and not text.endswith(":"):
            return "" if _SQL.match(text) or len(text.split()) < 2 else text
    return ""
