"""Customers and their subscriptions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from .dice import Dice
from .facts import (
    COUNTRY,
    CUSTOMERS,
    FAMILY,
    FIRM,
    FIRST,
    FORM,
    GIVEN,
    IMPORTED,
    REGION_WEIGHTS,
    REGIONS,
    RESHUFFLE,
    SNAPSHOT,
    TRADE,
    Tables,
)


@dataclass(frozen=True)
class Customer:
    """A customer with the habits that no table shows.

    `weight` is how much they order and click, `uses` whether they sync their brews at all, `lapsed` when
    they lost interest.
    """

    id: int
    code: str
    kind: str
    region: str
    since: date
    weight: int
    uses: bool
    lapsed: date | None


def add_customers(tables: Tables) -> list[Customer]:
    """Consumers, businesses, partners, and the accounts of type Z: testers and staff, who order a lot."""
    dice = Dice("cust")
    made = []
    for number in range(1, CUSTOMERS + 1):
        kind = dice.weighted("CBPZ", (57, 33, 6, 4))
        region = dice.weighted([row[0] for row in REGIONS], REGION_WEIGHTS)
        imported = dice.chance(31)
        since = FIRST
        if not imported:
            since += timedelta(days=dice.between(20, (SNAPSHOT - FIRST).days - 5))
        lapsed = since + timedelta(days=120 + dice.tail(0, 1400, 2)) if dice.chance(45) else None
        customer = Customer(
            id=number,
            code=f"K{10000 + number * 7919 % 89989}",
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
        row = (number, customer.code, name, email, kind, region, created.isoformat(), rep, deleted)
        tables["cust"].append(row)
        made.append(customer)
    return made


def names(dice: Dice, customer: Customer) -> tuple[str, str]:
    """Name and mail address. Test accounts look like everybody else, but for some of their addresses."""
    given, family = dice.pick(GIVEN), dice.pick(FAMILY)
    person = f"{given} {family}"
    mail = f"{given}.{family}{customer.id}".lower()
    if customer.kind == "Z":
        hosts = ("@qa.fernhill.example", "@fernhill.example", "@mailbox.example")
        return person, mail + dice.weighted(hosts, (5, 3, 4))
    if customer.kind == "C":
        return person, mail + dice.pick(("@mailbox.example", "@post.example", "@webmail.example"))
    firm, trade = dice.pick(FIRM), dice.pick(TRADE)
    form = FORM.get(COUNTRY[customer.region], "SA")
    if customer.kind == "P" and dice.chance(12):  # own franchise shops: real customers, company address
        return f"Fernhill {family} {form}", f"{mail}@fernhill.example"
    return f"{firm} {trade} {form}", f"office{customer.id}@{firm}-{trade}.example".lower()


LADDER: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {  # first plan of a customer, with its weight
    "C": ((1, 2), (70, 30)),
    "B": ((3, 4, 5, 6, 7), (42, 22, 15, 15, 6)),
    "P": ((4, 6, 7), (4, 4, 2)),
    "Z": ((1, 3, 6, 7, 8), (1, 1, 4, 4, 3)),
}


def add_subscriptions(tables: Tables, customers: list[Customer]) -> None:
    """One chain of subscriptions a customer: an upgrade or a re-issue ends one row and begins the next."""
    dice = Dice("sub")
    rows = tables["sub"]
    for customer in customers:
        if not dice.chance({"C": 62, "B": 84, "P": 55, "Z": 90}[customer.kind]):
            continue
        plan: int | None = dice.weighted(*LADDER[customer.kind])
        start, first = customer.since + timedelta(days=dice.tail(0, 260, 2)), True
        while plan is not None and start <= SNAPSHOT:
            end, reason, following = subscription_end(dice, plan, start, customer, trial=first)
            qty = 1 if plan < 3 else 1 + dice.tail(0, 14 if plan < 6 else 6, 2)
            status = "X"
            if end is None or end > SNAPSHOT:
                end, reason, following = None, None, None
                young = first and (SNAPSHOT - start).days < 30
                status = dice.weighted("LTP", (1, 3, 0) if young else (94, 0, 6))
            last = end.isoformat() if end else None
            rows.append((len(rows) + 1, customer.id, plan, qty, start.isoformat(), last, status, reason))
            plan, first = following, False
            start = end + timedelta(days=1) if end else SNAPSHOT


def subscription_end(
    dice: Dice, plan: int, start: date, customer: Customer, *, trial: bool
) -> tuple[date | None, str | None, int | None]:
    """When and why a subscription ends, and the plan that follows it, if any."""
    if trial and dice.chance(16):
        return start + timedelta(days=dice.between(14, 30)), "TR", None
    end = start + timedelta(days=45 + dice.tail(0, 2600 if plan > 3 else 1700, 2))
    if start < RESHUFFLE <= end and plan in (3, 5, 6) and customer.id % 10 < 7:
        return RESHUFFLE - timedelta(days=1), "MG", plan
    if plan < 8 and dice.chance(24 if customer.kind != "Z" else 60):
        return end, "UP", plan + 1
    if dice.chance(22):
        return None, None, None
    return end, dice.weighted(("PR", "NU", "CP", "NP"), (36, 31, 19, 14)), None
