"""Sound: files, voice activity, turns of a recording. Knows core only."""
