"""What joins make aggregates count several times: small cases by hand, real ones against SQLite's rowid."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from cli_helpers import make_duckdb, make_sqlite
from sqlore.answer.explain.explanation import explain
from sqlore.answer.explain.facts import Figure, Joined
from sqlore.answer.explain.figures import jobs_of
from sqlore.answer.explain.run import figures
from sqlore.answer.explain.twice import Doubles
from sqlore.answer.explain.words import figure_text
from sqlore.catalog import Catalog, catalog_from_schema
from sqlore.engines import Engine, connect
from sqlore.errors import QueryError, QueryTimeout
from sqlore.model import Rows
from support import data_dir

BANK = (
    "CREATE TABLE district (id INTEGER PRIMARY KEY, name TEXT, pay INTEGER)",
    "CREATE TABLE account (id INTEGER PRIMARY KEY, district_id INTEGER, kind TEXT)",
    "CREATE TABLE disp (id INTEGER PRIMARY KEY, account_id INTEGER, type TEXT)",
    "CREATE TABLE loan (account_id INTEGER, amount INTEGER)",  # no key
    "INSERT INTO district VALUES (1, 'P', 10), (2, 'Q', 20), (3, 'R', 20)",
    "INSERT INTO account VALUES (1, 1, 'm'), (2, 1, 'w'), (3, 2, 'm'), (4, 3, 'm')",
    "INSERT INTO disp VALUES (1, 1, 'OWNER'), (2, 1, 'USER'), (3, 2, 'OWNER'), (4, 3, 'OWNER'),"
    " (5, 4, 'USER')",
    "INSERT INTO loan VALUES (1, 100), (3, 300), (3, 300)",
)
ACCOUNTS = "district d JOIN account a ON a.district_id = d.id"
HOLDERS = f"{ACCOUNTS} JOIN disp p ON p.account_id = a.id"


@pytest.fixture(scope="module", params=["sqlite", "duckdb"])
def bank(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    made = make_sqlite if request.param == "sqlite" else make_duckdb
    folder = tmp_path_factory.mktemp("bank")
    with connect(str(made(folder / f"bank.{request.param}", BANK))) as engine:
        yield engine


@pytest.fixture(scope="module")
def catalog(bank: Engine) -> Catalog:
    return catalog_from_schema(bank.schema())


def joins_of(sql: str, engine: Engine, catalog: Catalog) -> dict[str, Figure]:
    """The figures of the joins of a query by their SQL."""
    explained = explain(sql, engine, catalog)
    names = {item.id: item.fragment.sql for item in explained.items}
    found = list(figures(explained, engine, seconds=60, quick=60))
    assert all(figure.status == "done" for figure in found if figure.kind == "relation"), found
    return {names[figure.item]: figure for figure in found if figure.kind == "relation"}


def warned(sql: str, engine: Engine, catalog: Catalog) -> set[str]:
    """The aggregates of a query that are said to count something twice."""
    found = set()
    for figure in joins_of(sql, engine, catalog).values():
        assert isinstance(figure.facts, Joined)
        assert figure.facts.twice is not None
        assert ("several times" in figure.warning) == bool(figure.facts.twice)
        found |= {one.sql for one in figure.facts.twice}
    return found


@pytest.mark.parametrize("start", [ACCOUNTS, "account a JOIN district d ON a.district_id = d.id"])
def test_the_finest_table_is_counted_without_a_warning_however_it_is_joined(
    bank: Engine, catalog: Catalog, start: str
) -> None:
    found = joins_of(f"SELECT COUNT(a.id) FROM {start} WHERE d.name = 'P'", bank, catalog)
    assert [figure.warning for figure in found.values()] == ["", ""]


def test_growth_is_told_calmly(bank: Engine, catalog: Catalog) -> None:
    found = joins_of(f"SELECT COUNT(*) FROM {HOLDERS}", bank, catalog)
    assert found["a.district_id = d.id"].text.endswith("3 rows become 4: several accounts for one district")
    assert found["p.account_id = a.id"].text.endswith("4 rows become 5: several disps for one account")
    assert {figure.warning for figure in found.values()} == {""}


@pytest.mark.parametrize(
    "safe",
    [
        "COUNT(*)",
        "COUNT(1)",
        "COUNT(p.id)",
        "COUNT(DISTINCT a.id)",
        "MAX(d.pay)",
        "MIN(a.kind)",
        "d.name, a.kind",
        "DISTINCT d.name",
        "SUM(CASE WHEN p.type = 'OWNER' THEN 1 ELSE 0 END)",
        "EXISTS (SELECT COUNT(x.id) FROM account x JOIN disp y ON y.account_id = x.id)",
    ],
)
def test_what_repeated_rows_do_not_change_is_safe(bank: Engine, catalog: Catalog, safe: str) -> None:
    assert warned(f"SELECT {safe} FROM {HOLDERS}", bank, catalog) == set()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SUM(main.loan.amount) FROM main.loan"
        " JOIN main.disp ON main.disp.account_id = main.loan.account_id",
        'SELECT SUM("main".loan.amount) FROM main.loan JOIN disp ON disp.account_id = MAIN.loan.account_id'
        " WHERE main.loan.amount <> 7 AND 'main.loan.x' <> ''",
        "SELECT SUM(loan.amount) FROM main.loan JOIN main.disp ON disp.account_id = loan.account_id",
    ],
)
def test_names_with_a_schema(bank: Engine, catalog: Catalog, sql: str) -> None:
    (amount,) = warned(sql, bank, catalog)
    assert amount.endswith("loan.amount)")


def test_what_could_not_be_checked_is_not_called_slow(
    bank: Engine, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = f"SELECT SUM(d.pay) FROM {ACCOUNTS}"
    for error, said in ((QueryError("no"), "could not be checked"), (QueryTimeout("no"), "takes too long")):

        def found(_: Doubles, error: Exception = error) -> Iterator[None]:
            raise error

        monkeypatch.setattr(Doubles, "found", found)
        for figure in joins_of(sql, bank, catalog).values():
            assert f"counted twice {said}" in figure.text
            assert isinstance(figure.facts, Joined)
            assert figure.facts.twice is None


def test_rows_that_could_not_be_counted_are_more_than_those_shown(bank: Engine, catalog: Catalog) -> None:
    explained = explain("SELECT DISTINCT a.id, b.id, c.id FROM disp a, disp b, disp c", bank, catalog)
    refused: list[str] = []

    def ask(sql: str, limit: int) -> Rows:
        if "AS counted" in sql and "DISTINCT" in sql:
            refused.append(sql)
            raise QueryTimeout("no")
        return bank.run(sql, limit=limit)

    texts = {
        figure_text(job.work(ask))
        for job in jobs_of(explained)
        if job.node == "main" and job.kind != "relation"
    }
    assert refused
    assert any(text.startswith("more than 10 rows; first: ") for text in texts)
    assert not any(text.startswith("10 rows") for text in texts)


def test_an_empty_table_is_named_where_nothing_is_left(tmp_path: Path) -> None:
    path = make_sqlite(
        tmp_path / "bank.sqlite", (*BANK, "CREATE TABLE trans (account_id INTEGER, sum INTEGER)")
    )
    sql = "SELECT a.id FROM account a JOIN trans t ON t.account_id = a.id WHERE a.kind = 'm' AND t.sum > 4"
    with connect(str(path)) as engine:
        found = list(figures(explain(sql, engine, catalog_from_schema(engine.schema())), engine))
    said = {figure.kind: figure.warning for figure in found if figure.warning}
    assert said == {
        "relation": "nothing is left after the join: trans is empty",
        "condition": "trans is empty",
    }


def test_what_they_change_is_said_at_the_join_that_repeats_them(bank: Engine, catalog: Catalog) -> None:
    found = joins_of(f"SELECT SUM(d.pay), COUNT(a.id) AS n FROM {HOLDERS}", bank, catalog)
    assert found["a.district_id = d.id"].warning == (
        "SUM(d.pay) adds rows of district several times, because this join repeats them:"
        " 5 values instead of 3"
    )
    assert found["p.account_id = a.id"].warning == (
        "COUNT(a.id) counts rows of account several times, because this join repeats them:"
        " 5 values instead of 4"
    )
    whole = found[f"FROM {HOLDERS}"].facts
    assert isinstance(whole, Joined)
    assert whole.twice is not None
    assert [(one.tables, one.counted, one.once) for one in whole.twice] == [
        (("district",), 5, 3),
        (("account",), 5, 4),
    ]


@pytest.mark.parametrize(
    ("sql", "wrong"),
    [
        # the condition leaves one holder an account, or not
        (f"SELECT COUNT(a.id) FROM {HOLDERS} WHERE p.type = 'OWNER'", set()),
        (f"SELECT d.name, COUNT(a.id) FROM {HOLDERS} GROUP BY d.name", {"COUNT(a.id)"}),
        (f"SELECT p.type, COUNT(a.id) FROM {HOLDERS} GROUP BY p.type", set()),
        # an average changes only where some are repeated more than others
        (f"SELECT d.name, AVG(d.pay) FROM {ACCOUNTS} GROUP BY d.name", set()),
        (f"SELECT AVG(d.pay) FROM {ACCOUNTS}", {"AVG(d.pay)"}),
        # rows without a key are told apart all the same: two equal loans are two
        ("SELECT SUM(l.amount) FROM loan l JOIN account a ON a.id = l.account_id", set()),
        (
            "SELECT SUM(l.amount) FROM loan l JOIN account a ON a.id = l.account_id"
            " JOIN disp p ON p.account_id = a.id",
            {"SUM(l.amount)"},
        ),
        # what a CASE gives counts, not what it looks at
        (
            "SELECT SUM(CASE WHEN p.type = 'USER' THEN l.amount ELSE 0 END) FROM loan l"
            " JOIN disp p ON p.account_id = l.account_id",
            set(),
        ),
        (f"SELECT SUM(CASE WHEN a.kind = 'm' THEN 1 ELSE 0 END) FROM {HOLDERS}",
         {"SUM(CASE WHEN a.kind = 'm' THEN 1 ELSE 0 END)"}),
        (f"SELECT COUNT(a.id) FILTER (WHERE p.type = 'OWNER') FROM {HOLDERS}", set()),
        # in HAVING and ORDER BY, and where a CTE or a subquery is joined
        (f"SELECT d.name FROM {HOLDERS} GROUP BY d.name HAVING SUM(a.id) > 1", {"SUM(a.id)"}),
        (f"SELECT d.name FROM {HOLDERS} GROUP BY d.name ORDER BY COUNT(a.id)", {"COUNT(a.id)"}),
        ("WITH m AS (SELECT id FROM account) SELECT COUNT(m.id) FROM m JOIN disp ON account_id = m.id",
         {"COUNT(m.id)"}),
        # outer joins: rows without a match add nothing
        ("SELECT COUNT(p.id) FROM account a LEFT JOIN disp p ON p.account_id = a.id AND p.type = 'X'", set()),
        (f"SELECT SUM(a.id) OVER (PARTITION BY d.id) FROM {HOLDERS}", {"SUM(a.id)"}),
        (f"SELECT SUM(a.id) OVER (PARTITION BY p.id) FROM {HOLDERS}", set()),
    ],
)  # fmt: skip
def test_only_what_is_wrong_is_warned_of(bank: Engine, catalog: Catalog, sql: str, wrong: set[str]) -> None:
    assert warned(sql, bank, catalog) == wrong


def test_subqueries_are_judged_each_by_itself(bank: Engine, catalog: Catalog) -> None:
    inner = f"SELECT d.id AS at, SUM(d.pay) AS s FROM {ACCOUNTS} GROUP BY d.id"
    assert warned(f"SELECT COUNT(x.at) FROM ({inner}) x JOIN disp p ON p.id = x.at", bank, catalog) == {
        "SUM(d.pay)"
    }
    correlated = (
        "(SELECT COUNT(a.id) FROM account a JOIN disp p ON p.account_id = a.id WHERE a.district_id = d.id)"
    )
    assert warned(f"SELECT d.name, {correlated} FROM district d", bank, catalog) == {"COUNT(a.id)"}


# -------------------------------------------------------------- real scripts


def simple_scripts() -> Iterator[tuple[str, str]]:
    """Development scripts of one SELECT over joined tables with aggregates of plain columns."""
    rows = json.loads((data_dir() / "bird" / "dev.json").read_text(encoding="utf-8"))
    for row in rows:
        tree = sqlglot.parse_one(row["SQL"], read="sqlite")
        path = data_dir() / "bird" / "databases" / f"{row['db_id']}.sqlite"
        one = isinstance(tree, exp.Select) and len(list(tree.find_all(exp.Select))) == 1
        if one and path.exists() and tree.args.get("joins") and list(plain(tree)):
            yield str(path), row["SQL"]


def plain(tree: exp.Expression) -> Iterator[exp.Expression]:
    """COUNT, SUM and AVG of one column with its alias."""
    for node in tree.find_all(exp.Count, exp.Sum, exp.Avg):
        if isinstance(node.this, exp.Column) and node.this.table:
            yield node


def counted_twice(path: str, sql: str) -> set[str]:
    """The aggregates that have other results over rows that are different by SQLite's rowid."""
    found = set()
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
        tree = sqlglot.parse_one(sql, read="sqlite")
        keys = [
            key.sql("sqlite") for key in (tree.args["group"].expressions if tree.args.get("group") else [])
        ]
        clauses = [tree.args["from_"], *tree.args["joins"], tree.args.get("where")]
        rest = " ".join(clause.sql("sqlite") for clause in clauses if clause is not None)
        groups = f" GROUP BY {', '.join(f'g{n}' for n in range(len(keys)))}" if keys else ""
        for node in plain(tree):
            listed = [f"{key} AS g{n}" for n, key in enumerate(keys)]
            listed += [f"{node.this.table}.rowid AS r", f"{node.this.sql('sqlite')} AS v"]
            rows = f"SELECT {', '.join(listed)} {rest}"
            word = type(node).__name__.upper()
            asked = [
                f"SELECT {word}(v) FROM ({one}){groups}" for one in (rows, f"SELECT DISTINCT * FROM ({rows})")
            ]
            many, once = (base.execute(query).fetchall() for query in asked)
            if not all(one[0] == pytest.approx(other[0]) for one, other in zip(many, once, strict=True)):
                found.add(node.sql("sqlite"))
    return found


def each_counted(sql: str) -> Iterator[str]:
    """The script as it is, and with a count of each of its tables in the place of what it asks for."""
    yield sql
    tree = sqlglot.parse_one(sql, read="sqlite")
    clauses = [tree.args["from_"], *tree.args["joins"], tree.args.get("where")]
    rest = " ".join(clause.sql("sqlite") for clause in clauses if clause is not None)
    for table in tree.find_all(exp.Table):
        yield f"SELECT COUNT({table.alias_or_name}.rowid) {rest}"


def test_real_scripts_are_warned_of_exactly_where_rows_change_a_result() -> None:
    scripts = [one for one in simple_scripts() if Path(one[0]).stat().st_size < 60_000_000]
    assert len(scripts) > 60
    right = wrong = 0
    for path, sql in scripts[:: len(scripts) // 7]:
        with connect(path) as engine:
            catalog = catalog_from_schema(engine.schema())
            for asked in each_counted(sql):
                known = {node.sql("sqlite") for node in plain(sqlglot.parse_one(asked, read="sqlite"))}
                theirs = counted_twice(path, asked)
                assert warned(asked, engine, catalog) & known == theirs, asked
                right, wrong = right + (not theirs), wrong + bool(theirs)
    assert min(right, wrong) > 3
