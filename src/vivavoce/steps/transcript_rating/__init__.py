"""Transcripts read one at a time, each rated on a questionnaire."""
