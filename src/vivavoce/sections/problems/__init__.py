"""Problems in the trial."""
