"""How people rated transcripts, one at a time."""
