"""Dialogues that failed, turn by turn."""
