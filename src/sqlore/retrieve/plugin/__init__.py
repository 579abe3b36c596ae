"""What was retrieved, in the shape that other text-to-SQL pipelines expect of their own retrievers.

    found = Retriever(store).retrieve(question, shots=4)
    examples = as_format("dail", found, catalog)

The four are those of the BIRD-History paper's Table 2. Each is a pure function of a retrieval and a catalog
(which says what the tables look like; some pipelines repeat that beside every example). All four take the
most useful example first. The layouts follow the pipelines' public code; the code here is our own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sqlore.errors import UsageError
from sqlore.retrieve.plugin.codes import codes
from sqlore.retrieve.plugin.dail import dail, dail_prompt
from sqlore.retrieve.plugin.examples import Example, examples
from sqlore.retrieve.plugin.nrep import nrep, nrep_messages
from sqlore.retrieve.plugin.opensearch import opensearch

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.model import Retrieval

__all__ = [
    "FORMATS",
    "Example",
    "as_format",
    "codes",
    "dail",
    "dail_prompt",
    "examples",
    "nrep",
    "nrep_messages",
    "opensearch",
]

Formatter = Callable[["Retrieval", "Catalog | None"], Any]
FORMATS: Final[Mapping[str, Formatter]] = {
    "dail": dail,
    "opensearch": opensearch,
    "nrep": nrep,
    "codes": codes,
}


def as_format(name: str, found: Retrieval, catalog: Catalog | None = None) -> Any:
    """The scripts of `found` as the pipeline `name` expects them: text, or lists and dicts ready for JSON.

    Raises `UsageError` for an unknown name.
    """
    if name not in FORMATS:
        raise UsageError(f"no such format: {name}", hint=f"one of {', '.join(FORMATS)}")
    return FORMATS[name](found, catalog)
