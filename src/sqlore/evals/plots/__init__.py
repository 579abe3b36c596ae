"""The plots of comparisons and runs."""
