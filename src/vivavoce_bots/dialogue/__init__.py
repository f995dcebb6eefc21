"""The parts of dialogue systems: understanding, belief, database, generation; a domain is data."""
