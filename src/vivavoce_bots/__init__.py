"""Dialogue systems to be examined: real programs of their own, reached like anybody's bot.

This package and `vivavoce` never import each other.
"""
