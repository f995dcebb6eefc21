"""Sentences read aloud: a step whose responses are recorded, and may be given anew."""
