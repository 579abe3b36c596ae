"""Make the demo database: three and a half years of Fernhill Coffee, an invented coffee company.

    python demo/make_data.py [OUT.sqlite] [--duckdb OUT.duckdb]

Without arguments it writes ``demo/shop.sqlite``. Only the standard library is used (the option needs
``duckdb``). The rows are the same on every run and every machine: every table draws from its own seeded
generator, and only whole numbers, sums and products are computed, never a function of the C library.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import sqlite3
import sys
import tempfile
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]

FIRST = date(2022, 2, 1)
SNAPSHOT = date(2025, 6, 30)
IMPORTED = date(2022, 3, 15)  # the day the customers of the old system were loaded
RESHUFFLE = date(2023, 10, 1)  # the day plans were re-issued: old rows end, new rows begin
CUSTOMERS = 3600
EVENTS = 30000

# Keys are declared where the shop's own developers declared them: not everywhere.
DDL = """
CREATE TABLE region (cd TEXT PRIMARY KEY, nm TEXT NOT NULL, ctry TEXT NOT NULL, ccy TEXT NOT NULL, area TEXT);
CREATE TABLE cust (id INTEGER PRIMARY KEY, leg_cd TEXT, nm TEXT, email TEXT, acct_type TEXT, reg TEXT,
  created DATE, rep TEXT, del_flg INTEGER DEFAULT 0);
CREATE TABLE plan (id INTEGER PRIMARY KEY, cd TEXT, nm TEXT, tier INTEGER, fee_c INTEGER, cad TEXT);
CREATE TABLE sub (id INTEGER PRIMARY KEY, cust_id INTEGER REFERENCES cust(id), plan_id INTEGER REFERENCES plan(id),
  qty INTEGER, start_dt DATE, end_dt DATE, st TEXT, end_rsn TEXT);
CREATE TABLE product (id INTEGER PRIMARY KEY, sku TEXT, nm TEXT, cat TEXT, list_c INTEGER, cost_c INTEGER,
  dropped_on DATE);
CREATE TABLE orders (id INTEGER PRIMARY KEY, ext_no TEXT, cust_cd TEXT, dt DATE, ship_dt DATE, st INTEGER, ch TEXT,
  ccy TEXT, ship_c INTEGER, gross_c INTEGER);
CREATE TABLE order_line (id INTEGER PRIMARY KEY, ord_id INTEGER REFERENCES orders(id), sku TEXT, qty INTEGER,
  disc INTEGER, amt_c INTEGER);
CREATE TABLE refund (id INTEGER PRIMARY KEY, ord_id INTEGER REFERENCES orders(id), dt DATE, amt_c INTEGER, ok INTEGER);
CREATE TABLE invoice (id INTEGER PRIMARY KEY, ref TEXT, issued DATE, due DATE, paid DATE, amt_c INTEGER, ccy TEXT);
CREATE TABLE event (id INTEGER PRIMARY KEY, uid INTEGER, ts TIMESTAMP, kind INTEGER, src TEXT);
CREATE TABLE fx (ccy TEXT, ym TEXT, kind TEXT, to_eur REAL, PRIMARY KEY (ccy, ym, kind));
CREATE TABLE param (k TEXT PRIMARY KEY, v TEXT);
CREATE INDEX ix_cust_leg ON cust(leg_cd);
CREATE INDEX ix_ord_cust ON orders(cust_cd);
CREATE INDEX ix_ord_ext ON orders(ext_no);
CREATE INDEX ix_line_ord ON order_line(ord_id);
CREATE INDEX ix_refund_ord ON refund(ord_id);
CREATE INDEX ix_inv_ref ON invoice(ref);
CREATE INDEX ix_event_uid ON event(uid);
"""

REGIONS: tuple[Row, ...] = (
    ("UKS", "South of England", "United Kingdom", "GBP", "HOME"),
    ("UKN", "North and Scotland", "United Kingdom", "GBP", "HOME"),
    ("IRL", "Ireland", "Ireland", "EUR", "HOME"),
    ("DEN", "Germany North", "Germany", "EUR", "CONT"),
    ("DES", "Germany South", "Germany", "EUR", "CONT"),
    ("AUT", "Austria", "Austria", "EUR", "CONT"),
    ("CHE", "Switzerland", "Switzerland", "CHF", "CONT"),
    ("FRA", "France", "France", "EUR", "CONT"),
    ("BNL", "Low Countries", "Netherlands", "EUR", "CONT"),
    ("SWE", "Sweden", "Sweden", "SEK", "CONT"),
    ("ESP", "Iberia", "Spain", "EUR", "CONT"),
    ("USE", "US East", "United States", "USD", "OVER"),
    ("USW", "US West", "United States", "USD", "OVER"),
)
REGION_WEIGHTS = (24, 13, 6, 11, 9, 3, 5, 8, 6, 4, 3, 5, 3)
CURRENCY = {row[0]: row[3] for row in REGIONS}

# "Enterprise Lite" is a marketing name: its tier is an office tier.
PLANS: tuple[Row, ...] = (
    (1, "HM1", "Home Cup", 1, 990, "M"),
    (2, "HM2", "Home Pot", 1, 1690, "M"),
    (3, "OF1", "Office Ten", 2, 4900, "M"),
    (4, "OF2", "Office Thirty", 3, 12900, "M"),
    (5, "ELT", "Enterprise Lite", 3, 14900, "M"),
    (6, "STQ", "Site", 4, 89000, "Q"),
    (7, "CAM", "Campus", 5, 420000, "Y"),
    (8, "GRP", "Group Framework", 6, 960000, "Y"),
)
CADENCE_MONTHS = {"M": 1, "Q": 3, "Y": 12}

PARAMS: tuple[Row, ...] = (
    ("snap_dt", SNAPSHOT.isoformat()),
    ("load_no", "1288"),
    ("base_ccy", "EUR"),
    ("wh", "Bremen"),
    ("app_min_ver", "4.11"),
)

GIVEN = (
    "Agnes Bruno Carmen Dario Elin Felix Greta Hugo Ines Jonas Karin Leon Mira Nils Olga Pavel Quentin Rosa "
    "Stefan Tilda Ulrike Victor Wanda Xenia Yusuf Zora Alice Ben Chloe Daniel Emma Finn Grace Henry Isla Jack"
).split()
FAMILY = (
    "Abel Berger Castell Dorn Evans Fischer Gruber Hartley Imhof Jensen Keller Lund Moreau Nowak Oliver Price "
    "Quist Romano Sandoval Thorne Ulmer Vance Weiss Young Ziegler Archer Blom Coleman Dupont Ekman Ford Gallo"
).split()
FIRM = (
    "Alder Beacon Cobalt Dovetail Ember Foxglove Granite Harbour Inkwell Juniper Keystone Lantern Meridian Nettle "
    "Orchard Pinnacle Quarry Redwood Saltmarsh Tamarind Umber Vale Willow Yarrow Zenith Birch Copper Delta"
).split()
TRADE = (
    "Architects Dental Logistics Studio Legal Software Printing Hotels Media Partners Engineering Bakery Clinic "
    "Insurance Motors Academy Design Foods Textiles Advisers"
).split()
FORM = {"United Kingdom": "Ltd", "Ireland": "Ltd", "United States": "Inc", "Germany": "GmbH", "Austria": "GmbH"}

# code, price in cents from-to, cost share in per cent, how many, words
CATEGORIES: tuple[tuple[str, int, int, int, int, str], ...] = (
    ("BN", 890, 2600, 46, 64, "Yirga Huila Kirinyaga Antigua Sidamo Tarrazu Mogiana Cerrado"),
    ("MC", 14900, 189000, 68, 26, "Lever Duo Pump Titan Mini Vento Arco Presto"),
    ("AC", 450, 7900, 38, 52, "Tamper Jug Kettle Scale Filter Grinder Cup Brush"),
    ("SV", 4900, 39000, 55, 10, "Descale Install Repair Training Service"),
    ("GC", 2500, 20000, 100, 5, "Card"),
)
SEASON = (88, 84, 96, 94, 92, 86, 78, 70, 98, 108, 142, 164)  # January to December, 100 is average
WEEKDAY = (118, 116, 112, 108, 104, 74, 68)  # Monday to Sunday


class Dice:
    """A seeded generator that uses nothing but `random()`, whose sequence Python promises to keep."""

    def __init__(self, name: str) -> None:
        self._random = random.Random(f"fernhill/{name}").random

    def roll(self) -> float:
        return self._random()

    def chance(self, percent: float) -> bool:
        return self._random() * 100 < percent

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def tail(self, low: int, high: int, power: int = 3) -> int:
        """Mostly near `low`, rarely near `high`."""
        share = 1.0
        for _ in range(power):
            share *= self._random()
        return low + int(share * (high - low))

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self._random() * len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        return self.by_total(items, list(accumulate(weights)))

    def by_total(self, items: Sequence[T], totals: Sequence[float]) -> T:
        """As `weighted`, of weights already summed up."""
        return items[bisect(totals, self._random() * totals[-1])]


@dataclass
class Customer:
    """A customer with the habits that the tables do not show."""

    id: int
    code: str
    kind: str
    region: str
    since: date
    weight: int
    uses: bool
    lapsed: date | None
    row: Row = field(repr=False, default=())


@dataclass
class Shop:
    """All rows, table by table, in the order in which they can be inserted."""

    tables: dict[str, list[Row]] = field(default_factory=dict)

    def rows(self, table: str) -> list[Row]:
        return self.tables.setdefault(table, [])


def build() -> Shop:
    """All rows of the demo database."""
    shop = Shop()
    shop.rows("region").extend(REGIONS)
    shop.rows("param").extend(PARAMS)
    shop.rows("plan").extend(PLANS)
    rates = add_rates(shop)
    customers = make_customers()
    shop.rows("cust").extend(c.row for c in customers)
    add_subscriptions(shop, customers)
    products = make_products()
    shop.rows("product").extend(products)
    add_orders(shop, customers, products)
    add_refunds(shop)
    add_invoices(shop, customers, rates)
    add_events(shop, customers)
    return shop


def months(first: date, last: date) -> Iterator[date]:
    """The first day of every month from `first` to `last`."""
    day = first.replace(day=1)
    while day <= last:
        yield day
        day = add_months(day, 1)


def add_months(day: date, count: int) -> date:
    """`count` months later, at the latest on the 28th so that every month has the day."""
    index = day.year * 12 + day.month - 1 + count
    return date(index // 12, index % 12 + 1, min(day.day, 28))


def add_rates(shop: Shop) -> dict[tuple[str, str], float]:
    """Two rates a month and currency: kind A is the month's average, kind C the closing rate."""
    dice = Dice("fx")
    average: dict[tuple[str, str], float] = {}
    for ccy, start, step in (("CHF", 9600, 130), ("EUR", 10000, 0), ("GBP", 11900, 140), ("SEK", 950, 14), ("USD", 8900, 160)):
        level = start
        for month in months(FIRST, SNAPSHOT):
            ym = month.isoformat()[:7]
            moved = max(start * 85 // 100, min(start * 115 // 100, level + dice.between(-step, step + step // 6)))
            average[ccy, ym] = (level + moved) / 20000
            shop.rows("fx").append((ccy, ym, "A", average[ccy, ym]))
            shop.rows("fx").append((ccy, ym, "C", moved / 10000))
            level = moved
    return average


def make_customers() -> list[Customer]:
    """Consumers, businesses, partners, and the accounts of type Z: testers and staff, who order a lot."""
    dice = Dice("cust")
    made = []
    days = (SNAPSHOT - FIRST).days
    for number in range(1, CUSTOMERS + 1):
        kind = dice.weighted("CBPZ", (57, 33, 6, 4))
        region = dice.weighted([row[0] for row in REGIONS], REGION_WEIGHTS)
        imported = dice.chance(31)
        since = FIRST if imported else FIRST + timedelta(days=dice.between(20, days - 5))
        code = f"K{10000 + number * 7919 % 89989}"
        lapsed = since + timedelta(days=120 + dice.tail(0, 1400, 2)) if dice.chance(45) else None
        customer = Customer(
            id=number,
            code=code,
            kind=kind,
            region=region,
            since=since,
            weight={"C": 1, "B": 3, "P": 5, "Z": 3}[kind] * dice.tail(4, 160) + (90 if kind == "Z" else 0),
            uses=dice.chance({"C": 58, "B": 76, "P": 30, "Z": 90}[kind]),
            lapsed=lapsed,
        )
        name, email = names(dice, customer)
        created = IMPORTED if imported else since
        rep = dice.pick(("AK", "JM", "RT", "SV")) if kind in "BP" and dice.chance(38) else None
        deleted = int(kind != "Z" and dice.chance(11 if lapsed else 3))
        customer.row = (number, code, name, email, kind, region, created.isoformat(), rep, deleted)
        made.append(customer)
    return made


def names(dice: Dice, customer: Customer) -> tuple[str, str]:
    """Name and mail address. Test accounts look like everybody else, but for some of their addresses."""
    given, family = dice.pick(GIVEN), dice.pick(FAMILY)
    person = f"{given} {family}"
    mail = f"{given}.{family}{customer.id}".lower()
    if customer.kind == "Z":
        return person, mail + dice.weighted(("@qa.fernhill.example", "@fernhill.example", "@mailbox.example"), (5, 3, 4))
    if customer.kind == "C":
        return person, mail + dice.pick(("@mailbox.example", "@post.example", "@webmail.example"))
    country = next(row[2] for row in REGIONS if row[0] == customer.region)
    firm, trade = dice.pick(FIRM), dice.pick(TRADE)
    form = FORM.get(country, "SA")
    if customer.kind == "P" and dice.chance(12):  # own franchise shops: real customers with a company address
        return f"Fernhill {family} {form}", f"{mail}@fernhill.example"
    return f"{firm} {trade} {form}", f"office{customer.id}@{firm}-{trade}.example".lower()


def add_subscriptions(shop: Shop, customers: list[Customer]) -> None:
    """One chain of subscriptions a customer: an upgrade or a re-issue ends one row and begins the next."""
    dice = Dice("sub")
    ladder = {"C": ((1, 2), (70, 30)), "B": ((3, 4, 5, 6, 7), (42, 22, 15, 15, 6)), "P": ((4, 6, 7), (4, 4, 2))}
    ladder["Z"] = ((1, 3, 6, 7, 8), (1, 1, 4, 4, 3))
    rows = shop.rows("sub")
    for customer in customers:
        if not dice.chance({"C": 62, "B": 84, "P": 55, "Z": 90}[customer.kind]):
            continue
        plan = dice.weighted(*ladder[customer.kind])
        start, first = customer.since + timedelta(days=dice.tail(0, 260, 2)), True
        while start <= SNAPSHOT:
            end, reason, following = subscription_end(dice, plan, start, customer, trial=first)
            qty = 1 if plan < 3 else 1 + dice.tail(0, 14 if plan < 6 else 6, 2)
            status = "X"
            if end is None or end > SNAPSHOT:
                end, reason, following = None, None, None
                young = first and (SNAPSHOT - start).days < 30
                status = dice.weighted("LTP", (1, 3, 0)) if young else dice.weighted("LTP", (94, 0, 6))
            rows.append((len(rows) + 1, customer.id, plan, qty, start.isoformat(), end and end.isoformat(), status, reason))
            if following is None or end is None:
                break
            plan, start, first = following, end + timedelta(days=1), False


def subscription_end(
    dice: Dice, plan: int, start: date, customer: Customer, *, trial: bool
) -> tuple[date | None, str | None, int | None]:
    """When and why a subscription ends, and the plan that follows it, if any."""
    if trial and dice.chance(16):
        return start + timedelta(days=dice.between(14, 30)), "TR", None
    end = start + timedelta(days=45 + dice.tail(0, 2600 if plan > 3 else 1700, 2))
    reissued = start < RESHUFFLE <= end and plan in (3, 5, 6) and customer.id % 10 < 7
    if reissued:
        return RESHUFFLE - timedelta(days=1), "MG", plan
    if plan < 8 and dice.chance(24 if customer.kind != "Z" else 60):
        return end, "UP", plan + 1
    if dice.chance(22):
        return None, None, None
    return end, dice.weighted(("PR", "NU", "CP", "NP"), (36, 31, 19, 14)), None


def make_products() -> list[Row]:
    dice = Dice("product")
    rows: list[Row] = []
    for cat, low, high, cost_share, count, words in CATEGORIES:
        for number in range(1, count + 1):
            price = (low + dice.tail(0, high - low, 2)) // 10 * 10
            name = f"{words.split()[number % len(words.split())]} {dice.pick(('No.', 'Mk', 'Lot'))} {number}"
            cost = price * (cost_share + (dice.between(-9, 9) if cat != "GC" else 0)) // 100
            dropped = FIRST + timedelta(days=dice.between(200, 1200)) if dice.chance(14) else None
            rows.append((len(rows) + 1, f"{cat}{number * 37 % 900 + 100}", name, cat, price, cost, dropped and dropped.isoformat()))
    return rows


def add_orders(shop: Shop, customers: list[Customer], products: list[Row]) -> None:
    """Orders day by day, with growth, season, weekday and a long tail of customers."""
    dice = Dice("orders")
    by_start = sorted(customers, key=lambda c: (c.since, c.id))
    starts = [c.since for c in by_start]
    totals = list(accumulate(c.weight for c in by_start))
    shelves = {cat: [p for p in products if p[3] == cat] for cat in ("BN", "MC", "AC", "SV", "GC")}
    orders, numbers = shop.rows("orders"), dict.fromkeys(range(22, 26), 1000)
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
            orders.append(make_order(dice, shop, customer, day, code, shelves))


def make_order(
    dice: Dice, shop: Shop, customer: Customer, day: date, code: str, shelves: dict[str, list[Row]]
) -> Row:
    number = len(shop.rows("orders")) + 1
    channel = dice.weighted("WAPMR", {"C": (46, 34, 4, 16, 0), "B": (48, 12, 18, 4, 18)}.get(customer.kind, (30, 10, 10, 2, 48)))
    goods = add_lines(dice, shop, number, customer, day, shelves)
    carriage = 0 if goods > 6000 else dice.pick((390, 490, 590))
    status = order_status(dice, goods, channel, day)
    gross = goods + carriage
    if status in (3, 4) and dice.chance(2.4):  # a replacement sent free of charge
        channel, carriage, gross = "X", 0, 0
        lines = shop.rows("order_line")
        while lines and lines[-1][1] == number:
            lines.pop()
    shipped = None
    if status in (3, 4, 9):
        shipped = day + timedelta(days=dice.weighted((0, 1, 2, 3, 5, 8), slow(channel, day)))
        while shipped.weekday() > 4:
            shipped += timedelta(days=1)
        shipped = min(shipped, SNAPSHOT)
    ccy = CURRENCY[customer.region]
    return (
        number, code, customer.code, day.isoformat(), shipped and shipped.isoformat(), status, channel, ccy, carriage, gross,
    )  # fmt: skip


def slow(channel: str, day: date) -> tuple[int, ...]:
    """Weights of the days until shipping; marketplace orders and December are slower."""
    if channel == "M" or day.month == 12:
        return (12, 26, 24, 20, 12, 6)
    return (34, 36, 16, 8, 4, 2)


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


def add_lines(
    dice: Dice, shop: Shop, order: int, customer: Customer, day: date, shelves: dict[str, list[Row]]
) -> int:
    """Adds the lines of an order, returns what they come to in cents."""
    lines, goods = shop.rows("order_line"), 0
    shop_like = customer.kind != "C"
    for _ in range(1 + dice.tail(0, 6 if shop_like else 4, 1)):
        cat = dice.weighted(tuple(shelves), (58, 9, 20, 9, 4) if shop_like else (62, 4, 25, 1, 8))
        shelf = shelves[cat]
        item = shelf[dice.tail(0, len(shelf), 2)]
        if item[6] and item[6] < day.isoformat():
            item = shelf[0]
        qty = 1 + (dice.tail(0, 24, 2) if shop_like and cat in ("BN", "AC") else dice.tail(0, 3, 2))
        if customer.kind == "Z" and dice.chance(30):
            qty *= 4
        disc = dice.weighted((0, 5, 10, 15), (48, 20, 22, 10) if shop_like else (80, 8, 10, 2))
        amount = qty * item[4] * (100 - disc) // 100
        lines.append((len(lines) + 1, order, item[1], qty, disc, amount))
        goods += amount
    return goods


def add_refunds(shop: Shop) -> None:
    """Money back, in one or more parts; ok is 1 where it was paid out, 0 where it was turned down."""
    dice = Dice("refund")
    rows = shop.rows("refund")
    for order in shop.rows("orders"):
        number, day, status, gross = order[0], date.fromisoformat(order[3]), order[5], order[9]
        if gross == 0:
            continue
        parts: list[tuple[int, int]] = []
        if status == 9:
            parts = [(gross, 1)]
        elif status == 7 and dice.chance(46):
            parts = [(gross, 1)]
        elif status in (3, 4) and dice.chance(6.5):
            for _ in range(1 + dice.tail(0, 3, 2)):
                parts.append((gross * dice.between(8, 45) // 100, int(dice.chance(68))))
        for amount, paid in parts:
            when = min(day + timedelta(days=dice.between(2, 40)), SNAPSHOT)
            rows.append((len(rows) + 1, number, when.isoformat(), amount, paid))


def add_invoices(shop: Shop, customers: list[Customer], rates: dict[tuple[str, str], float]) -> None:
    """Invoices in the customer's currency: of business orders (ref is the order's ext_no) and of plans."""
    dice = Dice("invoice")
    by_code = {c.code: c for c in customers}
    drafts: list[tuple[date, str, int, str, int]] = []
    for order in shop.rows("orders"):
        customer = by_code[order[2]]
        billed = customer.kind != "C" and order[9] > 0 and order[5] not in (1, 7)
        if billed or (order[5] == 7 and customer.kind == "B" and dice.chance(8)):
            issued = min(date.fromisoformat(order[3]) + timedelta(days=dice.between(0, 4)), SNAPSHOT)
            drafts.append((issued, order[1], order[9], order[7], 14 if customer.kind == "P" else 30))
    for number, cust_id, plan_id, qty, start, end, _status, _reason in shop.rows("sub"):
        plan = PLANS[plan_id - 1]
        if plan[3] < 3:
            continue
        day, last = date.fromisoformat(start), date.fromisoformat(end) if end else SNAPSHOT
        while day <= last:
            ref = f"SB{number:05d}-{day.isoformat()[2:7].replace('-', '')}"
            drafts.append((day, ref, plan[4] * qty, CURRENCY[customers[cust_id - 1].region], 30))
            day = add_months(day, max(3, CADENCE_MONTHS[plan[5]]))
    for issued, ref, cents, ccy, term in sorted(drafts):
        due = issued + timedelta(days=term)
        paid: date | None = due + timedelta(days=dice.between(-16, 6) + dice.tail(0, 70))
        if (paid and paid > SNAPSHOT) or dice.chance(2.2):
            paid = None
        amount = round(cents / rates[ccy, issued.isoformat()[:7]])
        rows = shop.rows("invoice")
        rows.append((len(rows) + 1, ref, issued.isoformat(), due.isoformat(), paid and paid.isoformat(), amount, ccy))


def add_events(shop: Shop, customers: list[Customer]) -> None:
    """A year of events: 10 mail sent, 12 mail opened, 20 page seen, 25 signed in, 30 basket, 40 brew synced, 90 probe."""
    dice = Dice("event")
    totals = list(accumulate(20 + min(c.weight, 40) for c in customers))
    drafts: list[tuple[str, int, int, str]] = []
    while len(drafts) < EVENTS:
        customer = dice.by_total(customers, totals)
        day = SNAPSHOT - timedelta(days=dice.between(0, 364))
        if day < customer.since:
            continue
        lapsed = customer.lapsed is not None and customer.lapsed < day
        weights = (10, 1, 1, 0, 0, 0, 1) if lapsed else (14, 6, 18, 12, 8, 60 if customer.uses else 0, 2)
        kind = dice.weighted((10, 12, 20, 25, 30, 40, 90), weights)
        source = {10: "mail", 12: "mail", 90: "mon"}.get(kind) or dice.weighted(
            ("web", "ios", "and", "mach"), (3, 3, 2, 9) if kind == 40 else (5, 3, 3, 0)
        )
        hour, minute, second = dice.between(6, 22), dice.between(0, 59), dice.between(0, 59)
        drafts.append((f"{day.isoformat()} {hour:02d}:{minute:02d}:{second:02d}", customer.id, kind, source))
    rows = shop.rows("event")
    for ts, uid, kind, source in sorted(drafts):
        rows.append((len(rows) + 1, uid, ts, kind, source))


def statements() -> Iterator[str]:
    """The statements of the DDL: tables first, indexes last."""
    return (s.strip() for s in DDL.split(";") if s.strip())


def write_sqlite(shop: Shop, path: Path) -> None:
    """Writes the rows to an SQLite file, which appears only when it is whole."""
    scratch = path.with_name(path.name + ".part")
    scratch.unlink(missing_ok=True)
    connection = sqlite3.connect(scratch)
    try:
        connection.executescript(DDL)
        for table, rows in shop.tables.items():
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        connection.commit()
        connection.execute("ANALYZE")
        connection.commit()
    finally:
        connection.close()
    os.replace(scratch, path)


def write_duckdb(shop: Shop, path: Path) -> None:
    """Writes the same rows to a DuckDB file, by way of CSV: its own inserts are slow."""
    import duckdb

    scratch = path.with_name(path.name + ".part")
    scratch.unlink(missing_ok=True)
    with duckdb.connect(str(scratch)) as connection, tempfile.TemporaryDirectory() as folder:
        for statement in statements():
            connection.execute(statement)
        for table, rows in shop.tables.items():
            file = Path(folder, f"{table}.csv")
            with file.open("w", newline="", encoding="utf-8") as out:
                csv.writer(out).writerows(rows)
            connection.execute(f"COPY {table} FROM '{file}' (HEADER false, NULLSTR '')")
    os.replace(scratch, path)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Make the demo database.")
    parser.add_argument("out", nargs="?", type=Path, help="SQLite file to write (default: demo/shop.sqlite)")
    parser.add_argument("--duckdb", type=Path, metavar="OUT", help="write the same data to a DuckDB file")
    options = parser.parse_args(arguments)
    shop = build()
    if options.out or not options.duckdb:
        target = options.out or Path(__file__).with_name("shop.sqlite")
        write_sqlite(shop, target)
        print(f"{target}: {len(shop.tables)} tables, {sum(map(len, shop.tables.values())):,} rows")
    if options.duckdb:
        write_duckdb(shop, options.duckdb)
        print(f"{options.duckdb}: the same in DuckDB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
