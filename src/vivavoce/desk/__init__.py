"""The researcher's dashboard: progress, transcripts, results, export, accounts. A process and a port of its own."""
