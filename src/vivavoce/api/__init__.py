"""Functions for programs, notebooks and the command line: from a dataset to numbers that print and plot."""
