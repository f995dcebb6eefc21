"""The verbs of stress tests."""
