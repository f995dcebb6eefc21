"""The declared comparison under every other choice that could be defended."""
