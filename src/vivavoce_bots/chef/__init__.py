"""Cooking robot: obeys predicates such as `mettere(padella, fuoco)`, and plain commands."""
