"""How clips sounded to people."""
