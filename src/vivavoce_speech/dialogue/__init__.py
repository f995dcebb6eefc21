"""Spoken dialogues, over whatever line: turns, turn taking, what is heard and played, bridged calls."""
