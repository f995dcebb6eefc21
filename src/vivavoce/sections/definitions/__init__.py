"""What every measure means."""
