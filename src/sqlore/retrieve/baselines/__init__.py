"""Retrievers to compare with: the published one, the few-shot selections of other systems, the simple ones.

    published        the BIRD-History paper's own, query and component level, without a language model
    published_llm    the same with a model that names the parts, filters and reranks
    mqs              masked question similarity (DAIL-SQL, OpenSearch-SQL)
    mqs_qs           the larger of masked and plain similarity (CodeS)
    mqs_filter       mqs over good demonstrations only (N-rep)
    dail             mqs, scripts of the preliminary SQL's shape first; that SQL is the nearest script's
    dail_llm         the same with a model's preliminary SQL
    bm25, random, frequent
    learned          the fragments that sqlore's retriever chooses
    learned_scripts  all fragments of the scripts it delivers
    learned_llm      learned with a model's say on the best candidates, one call (`rerank`)

They stand in our own code, written from the papers' descriptions.
"""

from __future__ import annotations

from typing import Final

from sqlore.errors import ModelUnavailable, UsageError
from sqlore.retrieve.baselines.base import Handed, Piece, Pool, Shown, TaskRetriever
from sqlore.retrieve.baselines.dail import Dail
from sqlore.retrieve.baselines.learned import Learned
from sqlore.retrieve.baselines.plugged import Plugged
from sqlore.retrieve.baselines.published import Granularity, Published
from sqlore.retrieve.baselines.similar import Bm25, FilteredMasked, Frequent, Masked, MaskedOrPlain, Random
from sqlore.retrieve.rerank import ModelFilter

__all__ = [
    "NAMES",
    "THRESHOLDED",
    "Granularity",
    "Handed",
    "Piece",
    "Pool",
    "Shown",
    "TaskRetriever",
    "make_retriever",
]

_SIMPLE: Final = {
    "mqs": Masked,
    "mqs_qs": MaskedOrPlain,
    "mqs_filter": FilteredMasked,
    "bm25": Bm25,
    "random": Random,
    "frequent": Frequent,
}
NAMES: Final = (
    "learned",
    "learned_scripts",
    "published",
    "mqs",
    "mqs_qs",
    "mqs_filter",
    "dail",
    "bm25",
    "frequent",
    "random",
    "learned_llm",
    "published_llm",
    "dail_llm",
)
#: Those that a threshold means something to: a cosine of questions or fragments, for `dail` a likeness of
#: skeletons.
THRESHOLDED: Final = frozenset(
    {"published", "published_llm", "mqs", "mqs_qs", "mqs_filter", "dail", "dail_llm"}
)


def make_retriever(
    name: str, pool: Pool, *, threshold: float | None = None, granularity: Granularity = "qc"
) -> TaskRetriever:
    """The retriever called `name` over `pool`; ``module:function`` calls that function with the pool.

    Raises `UsageError` for an unknown name and for a function that gives no retriever, `ModelUnavailable`
    where one with a model is asked for and the pool has none.
    """
    if ":" in name:
        return Plugged(name, pool)
    base, _, llm = name.partition("_llm")
    if name.endswith("_llm") and base in ("learned", "published", "dail") and not llm:
        if pool.model is None:
            raise ModelUnavailable(f"{name} needs a language model", hint="name one with --model")
        model = pool.model
    else:
        base, model = name, None
    if base == "published":
        return Published(pool, name, threshold, granularity=granularity, model=model)
    if base == "dail":
        return Dail(pool, name, threshold, model=model)
    if base in ("learned", "learned_scripts"):
        judge = ModelFilter(model) if model else None
        return Learned(pool, name, whole=base == "learned_scripts", judge=judge)
    if base in _SIMPLE:
        return _SIMPLE[base](pool, name, threshold)
    raise UsageError(
        f"no such retriever: {name}", hint=f"one of {', '.join(NAMES)}, gold, or module:function"
    )
