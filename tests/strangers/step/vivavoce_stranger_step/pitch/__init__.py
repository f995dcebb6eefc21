"""Two tones, of which the higher one is found: a step that plays sounds, checks first, and ends early."""
