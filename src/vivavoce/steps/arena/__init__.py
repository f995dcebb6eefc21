"""Battles: two anonymous systems answer the same messages side by side, and the participant votes."""
