"""Dialogues by voice in the browser: a button that is pressed to talk, or an open microphone."""
