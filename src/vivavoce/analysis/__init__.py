"""Analyses: a dataset in, results and decisions out.

Main objects: `summary.summarise`, `comparison.compare_systems`, `declared.declared_family`. Computes with
`stats`, which knows arrays only.
"""
