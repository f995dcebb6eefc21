"""Success rates of groups, and their differences."""
