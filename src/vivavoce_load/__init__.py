"""Load on a service: how many people it serves at once, and how long they wait."""
