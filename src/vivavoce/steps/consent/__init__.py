"""A text that the participant must agree to."""
