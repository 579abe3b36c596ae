"""The structure of a query: its parts, what reads from what, and what each needs to run alone."""
