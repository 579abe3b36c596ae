"""From bytes to lines of text, whatever the encoding: UTF-8 with or without a BOM, UTF-16, cp1252.

Lines are decoded one by one, so a file in which two people's editors left two encodings is still read:
the lines that are UTF-8 as UTF-8, the others as cp1252.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator

__all__ = ["binary_kind", "is_junk", "lines_of"]

_MAGIC: dict[bytes, str] = {
    b"SQLite format 3\x00": "an SQLite database",
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "a gzip archive",
    b"\x7fELF": "a program",
    b"%PDF-": "a PDF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}
# Control characters that no text has: all but tab, line ends, form feed, and DOS's end-of-file mark.
_CONTROL = re.compile("[\x00-\x08\x0e-\x19\x1b-\x1f\x7f]")


def binary_kind(head: bytes) -> str | None:
    """What a file is that is certainly not text, by its first bytes; None where it may be text.

    >>> binary_kind(b"PK\\x03\\x04....")
    'a ZIP archive'
    >>> binary_kind(b"SELECT 1") is None
    True
    """
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


def is_junk(text: str) -> bool:
    """Whether decoded text holds control characters that no query has.

    >>> is_junk("SELECT\\t'x'"), is_junk("\\x00\\x01\\x02")
    (False, True)
    """
    return _CONTROL.search(text) is not None


def lines_of(stream: io.BufferedReader) -> Iterator[str]:
    """The lines of a binary stream as text, each with its line end, lazily.

    >>> raw = io.BytesIO(b"\\xef\\xbb\\xbfna\\xc3\\xafve\\r\\nna\\xefve")
    >>> [ascii(line) for line in lines_of(io.BufferedReader(raw))]
    ["'na\\\\xefve\\\\r\\\\n'", "'na\\\\xefve'"]
    """
    wide = _wide_encoding(stream.peek(4096)[:4096])
    if wide is not None:
        yield from io.TextIOWrapper(stream, encoding=wide, errors="replace", newline="")
        return
    for number, raw in enumerate(stream):
        yield _decode_line(raw.removeprefix(codecs.BOM_UTF8) if number == 0 else raw)


def _decode_line(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def _wide_encoding(head: bytes) -> str | None:
    """UTF-16 by its BOM, or without one by the zero bytes of its Latin letters."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    pairs = len(head) // 2
    if pairs < 4:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.6 * pairs and even < 0.05 * pairs:
        return "utf-16-le"
    if even > 0.6 * pairs and odd < 0.05 * pairs:
        return "utf-16-be"
    return None
