"""The verbs of recruitment."""
