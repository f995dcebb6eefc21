"""Languages: one folder each, with all that is said in it; found by entry points, ours as anybody's."""
