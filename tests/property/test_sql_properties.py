"""What holds for every script: spans are text, skeletons are idempotent, spelling and names do not matter."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sqlore.errors import SqlError
from sqlore.model import Column, ParsedScript, Schema, Table
from sqlore.sql import parse_script, skeleton_of
from support import data_dir

DIALECTS = ("sqlite", "duckdb", "postgres", "mysql", "tsql", "snowflake", "bigquery")
QUOTES = {"mysql": "``", "bigquery": "``", "tsql": "[]"}

SHOP = Schema(
    (
        Table("orders", tuple(Column(n) for n in ("id", "customer_id", "amount", "status", "placed"))),
        Table("customers", tuple(Column(n) for n in ("id", "name", "country", "boss_id"))),
        Table("items", tuple(Column(n) for n in ("id", "order_id", "price", "quantity"))),
    ),
    "shop",
)

bounded = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


@dataclass(frozen=True)
class Style:
    """One way to write a query: its names, quotes, case, blanks and synonyms, all from one seed."""

    seed: int
    dialect: str

    def write(self, text: str, names: dict[str, str]) -> str:
        """A template in this style. ``@x`` is a name, ``=`` may be turned, words are keywords."""
        rng = random.Random(self.seed)
        out: list[str] = []
        for word in re.findall(r"'[^']*'|@\w+|\w+|<>|<=|>=|\S", text):
            if word.startswith("@"):
                out.append(self._name(names.get(word[1:], word[1:]), rng))
            elif word == "<>":
                out.append(rng.choice(("<>", "!=")))
            elif word.isalpha():
                out.append(rng.choice((word.upper(), word.lower(), word.title())))
            else:
                out.append(word)
            # ORDER BY is one word to the parser: blanks inside it, but no comment.
            joined = word in ("group", "order")
            out.append(
                rng.choice((" ", "  ", "\n", "\t", *(() if joined else (" /* why */ ", " -- note\n"))))
            )
        return "".join(out)

    def _name(self, name: str, rng: random.Random) -> str:
        if rng.random() < 0.3:
            left, right = QUOTES.get(self.dialect, '""')[0], QUOTES.get(self.dialect, '""')[1]
            # Snowflake folds to upper case: there only "NAME" is the unquoted name.
            return f"{left}{name.upper() if self.dialect == 'snowflake' else name}{right}"
        return name


def flip(condition: str) -> str:
    """``a = b`` as ``b = a``."""
    left, right = condition.split(" = ")
    return f"{right} = {left}"


JOINS: list[Callable[[str, str, str], tuple[str, str]]] = [
    lambda table, alias, on: (f" join @{table} @{alias} on {on}", ""),
    lambda table, alias, on: (f" inner join @{table} as @{alias} on {on}", ""),
    lambda table, alias, on: (f" join @{table} @{alias} on {flip(on)}", ""),
    lambda table, alias, on: (f" , @{table} @{alias}", flip(on)),
    lambda table, alias, on: (f" cross join @{table} @{alias}", on),
]

CALCULATIONS = (
    "@o . @amount * 2",
    "count ( * )",
    "sum ( case when @o . @status = 'paid' then @o . @amount else 0 end )",
    "round ( avg ( @i . @price ) , 2 )",
    "count ( distinct @c . @country )",
)
CONDITIONS = (
    "@o . @status <> 'test'",
    "@o . @amount between 10 and 20",
    "( @c . @country in ( 'DE' , 'FR' ) or @c . @name like 'A%' )",
    "@i . @price > ( select avg ( @x . @price ) from @items @x )",
    "exists ( select 1 from @items @x where @x . @order_id = @o . @id and @x . @price > 5 )",
    "not ( @o . @amount = 5 or @o . @amount is null )",
    "@i . @quantity * @i . @price >= 100",
)


@st.composite
def queries(draw: st.DrawFn) -> tuple[list[str], list[str], str]:
    """Calculations, conditions, and the rest of one query over orders, customers and items."""
    calculations = draw(st.lists(st.sampled_from(CALCULATIONS), min_size=1, max_size=3, unique=True))
    conditions = draw(st.lists(st.sampled_from(CONDITIONS), max_size=3, unique=True))
    tail = draw(
        st.sampled_from(
            (
                "",
                " group by @c . @country",
                " group by @c . @country having count ( * ) > 3 order by count ( * ) desc",
                " order by @o . @placed",
            )
        )
    )
    return calculations, conditions, tail


def spell(query: tuple[list[str], list[str], str], joins: tuple[int, int]) -> str:
    """The query as a template, its two joins written in the chosen ways."""
    calculations, conditions, tail = query
    conditions = list(conditions)
    comma = joins[0] >= 3
    source = "@orders @o"
    for (table, alias, on), chosen in zip(
        (
            ("customers", "c", "@o . @customer_id = @c . @id"),
            ("items", "i", "@i . @order_id = @o . @id"),
        ),
        joins,
        strict=True,
    ):
        text, where = JOINS[max(chosen, 3) if comma else min(chosen, 2)](table, alias, on)
        source += text
        conditions += [where] if where else []
    where = f" where {' and '.join(conditions)}" if conditions else ""
    return f"select @c . @country , {' , '.join(calculations)} from {source}{where}{tail}"


def keys(parsed: ParsedScript) -> list[str]:
    """The knowledge of a script, its order aside."""
    return sorted(fragment.key for fragment in parsed.fragments)


def check_text(sql: str, parsed: ParsedScript) -> None:
    for fragment in parsed.fragments:
        assert sql[fragment.start : fragment.end] == fragment.sql
        assert fragment.sql == fragment.sql.strip()
        assert fragment.canonical.count("<val>") == 0 or "<val>" in sql
        assert fragment.skeleton.count("'") == 0


def check_idempotent(parsed: ParsedScript, dialect: str) -> None:
    for fragment in parsed.fragments:
        assert skeleton_of(fragment.skeleton, fragment.kind, dialect) == fragment.skeleton


@bounded
@given(queries(), st.sampled_from(DIALECTS), st.integers(0, 10**6))
def test_spans_are_text_and_skeletons_idempotent(
    query: tuple[list[str], list[str], str], dialect: str, seed: int
) -> None:
    sql = Style(seed, dialect).write(spell(query, (0, 0)), {})
    parsed = parse_script(sql, dialect)
    check_text(sql, parsed)
    check_idempotent(parsed, dialect)


@bounded
@given(
    queries(),
    st.sampled_from(DIALECTS),
    st.integers(0, 10**6),
    st.tuples(st.integers(0, 4), st.integers(0, 4)),
)
def test_spelling_changes_nothing(
    query: tuple[list[str], list[str], str], dialect: str, seed: int, joins: tuple[int, int]
) -> None:
    plain = parse_script(Style(0, dialect).write(spell(query, (0, 0)), {}), dialect, SHOP)
    names = {"o": f"o{seed % 7}", "c": "kunde", "i": "posten", "x": "y"}
    other = parse_script(Style(seed, dialect).write(spell(query, joins), names), dialect, SHOP)
    assert keys(plain) == keys(other)


NESTED = (
    "with @d as ( select @o . @customer_id as @k , sum ( @o . @amount ) as @n from @orders @o "
    "group by @o . @customer_id ) select @c . @name , @d . @n from @d join @customers @c "
    "on @c . @id = @d . @k where @d . @n > 100 order by @d . @n desc",
    "select @d . @k , max ( @d . @n ) as @m from ( select @i . @order_id as @k , @i . @price * 2 as @n "
    "from @items @i where @i . @quantity > 3 ) as @d where @d . @n < 5 group by @d . @k",
    "with @d as ( select @o . @id as @k from @orders @o ) , @e as ( select @x . @k as @n from @d @x ) "
    "select count ( * ) from @e , @items @i where @e . @n = @i . @order_id",
    "select @o . @name from @customers @o join @customers @c on @o . @boss_id = @c . @id "
    "where @o . @country <> @c . @country and @c . @name = 'x'",
    "select @o . @id from @orders @o where @o . @amount > ( select avg ( @x . @amount ) from @orders @x "
    "where @x . @customer_id = @o . @customer_id )",
)
NEW_NAMES = {"o": "alpha", "c": "beta", "i": "gamma", "x": "omega", "d": "delta", "e": "eta", "k": "kk"}
NEW_NAMES |= {"n": "nn", "m": "mm"}


@pytest.mark.parametrize("template", NESTED)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_given_inside_a_query_leave_no_trace(template: str, dialect: str) -> None:
    one = parse_script(Style(1, dialect).write(template, {}), dialect, SHOP)
    two = parse_script(Style(2, dialect).write(template, NEW_NAMES), dialect, SHOP)
    assert keys(one) == keys(two)
    check_idempotent(one, dialect)
    assert not any(re.search(r"\b(alpha|beta|gamma|omega|delta|eta|kk|nn|mm)\b", key) for key in keys(two))


def schemas() -> dict[str, Schema]:
    out: dict[str, Schema] = {}
    for entry in json.loads(data_dir("bird", "dev_tables.json").read_text(encoding="utf-8")):
        columns: dict[int, list[Column]] = {}
        for table, name in entry["column_names_original"]:
            columns.setdefault(table, []).append(Column(name))
        tables = enumerate(entry["table_names_original"])
        out[entry["db_id"]] = Schema(tuple(Table(n, tuple(columns[i])) for i, n in tables), entry["db_id"])
    return out


def test_every_bird_script() -> None:
    """All scripts parse; spans are text; skeletons are idempotent; other table aliases change nothing."""
    known = schemas()
    seen: set[tuple[str, str]] = set()
    for row in json.loads(data_dir("bird", "dev.json").read_text(encoding="utf-8")):
        sql, schema = row["SQL"], known[row["db_id"]]
        parsed = parse_script(sql, "sqlite", schema)
        check_text(sql, parsed)
        for fragment in parsed.fragments:
            if (fragment.kind, fragment.skeleton) not in seen:
                seen.add((fragment.kind, fragment.skeleton))
                assert skeleton_of(fragment.skeleton, fragment.kind, "sqlite") == fragment.skeleton
        renamed = re.sub(r"\bT(\d)\b", r"other_\1", sql, flags=re.I)
        assert keys(parse_script(renamed, "sqlite", schema)) == keys(parsed), sql
    assert len(seen) > 2000


@st.composite
def broken(draw: st.DrawFn) -> str:
    """A query with pieces cut out, doubled and mixed."""
    template = draw(st.sampled_from(NESTED)).replace("@", "")
    words = template.split(" ")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(words) - 1))
        action = draw(st.integers(0, 3))
        if action == 0 and len(words) > 2:
            del words[at]
        elif action == 1:
            words.insert(at, draw(st.sampled_from(words)))
        elif action == 2:
            words.insert(
                at, draw(st.sampled_from(("(", ")", "'", '"', ",", "@p", "?", "##a##", "{{ x }}", ";", "%s")))
            )
        else:
            words = words[: at + 1]
    return " ".join(words)


@settings(max_examples=250, deadline=None, derandomize=True)
@given(st.one_of(broken(), st.text(max_size=60)), st.sampled_from(("", *DIALECTS)))
def test_nothing_but_sql_errors(text: str, dialect: str) -> None:
    failure: SqlError | None = None
    try:
        check_text(text, parse_script(text, dialect))
    except SqlError as error:
        failure = error
    assert failure is None or (str(failure) and 0 <= (failure.position or 0) <= len(text))
