"""How dialogues are opened."""
