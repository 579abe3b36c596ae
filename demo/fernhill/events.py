"""What customers did in the last twelve months."""

from __future__ import annotations

from datetime import timedelta
from itertools import accumulate

from .customers import Customer
from .dice import Dice
from .facts import EVENTS, SNAPSHOT, Tables

# 10 mail sent, 12 mail opened, 20 page seen, 25 signed in, 30 basket changed, 40 brew synced, 90 probe
KINDS = (10, 12, 20, 25, 30, 40, 90)
SOURCES = ("web", "ios", "and", "mach")


def add_events(tables: Tables, customers: list[Customer]) -> None:
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
        kind = dice.weighted(KINDS, weights)
        clock = f"{dice.between(6, 22):02d}:{dice.between(0, 59):02d}:{dice.between(0, 59):02d}"
        drafts.append((f"{day.isoformat()} {clock}", customer.id, kind, source(dice, kind)))
    rows = tables["event"]
    for ts, uid, kind, src in sorted(drafts):
        rows.append((len(rows) + 1, uid, ts, kind, src))


def source(dice: Dice, kind: int) -> str:
    """Mails and the monitoring have their own; brews come mostly from the machine itself."""
    if kind in (10, 12):
        return "mail"
    if kind == 90:
        return "mon"
    return dice.weighted(SOURCES, (3, 3, 2, 9) if kind == 40 else (5, 3, 3, 0))
