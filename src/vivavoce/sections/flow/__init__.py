"""Participant flow: arrivals, completions and exclusions."""
