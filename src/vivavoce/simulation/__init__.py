"""Simulated callers and channel noise. Whatever they take part in is marked as simulated."""
