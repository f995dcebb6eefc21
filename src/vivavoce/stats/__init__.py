"""Statistics of arrays: intervals, tests, models, power. Imports nothing of Vivavoce but `core`."""
