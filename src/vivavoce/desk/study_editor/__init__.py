"""The pages on which a study is begun and edited; its file stays the truth, with its comments."""
