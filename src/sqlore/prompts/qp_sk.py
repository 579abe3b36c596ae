"""Examples that need the same skills: QP-SK of "Adapt and Decompose" (section 5.1), after An et al. (2023).

A question's words say much about its subject and little about its SQL. So the model first says which skills
the question takes ("count rows, for each group, the highest first"), and examples are compared by those. An
et al. have a model describe the examples as well; their SQL is known, so here their skills are read from its
tree. Some examples show the model in which words skills are said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlore.model import Message
from sqlore.prompts.base import Prompt, PromptContext, Setup
from sqlore.prompts.coverage import generic_exemplars
from sqlore.prompts.nearest import Nearest, embedder_of, text_vectors
from sqlore.prompts.operators import operations_of
from sqlore.prompts.text import as_data

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.embed import Embedder
    from sqlore.llm import ChatModel
    from sqlore.prompts.nearest import Vectors
    from sqlore.prompts.training_pairs import Pair, TrainingSet

#: What an operation is for, in the order in which skills are said.
SKILLS: Final[dict[str, str]] = {
    "COUNT": "count rows", "SUM": "add up values", "AVG": "take the average", "MIN": "find the lowest value",
    "MAX": "find the highest value", "GROUP_CONCAT": "join texts of a group", "DISTINCT": "each value once",
    "GROUP BY": "for each group", "HAVING": "keep groups by a total", "JOIN": "combine tables",
    "LEFT JOIN": "keep rows without a match", ">": "more than a value", ">=": "more than a value",
    "<": "less than a value", "<=": "less than a value", "!=": "leave out a value",
    "BETWEEN": "within a range", "LIKE": "match part of a text", "OR": "one of several conditions",
    "IN": "look up in a list or another query", "NOT": "exclude what matches", "EXISTS": "rows exist",
    "IS NULL": "check for missing values", "INTERSECT": "what two queries share",
    "EXCEPT": "what only the first query has", "UNION": "put two results together",
    "UNION ALL": "put two results together", "ORDER BY": "sort", "DESC": "the highest first",
    "LIMIT": "only the first rows", "OFFSET": "skip the first rows", "+": "add two values",
    "-": "take a difference", "*": "multiply", "/": "compute a ratio", "%": "take a remainder",
    "CASE": "decide by cases", "WITH": "prepare a step first", "OVER": "compute along ordered rows",
    "FILTER": "aggregate only some rows", "CAST": "convert a type", "COALESCE": "replace missing values",
    "NULLIF": "treat a value as missing", "ABS": "ignore the sign", "ROUND": "round a number",
    "STRFTIME": "take a part of a date", "JULIANDAY": "count days between dates", "||": "put texts together",
    "RANK": "rank rows", "DENSE_RANK": "rank rows", "ROW_NUMBER": "number rows", "LAG": "the row before",
    "LEAD": "the next row", "LENGTH": "measure a text", "UPPER": "change the case of a text",
    "LOWER": "change the case of a text", "SUBSTR": "cut a text", "INSTR": "find a place in a text",
    "REPLACE": "change letters of a text", "TRIM": "clean a text",
}  # fmt: skip

#: Examples that show what skills are.
SHOWN = 8
_ASK: Final = (
    "Say which skills in SQL a question takes, as the examples do: "
    "few words, no SQL, not the subject of the question."
)


class Skills:
    """The examples whose skills are nearest to those that the model says the question takes."""

    name = "qp_sk"
    history = False

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> PreparedSkills:
        """Reads the skills of every example from its SQL and embeds them, once."""
        embedder = embedder_of(setup)
        nearest = Nearest.of(catalog, examples, setup)
        said = [skills(pair) for pair in nearest.pairs]
        different = list(dict.fromkeys(said))
        place = {text: number for number, text in enumerate(different)}
        vectors = text_vectors("skills", different, embedder, setup)[[place[text] for text in said]]
        shown = generic_exemplars(nearest.pairs).exemplars
        step = max(1, len(shown) // SHOWN)
        return PreparedSkills(nearest, embedder, vectors, tuple(shown[::step][:SHOWN]))


@dataclass(frozen=True)
class PreparedSkills:
    """The vectors of the examples' skills (n x d), and the examples that show what skills are."""

    nearest: Nearest
    embedder: Embedder
    vectors: Vectors
    shown: tuple[Pair, ...]
    name: str = "qp_sk"

    def prompt(self, context: PromptContext) -> Prompt:
        """First the question for its skills, then a prompt with the examples nearest to them."""
        turns = [Message("system", _ASK)]
        for pair in self.shown:
            turns += [
                Message("user", f"Question: {as_data(pair.question)}"),
                Message("assistant", skills(pair)),
            ]
        turns.append(Message("user", f"Question: {as_data(context.question, 4000)}"))

        def then(said: str) -> Prompt:
            text = as_data(said) or context.question  # a model that says nothing leaves the question itself
            return self.nearest.prompt(context, self.vectors @ self.embedder.embed([text])[0])

        return Prompt(tuple(turns), stop=("\n",), then=then)


def skills(pair: Pair) -> str:
    """The skills of a pair's SQL in words, the same order always.

    >>> from sqlore.prompts.training_pairs import Pair
    >>> skills(Pair("x", "", "SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY COUNT(*) DESC LIMIT 1"))
    'count rows, for each group, sort, the highest first, only the first rows'
    """
    used = operations_of(pair.sql, pair.dialect)
    found = list(dict.fromkeys(words for name, words in SKILLS.items() if name in used))
    return ", ".join(found) or "select rows"
