"""Which of two systems side by side people voted for."""
