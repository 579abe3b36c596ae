"""A question that was asked before in the same words: its saved SQL is the answer, no model is needed.

Same words: but for case, blanks and the punctuation of sentences. What carries meaning in a question about
data (signs, comparisons, the point and the parts of a number or date) has to be the same too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from sqlore.answer.not_here import why_not_here
from sqlore.errors import CheckError, EngineError, SqlError
from sqlore.history.asking import warning_in
from sqlore.model import FromHistory, Rows, StoredScript
from sqlore.sql import check_query, parse_script

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.knowledge import Store
    from sqlore.knowledge.records import Text

__all__ = ["Asked", "asked_before", "words_of"]

#: Numbers with their sign and parts, words, and the signs that mean something: a ``!`` before what it denies,
#: a hyphen that parts no two words, a point at the beginning of a name.
_PARTS: Final = re.compile(
    r"(?<!\w)[-+]?\.?\d+(?:[.,:/-]\d+)*\w*|\w+|[<>=%+*/#&@$€£^~|\\]|!(?=\s*[=~<>]|[\w(])|(?<!\w)-|-(?=\.?\d)"
    r"|(?<![\w.])\.(?=\w)|[^\w\s\x00-\x7f]"
)
_QUOTES: Final = str.maketrans(dict.fromkeys("‘’“”„«»…¿¡", " ") | dict.fromkeys("‐‑‒–−", "-"))
_DASH: Final = re.compile(r"[—―](?!\s*\.?\d)")


def words_of(question: str) -> str:
    """What two questions are compared by.

    >>> words_of("How many  clients' accounts are there?") == words_of("how many clients accounts are there")
    True
    >>> [words_of(text) for text in ("born after 1,970", "label = '+'", "label = '-'", "a full-time job")]
    ['born after 1,970', 'label = +', 'label = -', 'a full time job']
    >>> [words_of(text) for text in ("status != 'paid'!", "above .5 euros", "below –5", "well – done")]
    ['status ! = paid', 'above .5 euros', 'below -5', 'well - done']
    """
    return " ".join(_PARTS.findall(_DASH.sub(" ", question.casefold().translate(_QUOTES))))


@dataclass(frozen=True, slots=True)
class Asked:
    """What the history has for a question in the same words.

    `sql` and `rows` are those of the script that is reused, `source` says which that is; all are None where
    none can be, and `why` then says why not.
    """

    sql: str | None = None
    rows: Rows | None = None
    source: FromHistory | None = None
    why: str = ""


def asked_before(
    question: str,
    store: Store,
    catalog: Catalog,
    dialect: str,
    run: Callable[[str], Rows],
    exclude: Collection[int | str] = (),
) -> Asked | None:
    """The saved answer to a question; None where nobody asked it in these words.

    Of several scripts the verified one is taken first, then the one that ran last, then most often; those
    with another SQL are named. Deprecated ones, those that their author warns of, and SQL that does not run
    here any more are passed over.
    `exclude` are ids of scripts, or keys of texts, that are not used.
    """
    texts = [
        text
        for text in _index(store).get(words_of(question), ())
        if text.script not in exclude and not (text.key and text.key in exclude)
    ]
    if not texts:
        return None
    scripts = {one.id: one for one in store.scripts(sorted({text.script for text in texts}))}
    texts.sort(key=lambda text: _rank(text, scripts[text.script]), reverse=True)
    failed = ""
    for text in texts:
        name = _name(text)
        if text.trust == "deprecated":
            failed = failed or f"script {name} answers this question, but it is deprecated"
            continue
        if warning := warning_in(text.comment):
            failed = failed or f"script {name} answers this question, but its author warns: {warning}"
            continue
        try:
            sql = check_query(text.sql, dialect, catalog.schema)
            rows = run(sql)
        except (SqlError, CheckError, EngineError) as error:
            why = why_not_here(text.sql, dialect, error)
            failed = failed or f"script {name} answers this question, but {why}"
            continue
        return Asked(sql, rows, _source(text, texts, scripts, catalog, dialect))
    return Asked(why=failed)


def _rank(text: Text, stored: StoredScript) -> tuple[bool, str, int, int]:
    return text.trust == "verified", stored.script.time or "", stored.script.runs, text.id


def _disowned(text: Text) -> bool:
    return text.trust == "deprecated" or bool(warning_in(text.comment))


def _name(text: Text) -> str:
    return text.key or str(text.script)


def _source(
    text: Text, texts: list[Text], scripts: dict[int, StoredScript], catalog: Catalog, dialect: str
) -> FromHistory:
    """Which script it is, and which others say something else for the same words."""

    def meant(sql: str) -> str:
        try:
            fragments = parse_script(sql, dialect=dialect, schema=catalog.schema).fragments
        except SqlError:
            return sql
        return next((one.canonical for one in fragments if one.kind == "query"), sql)

    mine = meant(text.sql)
    others = [one for one in texts if not _disowned(one) and meant(one.sql) != mine]
    script = scripts[text.script].script
    return FromHistory(
        text.script,
        _name(text),
        script.author or "",
        script.time or "",
        others=tuple(dict.fromkeys(_name(one) for one in others)),
    )


_INDEXES: WeakKeyDictionary[Store, tuple[tuple[int, int], dict[str, list[Text]]]] = WeakKeyDictionary()


def _index(store: Store) -> dict[str, list[Text]]:
    """The texts of people by the words of their questions; made again when the store has changed."""
    stamp = store.stamp()
    kept = _INDEXES.get(store)
    if kept is None or kept[0] != stamp:
        index: dict[str, list[Text]] = {}
        for text in store.texts():
            if not text.synthetic and (words := words_of(text.words)):
                index.setdefault(words, []).append(text)
        kept = stamp, index
        _INDEXES[store] = kept
    return kept[1]
