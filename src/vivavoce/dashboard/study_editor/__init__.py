"""Pages that create and edit a study; its file and comments stay the single source."""
