"""Meanings of coded values, found in what people wrote about a column.

Data dictionaries say it in many spellings: ``F: female; M: male``, ``'A' stands for contract finished``,
``0 = no 1 = yes``, bullets with dashes, ``admitted (+) or followed (-)``. What is no code (a unit, an
example, a formula, a sentence with a colon) must stay out: a wrong meaning is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from sqlore.catalog.names import word_set

_BULLET: Final = re.compile(r"(?:^|\n)\s*(?:[·•●▪◦\x95*]|-(?=\s+[^\s:=]+\s*[:=–—-]))\s*", re.M)
_HEADING: Final = re.compile(r"common\s?sense\s+(?:evidence|reasoning|knowledge)s?\s*:?", re.I)
_QUOTED: Final = r"""\"[^"\n]{1,60}\"|'[^'\n]{1,60}'|“[^”\n]{1,60}”|‘[^’\n]{1,60}’|`[^`\n]{1,60}`"""
_SIGN_CODE: Final = r"[+\-±]{1,2}|[^\w\s()\[\]{}.,;:'\"/|]"
_SHORT: Final = rf"{_SIGN_CODE}|-?\d{{1,4}}|[A-Z][A-Z0-9]{{0,2}}|[a-z]"
_VERB: Final = (
    r"(?:stands?|standing)\s+for|means?|meaning|refers?\s+to|represents?|representing|indicates?|indicating"
    r"|denotes?"
)
_SIGN: Final = r"-{1,2}>|=>|:=|:|=|\s[–—-](?=\s)"
_LINK: Final = rf"(?:\s*(?:{_SIGN})\s*(?:(?:{_VERB}|is\s+for|for)\s)?|\s+(?:{_VERB}|is\s+for)\s)"

#: At the start of a line any code; further on in the line only one that cannot be part of the meaning before.
_FIRST: Final = re.compile(
    rf"\s*(?P<code>{_QUOTED}|[^\s:=\"'“‘`][^:=\n\"“]{{0,40}}?)(?P<link>{_LINK})\s*(?P<rest>\S.*)", re.S
)
_INNER: Final = re.compile(
    rf"(?:^|(?<=[\s,;)]))(?:and\s+|or\s+)?(?P<code>{_QUOTED}|{_SHORT})(?P<link>{_LINK})\s*(?=\S)"
)
_SPELLINGS: Final = str.maketrans({"\r": "\n", "\xa0": " ", "\u200b": None, "：": ":", "＝": "="})
_GLUED: Final = re.compile(r"(?<=\))(?=\d\s*:)")
_PARENTHESISED: Final = re.compile(r"([^()]{2,80}?)\s*\(\s*['\"]?([+\-]|\d{1,2}|[A-Z])['\"]?\s*\)")
_VALUE: Final = r"(?:(?:the\s+)?value\s+(?:of\s+)?)?"
_NEXT: Final = rf"{_VALUE}(?:{_QUOTED}|-?\d)"
_PROSE: Final = re.compile(
    rf"{_VALUE}(?P<code>{_QUOTED}|(?<![\w.])-?\d{{1,3}}(?![\w.]))\s+(?:{_VERB}|for)\s+(?:that\s+)?"
    rf"(?P<meaning>[^.;]{{2,120}}?)"
    rf"(?=\s*(?:[.;]|$)|,?\s+(?:and|or|while|whereas)\s+{_NEXT}|,\s*{_NEXT})",
    re.I,
)

#: What stands before a colon without being a code.
_NO_CODE: Final = word_set(
    """unit units note notes nb e.g eg i.e ie example examples range format formula default source see null
    none empty blank nan n/a na missing values value where if when the a an it this that these those for in
    some all any more others other http https definition meaning type remark formatted"""
)
#: Where the list of codes of a comment begins.
_CODES: Final = re.compile(
    rf"(?:^|(?<=[\s(:;,.]))(?:{_QUOTED}|-?\d{{1,4}}|[A-Z][A-Z0-9]{{0,2}}|[a-z])(?:\s*(?:-{{1,2}}>|=>|:=|=|:)|\s+[–—-]\s|\s+(?:{_VERB})\s)"
)
_NAME_WORDS: Final = 5
_WORD: Final = re.compile(r"[^\W_][\w'’/&-]*\Z")
_NO_START: Final = word_set(
    """in at by on for from if when where whether how why what who which see use used set not no never always
    only do don't please todo fixme xxx deprecated unused obsolete legacy ignore filled computed
    calculated derived taken copied mandatory optional required references foreign fk pk
    primary same as like since until once"""
)
_NO_NAME: Final = word_set(
    """is are was were be has have had can could may might must shall should will would does did means
    contains holds stores refers gets comes points says tells that which deprecated unused"""
)
_NULLS: Final = word_set("null none empty blank nan missing unknown")


def value_meanings(
    text: str, *, numeric: bool = False, column: str = "", columns: Collection[str] = ()
) -> dict[str, str]:
    """Codes and their meanings in a dictionary's free text, in its order; empty where it lists none.

    `numeric` says that the column holds numbers: then only numbers are codes. `column` and `columns` are the
    names of this and the other columns, which are never codes.

    >>> value_meanings("F：female \\nM：male")
    {'F': 'female', 'M': 'male'}
    >>> value_meanings("'A' stands for contract finished, no problems;\\n'B' stands for loan not paid")
    {'A': 'contract finished, no problems', 'B': 'loan not paid'}
    >>> value_meanings("0: doesn't have, 1: has full artwork", numeric=True)
    {'0': "doesn't have", '1': 'has full artwork'}
    >>> value_meanings("patient was admitted to the hospital (+) or followed at the outpatient clinic (-)")
    {'+': 'patient was admitted to the hospital', '-': 'followed at the outpatient clinic'}
    >>> value_meanings("unit：US dollar"), value_meanings('"OWNER" : "USER" : "DISPONENT"')
    ({}, {})
    """
    text = _tidy(text)
    names = {c.lower() for c in (*columns, column)}
    found: dict[str, str] = {}
    for section in _HEADING.split(text):
        for code, meaning in _section(section):
            if _is_code(code, numeric, names):
                found.setdefault(_bare(code), meaning)
    if not found:
        for meaning, code in _parenthesised(text):
            if _is_code(code, numeric, names):
                found.setdefault(code, meaning)
    return found


def prose_meanings(text: str, names: Collection[str] = ()) -> dict[str, str]:
    """Codes and meanings in running text: only quoted or numeric codes with a verb count; two at least.

    `names` are names of tables and columns, which stand in quotes too and are never codes.

    >>> prose_meanings("The values are: 'SIPO' stands for household payment, 'UVER' stands for loan payment.")
    {'SIPO': 'household payment', 'UVER': 'loan payment'}
    >>> prose_meanings("The value of 0 indicates that there is none, and 2 indicates that it is severe.")
    {'0': 'there is none', '2': 'it is severe'}
    >>> prose_meanings("an integer, indicates whether an app event is active (1) or not (0).")
    {'1': 'app event is active', '0': 'not'}
    """
    text = " ".join(_tidy(text).split())
    no_codes = {name.lower() for name in names}
    pairs = [(_bare(m["code"]), _clean(m["meaning"])) for m in _PROSE.finditer(text)]
    pairs = [(code, meaning) for code, meaning in pairs if meaning and code.lower() not in no_codes]
    if len(pairs) < 2:
        pairs = [(code, _after_whether(meaning)) for meaning, code in _parenthesised(text)]
    meanings = [meaning for _, meaning in pairs]
    # Two codes of one meaning: the sentence was cut in the wrong place.
    found = {code: meaning for code, meaning in pairs if meaning and meanings.count(meaning) == 1}
    return found if len(found) > 1 else {}


def comment_meanings(
    text: str, *, numeric: bool = False, column: str = "", columns: Collection[str] = ()
) -> tuple[str, dict[str, str]]:
    """What a comment says of a column, and the meanings of codes that it lists; see `value_meanings`.

    >>> comment_meanings("3 = cancelled"), comment_meanings("kind of payment (C = cash, B = bank)")
    (('', {'3': 'cancelled'}), ('kind of payment', {'C': 'cash', 'B': 'bank'}))
    >>> comment_meanings("net price: gross = net * 1.19", numeric=True)
    ('net price: gross = net * 1.19', {})
    """
    start = _CODES.search(text)
    if start is None:
        return text, {}
    about, listed = text[: start.start()].strip(" \n:;,.(-"), text[start.start() :]
    if about and text[start.start() - 1] == "(":
        listed, _, after = listed.partition(")")
        about = f"{about} {after.strip(' .')}".strip()
    listed = re.sub(r"\s*[/|]\s*(?=[\w'\"]+\s*(?:=|:|-+>))", "; ", listed)
    found = value_meanings(listed, numeric=numeric, column=column, columns=columns)
    sure = len(found) > 1 or "=" in start[0] or len(next(iter(found), "")) == 1
    spoken = all(meaning[:1].isalpha() for meaning in found.values())
    return (about, found) if found and sure and spoken else (text, {})


def reads_like_name(text: str) -> bool:
    """Whether a text is a short noun phrase, so that it can stand for the name of a column in a sentence.

    >>> [reads_like_name(t) for t in ("average salary", "date of birth", "Geburtsdatum des Patienten")]
    [True, True, True]
    >>> [reads_like_name(t) for t in ("3 = cancelled", "do not use", "set by a trigger", "in cents")]
    [False, False, False, False]
    """
    words = text.lower().rstrip(".").split()
    plain = all(_WORD.match(word) for word in words)
    return (
        0 < len(words) <= _NAME_WORDS
        and plain
        and words[0] not in _NO_START
        and not _NO_NAME.intersection(words)
    )


def without_headings(text: str) -> str:
    """The text without "commonsense evidence:" and the like.

    >>> without_headings("commonsense evidence:\\nK-12: 1st to 12th grade")
    'K-12: 1st to 12th grade'
    """
    return _HEADING.sub("", text).strip()


def _after_whether(meaning: str) -> str:
    head = re.split(r"\b(?:whether|if|with|where|as|is either)\b\s+(?:an?\s+|the\s+)?", meaning, flags=re.I)
    return head[-1].strip()


def _tidy(text: str) -> str:
    """One kind of blank, colon and bullet."""
    text = text.replace("\r\n", "\n").translate(_SPELLINGS)
    text = _BULLET.sub("\n", _GLUED.sub("\n", re.sub(r"[^\S\n]+", " ", text)))
    return re.sub(r" ?\n[ \n]*", "\n", text)


def _section(text: str) -> list[tuple[str, str]]:
    """Pairs of one section. Codes in plain words ("Active: ...") count where the section has two of them."""
    pairs: list[tuple[str, str, bool]] = []
    for line in re.split(r"\n|;", text):
        match = _FIRST.match(line)
        if match is None or _is_list(line):
            continue
        code, rest = match["code"].strip(), match["rest"]
        sure = bool(re.fullmatch(rf"{_QUOTED}|{_SHORT}", code))
        if match["link"].strip()[:1].isalpha() and not sure:
            continue  # "Higher view count means ..." is a sentence
        meanings = _inner(rest) if sure else [("", rest)]
        pairs.append((code, meanings[0][1], sure))
        pairs += [(inner, meaning, True) for inner, meaning in meanings[1:]]
    words = [code for code, _, sure in pairs if not sure]
    enough = len(words) > 1 or len(pairs) > len(words) > 0
    kept = [(code, _clean(meaning)) for code, meaning, sure in pairs if sure or enough]
    return [(code, meaning) for code, meaning in kept if meaning]


def _inner(text: str) -> list[tuple[str, str]]:
    """The rest of a line cut where another code begins: the first pair's code is empty."""
    cuts = list(_INNER.finditer(text))
    starts = [0, *(m.end() for m in cuts)]
    ends = [*(m.start() for m in cuts), len(text)]
    codes = ["", *(m["code"] for m in cuts)]
    return [(code, text[a:b]) for code, a, b in zip(codes, starts, ends, strict=True)]


def _parenthesised(text: str) -> list[tuple[str, str]]:
    """(meaning, code) of "admitted (+) or followed (-)"; two at least."""
    pairs = []
    for meaning, code in _PARENTHESISED.findall(text):
        cut = re.split(r"[.;:\n]|(?:^|\s)(?:or|and)\s", meaning)[-1]
        if _clean(cut):
            pairs.append((_clean(cut.lstrip(" ,")), code))
    return pairs if len({code for _, code in pairs}) > 1 else []


def _is_list(line: str) -> bool:
    """Quoted words alone with signs between: values without meanings."""
    return not re.sub(rf"{_QUOTED}|[\s,:/|]", "", line)


def _is_code(code: str, numeric: bool, names: set[str]) -> bool:
    quoted = code != _bare(code)
    bare = _bare(code)
    words = bare.lower().rstrip(".").split()
    if not words or bare.lower() in names or any(w in _NULLS for w in words):
        return False
    if numeric:
        return bool(re.fullmatch(r"[+-]?\d+(?:\.\d+)?", bare))
    if quoted:
        return True
    if re.fullmatch(r"[A-Z]", bare):
        return True
    spoken = len(words) <= 3 and not _NO_CODE.intersection((words[0], words[-1]))
    return spoken and not _looks_like_clock(bare)


def _looks_like_clock(code: str) -> bool:
    return bool(re.search(r"\d{4}-\d\d|\d\s+\d", code))


def _bare(code: str) -> str:
    code = code.strip()
    return code[1:-1].strip() if len(code) > 2 and code[0] in "\"'“‘`" else code


def _clean(meaning: str) -> str:
    meaning = " ".join(meaning.split()).strip(" ,;").removesuffix(".").strip()
    if meaning.count(")") > meaning.count("("):
        meaning = meaning.rstrip(")")
    return meaning[1:-1] if re.fullmatch(_QUOTED, meaning) else meaning
