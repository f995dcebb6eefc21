"""Recordings to write down, some of them with a known transcript."""
