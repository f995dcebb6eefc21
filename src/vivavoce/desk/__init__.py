"""The researcher's dashboard: progress, transcripts, results, export, accounts. A process of its own."""
