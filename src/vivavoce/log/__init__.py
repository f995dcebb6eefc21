"""The append-only log of events, its store, and the dataset made of them."""
