"""Importers of annotated corpora of spoken commands."""
