"""The researcher's dashboard: progress, transcripts, results, export and accounts, in its own process."""
