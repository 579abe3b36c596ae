"""Execution accuracy: questions asked of strategies, run, scored and reported."""
