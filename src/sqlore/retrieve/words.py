"""Words of questions and descriptions: split, folded, and cut to a common stem.

No language library: a handful of English endings is enough to bring "refunded orders" to "refund order",
and texts in other languages pass through as whole words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?", re.UNICODE)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

#: Words that say nothing about what is asked. Words that shape the SQL ("each", "most", "between") stay.
_STOPWORDS: Final = """
    a an the of in on at to for from by with and or as is are was were be been being am do does did done
    have has had having it its this that these those there their them they he she his her him who whom whose
    which what when where how why i me my we us our you your please list show give tell find name state
    provide identify mention indicate write calculate determine display return get can could would should
    will shall may might must if then than also any some such into about among within during
"""
STOPWORDS: Final = frozenset(_STOPWORDS.split())


def tokens(text: str) -> list[str]:
    """All words of `text`, lower-case, in order, stems and stop words left as they are.

    >>> tokens("The hero's full_name, e.g. 'Bruce Wayne'")
    ['the', 'hero', 'full', 'name', 'e', 'g', 'bruce', 'wayne']
    """
    found = _WORD.findall(_CAMEL.sub(" ", text).lower())
    return [word.split("'")[0] for word in found]


def stems(text: str) -> list[str]:
    """The words of `text` that carry meaning, as stems, in order, repeated ones too.

    >>> stems("How many of the cities' companies refunded their orders?")
    ['many', 'city', 'company', 'refund', 'order']
    """
    return [stem(word) for word in tokens(text) if word not in STOPWORDS]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The word without its English ending.

    >>> [stem(word) for word in ("countries", "boxes", "class", "matches", "running", "players", "1990s")]
    ['country', 'box', 'class', 'match', 'run', 'player', '1990']
    """
    if len(word) <= 3 or not word.isascii():
        return word
    if word[:-1].isdigit():
        return word.rstrip("s")
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and len(root) >= 3 and any(vowel in root for vowel in "aeiouy"):
            doubled = root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if doubled else root
    return word
