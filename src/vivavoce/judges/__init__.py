"""Judges: programs or annotators that answer an item about dialogues in place of the people who held them."""
