"""The store's tables, as a chain of migrations, each run once and in one transaction.

`PRAGMA user_version` counts the migrations that a file has seen; a file that has seen more than this
version of sqlore knows was made by a newer one and is left alone.

What a store holds, and why it is shaped so:

- a **script** is one query skeleton; its name, description and trust are those of its query item;
- a **variant** is one text of a script that says something new: other literals or another question. Its
  text is stored here and nowhere else. A synthetic one nobody ran, a model wrote it: it counts for nothing,
  and a script or item that has no other has a support of 0;
- a **sighting** is where a text was seen and how often. It knows every text ever read by its hash, so that
  learning again skips it before parsing, and it holds counts that are set and never added to;
- an **item** is a skeleton; `support` and `runs` are computed from fragments and sightings whenever they
  change, for the items that changed;
- a **naming** is what scripts call a column or a code; the dictionary's history entries come from them;
- full-text tables hold an index only; the words are read from the tables themselves;
- vectors are int8 with one scale, kept by the hash of the text, so that equal texts share one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Final

from sqlore.errors import StoreVersionError
from sqlore.knowledge.store.rows import recount

__all__ = ["APPLICATION_ID", "LATEST", "migrate", "version"]

APPLICATION_ID: Final = 0x53716C6F  # "Sqlo"
Migration = Callable[[sqlite3.Connection], None]
MIGRATIONS: Final[list[Migration]] = []


def migration(step: Migration) -> Migration:
    """Adds `step` to the chain; its place in this module is its number."""
    MIGRATIONS.append(step)
    return step


def _run(db: sqlite3.Connection, statements: str) -> None:
    # Not executescript: it would commit the transaction that a migration runs in.
    for statement in statements.split(";\n"):
        if statement.strip():
            db.execute(statement)


@migration
def first_tables(db: sqlite3.Connection) -> None:
    """Everything of the first version."""
    _run(
        db,
        """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    hash INTEGER NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    form TEXT NOT NULL,
    skeleton TEXT NOT NULL,
    sql TEXT,
    name TEXT NOT NULL DEFAULT '',
    aliases TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    name_source TEXT NOT NULL DEFAULT 'rule',
    source TEXT NOT NULL DEFAULT 'rule',
    support INTEGER NOT NULL DEFAULT 0,
    runs INTEGER NOT NULL DEFAULT 0,
    trust TEXT NOT NULL DEFAULT 'unverified',
    version INTEGER NOT NULL DEFAULT 1,
    stale TEXT,
    vector INTEGER
);
CREATE TABLE scripts (
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL UNIQUE REFERENCES items (id),
    runs INTEGER NOT NULL DEFAULT 0,
    synthetic INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE variants (
    id INTEGER PRIMARY KEY,
    script INTEGER NOT NULL REFERENCES scripts (id),
    sql TEXT NOT NULL,
    key TEXT,
    question TEXT,
    comment TEXT,
    evidence TEXT,
    source INTEGER REFERENCES sources (id),
    line INTEGER,
    dialect TEXT,
    database TEXT,
    vector INTEGER
);
CREATE INDEX variants_script ON variants (script);
CREATE TABLE sightings (
    hash INTEGER NOT NULL,
    source INTEGER NOT NULL,
    author INTEGER NOT NULL,
    variant INTEGER NOT NULL REFERENCES variants (id),
    runs INTEGER NOT NULL,
    first TEXT,
    last TEXT,
    PRIMARY KEY (hash, source, author)
) WITHOUT ROWID;
CREATE INDEX sightings_variant ON sightings (variant);
CREATE TABLE fragments (
    variant INTEGER NOT NULL REFERENCES variants (id),
    item INTEGER NOT NULL REFERENCES items (id),
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    scope TEXT,
    literals TEXT,
    PRIMARY KEY (variant, item, start, stop)
) WITHOUT ROWID;
CREATE INDEX fragments_item ON fragments (item);
CREATE TABLE names (
    id INTEGER PRIMARY KEY,
    table_name TEXT NOT NULL,
    column_name TEXT NOT NULL DEFAULT '',
    UNIQUE (table_name, column_name)
);
CREATE TABLE item_names (
    item INTEGER NOT NULL REFERENCES items (id),
    name INTEGER NOT NULL REFERENCES names (id),
    PRIMARY KEY (item, name)
) WITHOUT ROWID;
CREATE TABLE namings (
    expression TEXT NOT NULL,
    alias TEXT NOT NULL,
    columns TEXT NOT NULL,
    uses INTEGER NOT NULL,
    PRIMARY KEY (expression, alias, columns)
) WITHOUT ROWID;
CREATE TABLE rejected (
    hash INTEGER PRIMARY KEY,
    reason TEXT NOT NULL,
    message TEXT NOT NULL,
    sql TEXT NOT NULL,
    key TEXT,
    question TEXT,
    comment TEXT,
    author TEXT,
    time TEXT,
    source TEXT,
    line INTEGER,
    error_line INTEGER,
    dialect TEXT,
    database TEXT,
    runs INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE changes (
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL REFERENCES items (id),
    version INTEGER NOT NULL,
    what TEXT NOT NULL,
    old TEXT NOT NULL,
    new TEXT NOT NULL,
    who TEXT NOT NULL,
    why TEXT NOT NULL,
    time TEXT NOT NULL
);
CREATE TABLE vectors (hash INTEGER PRIMARY KEY, codes BLOB NOT NULL);
CREATE VIEW script_words AS
    SELECT v.id AS id, coalesce(v.question, '') || ' ' || coalesce(v.comment, '') AS words,
           coalesce(v.evidence, '') AS evidence, i.description AS description
    FROM variants v JOIN scripts s ON s.id = v.script JOIN items i ON i.id = s.item;
CREATE VIRTUAL TABLE script_text USING fts5 (
    words, evidence, description, content='script_words', content_rowid='id',
    tokenize='porter unicode61'
);
CREATE VIEW item_words AS SELECT id, name, aliases, description, skeleton FROM items WHERE kind <> 'query';
CREATE VIRTUAL TABLE item_text USING fts5 (
    name, aliases, description, skeleton, content='item_words', content_rowid='id',
    tokenize='porter unicode61'
)
""",
    )


@migration
def synthetic_texts(db: sqlite3.Connection) -> None:
    """Which texts are synthetic, where before only whole scripts were; these count for nothing now."""
    _run(
        db,
        """
ALTER TABLE variants ADD COLUMN synthetic INTEGER NOT NULL DEFAULT 0;
UPDATE variants SET synthetic = 1 WHERE script IN (SELECT id FROM scripts WHERE synthetic);
CREATE INDEX variants_synthetic ON variants (id) WHERE synthetic
""",
    )
    rows = db.execute(
        "SELECT DISTINCT f.item FROM fragments f JOIN variants v ON v.id = f.variant WHERE v.synthetic"
    )
    recount(db, [int(row[0]) for row in rows])


@migration
def dismissed(db: sqlite3.Connection) -> None:
    """What was not learned and somebody wants to see no more: it stays known, and is not read again."""
    _run(db, "ALTER TABLE rejected ADD COLUMN dismissed INTEGER NOT NULL DEFAULT 0")


LATEST: Final = len(MIGRATIONS)


def version(db: sqlite3.Connection) -> int:
    """How many migrations the open file has seen."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def migrate(db: sqlite3.Connection, where: str) -> None:
    """Brings the open file to the latest version; raises `StoreVersionError` where it is newer than that."""
    if version(db) > LATEST:
        raise StoreVersionError(
            f"this knowledge store has format {version(db)}, this sqlore reads up to {LATEST}",
            where=where,
            hint="it was made by a newer sqlore: upgrade with `pip install -U sqlore`",
        )
    for number in range(version(db), LATEST):
        db.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have migrated the file while this one waited for it.
            if version(db) == number:
                MIGRATIONS[number](db)
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {number + 1}")
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:  # SQLite itself has rolled back where the disk is full
                db.execute("ROLLBACK")
            raise
