"""Fernhill Coffee, an invented company: the rows of its database, the same on every run and every machine.

Every table draws from its own seeded generator, and only whole numbers, sums and products are computed,
never a function of the C library.
"""

from __future__ import annotations

from collections import defaultdict

from .billing import add_invoices, add_rates, add_refunds
from .customers import add_customers, add_subscriptions
from .events import add_events
from .facts import PARAMS, PLANS, REGIONS, Tables
from .trade import add_orders, add_products

__all__ = ["build"]


def build() -> Tables:
    """All rows, table by table, in an order in which they can be inserted."""
    tables: Tables = defaultdict(list)
    tables["region"].extend(REGIONS)
    tables["param"].extend(PARAMS)
    tables["plan"].extend(PLANS)
    rates = add_rates(tables)
    customers = add_customers(tables)
    add_subscriptions(tables, customers)
    add_products(tables)
    add_orders(tables, customers)
    add_refunds(tables)
    add_invoices(tables, customers, rates)
    add_events(tables, customers)
    return tables
