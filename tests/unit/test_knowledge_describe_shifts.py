"""A date some time from another is said alike, however a dialect writes it."""

from __future__ import annotations

import pytest

from sqlore.history import parse_all
from sqlore.knowledge.describe.describer import describe_script
from sqlore.model import ParsedScript, Script

MONTHS_AGO = "whose placed is on or after 3 months before today"
WEEK_AGO = "whose placed is on or after 7 days before today"
CASES = [
    ("tsql", "placed >= DATEADD(mm, -3, GETDATE())", MONTHS_AGO),
    ("snowflake", "placed >= DATEADD('month', -3, CURRENT_DATE)", MONTHS_AGO),
    ("oracle", "placed >= ADD_MONTHS(SYSDATE, -3)", MONTHS_AGO),
    ("postgres", "placed >= now() - interval '3 months'", MONTHS_AGO),
    ("mysql", "placed >= CURDATE() - INTERVAL 3 MONTH", MONTHS_AGO),
    ("sqlite", "placed >= date('now', '-3 months')", MONTHS_AGO),
    ("bigquery", "placed >= DATE_SUB(CURRENT_DATE(), INTERVAL 7 DAY)", WEEK_AGO),
    ("postgres", "placed >= current_date - 7", WEEK_AGO),
    ("postgres", "placed >= now() - 7 * interval '1 day'", WEEK_AGO),
    ("postgres", "placed >= now() - make_interval(days => 7)", WEEK_AGO),
    ("postgres", "placed >= now() + interval '-7 days'", WEEK_AGO),
    ("oracle", "placed >= TRUNC(SYSDATE) - 7", WEEK_AGO),
    ("trino", "placed >= date_add('day', -7, current_date)", WEEK_AGO),
    ("spark", "placed >= date_sub(current_date(), 7)", WEEK_AGO),
    ("duckdb", "placed >= today() - INTERVAL 1 YEAR", "whose placed is on or after 1 year before today"),
    ("postgres", "placed < date_trunc('month', now())", "whose placed is before the start of this month"),
    (
        "postgres",
        "placed < date_trunc('month', now() - interval '1 month')",
        "whose placed is before 1 month before the start of this month",
    ),
    (
        "postgres",
        "placed < date_trunc('month', now() - interval '9 days')",
        "whose placed is before the start of the month of (9 days before today)",
    ),
    ("postgres", "due < placed + interval '1 day 2 hours'", "whose due is before 1 day 2 hours after placed"),
    ("tsql", "DATEADD(day, terms, placed) > due", "where terms days after placed is after due"),
    ("sqlite", "date('now') - 7 > born", "whose born is less than today minus 7"),
    ("sqlite", "price - 3 > 4", "where price minus 3 is more than 4"),
    ("postgres", "price + 1 > other - price", "where price plus 1 is more than other minus price"),
]


@pytest.mark.parametrize(("dialect", "condition", "said"), CASES, ids=[f"{d}-{c}" for d, c, _ in CASES])
def test_a_date_some_time_from_another(dialect: str, condition: str, said: str) -> None:
    (parsed,) = parse_all([Script(f"SELECT COUNT(*) FROM orders WHERE {condition}", "1")], dialect=dialect)
    assert isinstance(parsed, ParsedScript)
    assert describe_script(parsed) == f"number of orders {said}"


def test_a_month_that_is_grouped_by_is_no_start() -> None:
    sql = "SELECT date_trunc('month', placed), COUNT(*) FROM orders GROUP BY 1"
    (parsed,) = parse_all([Script(sql, "1")], dialect="postgres")
    assert isinstance(parsed, ParsedScript)
    assert describe_script(parsed) == "month of placed and number of orders; for each month of placed"
