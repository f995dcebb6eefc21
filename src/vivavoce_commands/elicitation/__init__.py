"""Commands to a robot, one for each stimulus."""
