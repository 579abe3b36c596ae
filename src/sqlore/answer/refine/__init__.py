"""A draft changed one piece at a time, and nothing else of it."""
