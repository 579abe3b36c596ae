"""What a query needs before it to run by itself: the CTEs it depends on, the rows of outer queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from sqlore.sql.resolve import Scope
from sqlore.sql.scopes.model import Usage
from sqlore.sql.scopes.text import Texts
from sqlore.sql.scopes.walk import Entered

_ROWS = "a row for each row of the outer query, with the outer columns it is asked with"


@dataclass(frozen=True, slots=True)
class Closure:
    """The query that gives a node's rows; see `Node` for the meaning of each."""

    sql: str = ""
    reason: str = ""
    prelude: str = ""
    outer: str = ""
    outer_columns: tuple[str, ...] = ()
    outer_alias: str = ""
    recursive: bool = False
    own_with: str = ""


class Closures:
    """Puts closures together for the queries of one walk."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.walker = texts.walker
        self._above: dict[int, list[Scope]] = {}
        self._reads: dict[int, list[Scope]] = {}
        self._definitions: dict[int, tuple[int, int] | None] = {}
        self._lacking: dict[tuple[int, int], bool] = {}
        for scope in self.walker.scopes:
            chain: list[Scope] = []
            current: Scope | None = scope
            while current is not None:
                chain.append(current)
                current = current.parent
            self._above[id(scope)] = chain
        for scope in self.walker.scopes:
            read = [self.walker.origins.get(id(source)) for source in scope.sources]
            found = [o.scope for o in read if o is not None and o.kind == "cte" and o.scope is not None]
            for around in self._above[id(scope)]:
                self._reads.setdefault(id(around), []).extend(found)

    # -------------------------------------------------------------- CTEs

    def needed(self, scopes: Iterable[Scope], inside: Scope, own: bool) -> list[Scope]:
        """The CTEs that queries read, directly or through others, in the order of the text.

        Only those defined around `inside` count, with `own` also those of its own WITH; the rest are in
        the text of what reads them.
        """
        around = {id(scope) for scope in self._above[id(inside)][0 if own else 1 :]}
        pending, found = list(scopes), dict[int, Scope]()
        while pending:
            for cte in self._reads.get(id(pending.pop()), ()):
                defined_in = cte.parent
                if id(cte) not in found and defined_in is not None and id(defined_in) in around:
                    found[id(cte)] = cte
                    pending.append(cte)
        places = {id(cte): self._definition(cte) for cte in found.values()}
        return sorted(found.values(), key=lambda cte: (places[id(cte)] or (0, 0))[0])

    def _definition(self, cte: Scope) -> tuple[int, int] | None:
        """The range of ``name AS (...)`` of a CTE."""
        if id(cte) not in self._definitions:
            self._definitions[id(cte)] = self._find_definition(cte)
        return self._definitions[id(cte)]

    def _find_definition(self, cte: Scope) -> tuple[int, int] | None:
        if cte.parent is None:
            return None
        clause = self.texts.definitions(self.texts.entered(cte.parent))
        body = self.texts.range(self.texts.entered(cte))
        if body is None:
            return None
        return next((found for found in clause if found[0] < body[0] and body[1] <= found[1]), None)

    def prelude(self, ctes: list[Scope]) -> str | None:
        """The WITH clause that defines those CTEs; None where it cannot be written."""
        if not ctes:
            return ""
        names = [cte.label for cte in ctes]
        ranges = [self._definition(cte) for cte in ctes]
        if len(set(names)) < len(names) or any(found is None for found in ranges):
            return None
        if any(self._lacks(found) for found in ranges if found is not None):
            return None
        parents = [self.texts.entered(cte.parent) for cte in ctes if cte.parent is not None]
        word = "WITH RECURSIVE " if any(self.texts.recursive(parent) for parent in parents) else "WITH "
        return word + ", ".join(self.texts.slice(found) for found in ranges) + " "

    def _lacks(self, found: tuple[int, int]) -> bool:
        """Whether a value is missing in a definition."""
        if found not in self._lacking:
            self._lacking[found] = self.texts.placeholder(found)
        return self._lacking[found]

    def _refusal(self, ctes: list[Scope]) -> str:
        """Why there is no WITH clause for some CTEs."""
        names = [cte.label for cte in ctes]
        twice = next((name for name in names if names.count(name) > 1), "")
        if twice:
            return f"it depends on two CTEs of one name, {twice[4:]}"
        return (
            f"what it reads holds a placeholder: a value is missing ({', '.join(name[4:] for name in names)})"
        )

    # -------------------------------------------------------------- closures

    def of(
        self, here: Entered, usage: Usage, lateral: tuple[str, str] = ("", ""), shown: str = ""
    ) -> Closure:
        """The closure of one query.

        Where it reads the sources before it in FROM, `lateral` is FROM up to it, and up to and with it;
        `shown` is its alias.
        """
        scope = here.scope
        found = self.texts.range(here)
        if found is None:
            return Closure(reason="its place in the text could not be found")
        if self.texts.placeholder(found):
            return Closure(reason="it holds a placeholder: a value is missing")
        if here.outer:
            return self._correlated(here, usage, lateral, shown)
        ctes = self.needed([scope], scope, own=True)
        recursive = scope in ctes
        inside = [cte for cte in ctes if cte in self._above[id(scope)] and cte is not scope]
        prelude = self.prelude(ctes)
        if prelude is None:
            return Closure(reason=self._refusal(ctes))
        if here.kind == "main":
            return Closure(self.texts.slice(found), "", prelude)
        note = "over all rows that the recursion gives, in place of one step at a time" if inside else ""
        body = self.texts.slice(self.texts.body(here))
        if here.cte is not None and (recursive or here.cte.args["alias"].args.get("columns")):
            own = self.prelude([cte for cte in (*ctes, scope) if cte is not scope] + [scope])
            if own is None:
                return Closure(reason=self._refusal([*ctes, scope]))
            return Closure(f"{own}SELECT * FROM {self._name(here)}", note, prelude, recursive=recursive)
        return Closure(prelude + body, note, prelude, recursive=recursive)

    def _name(self, here: Entered) -> str:
        """A CTE's name as its definition writes it."""
        found = self._definition(here.scope)
        return self.texts.slice((found[0], found[0] + 1)) if found is not None else here.scope.label[4:]

    def _correlated(self, here: Entered, usage: Usage, lateral: tuple[str, str], shown: str) -> Closure:
        """What gives, for each row of the queries around it, the value or the number of rows of a query."""
        owners = list({id(owner): owner for _, _, owner in here.outer}.values())
        owners.sort(key=lambda owner: len(self._above[id(owner)]))
        columns = self._outer_columns(here)
        sources = lateral[0] or self._outer_from(owners)
        aliases = [source.alias for owner in owners for source in owner.sources]
        if any(self.texts.placeholder(found) for found in self._froms(owners)):
            return Closure(reason="its outer rows need a value that is missing", outer_columns=columns)
        if not sources or not all(columns):
            return Closure(
                reason="the outer rows it is asked of have no FROM", outer_columns=columns or ("?",)
            )
        if len(owners) > 1 and len(set(aliases)) < len(aliases):
            reason = "it reads rows of two outer queries whose sources share a name"
            return Closure(reason=reason, outer_columns=columns)
        ctes = self.needed([here.scope, *owners], here.scope, own=False)
        prelude = self.prelude(ctes)
        if prelude is None:
            return Closure(reason=self._refusal(ctes), outer_columns=columns)
        body = self.texts.slice(self.texts.range(here))
        alias = self._alias(here)
        own = self.prelude(
            [cte for cte in self.needed([here.scope], here.scope, own=True) if cte.parent is here.scope]
        )
        if lateral[0]:
            sql = f"{prelude}SELECT {f'{shown}.*' if shown else '*'} FROM {lateral[1]}"
            return Closure(
                sql, "its rows for all rows of the sources before it", prelude, sources, columns, alias,
                own_with=own or "",
            )  # fmt: skip
        asked = {
            "value": f"({body}) AS value",
            "exists": f"EXISTS ({body}) AS matches",
        }.get(usage, f"(SELECT COUNT(*) FROM ({body}) AS asked) AS row_count")
        listed = ", ".join(columns)
        sql = f"{prelude}SELECT DISTINCT {listed}, {asked} FROM {sources}"
        if alias:  # asked once for all rows that are alike
            sql = (
                f"{prelude}SELECT {listed}, {asked} FROM (SELECT DISTINCT {listed} FROM {sources}) AS {alias}"
            )
        return Closure(sql, _ROWS, prelude, sources, columns, alias, own_with=own or "")

    def _alias(self, here: Entered) -> str:
        """What all outer columns are qualified with, ``asked`` for bare ones; empty where they differ."""
        found: dict[str, str] = {}
        for node, _, _ in here.outer:
            table = node.args.get("table")
            marks = table._meta if table is not None else None
            if node.args.get("db") is not None or (table is not None and not marks):
                return ""
            text = self.texts.sql[int(marks["start"]) : int(marks["end"]) + 1] if marks else "asked"
            found.setdefault(text.lower(), text)
        return next(iter(found.values())) if len(found) == 1 else ""

    def _outer_columns(self, here: Entered) -> tuple[str, ...]:
        """The outer columns as the query writes them, each once."""
        out: dict[str, str] = {}
        for node, _, _ in here.outer:
            marks = [p._meta for p in node.args.values() if isinstance(p, exp.Identifier) and p._meta]
            spots = [int(mark[key]) for mark in marks for key in ("start", "end") if key in mark]
            text = self.texts.sql[min(spots) : max(spots) + 1] if spots else ""
            out.setdefault(text.lower(), text)
        return tuple(out.values())

    def _froms(self, owners: list[Scope]) -> list[tuple[int, int]]:
        ranges = [self.texts.from_range(self.texts.entered(owner)) for owner in owners]
        return [found for found in ranges if found is not None]

    def _outer_from(self, owners: list[Scope]) -> str:
        """FROM of the outer rows, with the equalities of WHERE that join its sources; empty where none."""
        froms = self._froms(owners)
        if len(froms) < len(owners):
            return ""
        links = []
        for here in map(self.texts.entered, owners):
            links += [at for at, _, _ in here.links]
            links += [at for at, around in here.outer_links if any(around is owner for owner in owners)]
        where = " AND ".join(f"({self.texts.slice(at)})" for at in links)
        return ", ".join(self.texts.slice(found) for found in froms) + (f" WHERE {where}" if where else "")
