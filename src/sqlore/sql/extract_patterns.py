"""What marks SQL in a model's answer: thoughts, fences, first words of statements, and what ends one."""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "ANYWHERE",
    "BEGIN",
    "BLOCK_BEGIN",
    "CONTROL",
    "CUT",
    "DIALECTS",
    "FENCE",
    "KEYS",
    "LINE_START",
    "NEXT",
    "NOT_SQL",
    "ONE_LINE_FENCE",
    "QUERY",
    "SKIP",
    "THOUGHT",
    "THOUGHT_END",
]

THOUGHT: Final = re.compile(
    r"<(think|thinking|thought|reasoning|reflection)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
THOUGHT_END: Final = re.compile(
    r"\A.*</(?:think|thinking|thought|reasoning|reflection)>", re.DOTALL | re.IGNORECASE
)
CONTROL: Final = re.compile(r"<\|[^|<>]{1,40}\|>|\[/?INST\]|</?s>")
FENCE: Final = re.compile(
    r"^[ \t>]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+#.-]*)[^\n]*\n"
    r"(?P<body>.*?)(?:^[ \t>]*(?P=mark)|(?P=mark)[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
ONE_LINE_FENCE: Final = re.compile(r"```(?:[a-z]*sql\b)?[ \t]*(?P<body>[^`\n]+?)[ \t]*```", re.IGNORECASE)
NOT_SQL: Final = frozenset(
    {
        "python",
        "py",
        "bash",
        "sh",
        "shell",
        "javascript",
        "js",
        "csv",
        "html",
        "xml",
        "yaml",
        "output",
        "markdown",
    }
)
_WORDS: Final = (
    "SELECT|VALUES|INSERT|UPDATE|DELETE|REPLACE|MERGE|CREATE|DROP|ALTER|TRUNCATE|PRAGMA|ATTACH|DETACH|COPY"
    "|EXPLAIN|GRANT|REVOKE|VACUUM|CALL|EXEC"
)
_CTE: Final = (
    r"""WITH\s+(?:RECURSIVE\s+)?(?:\w+|"[^"]+"|`[^`]+`|\[[^\]]+\])\s*(?:\([^()]*\)\s*)?"""
    r"""AS\s*(?:(?:NOT\s+)?MATERIALIZED\s*)?\("""
)
BEGIN: Final = rf"(?:\(\s*)*(?:(?:{_WORDS})\b(?!\s*[:,.])|{_CTE})"
BLOCK_BEGIN: Final = re.compile(rf"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:{BEGIN}|FROM\s)", re.IGNORECASE | re.DOTALL)
LINE_START: Final = re.compile(
    r"^[ \t>_#]*(?P<bullet>(?:[*+-]|\d+[.)])[ \t]+)?"
    r"(?:[*_]*(?:final\s+)?(?:sql(?:ite)?|query|answer|statement|output)(?:\s+query|\s+statement)?"
    rf"[*_]*\s*:?[*_]*\s*:?)?[ \t]*`?(?P<begin>{BEGIN})",
    re.IGNORECASE | re.MULTILINE,
)
ANYWHERE: Final = re.compile(
    rf"(?<![\w.])(?P<begin>(?-i:(?:\(\s*)*(?:SELECT\b|{_CTE})|select\s))", re.MULTILINE
)
# What ends a statement that has no semicolon: a blank line, a closing tag or fence, a line of prose.
_PROSE: Final = (
    r"This|That|These|The|It|Its|Note|Explanation|Here|In|We|I|You|Your|Output|Result|Results|Answer|Question"
    r"|Let|Please|If|Or|Alternatively|However|Since|To|For|Where\s+the|So|Finally|First|Second|Sure|Hope|Assuming"
)
CUT: Final = re.compile(
    r"\n[ \t]*\n|\n?[ \t]*```|</(?:sql|query|answer|code)>"
    r"|\n[ \t]*(?:#{1,6}[ \t]|\*\*|[-*][ \t]+[A-Z`*]|\d+\.[ \t])"
    rf"|\n(?=[ \t]*(?:{_PROSE})\b[ ,:'])"
)
SKIP: Final = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|/\*.*?\*/|(?P<stop>;)|(?P<open>[(\[])|(?P<close>[)\]])""",
    re.DOTALL,
)
# What may stand between two statements that belong together: white space and comments.
NEXT: Final = re.compile(rf"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*(?={BEGIN})", re.IGNORECASE | re.DOTALL)
QUERY: Final = re.compile(r"[(\s]*(?:SELECT|WITH|VALUES)\b", re.IGNORECASE)
KEYS: Final = ("sql", "query", "sql_query", "statement", "answer", "code", "result")
DIALECTS: Final = ("sqlite", "duckdb", "postgres")
