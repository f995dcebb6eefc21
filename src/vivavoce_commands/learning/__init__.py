"""Systems that learn to turn commands into predicates: three as in 2018, a fourth, and a baseline."""
