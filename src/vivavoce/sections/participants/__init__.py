"""Number of dialogues of each participant."""
