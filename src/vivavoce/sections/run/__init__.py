"""Setup of the trial."""
