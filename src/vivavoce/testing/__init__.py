"""Contracts of the shelves: what every measure, connector, step, ... keeps to, for tests of packages.

A package's test makes a subclass whose name begins with `Test` and says what is to be tried; pytest does the
rest. The members of our own shelves are held to the same contracts.
"""
