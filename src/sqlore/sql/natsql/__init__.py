"""NatSQL: SQL without the parts that a question does not say."""
