"""Fragments and scripts in plain English, by rules."""
