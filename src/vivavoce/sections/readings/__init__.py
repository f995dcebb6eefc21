"""Ratings of single transcripts."""
