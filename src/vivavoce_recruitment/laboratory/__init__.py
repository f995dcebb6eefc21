"""Trials in a laboratory: people book a seat in a session, come, and a supervisor sees how it goes."""
