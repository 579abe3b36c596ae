"""Money that follows the orders: refunds, invoices, exchange rates."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from .customers import Customer
from .dice import Dice
from .facts import CADENCE_MONTHS, CURRENCIES, CURRENCY, FIRST, PLANS, SNAPSHOT, Tables

Rates = dict[tuple[str, str], float]
Bill = tuple[date, str, int, str, int]
"""Day, reference, euro cents, currency, days to pay."""


def add_months(day: date, count: int) -> date:
    """`count` months later, at the latest on the 28th so that every month has the day."""
    index = day.year * 12 + day.month - 1 + count
    return date(index // 12, index % 12 + 1, min(day.day, 28))


def add_rates(tables: Tables) -> Rates:
    """Two rates a month and currency: kind A is the month's average, kind C the closing rate."""
    dice = Dice("fx")
    average: Rates = {}
    for ccy, start, step in CURRENCIES:
        level, month = start, FIRST
        while month <= SNAPSHOT:
            ym = month.isoformat()[:7]
            moved = level + dice.between(-step, step + step // 6)
            moved = max(start * 85 // 100, min(start * 115 // 100, moved))
            average[ccy, ym] = (level + moved) / 20000
            tables["fx"].append((ccy, ym, "A", average[ccy, ym]))
            tables["fx"].append((ccy, ym, "C", moved / 10000))
            level, month = moved, add_months(month, 1)
    return average


def add_refunds(tables: Tables) -> None:
    """Money back, in one or more parts; ok is 1 where it was paid out, 0 where it was turned down."""
    dice = Dice("refund")
    rows = tables["refund"]
    for order in tables["orders"]:
        number, day, status, gross = order[0], date.fromisoformat(order[3]), order[5], order[9]
        parts: list[tuple[int, int]] = []
        if gross and (status == 9 or (status == 7 and dice.chance(46))):
            parts = [(gross, 1)]
        elif gross and status in (3, 4) and dice.chance(6.5):
            for _ in range(1 + dice.tail(0, 3, 2)):
                parts.append((gross * dice.between(8, 45) // 100, int(dice.chance(68))))
        for amount, paid in parts:
            when = min(day + timedelta(days=dice.between(2, 40)), SNAPSHOT)
            rows.append((len(rows) + 1, number, when.isoformat(), amount, paid))


def add_invoices(tables: Tables, customers: list[Customer], rates: Rates) -> None:
    """Invoices in the customer's currency; most are paid about when they are due, some never."""
    dice = Dice("invoice")
    rows = tables["invoice"]
    bills = [*goods_bills(dice, tables, customers), *plan_bills(tables, customers)]
    for issued, ref, cents, ccy, term in sorted(bills):
        due = issued + timedelta(days=term)
        day = due + timedelta(days=dice.between(-16, 6) + dice.tail(0, 70))
        paid = None if day > SNAPSHOT or dice.chance(2.2) else day.isoformat()
        amount = round(cents / rates[ccy, issued.isoformat()[:7]])
        rows.append((len(rows) + 1, ref, issued.isoformat(), due.isoformat(), paid, amount, ccy))


def goods_bills(dice: Dice, tables: Tables, customers: list[Customer]) -> Iterator[Bill]:
    """One for every order of a company that was paid or shipped, and for a few cancelled ones."""
    by_code = {c.code: c for c in customers}
    for order in tables["orders"]:
        customer, status, gross = by_code[order[2]], order[5], order[9]
        billed = customer.kind != "C" and gross > 0 and status not in (1, 7)
        if billed or (status == 7 and customer.kind == "B" and dice.chance(8)):
            issued = min(date.fromisoformat(order[3]) + timedelta(days=dice.between(0, 4)), SNAPSHOT)
            yield issued, order[1], gross, order[7], 14 if customer.kind == "P" else 30


def plan_bills(tables: Tables, customers: list[Customer]) -> Iterator[Bill]:
    """Of plans from tier 3 on: monthly ones are billed once a quarter, the others once a period."""
    for number, cust_id, plan_id, qty, start, end, _status, _reason in tables["sub"]:
        _, _, _, tier, fee, cadence = PLANS[plan_id - 1]
        months = max(3, CADENCE_MONTHS[cadence])
        day, last = date.fromisoformat(start), date.fromisoformat(end) if end else SNAPSHOT
        while tier >= 3 and day <= last:
            ref = f"SB{number:05d}-{day.isoformat()[2:7].replace('-', '')}"
            yield (
                day,
                ref,
                fee * qty * months // CADENCE_MONTHS[cadence],
                CURRENCY[customers[cust_id - 1].region],
                30,
            )
            day = add_months(day, months)
