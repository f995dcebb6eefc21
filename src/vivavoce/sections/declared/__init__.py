"""What was declared in advance, and what came of it."""
