"""Command line: one function per verb. Imports happen when a verb runs."""
