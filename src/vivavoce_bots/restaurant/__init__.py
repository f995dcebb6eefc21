"""Finds restaurants, pubs and coffee shops: understanding, belief, policy, generation."""
