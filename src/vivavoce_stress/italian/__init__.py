"""Italian: words of closed classes, inflection, and the shallow analysis that operators read."""
