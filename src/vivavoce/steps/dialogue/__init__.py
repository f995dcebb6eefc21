"""Dialogues with systems under test, one task each."""
