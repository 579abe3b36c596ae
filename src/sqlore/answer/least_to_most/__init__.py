"""A question answered part by part, and the parts put together."""
