"""Code of the user's own: ``module:function``, checked, and its faults told as its own."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlore.errors import SqloreError, UsageError

if TYPE_CHECKING:
    from sqlore.retrieve.baselines.base import Handed, Pool, TaskRetriever

__all__ = ["Plugged", "function_at", "theirs"]

_SHAPE = (
    "the function is given the Pool and gives an object with retrieve(question, exclude, *, shots, budget)"
)


class Plugged:
    """Stands before the object that the function at `name` gives.

    Raises `UsageError` where there is no such function, where what it gives has no `retrieve` or hands over
    something that is no `Handed`, and, with the place, where it fails.
    """

    def __init__(self, name: str, pool: Pool) -> None:
        self._place = name
        make = function_at(name, "retriever")
        with theirs(name):
            self._inner: TaskRetriever = make(pool)
        if not callable(getattr(self._inner, "retrieve", None)):
            raise UsageError(f"{name} gave {_a(self._inner)}, which has no retrieve", hint=_SHAPE)
        self.name = str(getattr(self._inner, "name", name))

    def retrieve(
        self,
        question: str,
        exclude: Collection[str] = frozenset(),
        *,
        shots: int | None = None,
        budget: int | None = None,
    ) -> Handed:
        """As `TaskRetriever.retrieve`."""
        from sqlore.retrieve.baselines.base import Handed

        with theirs(self._place):
            found = self._inner.retrieve(question, exclude, shots=shots, budget=budget)
        if not isinstance(found, Handed):
            raise UsageError(f"{self._place} handed over {_a(found)}", hint="retrieve gives a Handed")
        return found


def function_at(name: str, what: str) -> Callable[..., Any]:
    """The function at ``module:function``, which makes a `what`. Raises `UsageError` where there is none."""
    module, _, attribute = name.partition(":")
    hint = "module:function, importable from here"
    try:
        with theirs(name, but=(ImportError, ValueError)):
            found = getattr(importlib.import_module(module), attribute, None)
    except (ImportError, ValueError) as error:
        raise UsageError(f"no {what} at {name}: {error}", hint=hint) from error
    if not callable(found):
        raise UsageError(f"no {what} at {name}: {module} has no function {attribute!r}", hint=hint)
    made: Callable[..., Any] = found
    return made


@contextmanager
def theirs(name: str, but: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Whatever fails in here is a fault of the code at `name`; what is in the tree of errors stays."""
    try:
        yield
    except SqloreError:
        raise
    except Exception as error:
        if isinstance(error, but):
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise UsageError(
            f"{name} failed: {type(error).__name__}: {error}",
            where=f"{last.filename}:{last.lineno}, in {last.name}",
            hint="the fault is in that code, not in sqlore",
        ) from error


def _a(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"
