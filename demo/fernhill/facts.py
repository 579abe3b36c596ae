"""What is fixed: days, regions, plans, and the words that names are made of."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from typing import Any

Row = tuple[Any, ...]
Tables = defaultdict[str, list[Row]]

FIRST = date(2022, 2, 1)
SNAPSHOT = date(2025, 6, 30)
IMPORTED = date(2022, 3, 15)  # the day the customers of the old system were loaded
RESHUFFLE = date(2023, 10, 1)  # the day plans were re-issued: old rows end, new rows begin
CUSTOMERS = 3600
EVENTS = 30000

# code, name, country, currency, area
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
COUNTRY = {row[0]: row[2] for row in REGIONS}
CURRENCY = {row[0]: row[3] for row in REGIONS}

# id, code, name, tier, fee in cents, billing period.
# "Enterprise Lite" is a marketing name: its tier is that of an office plan.
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

# currency, euros for one unit in ten-thousandths at the start, largest step in a month
CURRENCIES = (
    ("CHF", 9600, 130),
    ("EUR", 10000, 0),
    ("GBP", 11900, 140),
    ("SEK", 950, 14),
    ("USD", 8900, 160),
)

# code, price in cents from and to, cost in per cent of the price, how many products, words of their names
CATEGORIES = (
    ("BN", 890, 2600, 46, 64, "Yirga Huila Kirinyaga Antigua Sidamo Tarrazu Mogiana Cerrado"),
    ("MC", 14900, 189000, 68, 26, "Lever Duo Pump Titan Mini Vento Arco Presto"),
    ("AC", 450, 7900, 38, 52, "Tamper Jug Kettle Scale Filter Grinder Cup Brush"),
    ("SV", 4900, 39000, 55, 10, "Descale Install Repair Training Service"),
    ("GC", 2500, 20000, 100, 5, "Card"),
)
SEASON = (88, 84, 96, 94, 92, 86, 78, 70, 98, 108, 142, 164)  # January to December, 100 is average
WEEKDAY = (118, 116, 112, 108, 104, 74, 68)  # Monday to Sunday


def words(text: str) -> list[str]:
    return text.split()


GIVEN = words(
    "Agnes Bruno Carmen Dario Elin Felix Greta Hugo Ines Jonas Karin Leon Mira Nils Olga Pavel Quentin Rosa "
    "Stefan Tilda Ulrike Victor Wanda Xenia Yusuf Zora Alice Ben Chloe Daniel Emma Finn Grace Henry Isla Jack"
)
FAMILY = words(
    "Abel Berger Castell Dorn Evans Fischer Gruber Hartley Imhof Jensen Keller Lund Moreau Nowak Oliver "
    "Price Quist Romano Sandoval Thorne Ulmer Vance Weiss Young Ziegler Archer Blom Coleman Dupont Ekman "
    "Ford Gallo"
)
FIRM = words(
    "Alder Beacon Cobalt Dovetail Ember Foxglove Granite Harbour Inkwell Juniper Keystone Lantern Meridian "
    "Nettle Orchard Pinnacle Quarry Redwood Saltmarsh Tamarind Umber Vale Willow Yarrow Zenith Birch Copper "
    "Delta"
)
TRADE = words(
    "Architects Dental Logistics Studio Legal Software Printing Hotels Media Partners Engineering Bakery "
    "Clinic Insurance Motors Academy Design Foods Textiles Advisers"
)
FORM = {  # legal form of a firm's name; SA elsewhere
    "United Kingdom": "Ltd",
    "Ireland": "Ltd",
    "United States": "Inc",
    "Germany": "GmbH",
    "Austria": "GmbH",
}
