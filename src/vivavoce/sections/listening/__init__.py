"""Ratings of the sound of clips."""
