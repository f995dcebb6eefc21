"""Votes between two systems side by side."""
