"""What was declared beforehand, and what came of it."""
