"""Limits of the numbers."""
