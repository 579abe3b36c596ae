"""Make the demo database: three and a half years of Fernhill Coffee, an invented coffee company.

    python demo/make_data.py [OUT.sqlite] [--duckdb OUT.duckdb]

Without arguments it writes ``demo/shop.sqlite``. Only the standard library is used (the option needs
``duckdb``). The rows are the same on every run: see `fernhill`.
"""

from __future__ import annotations

import argparse
import csv
import os
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fernhill import build
from fernhill.facts import Tables

# Keys are declared where the shop's own developers declared them: not everywhere.
DDL = """
CREATE TABLE region (cd TEXT PRIMARY KEY, nm TEXT NOT NULL, ctry TEXT NOT NULL, ccy TEXT NOT NULL, area TEXT);
CREATE TABLE cust (id INTEGER PRIMARY KEY, leg_cd TEXT, nm TEXT, email TEXT, acct_type TEXT, reg TEXT,
  created DATE, rep TEXT, del_flg INTEGER DEFAULT 0);
CREATE TABLE plan (id INTEGER PRIMARY KEY, cd TEXT, nm TEXT, tier INTEGER, fee_c INTEGER, cad TEXT);
CREATE TABLE sub (id INTEGER PRIMARY KEY, cust_id INTEGER REFERENCES cust(id),
  plan_id INTEGER REFERENCES plan(id), qty INTEGER, start_dt DATE, end_dt DATE, st TEXT, end_rsn TEXT);
CREATE TABLE product (id INTEGER PRIMARY KEY, sku TEXT, nm TEXT, cat TEXT, list_c INTEGER, cost_c INTEGER,
  dropped_on DATE);
CREATE TABLE orders (id INTEGER PRIMARY KEY, ext_no TEXT, cust_cd TEXT, dt DATE, ship_dt DATE, st INTEGER,
  ch TEXT, ccy TEXT, ship_c INTEGER, gross_c INTEGER);
CREATE TABLE order_line (id INTEGER PRIMARY KEY, ord_id INTEGER REFERENCES orders(id), sku TEXT, qty INTEGER,
  disc INTEGER, amt_c INTEGER);
CREATE TABLE refund (id INTEGER PRIMARY KEY, ord_id INTEGER REFERENCES orders(id), dt DATE, amt_c INTEGER,
  ok INTEGER);
CREATE TABLE invoice (id INTEGER PRIMARY KEY, ref TEXT, issued DATE, due DATE, paid DATE, amt_c INTEGER,
  ccy TEXT);
CREATE TABLE event (id INTEGER PRIMARY KEY, uid INTEGER, ts TIMESTAMP, kind INTEGER, src TEXT);
CREATE TABLE fx (ccy TEXT, ym TEXT, kind TEXT, to_eur DOUBLE, PRIMARY KEY (ccy, ym, kind));
CREATE TABLE param (k TEXT PRIMARY KEY, v TEXT);
CREATE INDEX ix_cust_leg ON cust(leg_cd);
CREATE INDEX ix_ord_cust ON orders(cust_cd);
CREATE INDEX ix_ord_ext ON orders(ext_no);
CREATE INDEX ix_line_ord ON order_line(ord_id);
CREATE INDEX ix_refund_ord ON refund(ord_id);
CREATE INDEX ix_inv_ref ON invoice(ref);
CREATE INDEX ix_event_uid ON event(uid);
"""


def write_sqlite(tables: Tables, path: Path) -> None:
    """Writes the rows to an SQLite file, which appears only when it is whole."""
    scratch = path.with_name(path.name + ".part")
    scratch.unlink(missing_ok=True)
    connection = sqlite3.connect(scratch)
    try:
        connection.executescript(DDL)
        for table, rows in tables.items():
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        connection.execute("ANALYZE")
        connection.commit()
    finally:
        connection.close()
    os.replace(scratch, path)


def write_duckdb(tables: Tables, path: Path) -> None:
    """Writes the same rows to a DuckDB file, by way of CSV: its own inserts are slow."""
    import duckdb

    scratch = path.with_name(path.name + ".part")
    scratch.unlink(missing_ok=True)
    with duckdb.connect(str(scratch)) as connection, tempfile.TemporaryDirectory() as folder:
        connection.execute(DDL)
        for table, rows in tables.items():
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
    tables = build()
    if options.out or not options.duckdb:
        target = options.out or Path(__file__).with_name("shop.sqlite")
        write_sqlite(tables, target)
        print(f"{target}: {len(tables)} tables, {sum(map(len, tables.values())):,} rows")
    if options.duckdb:
        write_duckdb(tables, options.duckdb)
        print(f"{options.duckdb}: the same in DuckDB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
