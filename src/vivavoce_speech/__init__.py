"""Speech: dialogues by telephone."""
