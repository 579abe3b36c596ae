"""The rule-based describer: fragments and scripts in plain English, good enough to retrieve by.

Nothing here calls a model. A fragment's canonical text is parsed once more (30 microseconds) and said in
words; what cannot be parsed is said by its names. Texts are data: whatever a literal says stays a literal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.catalog.names import humanize, word_set
from sqlore.knowledge.describe.conditional import bare, tables_in
from sqlore.knowledge.describe.derived import told_apart
from sqlore.knowledge.describe.english import clause_at, joined, unmarked
from sqlore.knowledge.describe.functions import function_name
from sqlore.knowledge.describe.nested import holding, is_of_column
from sqlore.knowledge.describe.query import Queries, with_owner
from sqlore.knowledge.describe.reading import parse, parse_query, parse_several, readable
from sqlore.knowledge.describe.subject import HALVES
from sqlore.knowledge.describe.words import INSTANCE, Vocabulary, Words
from sqlore.knowledge.records import Description
from sqlore.model import Fragment, ParsedScript, Schema
from sqlore.sql.placeholders import is_placeholder

__all__ = ["Describer", "describe_fragment", "describe_script"]

_NAME_WORDS: Final = 6
_DANGLING: Final = word_set("of by the and or to per a an from is in with than more less between")
_TEXT: Final = 400
_VALUED: Final = ("condition", "calculation")
_LONGEST: Final = 20_000
_ASIDE = re.compile(r"\s*\([^()]*\)")
_WORD = re.compile(r"[^\W\d]\w*")


def describe_fragment(
    fragment: Fragment, dictionary: Words | None = None, others: Sequence[str] = ()
) -> Description:
    """Name and sentence for one fragment; see `Describer.fragment`.

    >>> f = Fragment("condition", "", "", "molecule.label = '+'", 0, 0, form="predicate")
    >>> describe_fragment(f)
    Description(name='molecule label is', text="molecules whose label is '+'")
    """
    return Describer(dictionary).fragment(fragment, others)


def describe_script(parsed: ParsedScript, dictionary: Words | None = None) -> str:
    """One sentence for a whole script, for scripts about which nobody wrote a word."""
    return Describer(dictionary).script(parsed)


class Describer:
    """Describes the fragments of one database's history; remembers its vocabulary."""

    def __init__(self, dictionary: Words | None = None, schema: Schema | None = None) -> None:
        self.words = Vocabulary(dictionary, schema)
        self.queries = Queries(self.words)

    def fragment(self, fragment: Fragment, others: Sequence[str] = ()) -> Description:
        """Name and sentence. `others` are further values seen in place of a single literal; of a parameter
        nobody knows the value, so that it is none of them.
        """
        try:
            described = self._described(fragment)
        except (SqlglotError, RecursionError, AttributeError, KeyError, TypeError, ValueError, IndexError):
            # A construct these rules do not know. Its names are still words to be found by.
            described = self._by_names(fragment)
        if not described.text:
            described = self._by_names(fragment)
        text = described.text
        others = [other for other in others if not is_placeholder(other)]
        if others and len(fragment.literals) == 1 and fragment.kind in _VALUED:
            text += f" (or {joined([self.words.value(other) for other in others], 'or')})"
        name = _ASIDE.sub("", described.name) or described.name
        return Description(unmarked(_short(name, _NAME_WORDS)), _cut(unmarked(text)))

    def script(self, parsed: ParsedScript) -> str:
        """One sentence for the whole script."""
        query = next((f for f in parsed.fragments if f.kind == "query"), None)
        if query is None:
            query = Fragment("query", "", parsed.skeleton, parsed.skeleton, 0, 0, form="query")
        return self.fragment(query).text

    def _described(self, fragment: Fragment) -> Description:
        if len(fragment.canonical) > _LONGEST:
            return self._by_names(fragment)
        handlers: dict[str, Callable[[str], Description]] = {
            "calculation": partial(self._calculation, written=fragment.sql),
            "condition": partial(self._condition, written=fragment.sql),
            "relation": partial(self._relation, edge=fragment.form == "edge"),
            "dimension": self._dimension,
            "output": partial(self._output, written=fragment.sql),
            "query": partial(self._query, written=fragment.sql),
        }
        return handlers[fragment.kind](readable(fragment.canonical))

    # ---------------------------------------------------------------- one kind each

    def _calculation(self, text: str, *, written: str) -> Description:
        node = told_apart(parse(text), text, f"select {written}")
        tables = tables_in(node)
        entity = tables[0] if len(tables) == 1 and not _counts_unknown(node) else ""
        said = self.queries.formulas(entity).noun(node)
        owner = self.words.tables(entity) if entity else ""
        if self.words.table(entity) not in said:
            said = with_owner(said, owner)
        return Description(_until(said, (" whose ", " where ", " that ", " (", ";")), said)

    def _condition(self, text: str, *, written: str) -> Description:
        node = told_apart(parse(text), text, f"select {written}")
        inner = node.this if isinstance(node, exp.Not) else node
        subject = bare(inner.this) if isinstance(inner.this, exp.Expr) else inner
        tables = tables_in(node)
        entity = tables[0] if tables and not _counts_unknown(node) else ""
        said = self.queries.whose(node, entity)
        outer = entity or (_outer(inner) if inner.find(exp.Select) else "")
        owner = self.words.tables(outer) if outer else ""
        if isinstance(bare(inner), exp.Connector):
            name = f"{'not ' if inner is not node else ''}{self.queries.condition(inner, entity)}"
        elif isinstance(inner, exp.Exists):
            name = f"{_operator(node)}: {self.queries.rows(inner.this)}"
        elif (held := holding(inner)) is not None:
            no = "not " if (inner is not node) != held.negated else ""
            name = f"{self._subject(held.subject, entity)} {no}{held.verb}"
        else:
            name = f"{self._subject(subject, entity)} {_operator(node)}"
        aggregates = subject.find_all(exp.AggFunc)
        aggregated = any(one.find_ancestor(exp.Select) is None for one in aggregates)
        return Description(name, f"{'only' if aggregated else owner or 'rows'} {said}")

    def _subject(self, node: exp.Expr, entity: str) -> str:
        """What a condition speaks of, with the table of its column."""
        node = bare(node)
        if isinstance(node, exp.Column):
            return self.words.full(node.table, node.name)
        return self.queries.formulas("" if is_of_column(node) else entity).noun(node)

    def _relation(self, text: str, *, edge: bool) -> Description:
        if edge and " join " not in f" {text} ":
            return self._edge(text)
        query = parse_query("select 1 " + text if text.startswith("from ") else "select 1 from " + text)
        edges, kept, halves = [], [], []
        for join in query.args.get("joins") or ():
            on = join.args.get("on")
            for one in on.find_all(exp.EQ) if on is not None else ():
                said = self._by(one)
                if said:
                    edges.append(said)
            if join.kind in HALVES:
                only = (
                    f"only {self.words.tables(_kept(query, join))} with{'' if join.kind == 'SEMI' else 'out'}"
                )
                halves.append(f", {only} a match")
            elif join.side:
                both = join.side == "FULL"
                kept += [self.words.tables(one) for one in (_kept(query, join), join.this.name)[: 1 + both]]
        tables = [self.words.table(t.name) for t in query.find_all(exp.Table, bfs=False)]
        tables = list(dict.fromkeys(tables))
        text_ = f"how {joined(tables)} are linked" + (f": {', '.join(edges)}" if edges else "")
        if kept:
            text_ += f", keeping {joined(kept)} without a match"
        text_ += "".join(halves)
        return Description(joined(tables), text_)

    def _edge(self, text: str) -> Description:
        node = parse(text)
        left, right = node.this, node.expression
        tables = joined([self.words.table(left.table), self.words.table(right.table)])
        link = self._link(left, right)
        shown = text.replace(INSTANCE, "#")
        return Description(
            f"{self.words.table(left.table)} to {self.words.table(right.table)}",
            f"how {tables} are linked by {link}: {shown}",
        )

    def _dimension(self, text: str) -> Description:
        if text.startswith("partition by"):
            text, word = "group by" + text.removeprefix("partition by"), "within"
        else:
            word = "for"
        query = parse_query(f"select 1 from t {text}")
        said = self.queries.groups(query.args["group"])
        return Description(f"per {said}" if word == "for" else f"within {said}", f"{word} each {said}")

    def _output(self, text: str, *, written: str) -> Description:
        if text.startswith("distinct on"):
            said = self.queries.distinct(parse_query(f"select {text} 1").args["distinct"], "")
            return Description(said.removeprefix("only the "), said)
        if text.startswith("distinct"):
            return Description("without duplicates", "without duplicates (each different row once)")
        query = parse_query(f"select 1 from t {text}")
        query = told_apart(query, text, f"select 1 from t {written}")
        order = query.args.get("order")
        tables = tables_in(order) if order is not None else []
        counted = order is not None and order.find(exp.AggFunc) is not None
        said = self.queries.output(query, tables[0] if len(tables) == 1 and not counted else "")
        return Description(_until(said, (" (", ", then")), said)

    def _query(self, text: str, *, written: str) -> Description:
        queries = parse_several(text)
        if len(queries) == 1:
            queries = [told_apart(queries[0], text, written)]
        said = "; and ".join(self.queries.select(one) for one in queries)
        return Description(_until(said, (" whose ", " where ", " that ", " for which ", ";", ",")), said)

    # ---------------------------------------------------------------- parts

    def _by(self, edge: exp.Expr) -> str:
        left, right = edge.this, edge.expression
        if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
            return ""
        return (
            f"{self.words.table(left.table)} to {self.words.table(right.table)} by {self._link(left, right)}"
        )

    def _link(self, left: exp.Column, right: exp.Column) -> str:
        """The words of the column that says what the link is: eye colour id rather than id."""
        names = [self.words.column(side.table, side.name) for side in (left, right)]
        return max(names, key=lambda words: (len(words.split()), len(words)))

    def _by_names(self, fragment: Fragment) -> Description:
        """The names of tables and columns in the fragment, as words."""
        names = [column.rpartition(".")[2] for column in fragment.columns] or list(fragment.tables)
        said = [humanize(name.strip('"')).lower() for name in names]
        if not said:
            said = [word.replace("_", " ") for word in _WORD.findall(fragment.skeleton)[:12]]
        tables = [self.words.tables(table) for table in fragment.tables]
        of = f" of {joined(tables)}" if tables and fragment.columns else ""
        return Description(
            f"{fragment.kind} of {joined(said[:2])}", f"{fragment.kind} of {joined(said[:12])}{of}"
        )


def _counts_unknown(node: exp.Expr) -> bool:
    """Whether a window sorts or divides rows that are counted: perhaps of another table than its columns."""
    return any(
        isinstance(count.this, exp.Star)
        for window in node.find_all(exp.Window)
        for part in ([window] if window.args.get("partition_by") else [window.args.get("order")])
        for count in (part.find_all(exp.Count) if part is not None else ())
    )


def _outer(exists: exp.Expr) -> str:
    """The table whose rows a subquery is asked of: the one that it names but does not read."""
    read = {table.name for table in exists.find_all(exp.Table)}
    named = (c.table for c in exists.find_all(exp.Column) if c.table and c.table not in read)
    return next(named, "").partition(INSTANCE)[0]


def _kept(query: exp.Expr, join: exp.Expr) -> str:
    """The table whose rows an outer join keeps."""
    from_ = query.args.get("from_") or query.args.get("from")
    return str(join.this.name if join.text("side") == "RIGHT" else from_.this.name if from_ else "")


def _operator(node: exp.Expr) -> str:
    """A word or two for what a condition does with its subject."""
    negated = isinstance(node, exp.Not)
    inner = node.this if negated else node
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return "is known" if negated else "is missing"
    words = {
        "is": "is",
        "nullsafeeq": "is",
        "nullsafeneq": "is not",
        "eq": "is",
        "neq": "is not",
        "gt": "more than",
        "gte": "at least",
        "lt": "less than",
        "lte": "at most",
        "between": "between",
        "in": "one of",
        "like": "like",
        "ilike": "like",
        "exists": "exists",
    }
    said = words.get(inner.key, function_name(inner).replace("_", " "))
    if inner.args.get("negate"):
        negated = not negated
    if negated and said in ("is", "is not"):
        return "is" if said == "is not" else "is not"
    return f"not {said}" if negated else said


def _until(text: str, stops: tuple[str, ...]) -> str:
    """The text up to the first of the stops."""
    return text[: clause_at(text, stops)]


def _short(text: str, words: int) -> str:
    parts = text.split()
    kept = parts[:words]
    while len(parts) > words and len(kept) > 2 and kept[-1].lower() in _DANGLING:
        kept.pop()
    return " ".join(kept).rstrip(",;:")


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT else text[: _TEXT - 1].rstrip() + "…"
