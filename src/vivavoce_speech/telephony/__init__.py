"""Telephone calls that carry a visit's dialogue: legs, the SIP answerer, and what happens in a call."""
