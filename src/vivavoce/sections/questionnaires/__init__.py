"""Results of questionnaires."""
