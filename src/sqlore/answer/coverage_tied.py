"""The one condition that a word stands for which hardly any script of the history says.

"How many cardiologists do we have?" with ``fach = 'CARD'`` and nothing else: a word of one question says
which condition it means where it begins with the condition's value, where the value's description has it, or
where everything else in that question and that SQL goes with something else. A word that is the value itself
is none of these: values are found by the index of values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlore.answer.coverage_words import stems_in
from sqlore.catalog.text import fold, plain
from sqlore.retrieve.association import Going
from sqlore.retrieve.plain_words import QUANTITIES, SAYS_NOTHING
from sqlore.retrieve.words import stem, tokens
from sqlore.sql.names import table_and_column

if TYPE_CHECKING:
    from sqlore.answer.coverage_sql import Uses
    from sqlore.catalog import Catalog
    from sqlore.retrieve.snapshot import Ints

__all__ = ["named_in", "tied"]

#: Texts that say a word from which on it is counted what they use (`association`).
_COUNTED: Final = 2
#: Letters from which on the beginning of a word may be a value.
_CODE: Final = 4
#: Conditions with their value that this share of all texts have say nothing of a word.
_COMMON: Final = 0.2
_VALUE: Final = " = <val>"


def tied(word: str, rows: Ints, uses: Uses, catalog: Catalog) -> Going | None:
    """The condition that a word of the texts `rows` stands for, which the query has not; None for none."""
    if not 0 < len(rows) < _COUNTED:
        return None
    text = int(rows[0])
    found = [one for one in _telling(text, uses) if word not in set(stems_in(*one.literals))]
    spoken = [one for one in found if _spells(word, one, uses, catalog)]
    if not spoken and len(found) == 1 and _open(text, found[0], uses, catalog) == {word}:
        spoken = found
    return spoken[0] if len(spoken) == 1 and spoken[0].item not in uses.held else None


def named_in(words: str, value: str, but: str) -> bool:
    """Whether a question says a value itself, with other words than `but` (a stem).

    >>> named_in("Which insured patients live in Ulm?", "Ulm", "insur"), named_in("owners", "OWNER", "owner")
    (True, False)
    """
    said, own = set(fold(words).split()), set(fold(value).split())
    return bool(own) and own <= said and but not in {stem(one) for one in tokens(value)}


def _telling(text: int, uses: Uses) -> list[Going]:
    """The conditions of a text with one value each that its words may stand for."""
    snapshot, every = uses.snapshot, max(1, int(uses.alive.sum()))
    found = []
    for item in snapshot.items_of_text[text]:
        known, literals = snapshot.items[item], snapshot.literals_of.get((item, text), ())
        if known.kind != "condition" or not known.skeleton.endswith(_VALUE):
            continue
        if len(literals) != 1 or not any(one.isalnum() for one in literals[0][-1]):
            continue
        having = sum(literals[0] in values for values in uses.values_of(item).values())
        if having <= max(1, _COMMON * every):
            found.append(Going(int(item), (text,), literals[0], 1.0, every / max(1, having)))
    return found


def _spells(word: str, one: Going, uses: Uses, catalog: Catalog) -> bool:
    """Whether a word begins with the value of a condition, or says what the value means."""
    value = plain(one.literals[-1])
    if len(value) >= _CODE and value.isalpha() and plain(word).startswith(value):
        return True
    for name in uses.snapshot.items[one.item].columns:
        table, column = table_and_column(name)
        if word in set(stems_in(catalog.dictionary.describe_value(table, column, one.literals[-1]))):
            return True
    return False


def _open(text: int, one: Going, uses: Uses, catalog: Catalog) -> set[str]:
    """The words of a text's question that its names do not say; all of them where it has other conditions."""
    snapshot, said = uses.snapshot, set[str]()
    for item in snapshot.items_of_text[text]:
        known = snapshot.items[item]
        if known.kind == "condition" and item != one.item:
            return set()
        said |= set(stems_in(known.skeleton, *known.aliases))
        for table in known.tables:
            said |= set(stems_in(*catalog.dictionary.names(table)))
        for name in known.columns:
            said |= set(stems_in(*catalog.dictionary.names(*table_and_column(name))))
    words = {stem(w) for w in tokens(snapshot.texts[text].words) if w not in SAYS_NOTHING | QUANTITIES}
    return words - said - SAYS_NOTHING
