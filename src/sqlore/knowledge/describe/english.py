"""The little grammar that descriptions need: plurals, singulars, lists in a sentence."""

from __future__ import annotations

from typing import Final

from sqlore.catalog.names import word_set

__all__ = ["bracketed", "clause_at", "joined", "plural", "singular", "unmarked"]

_OPEN: Final = "\ue010"
_CLOSE: Final = "\ue011"
_CLAUSES: Final = (" where ", " whose ", " that ")

_IRREGULAR: Final = {"person": "people", "child": "children", "man": "men", "woman": "women", "foot": "feet"}
_SINGULAR: Final = {v: k for k, v in _IRREGULAR.items()}
_UNCHANGED: Final = word_set("series species data information news status trans gas atlas canvas bus basis")


def bracketed(said: str) -> str:
    """Words in brackets that belong to what is said, other than those of an aside; see `unmarked`.

    >>> unmarked("total " + bracketed("price minus discount") + " times quantity")
    'total (price minus discount) times quantity'
    """
    return f"{_OPEN}{said}{_CLOSE}"


def unmarked(said: str) -> str:
    """A finished text with brackets in their usual form; without them where one of a pair was cut off."""
    whole = said.count(_OPEN) == said.count(_CLOSE)
    return said.replace(_OPEN, "(" if whole else "").replace(_CLOSE, ")" if whole else "")


def clause_at(said: str, words: tuple[str, ...] = _CLAUSES) -> int:
    """Where the first of the words begins, be it within brackets; the text's length where there is none."""
    flat = said.replace(f" {_OPEN}", "  ")  # of the same length
    flat = flat.replace(" where missing", " " * 14)  # no clause: "discount (0 where missing)"
    at = min((found for word in words if (found := flat.find(word)) > 0), default=len(said))
    return at - 1 if said[at - 1 : at] == " " and at < len(said) else at


def plural(words: str) -> str:
    """The plural of the last word.

    >>> plural("superhero"), plural("hero power"), plural("person"), plural("cards"), plural("county")
    ('superheroes', 'hero powers', 'people', 'cards', 'counties')

    A word with other letters than English has may be a plural already:

    >>> plural("Ärzte"), plural("patient")
    ('Ärzte', 'patients')
    """
    head, _, last = words.rpartition(" ")
    return f"{head} {_plural(last)}".strip()


def _plural(word: str) -> str:
    low = word.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if not word or low in _UNCHANGED or not word[-1].isalpha() or word.isupper() or not word.isascii():
        return word
    if low.endswith("s") and not low.endswith(("ss", "us")):
        return word
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if low.endswith(("ss", "us", "x", "ch", "sh", "hero", "potato", "veto")):
        return word + "es"
    return word + "s"


def singular(words: str) -> str:
    """The singular of the last word.

    >>> singular("molecules"), singular("categories"), singular("superhero"), singular("status")
    ('molecule', 'category', 'superhero', 'status')
    """
    head, _, last = words.rpartition(" ")
    return f"{head} {_singular(last)}".strip()


def _singular(word: str) -> str:
    low = word.lower()
    if low in _SINGULAR:
        return _SINGULAR[low]
    if low in _UNCHANGED or len(low) < 4 or low.endswith(("ss", "us", "is")) or not low.endswith("s"):
        return word
    if low.endswith("ies") and len(low) > 4:
        return word[:-3] + "y"
    if low.endswith(("sses", "xes", "ches", "shes", "heroes")):
        return word[:-2]
    return word[:-1]


def joined(parts: list[str], last: str = "and") -> str:
    """Parts as a list in a sentence.

    >>> joined(["a", "b", "c"]), joined(["a", "b"], "or"), joined(["a"])
    ('a, b and c', 'a or b', 'a')
    """
    parts = list(dict.fromkeys(parts))
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}" if len(parts) > 1 else "".join(parts)
