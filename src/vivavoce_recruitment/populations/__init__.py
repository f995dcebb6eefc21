"""Populations side by side in the report: how they did, what they cost, and what precision costs."""
