"""A query changed piece by piece, with everything else left byte for byte."""
