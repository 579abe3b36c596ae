"""Products, and the orders of them."""

from __future__ import annotations

from bisect import bisect
from datetime import date, timedelta
from itertools import accumulate

from .customers import Customer
from .dice import Dice
from .facts import CATEGORIES, CURRENCY, FIRST, SEASON, SNAPSHOT, WEEKDAY, Row, Tables, words

Shelves = dict[str, list[Row]]

# Weights of the channels web, app, phone, marketplace and representative, by account type.
CHANNELS = {
    "C": (46, 34, 4, 16, 0),
    "B": (48, 12, 18, 4, 18),
    "P": (30, 10, 10, 2, 48),
    "Z": (30, 10, 10, 2, 48),
}


def add_products(tables: Tables) -> None:
    dice = Dice("product")
    rows = tables["product"]
    for cat, low, high, cost_share, count, text in CATEGORIES:
        for number in range(1, count + 1):
            price = (low + dice.tail(0, high - low, 2)) // 10 * 10
            name = f"{words(text)[number % len(words(text))]} {dice.pick(('No.', 'Mk', 'Lot'))} {number}"
            cost = price * (cost_share + (dice.between(-9, 9) if cat != "GC" else 0)) // 100
            dropped = None
            if dice.chance(14):
                dropped = (FIRST + timedelta(days=dice.between(200, 1200))).isoformat()
            sku = f"{cat}{number * 37 % 900 + 100}"
            rows.append((len(rows) + 1, sku, name, cat, price, cost, dropped))


def add_orders(tables: Tables, customers: list[Customer]) -> None:
    """Orders day by day, with growth, season, weekday and a long tail of customers."""
    dice = Dice("orders")
    by_start = sorted(customers, key=lambda c: (c.since, c.id))
    starts = [c.since for c in by_start]
    totals = list(accumulate(c.weight for c in by_start))
    shelves = {cat: [p for p in tables["product"] if p[3] == cat] for cat in ("BN", "MC", "AC", "SV", "GC")}
    numbers = dict.fromkeys(range(22, 26), 1000)
    for offset in range((SNAPSHOT - FIRST).days + 1):
        day = FIRST + timedelta(days=offset)
        known = bisect(starts, day)
        expected = (6.6 + offset * 0.0086) * SEASON[day.month - 1] * WEEKDAY[day.weekday()] / 10000
        for _ in range(int(expected * (0.7 + 0.6 * dice.roll()) + dice.roll())):
            customer = dice.by_total(by_start[:known], totals[:known])
            if customer.lapsed and customer.lapsed < day and dice.chance(70):
                continue
            numbers[day.year % 100] += dice.between(1, 3)
            code = f"FH{day.year % 100}-{numbers[day.year % 100]:06d}"
            add_order(dice, tables, customer, day, code, shelves)


def add_order(dice: Dice, tables: Tables, customer: Customer, day: date, code: str, shelves: Shelves) -> None:
    """One order with its lines; now and then a replacement, which is free and has no lines."""
    number = len(tables["orders"]) + 1
    channel = dice.weighted("WAPMR", CHANNELS[customer.kind])
    goods = add_lines(dice, tables, number, customer, day, shelves)
    carriage = 0 if goods > 6000 else dice.pick((390, 490, 590))
    status = order_status(dice, goods, channel, day)
    gross = goods + carriage
    if status in (3, 4) and dice.chance(2.4):
        channel, carriage, gross = "X", 0, 0
        while tables["order_line"] and tables["order_line"][-1][1] == number:
            tables["order_line"].pop()
    shipped = shipping_day(dice, channel, day).isoformat() if status in (3, 4, 9) else None
    ccy = CURRENCY[customer.region]
    row = (number, code, customer.code, day.isoformat(), shipped, status, channel, ccy, carriage, gross)
    tables["orders"].append(row)


def shipping_day(dice: Dice, channel: str, day: date) -> date:
    """Nothing leaves on weekends; marketplace orders and December are slower."""
    slow = channel == "M" or day.month == 12
    weights = (12, 26, 24, 20, 12, 6) if slow else (34, 36, 16, 8, 4, 2)
    shipped = day + timedelta(days=dice.weighted((0, 1, 2, 3, 5, 8), weights))
    while shipped.weekday() > 4:
        shipped += timedelta(days=1)
    return min(shipped, SNAPSHOT)


def order_status(dice: Dice, goods: int, channel: str, day: date) -> int:
    """1 received, 2 paid, 3 shipped, 4 delivered, 6 waiting for stock, 7 cancelled, 9 returned."""
    if dice.chance((13 if channel in "PM" else 8) + (9 if goods > 60000 else 0)):
        return 7
    age = (SNAPSHOT - day).days
    if age < 3:
        return dice.weighted((1, 2, 3, 6), (30, 45, 20, 5))
    if age < 14:
        return dice.weighted((1, 2, 3, 4, 6), (3, 9, 40, 40, 8))
    return dice.weighted((3, 4, 9, 6, 1), (50, 900, 34, 3, 5))


def add_lines(dice: Dice, tables: Tables, order: int, customer: Customer, day: date, shelves: Shelves) -> int:
    """Adds the lines of an order, returns what they come to in cents."""
    lines, goods = tables["order_line"], 0
    private = customer.kind == "C"
    for _ in range(1 + dice.tail(0, 4 if private else 6, 1)):
        cat = dice.weighted(tuple(shelves), (62, 4, 25, 1, 8) if private else (58, 9, 20, 9, 4))
        shelf = shelves[cat]
        item = shelf[dice.tail(0, len(shelf), 2)]
        if item[6] and item[6] < day.isoformat():
            item = shelf[0]
        bulk = not private and cat in ("BN", "AC")
        qty = 1 + dice.tail(0, 24 if bulk else 3, 2)
        if customer.kind == "Z" and dice.chance(30):
            qty *= 4
        disc = dice.weighted((0, 5, 10, 15), (80, 8, 10, 2) if private else (48, 20, 22, 10))
        amount = qty * item[4] * (100 - disc) // 100
        lines.append((len(lines) + 1, order, item[1], qty, disc, amount))
        goods += amount
    return goods
