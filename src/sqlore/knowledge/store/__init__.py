"""The knowledge store: one SQLite file, what is written to it and read from it."""
