"""What a program or a notebook calls, and the command line: from a dataset to numbers that print and plot."""
