"""Pairs of transcripts that differ in one strategy, of which one is preferred."""
