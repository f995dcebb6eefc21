"""How many dialogues each participant held."""
