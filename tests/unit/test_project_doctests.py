"""Every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import sqlore

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def _modules() -> Iterator[str]:
    yield "sqlore"
    for module in pkgutil.walk_packages(sqlore.__path__, "sqlore."):
        yield module.name


@pytest.mark.parametrize("name", sorted(_modules()))
def test_examples_of_docstrings_run(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=OPTIONS)
    assert failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = sum(
        len(test.examples) for name in _modules() for test in finder.find(importlib.import_module(name))
    )
    assert examples > 50
