"""A query explained: its structure, the knowledge in it, and figures from the data."""
