"""What the measures are worth: intervals, tests, how dialogues spread over participants, the summary."""
