"""What a strategy gets and gives: prepared once for a database, then a question's context in, messages out.

A strategy has two steps. `prepare` is offline, once for a database: it may read a training set, ask the
model and take minutes; what it found is kept on disk, so that it resumes where it was stopped and is not done
twice. What it gives, a `Prepared`, turns each question into messages. A strategy that needs no preparation is
its own `Prepared`.

Every prompt has its stable part first. The system message (rules, schema, dictionary) is the same, byte
for byte, for all questions of one database, so that a model's prefix cache reads it once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from sqlore.model import Message, RankedItem, Retrieval, Rows, ValueMatch
from sqlore.prompts.rules import rules
from sqlore.prompts.text import as_data, neutral
from sqlore.sql.literals import quote_text

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.embed import Embedder
    from sqlore.engines import Engine
    from sqlore.llm import ChatModel
    from sqlore.prompts.training_pairs import TrainingSet

#: Tokens of a prompt's budget kept free for the answer.
ANSWER_TOKENS = 300


@dataclass(frozen=True, slots=True)
class PromptContext:
    """A question with everything a strategy may use.

    `schema` is the schema and dictionary as text. `budget` is in tokens, for the whole prompt. With `mask`
    no literal of the history and no value of the database goes into the prompt: for remote models.
    `relevance` says how much the question touches each table and column (``table.column``), 0 to 1.
    """

    question: str
    schema: str
    dialect: str = "sqlite"
    database: str = ""
    retrieval: Retrieval | None = None
    values: tuple[ValueMatch, ...] = ()
    budget: int = 3000
    mask: bool = False
    joins: str = ""
    relevance: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages for a model, and where its answer ends.

    Where `then` is given, the answer is not SQL yet: `then` makes the next prompt of it (least to most).
    `most` are the tokens of the answer at most, where a step needs fewer than SQL does.

    Several candidates: `others` ask the same in other ways, each answer is a candidate; `samples` are the
    answers wanted of each prompt (None: as the settings say). They are voted on by their results. Where no
    majority agrees, `choose` makes a prompt of the different ones (SQL and rows, the most agreed on first)
    whose answer is the number of one.

    What is done with an answer: `read` takes the part with the SQL out of it; `align` corrects a query that
    passed the check and says what it corrected (nothing: ""); `doubt` says what is wrong with a result that
    was not refused, and the model is asked once more.
    """

    messages: tuple[Message, ...]
    stop: tuple[str, ...] = ()
    then: Callable[[str], Prompt] | None = None
    most: int | None = None
    others: tuple[Prompt, ...] = ()
    samples: int | None = None
    choose: Callable[[Sequence[tuple[str, Rows]]], Prompt] | None = None
    read: Callable[[str], str] | None = None
    align: Callable[[str], tuple[str, str]] | None = None
    doubt: Callable[[str, Rows], str | None] | None = None

    def repaired(self, sql: str, error: str) -> Prompt:
        """The prompt that follows an answer which did not work: what was answered, and why it failed."""
        problem = (
            f"That query does not work: {as_data(error, 300)}\n"
            "Write the corrected query for the same question. Answer with SQL only."
        )
        turn = (Message("assistant", sql), Message("user", problem))
        return replace(self, messages=(*self.messages, *turn), others=())


@dataclass(frozen=True, slots=True)
class Setup:
    """What a preparation works with beside the catalog, the examples and the model.

    `folder` keeps what was prepared (None: nothing is kept). `budget` is that of a whole prompt, in tokens.
    `engine` is the database, for what has to be run; `embedder` gives the embedding model when it is needed.
    `on_progress` is told a stage, how much of it is done, and how much there is. With `reword` the model may
    put steps that were read from SQL in better words.
    """

    folder: Path | None = None
    budget: int = 3000
    mask: bool = False
    engine: Engine | None = None
    embedder: Callable[[], Embedder] | None = None
    on_progress: Callable[[str, int, int], None] | None = field(default=None, compare=False)
    reword: bool = False


class Prepared(Protocol):
    """A strategy made ready for one database."""

    @property
    def name(self) -> str: ...

    def prompt(self, context: PromptContext) -> Prompt:
        """The messages for a question; pure, the same context gives the same bytes."""
        ...


class Strategy(Protocol):
    """A way to put a question and its context to a model; `history` says whether it uses what was learned."""

    @property
    def name(self) -> str: ...

    @property
    def history(self) -> bool: ...

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> Prepared:
        """Makes it ready for the database of `catalog`; resumes, and gives the same again, from its folder.

        Raises SourceError or UsageError for examples that cannot be read, ModelError where `llm` is needed
        and gives no answer.
        """
        ...


class Unprepared:
    """A strategy that needs no preparation: it is ready as it is."""

    history = False

    def prepare(self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup) -> Self:
        """Itself."""
        return self


def system_message(context: PromptContext) -> Message:
    """Rules and schema: the part that stays the same for all questions of one database."""
    return Message(
        "system", f"{rules(context.dialect, context.database)}\n\n{neutral(context.schema).strip()}"
    )


def best_values(context: PromptContext, most: int = 6) -> list[tuple[str, str, str]]:
    """Table, column and value that words of the question mean, best first; none where they are masked."""
    if context.mask:
        return []
    matches = sorted(context.values, key=lambda match: -match.score)
    return list(dict.fromkeys((match.table, match.column, match.value) for match in matches))[:most]


def value_lines(context: PromptContext, most: int = 6) -> list[str]:
    """The words of the question that are values of the database, a line each; none where they are masked."""
    lines = []
    for table, column, value in best_values(context, most):
        lines.append(f"- {table}.{column} = {quote_text(as_data(value, 80))}")
    return lines


def usable(items: Sequence[RankedItem]) -> list[RankedItem]:
    """The items that may be offered as fact: neither deprecated nor stale."""
    return [ranked for ranked in items if ranked.item.trust != "deprecated" and not ranked.item.stale]
