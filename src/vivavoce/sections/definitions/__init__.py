"""Definitions of all measures."""
