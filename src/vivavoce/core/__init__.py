"""Shared base of all rooms: errors, registry, clock, signature, text, alignment. No domain."""
