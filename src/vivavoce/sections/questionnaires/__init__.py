"""What questionnaires found."""
