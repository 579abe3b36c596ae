"""What every interface works with: a database with everything sqlore knows of it, and the jobs over it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlore.workspace import asking, dictionary, drafts, examples, learning
from sqlore.workspace.opened import OnProgress, Opened

if TYPE_CHECKING:
    from sqlore.answer.refine.change import Refiner
    from sqlore.answer.refine.history import DraftHistory
    from sqlore.catalog import Catalog, Entry
    from sqlore.knowledge import LearnReport
    from sqlore.llm import ChatModel
    from sqlore.llm.base import OnStep
    from sqlore.model import Draft, Retrieval, Schema, Script
    from sqlore.prompts.da_gp_learn import WarmReport
    from sqlore.prompts.da_gp_prompt import PreparedAdapted
    from sqlore.prompts.da_gp_review import Review

__all__ = ["Workspace", "open"]


def open(db: str | None = None, *, store: str | Path | None = None, **settings: Any) -> Workspace:
    """A workspace for a database URL or file; `settings` are those of `sqlore.config.Settings`.

    Raises:
        ConfigError: a setting cannot be used.
    """
    from sqlore.config import load_settings

    return Workspace(load_settings(db=db, store=store, **settings))


class Workspace(Opened):
    """A database with everything sqlore knows of it. Use it as a context manager."""

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -------------------------------------------------------------- learning

    def learn(
        self,
        *sources: str | Path,
        schema: Schema | None = None,
        dialect: str | None = None,
        reembed: bool = False,
        on_progress: OnProgress | None = None,
        **reading: Any,
    ) -> LearnReport:
        """Learns every script of `sources`; what is already known is not learned again.

        `reembed` first makes all vectors anew with the embedding model now set, for a store of another one.
        `schema` takes the place of a database that is not at hand; `reading` goes to `read_history`.
        """
        return learning.learn_history(
            self,
            sources,
            schema=schema,
            dialect=dialect,
            reembed=reembed,
            on_progress=on_progress,
            **reading,
        )

    def teach(self, *scripts: Script) -> LearnReport:
        """Learns scripts that somebody has at hand, such as a query that was just checked."""
        return learning.learn_scripts(self, scripts)

    def warm(
        self,
        *,
        review: Path | None = None,
        approved: bool = False,
        model: ChatModel | None = None,
        on_progress: OnProgress | None = None,
    ) -> tuple[WarmReport, PreparedAdapted]:
        """Adapts examples to the database with the model (`da_gp`) and learns them as synthetic scripts.

        What was adapted before, and what a person approved or wrote in the file `review`, is not made again.
        With `approved` only what a person approved is learned. Raises as `AdaptedPrompt.prepare`.
        """
        self.on_progress = on_progress
        return examples.warm(
            self, review=review, approved=approved, model=model or self.model, on_progress=on_progress
        )

    @property
    def examples(self) -> Review:
        """The examples that `warm` made for the database, and what people said of them."""
        return examples.examples_of(self)

    def learn_examples(self, *, on_progress: OnProgress | None = None) -> WarmReport:
        """Makes the synthetic scripts of the store those of `examples`, as people left them.

        No model is asked. Those that wait are learned only where `warm` learned them too.
        """
        return examples.learn_reviewed(self, on_progress)

    # -------------------------------------------------------------- the dictionary

    def say(self, *entries: Entry, taken_back: Sequence[Entry] = ()) -> Catalog:
        """What a person says of tables, columns and values, in place of what a person said of them before.

        `taken_back` is not said any more; what a file or the database says shows again. Kept in the store,
        which is made where there is none. `redescribe` brings the descriptions up to date.
        """
        return dictionary.say(self, entries, taken_back)

    def redescribe(self, names: Collection[str], *, on_progress: OnProgress | None = None) -> tuple[int, int]:
        """Describes and embeds anew what names these tables and columns (``orders.amount``).

        Returns how many items were looked at and how many have new words.
        """
        return dictionary.redescribe(self, names, on_progress)

    # -------------------------------------------------------------- asking

    def retrieve(
        self, question: str, *, items: int = 20, scripts: int | None = None, shots: int | None = None
    ) -> Retrieval:
        """What the history knows that touches the question, best first.

        No language model is called, unless the setting `retrieve_filter` wants one. `shots`: exactly so many
        scripts, as in `Retriever.retrieve`.
        """
        most = self.settings.scripts if scripts is None else scripts
        return self.retriever.retrieve(asking.asked(question), items=items, scripts=most, shots=shots)

    def ask(
        self,
        question: str,
        *,
        strategy: str | None = None,
        on_progress: OnProgress | None = None,
        on_model: OnStep | None = None,
    ) -> Draft:
        """SQL that answers the question, with rows, and a citation for every fragment.

        The `strategy` is the setting's where none is given. With one that uses no history, or where nothing
        was learned, nothing is retrieved.
        `on_progress` is told each stage, `on_model` how far the model is in it.
        """
        self.on_progress = on_progress
        return asking.ask(self, question, strategy=strategy, on_progress=on_progress, on_model=on_model)

    # -------------------------------------------------------------- the draft that is worked on

    def refiner(self, *, model: bool = False) -> Refiner:
        """What can be changed about a query over this database; `model`: also wishes that need one."""
        return asking.refiner(self, model=model)

    def checked(self, sql: str, question: str = "") -> Draft:
        """A query checked, run and cited as `ask` does it."""
        return asking.check(self, sql, question)

    @property
    def draft_file(self) -> Path:
        """Where the draft that is worked on is kept: beside the store."""
        return self.store_file.with_suffix(".draft.json")

    def keep_draft(self, history: DraftHistory) -> None:
        """Keeps a draft with its history, for `sqlore refine`; the file is replaced as a whole.

        Nothing is kept where sqlore has no folder yet.
        """
        drafts.write_draft(self.draft_file, history)

    def kept_draft(self) -> DraftHistory | None:
        """The draft that is kept. Raises `UsageError` where the file is damaged."""
        return drafts.read_draft(self.draft_file)
