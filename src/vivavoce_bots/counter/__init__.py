"""Counters that answer in words only: a library, a pharmacy, a train desk."""
