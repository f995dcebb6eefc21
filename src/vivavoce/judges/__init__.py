"""Judges: whoever answers an item about dialogues in place of the people who held them."""
