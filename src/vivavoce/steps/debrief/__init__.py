"""A text to read at the end."""
