"""Short clips, each heard whole and then rated, or compared with another."""
