"""May a text run as a query: what it is, what is in it, and whether its names are there."""
