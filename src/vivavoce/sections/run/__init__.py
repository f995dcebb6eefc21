"""What was run."""
