"""How good is it: measures, tasks, runs and reports."""
