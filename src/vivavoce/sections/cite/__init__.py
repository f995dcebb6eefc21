"""Sources, and how to cite."""
