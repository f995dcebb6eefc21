"""Linguistic stress tests: a user's utterance minimally changed, and what the system makes of it."""
