"""Command understanding: how well a system turned spoken commands into predicates."""
