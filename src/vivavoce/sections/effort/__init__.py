"""Cost of a judgement, in time and money."""
