"""What participants said against what the log shows."""
