"""Participants' answers against the log."""
