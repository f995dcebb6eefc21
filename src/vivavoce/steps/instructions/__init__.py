"""A text to read before the tasks."""
