"""Languages: one folder each with all its texts, found by entry points."""
