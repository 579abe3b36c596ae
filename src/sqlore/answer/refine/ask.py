"""A wish about one piece of a query, granted by a language model: it sees the piece, and writes only that.

The prompt is short: the tables of the scope, what they are called there, the clause, the piece, the wish.
What comes back is read as one piece of that clause and compared like any other edit; a model that misses gets
told why, once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sqlglot import Token, TokenType

from sqlore.catalog import Catalog, schema_text
from sqlore.config import Settings
from sqlore.errors import EditError, ModelRefusal, SqlError
from sqlore.model import Message, Schema, Usage
from sqlore.prompts.schemas import without_values
from sqlore.sql.edit.insert import aliases_of
from sqlore.sql.edit.query import Query
from sqlore.sql.resolve import Scope

if TYPE_CHECKING:
    from sqlore.llm import ChatModel

__all__ = ["asked_for", "messages_for"]

#: Tokens of the schema in the prompt, and of the answer.
_SCHEMA: Final = 1200
_ANSWER: Final = 200
_RULES: Final = """\
You change one piece of a SQL query as a person wishes. The rest of the query is fixed and stays.
Answer with the new piece alone, in one code block: the same kind of piece, for the same place. No other
clause, no whole query, no explanation. Keep what the wish does not speak of. Use only columns of the tables
below, with the names that the query gives these tables."""
_CLAUSES: Final = {
    "select": "a column of SELECT, without its alias",
    "order": "a formula in ORDER BY, without its direction",
    "where": "one condition of WHERE",
    "having": "one condition of HAVING",
    "qualify": "one condition of QUALIFY",
    "on": "one condition of a join's ON",
    "using": "the USING of a join",
    "from": "the whole FROM clause with its joins",
    "group": "the whole GROUP BY clause",
    "partition": "the PARTITION BY of a window",
    "window": "the ORDER BY of a window",
    "tail": "ORDER BY and LIMIT at the end",
    "distinct": "DISTINCT at the beginning",
    "top": "TOP at the beginning",
}
_FENCED: Final = re.compile(r"```[a-z]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT: Final = re.compile(r"\A.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_LABEL: Final = re.compile(r"\A(?:the\s+)?(?:new\s+)?(?:piece|sql|answer)\s*:\s*", re.IGNORECASE)
_HIDDEN: Final = re.compile(r"'?:v(\d+)'?")


def asked_for(
    query: Query,
    number: int,
    words: str,
    catalog: Catalog,
    model: ChatModel,
    settings: Settings,
    accept: Callable[[str], None],
) -> tuple[str, Usage]:
    """The new text of an item as the model writes it, and what that cost.

    `accept` raises where a text cannot stand there; the model is told its message and asked once more, then
    the error comes through as `EditError`. `ModelRefusal` where an answer holds nothing.
    """
    hidden = _Hidden(query, number) if settings.mask and model.remote else None
    messages = list(messages_for(query, number, words, catalog, hidden))
    usage = Usage()
    failure: SqlError | None = None
    for _ in range(2):
        answer = model.chat(messages, max_tokens=_ANSWER, timeout=settings.model_timeout)
        usage += answer.usage
        text = _piece(answer.text)
        try:
            if not text:
                raise EditError("the answer was empty")
            text = hidden.restored(text) if hidden else text
            accept(text)
            return text, usage
        except SqlError as error:
            failure = error
            said = f"{error.message} ({error.hint})" if error.hint else error.message
            said = hidden.masked(said) if hidden else said
            messages += [
                Message("assistant", answer.text),
                Message("user", f"That cannot stand there: {said}. Write the piece again."),
            ]
    if not text:
        raise ModelRefusal(
            "the model gave no piece of SQL", hint="put the wish in other words, or edit the SQL"
        )
    assert failure is not None
    raise query.refused(
        number,
        f"the model's piece cannot stand there: {failure.message}",
        f"it wrote {' '.join(text.split())[:200]}; put the wish in other words, or edit the SQL",
    ) from failure


def messages_for(
    query: Query, number: int, words: str, catalog: Catalog, hidden: _Hidden | None = None
) -> tuple[Message, ...]:
    """The prompt of one wish; literals of the piece are hidden where the model must not see values."""
    scope, place, fragment = query.scope(number), query.place(number), query.fragment(number)
    shown = without_values(catalog) if hidden else catalog
    tables = {s.table.name for s in scope.sources if s.table is not None}
    lines = (
        [schema_text(shown, tables=tables, budget_tokens=_SCHEMA, samples=hidden is None)] if tables else []
    )
    lines += _called(query, scope)
    where = fragment.scope
    lines += [
        f"Dialect: {query.dialect or 'SQL'}",
        f"Place: {_CLAUSES[place.clause]}" + ("" if where == "main" else f", in {_scope_words(where)}"),
        f"Piece:\n```sql\n{hidden.text if hidden else fragment.sql}\n```",
        f"Wish: {words.strip()}",
    ]
    return Message("system", _RULES), Message("user", "\n".join(lines))


def _called(query: Query, scope: Scope) -> list[str]:
    """What the query calls its tables, where that is not their name; derived ones with their columns."""
    lines = []
    names = aliases_of(query, scope)
    for source in scope.sources:
        if source.base and names.get(source.base) and source.alias != source.base:
            lines.append(f"{source.base} is called {source.alias} in this query")
        elif source.output is not None:
            columns = ", ".join(name for name in source.output.order if name)
            lines.append(f"{source.alias} is a subquery with the columns {columns}")
    return lines


def _scope_words(path: str) -> str:
    """A scope in words.

    >>> _scope_words("cte:top"), _scope_words("main/subquery:1")
    ('the WITH query top', 'a subquery')
    """
    last = path.rpartition("/")[2]
    return f"the WITH query {last[4:]}" if last.startswith("cte:") else "a subquery"


def _piece(answer: str) -> str:
    """The piece in an answer: what a code block holds, else its first paragraph.

    >>> _piece("Sure:\\n```sql\\nh.year = 2016;\\n```"), _piece("Piece: h.year = 2016")
    ('h.year = 2016', 'h.year = 2016')
    """
    text = _THOUGHT.sub("", answer).strip()
    fenced = _FENCED.search(text)
    body = fenced.group(1) if fenced else text.split("\n\n")[0]
    return _LABEL.sub("", body.strip()).strip("`").strip().rstrip(";").rstrip()


class _Hidden:
    """A piece whose literals are replaced by ``:v1``, ``:v2``, and put back into what a model makes of it.

    Whatever the tokens of the dialect call a literal is one, and a name in quotes that is none (SQLite reads
    ``"Ann"`` as a string then). Comments are left out. Raises `EditError` where a literal would be seen.
    """

    def __init__(self, query: Query, number: int) -> None:
        fragment = query.fragment(number)
        self._values: list[str] = []
        self._texts = {value for one in query.fragments for value in one.literals}
        text, last = "", fragment.start
        for token in query.tokens:
            if not fragment.start <= token.start < fragment.end:
                continue
            gap, written = query.sql[last : token.start], query.sql[token.start : token.end + 1]
            if self._is_literal(token):
                self._values.append(written)
                written = f":v{len(self._values)}"
            text += (" " if gap.strip() else gap) + written
            last = token.end + 1
        self.text = text
        seen = [value for value in fragment.literals if _says(_HIDDEN.sub("", text), value, query)]
        if seen:
            raise query.refused(
                number, "a value of this piece cannot be hidden from the model", "edit the SQL of the item"
            )

    def _is_literal(self, token: Token) -> bool:
        kind = token.token_type
        quoted = kind is TokenType.IDENTIFIER and token.text in self._texts
        return kind in (TokenType.STRING, TokenType.NUMBER) or kind.name.endswith("_STRING") or quoted

    def restored(self, text: str) -> str:
        """The text with the literals in place. Raises `EditError` for one that there never was."""

        def value(match: re.Match[str]) -> str:
            number = int(match.group(1))
            if not 1 <= number <= len(self._values):
                raise EditError(f"there is no value :v{number}")
            return self._values[number - 1]

        return _HIDDEN.sub(value, text)

    def masked(self, message: str) -> str:
        """A message about the piece, without the values in it."""
        for number, value in sorted(enumerate(self._values, 1), key=lambda one: -len(one[1])):
            whole = "" if value[0] in "'\"" else r"(?<![\w.])"
            message = re.sub(rf"{whole}{re.escape(value)}(?!\w)", f":v{number}", message)
        return message


def _says(text: str, value: str, query: Query) -> bool:
    """Whether a text holds a value that is no name of the query or of its tables."""
    if not value or not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text):
        return False
    schema, low = query.schema or Schema(()), value.lower()
    names = {name.lower() for t in schema.tables for name in (t.name, *(c.name for c in t.columns))}
    return low not in names | {"true", "false", "null"}
