"""Figures on real databases, each compared with a query that a person wrote."""

from __future__ import annotations

from functools import lru_cache

import pytest

from sqlore.answer.explain.explanation import explain
from sqlore.answer.explain.facts import Counts, Facts, Groups, Joined, Sample, Values
from sqlore.answer.explain.model import Explanation
from sqlore.answer.explain.run import figures
from sqlore.catalog import catalog_from_schema
from sqlore.engines import Engine, connect
from support import data_dir

BLUE = (
    "SELECT T2.publisher_name, COUNT(T1.id) AS heroes, AVG(T1.height_cm) FROM superhero AS T1"
    " INNER JOIN publisher AS T2 ON T1.publisher_id = T2.id"
    " INNER JOIN colour AS T3 ON T1.eye_colour_id = T3.id"
    " WHERE T3.colour = 'Blue' AND T1.height_cm > 180"
    " AND T1.weight_kg > (SELECT AVG(weight_kg) FROM superhero)"
    " GROUP BY T2.publisher_name HAVING COUNT(T1.id) > 2 ORDER BY heroes DESC LIMIT 3"
)
POWERS = (
    "WITH strong AS (SELECT hero_id, COUNT(*) AS powers FROM hero_power GROUP BY hero_id"
    " HAVING COUNT(*) > 20)"
    " SELECT h.superhero_name, s.powers FROM superhero AS h LEFT JOIN strong AS s ON s.hero_id = h.id"
    " WHERE EXISTS (SELECT 1 FROM hero_attribute AS a WHERE a.hero_id = h.id AND a.attribute_value = 100)"
)


@lru_cache(maxsize=2)
def opened(name: str) -> Engine:
    return connect(str(data_dir("bird", "databases", f"{name}.sqlite")))


def facts_of(sql: str, engine: Engine) -> tuple[Explanation, dict[str, Facts | None]]:
    """The explanation, and its facts by the SQL of the item (of nodes: by their ids)."""
    found = explain(sql, engine, catalog_from_schema(engine.schema()))
    texts = {item.id: item.fragment.sql for item in found.items}
    came = {f.item or f.node: f for f in figures(found, engine, quick=30, seconds=30)}
    assert {f.status for f in came.values()} == {"done"}
    return found, {texts.get(key, key): figure.facts for key, figure in came.items()}


def number(engine: Engine, sql: str) -> int:
    (row,) = engine.run(sql).rows
    return int(row[0])


def test_conditions_joins_and_groups_of_superheroes() -> None:
    engine = opened("superhero")
    _, facts = facts_of(BLUE, engine)
    joined = "FROM superhero h, publisher p, colour c WHERE h.publisher_id = p.id AND h.eye_colour_id = c.id"
    total = number(engine, f"SELECT COUNT(*) {joined}")
    heavy = "h.weight_kg > (SELECT AVG(weight_kg) FROM superhero)"
    kept = f"{joined} AND c.colour = 'Blue' AND h.height_cm > 180 AND {heavy}"
    together = number(engine, f"SELECT COUNT(*) {kept}")
    for written, own in (
        ("T3.colour = 'Blue'", "c.colour = 'Blue'"),
        ("T1.height_cm > 180", "h.height_cm > 180"),
        ("T1.weight_kg > (SELECT AVG(weight_kg) FROM superhero)", heavy),
    ):
        assert facts[written] == Counts(
            number(engine, f"SELECT COUNT(*) {joined} AND {own}"), together, total
        )
    first = facts["T1.publisher_id = T2.id"]
    assert isinstance(first, Joined)
    orphans = (
        "SELECT COUNT(*) FROM superhero WHERE publisher_id IS NULL"
        " OR publisher_id NOT IN (SELECT id FROM publisher)"
    )
    assert (first.before, first.lost, first.multiplied) == (
        number(engine, "SELECT COUNT(*) FROM superhero"),
        number(engine, orphans),
        0,
    )
    groups = facts["GROUP BY T2.publisher_name"]
    assert isinstance(groups, Groups)
    assert groups.distinct == number(engine, f"SELECT COUNT(DISTINCT p.publisher_name) {kept}")
    assert sum(groups.rows) <= together
    output = facts["ORDER BY heroes DESC LIMIT 3"]
    assert isinstance(output, Sample)
    assert output.rows == engine.run(BLUE).rows


def test_parts_of_a_query_with_a_cte_and_a_correlated_subquery() -> None:
    engine = opened("superhero")
    found, facts = facts_of(POWERS, engine)
    groups = "SELECT hero_id FROM hero_power GROUP BY hero_id"
    strong = number(engine, f"SELECT COUNT(*) FROM ({groups} HAVING COUNT(*) > 20)")
    assert facts["COUNT(*) > 20"] == Counts(
        strong, strong, number(engine, "SELECT COUNT(DISTINCT hero_id) FROM hero_power"), "groups"
    )
    link = facts["s.hero_id = h.id"]
    assert isinstance(link, Joined)
    heroes = number(engine, "SELECT COUNT(*) FROM superhero")
    assert (link.rows, link.lost, link.unmatched, link.multiplied) == (heroes, 0, heroes - strong, 0)
    best = number(engine, "SELECT COUNT(DISTINCT hero_id) FROM hero_attribute WHERE attribute_value = 100")
    exists = next(i.fragment.sql for i in found.items if i.fragment.sql.startswith("EXISTS"))
    assert facts[exists] == Counts(best, best, heroes)
    pairs = number(engine, "SELECT COUNT(*) FROM hero_attribute WHERE hero_id IN (SELECT id FROM superhero)")
    inner = facts["a.hero_id = h.id"]
    assert isinstance(inner, Counts)
    assert inner.alone == pairs
    powers = facts["COUNT(*)"]
    assert isinstance(powers, Values)
    assert all(isinstance(value, int) and value > 20 for value in powers.values)


@pytest.mark.parametrize("kind", ["OWNER", "DISPONENT"])
def test_a_join_that_multiplies_accounts(kind: str) -> None:
    engine = opened("financial")
    sql = (
        "SELECT SUM(l.amount) FROM account AS a JOIN disp AS d ON d.account_id = a.account_id"
        f" JOIN loan AS l ON l.account_id = a.account_id WHERE d.type = '{kind}'"
    )
    _, facts = facts_of(sql, engine)
    link = facts["d.account_id = a.account_id"]
    assert isinstance(link, Joined)
    accounts = number(engine, "SELECT COUNT(*) FROM account")
    assert link.before == accounts
    assert link.multiplied == number(
        engine,
        "SELECT COALESCE(SUM(n - 1), 0) FROM (SELECT COUNT(*) AS n FROM disp JOIN account USING (account_id)"
        " GROUP BY account_id)",
    )
    assert facts[f"d.type = '{kind}'"] == Counts(
        number(engine, f"SELECT COUNT(*) FROM disp JOIN loan USING (account_id) WHERE disp.type = '{kind}'"),
        number(engine, f"SELECT COUNT(*) FROM disp JOIN loan USING (account_id) WHERE disp.type = '{kind}'"),
        number(engine, "SELECT COUNT(*) FROM disp JOIN loan USING (account_id)"),
    )
