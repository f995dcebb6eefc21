"""Preferences between two transcripts."""
