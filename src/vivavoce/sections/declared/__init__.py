"""Declarations made in advance, and their outcome."""
