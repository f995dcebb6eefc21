"""Success counted otherwise."""
