"""Speech: dialogues by telephone, recognisers and synthesisers."""
