"""What happened: append-only events, the store, the dataset made of them."""
